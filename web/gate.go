package web

import (
	"context"
	"fmt"
	"sync"
)

// busy is the answer when more runs wait than the server will hold.
type busy struct{ ahead int }

// Error says how many are ahead.
func (b *busy) Error() string { return fmt.Sprintf("%d runs ahead of yours", b.ahead) }

// gate hands out a fixed number of turns. Clients that wait are served in a
// circle, one turn each, however many requests each of them has piled up. It is
// safe for concurrent use.
type gate struct {
	mu      sync.Mutex
	free    int
	waiting map[string][]*turn
	circle  []string // clients with somebody waiting, the next one first
	size    int      // turns waiting in all
	perHead int      // the most one client may have waiting
	most    int      // the most that may wait in all
}

type turn struct{ ready chan struct{} }

func newGate(turns, perHead, most int) *gate {
	return &gate{free: turns, waiting: map[string][]*turn{}, perHead: perHead, most: most}
}

// enter waits for a turn and returns the function that gives it back. It fails
// with *busy when too many wait, and with the context's error when that ends.
func (g *gate) enter(ctx context.Context, client string) (leave func(), err error) {
	g.mu.Lock()
	if g.free > 0 {
		g.free--
		g.mu.Unlock()
		return g.leave, nil
	}
	if len(g.waiting[client]) >= g.perHead || g.size >= g.most {
		n := g.size
		g.mu.Unlock()
		return nil, &busy{ahead: n}
	}
	t := &turn{ready: make(chan struct{})}
	if len(g.waiting[client]) == 0 {
		g.circle = append(g.circle, client)
	}
	g.waiting[client] = append(g.waiting[client], t)
	g.size++
	g.mu.Unlock()

	select {
	case <-t.ready:
		return g.leave, nil
	case <-ctx.Done():
		g.abandon(client, t)
		return nil, ctx.Err()
	}
}

// leave gives the turn to the client that is next in the circle.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.circle) == 0 {
		g.free++
		return
	}
	client := g.circle[0]
	t := g.waiting[client][0]
	g.circle = g.circle[1:]
	g.remove(client, 0)
	if len(g.waiting[client]) > 0 {
		g.circle = append(g.circle, client)
	}
	close(t.ready)
}

// abandon takes a turn out of the queue, or passes it on if it was given in the
// same moment.
func (g *gate) abandon(client string, t *turn) {
	g.mu.Lock()
	for i, w := range g.waiting[client] {
		if w != t {
			continue
		}
		g.remove(client, i)
		if len(g.waiting[client]) == 0 {
			g.forget(client)
		}
		g.mu.Unlock()
		return
	}
	g.mu.Unlock()
	g.leave()
}

func (g *gate) remove(client string, i int) {
	w := append(g.waiting[client][:i:i], g.waiting[client][i+1:]...)
	if g.waiting[client] = w; len(w) == 0 {
		delete(g.waiting, client)
	}
	g.size--
}

func (g *gate) forget(client string) {
	for i, c := range g.circle {
		if c == client {
			g.circle = append(g.circle[:i:i], g.circle[i+1:]...)
			return
		}
	}
}
