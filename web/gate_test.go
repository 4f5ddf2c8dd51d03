package web

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
)

// A greedy client has piled up eight runs; a second one comes with one. It is
// served after at most one more of the greedy ones.
func TestGateServesClientsInACircle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 16, 64)
		leave, err := g.enter(context.Background(), "greedy")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var served []string
		wait := func(client string) {
			out, err := g.enter(context.Background(), client)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			served = append(served, client)
			mu.Unlock()
			out()
		}
		for range 8 {
			go wait("greedy")
		}
		synctest.Wait()
		go wait("modest")
		synctest.Wait()
		leave()
		synctest.Wait()
		if len(served) != 9 || served[0] != "greedy" || served[1] != "modest" {
			t.Fatalf("served %v", served)
		}
		if g.free != 1 || g.size != 0 || len(g.circle) != 0 {
			t.Fatalf("after all left: free %d, waiting %d, circle %v", g.free, g.size, g.circle)
		}
	})
}

func TestGateRefusesWhatItWillNotHold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(1, 1, 2)
		leave, _ := g.enter(context.Background(), "a")
		ctx, stop := context.WithCancel(context.Background())
		gone := make(chan error, 1)
		go func() {
			_, err := g.enter(ctx, "a")
			gone <- err
		}()
		synctest.Wait()
		var full *busy
		if _, err := g.enter(context.Background(), "a"); !errors.As(err, &full) || full.ahead != 1 {
			t.Fatalf("a second waiting run of one client: %v", err)
		}
		stop()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Fatalf("a request that went away: %v", err)
		}
		if g.size != 0 || len(g.circle) != 0 {
			t.Fatalf("it is still in the queue: %d, %v", g.size, g.circle)
		}
		leave()
		if out, err := g.enter(context.Background(), "b"); err != nil {
			t.Fatal(err)
		} else {
			out()
		}
	})
}

func TestCacheDropsWhatWasUsedLongestAgo(t *testing.T) {
	c := newCache[int](10)
	c.put("a", 1, 4)
	c.put("b", 2, 4)
	c.get("a")
	c.put("c", 3, 4)
	c.put("huge", 4, 11)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true, "huge": false} {
		if _, ok := c.get(key); ok != want {
			t.Errorf("%s kept: %v, want %v", key, ok, want)
		}
	}
	if c.used != 8 {
		t.Errorf("it thinks %d of 10 are used, want 8", c.used)
	}
}
