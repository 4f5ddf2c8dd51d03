package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"effectivelyonce/engine/machine"
)

// turnedAway counts the connections that a cut gate refused, so that a test knows that
// somebody has met it.
type turnedAway struct {
	Broker
	n *atomic.Int64
}

func (b turnedAway) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := b.Broker.Dial(ctx, network, addr)
	if errors.Is(err, ErrCut) {
		b.n.Add(1)
	}
	return c, err
}

// A writer freezes between its promise and its commit. Another takes over meanwhile,
// from a checkpoint that does not name the promise; the commit comes too late.
func TestAFrozenWriterIsFencedWhenItThaws(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		g := new(Gate)
		out := e.topic("out", 1)
		frozen := *e
		frozen.b = Through(e.b, g)
		a := frozen.live(out, 1, 0, 0)
		x := a.writes(1, 0, 1)
		a.promise(x)

		g.Freeze()
		committed := make(chan bool, 1)
		go func() { _, ok := a.do(machine.DoCommit, x); committed <- ok }()
		b := e.live(out, 2, 0, 0)
		if len(b.ans.Lingering) != 1 || b.ans.Lingering[0] != x {
			t.Errorf("the next life finds %v lingering, want %v", b.ans.Lingering, x)
		}
		y := b.writes(2, 0, 1)
		b.promise(y)
		b.do(machine.DoCommit, y)
		e.shows(out, true, "P0:0=10/2")
		if len(committed) > 0 {
			t.Error("a commit went through a frozen gate")
		}
		g.Thaw()
		if <-committed {
			t.Error("the thawed writer commits what another has aborted")
		}
		e.shows(out, true, "P0:0=10/2")
		e.shows(out, false, "P0:0=10/1 P0:0=10/2")
	})
}

// An answer that arrives at a frozen process is not seen before it thaws, and is not lost.
func TestWhatArrivesAtAFrozenGateWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := new(Gate)
		near, far := net.Pipe()
		held, err := g.hold(near, true)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		g.Freeze()
		read := make(chan string, 1)
		go func() {
			b := make([]byte, 8)
			n, err := held.Read(b)
			read <- fmt.Sprint(string(b[:n]), err)
		}()
		if _, err := far.Write([]byte("answer")); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // the answer has arrived, and its reader waits
		if len(read) > 0 {
			t.Fatalf("a frozen process has seen %q", <-read)
		}
		g.Thaw()
		if got := <-read; got != "answer<nil>" {
			t.Errorf("after the thaw %q is read", got)
		}
	})
}

// Who waits at a frozen gate is let go when the connection is closed, or cut.
func TestAFrozenConnectionCanEnd(t *testing.T) {
	for name, end := range map[string]func(*Gate, net.Conn){
		"closed": func(_ *Gate, c net.Conn) { _ = c.Close() },
		"cut":    func(g *Gate, _ net.Conn) { g.Cut() },
	} {
		t.Run(name, func(t *testing.T) {
			noLeaks(t)
			g := new(Gate)
			near, far := net.Pipe()
			held, err := g.hold(near, true)
			if err != nil {
				t.Fatal(err)
			}
			g.Freeze()
			ended := make(chan error, 2)
			go func() { _, err := held.Read(make([]byte, 8)); ended <- err }()
			go func() { _, err := held.Write([]byte("request")); ended <- err }()
			if _, err := far.Write([]byte("answer")); err != nil {
				t.Fatal(err)
			}
			end(g, held)
			for range 2 {
				if err := <-ended; !errors.Is(err, net.ErrClosed) && !errors.Is(err, ErrCut) {
					t.Errorf("it ends with %v", err)
				}
			}
			if g.Conns() != 0 {
				t.Errorf("%d connections are held", g.Conns())
			}
		})
	}
}

// A cut ends every connection and lets none in. What was written before stays, what
// waits is written after it, and nothing is written twice.
func TestACutWriterGoesOn(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		g, refused := new(Gate), new(atomic.Int64)
		out := e.topic("out", 1)
		cut := *e
		cut.b = turnedAway{Through(e.b, g), refused}
		a := cut.live(out, 1, 0, 0)
		x := a.writes(1, 0, 1)

		g.Cut()
		if n := g.Conns(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
		a.do(machine.DoWrite, x, a.record(1))
		flushed := make(chan error, 1)
		go func() { flushed <- a.sink.Flush(e.ctx) }()
		until(t, func() bool { return refused.Load() > 0 }, func() string { return "nobody has tried to connect" })
		if len(flushed) > 0 {
			t.Error("a row went through a cut gate")
		}
		e.shows(out, false, "P0:0=10/1")
		g.Mend()
		e.must(<-flushed)
		a.promise(x)
		if _, ok := a.do(machine.DoCommit, x); !ok {
			t.Error("the commit after the cut is refused")
		}
		e.shows(out, true, "P0:0=10/1 P0:1=20/1")
		e.shows(out, false, "P0:0=10/1 P0:1=20/1")
	})
}

// A gate before an embedded broker cuts off every client, whatever it was made with.
func TestACutBrokerIsCutOffForAll(t *testing.T) {
	noLeaks(t)
	g := new(Gate)
	b, err := Embed(EmbedConfig{Gate: g})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	e := newEnv(t, b, false)
	out := e.topic("out", 1)
	a := e.live(out, 1, 0, 0)
	x := a.writes(1, 0, 1)
	g.Cut()
	ctx, cancel := context.WithCancel(e.ctx)
	asked := make(chan error, 1)
	go func() { _, err := Ends(ctx, Connect(b.Addrs()...), out, false); asked <- err }()
	probe, err := net.Dial("tcp", b.Addrs()[0])
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close()
	if n, err := probe.Read(make([]byte, 1)); err == nil { // hung up on
		t.Errorf("%d bytes came through a cut gate", n)
	}
	if len(asked) > 0 && <-asked == nil {
		t.Error("a client got an answer through a cut gate")
	}
	cancel()
	g.Mend()
	a.promise(x)
	if _, ok := a.do(machine.DoCommit, x); !ok {
		t.Error("the commit after the cut is refused")
	}
	e.shows(out, true, "P0:0=10/1")
}
