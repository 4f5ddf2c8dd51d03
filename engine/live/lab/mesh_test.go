package lab

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// teller notes what a hub tells, in words.
type teller struct {
	more chan string
}

func newTold() *teller { return &teller{more: make(chan string, 64)} }

func (t *teller) joined(node int)                { t.more <- "joined" }
func (t *teller) report(node int, r live.Report) { t.more <- "report" }
func (t *teller) lost(node, life int, silent bool) {
	if silent {
		t.more <- "lost, silent"
		return
	}
	t.more <- "lost"
}

func (t *teller) wants(tt *testing.T, words ...string) {
	tt.Helper()
	for _, w := range words {
		select {
		case got := <-t.more:
			if got != w {
				tt.Fatalf("told %q, want %q", got, w)
			}
		case <-time.After(10 * time.Second):
			tt.Fatalf("never told %q", w)
		}
	}
}

// host takes orders and batches in; a batch waits for a nod.
type host struct {
	orders chan live.Order
	nod    chan error
	got    chan int
	left   chan struct{} // a batch was given up
}

func newHost() *host {
	return &host{orders: make(chan live.Order, 16), nod: make(chan error, 16), got: make(chan int, 16), left: make(chan struct{}, 16)}
}

func (h *host) Do(o live.Order) { h.orders <- o }

func (h *host) Deliver(ctx context.Context, attempt int16, ch engine.ChanID, b []engine.Element) error {
	h.got <- int(attempt)*1000 + int(ch)*100 + len(b)
	select {
	case err := <-h.nod:
		return err
	case <-ctx.Done():
		h.left <- struct{}{}
		return ctx.Err()
	}
}

type mesh struct {
	t      *testing.T
	secret proc.Secret
	hub    *hub
	told   *teller
	ctx    context.Context
	wait   sync.WaitGroup
}

func newMesh(t *testing.T, count int, timeout time.Duration) *mesh {
	ctx, cancel := context.WithCancel(context.Background())
	m := &mesh{t: t, secret: proc.NewSecret(), told: newTold(), ctx: ctx}
	var err error
	if m.hub, err = newHub(m.secret, make([]int, count), timeout, m.told); err != nil {
		t.Fatal(err)
	}
	m.wait.Go(func() { m.hub.serve(ctx) })
	t.Cleanup(func() { cancel(); m.wait.Wait() })
	return m
}

// join starts a worker; its answer comes when its connection has ended.
func (m *mesh) join(ctx context.Context, at, life int, beat time.Duration) (*node, *host, chan bool) {
	m.t.Helper()
	n, err := newNode(hello{Node: at, Life: life}, len(m.hub.lives), m.secret, beat)
	if err != nil {
		m.t.Fatal(err)
	}
	h, over := newHost(), make(chan bool, 1)
	m.wait.Go(func() { n.serve(ctx, h) })
	m.wait.Go(func() {
		replaced, _ := n.obey(ctx, m.hub.listener.Addr())
		over <- replaced
	})
	return n, h, over
}

func TestHubAndNodes(t *testing.T) {
	m := newMesh(t, 2, time.Minute)
	a, hostA, _ := m.join(m.ctx, 0, 1, time.Hour)
	m.told.wants(t, "joined")
	_, hostB, _ := m.join(m.ctx, 1, 1, time.Hour)
	m.told.wants(t, "joined")
	l := a.link(2, 1)
	m.hub.order(0, live.Order{Kind: live.OrderStart, Attempt: 3, Token: 9})
	if o := <-hostA.orders; o.Attempt != 3 || o.Token != 9 {
		t.Fatalf("order %+v", o)
	}
	a.report(live.Report{Kind: live.ReportStarted})
	m.told.wants(t, "report")
	hostB.nod <- nil
	if err := l.Send(m.ctx, 3, make([]engine.Element, 5)); err != nil || <-hostB.got != 3205 {
		t.Fatal(err)
	}
	hostB.nod <- errors.New("an older attempt")
	if err := l.Send(m.ctx, 2, make([]engine.Element, 1)); err == nil || <-hostB.got != 2201 {
		t.Error("a batch that was not taken is no error")
	}
	// The writer is stopped while the reader takes nothing; a later attempt gets through.
	ctx, stop := context.WithCancel(m.ctx)
	go func() { <-hostB.got; stop() }()
	if err := l.Send(ctx, 3, make([]engine.Element, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	<-hostB.left
	hostB.nod <- nil
	if err := l.Send(m.ctx, 4, make([]engine.Element, 2)); err != nil || <-hostB.got != 4202 {
		t.Error(err)
	}
}

// A worker that dies is lost at once; what comes in its place joins, and links find it.
func TestReplacedWorker(t *testing.T) {
	m := newMesh(t, 2, time.Minute)
	a, _, _ := m.join(m.ctx, 0, 1, time.Hour)
	m.told.wants(t, "joined")
	ctx, kill := context.WithCancel(m.ctx)
	m.join(ctx, 1, 1, time.Hour)
	m.told.wants(t, "joined")
	kill()
	m.told.wants(t, "lost")
	_, hostB, overB := m.join(m.ctx, 1, 2, time.Hour)
	m.told.wants(t, "joined")
	if _, _, over := m.join(m.ctx, 1, 1, time.Hour); !<-over {
		t.Error("a life that was replaced is let in")
	}
	m.hub.order(0, live.Order{Kind: live.OrderStart})
	hostB.nod <- nil
	l := a.link(0, 1)
	waitFor(t, func() bool { return l.where() == hub1(m.hub) })
	if err := l.Send(m.ctx, 1, make([]engine.Element, 1)); err != nil {
		t.Error(err)
	}
	m.join(m.ctx, 1, 3, time.Hour)
	m.told.wants(t, "lost", "joined")
	if <-overB {
		t.Error("a life that is pushed out hears that it was replaced before it asks")
	}
}

func hub1(h *hub) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.nodes[1].addr
}

func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	tick, late := time.NewTicker(time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatal("did not happen within 10 s")
		}
	}
}

// A worker without a sign of life is lost although its connection stands, and its
// life is not let in again.
func TestSilentWorker(t *testing.T) {
	m := newMesh(t, 1, 50*time.Millisecond)
	_, _, over := m.join(m.ctx, 0, 1, 5*time.Millisecond)
	m.told.wants(t, "joined")
	ctx, leave := context.WithCancel(m.ctx)
	defer leave()
	silent, _, overSilent := m.join(ctx, 0, 2, time.Hour)
	m.told.wants(t, "lost", "joined", "lost, silent")
	<-over
	<-overSilent
	if replaced, err := silent.obey(m.ctx, m.hub.listener.Addr()); !replaced {
		t.Errorf("a silent life is let in again: %v", err)
	}
}
