package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// ErrCut is what connections through a gate that is cut end with.
var ErrCut = errors.New("the connection is cut")

// Gate stands in connections and stops them at will: it makes a process seem frozen
// (Freeze), cuts it off (Cut), or lets a request arrive and swallows the answer
// (LoseAnswer). Put it into a client with Through, or before a whole embedded broker
// with EmbedConfig.Gate. It works with any cluster, because it stands in the
// connection. The zero Gate is open. It may be used by many goroutines.
type Gate struct {
	mu     sync.Mutex
	conns  map[*gateConn]bool
	thawed chan struct{} // nil: not frozen; closed by Thaw
	cut    bool
	lose   int
	lost   int
}

// Freeze holds back everything from now on, in both directions, without an error:
// what a long pause of the process, or of the network, looks like.
func (g *Gate) Freeze() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thawed == nil {
		g.thawed = make(chan struct{})
	}
}

// Thaw lets everything that was held back go on.
func (g *Gate) Thaw() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thawed != nil {
		close(g.thawed)
		g.thawed = nil
	}
}

// Cut closes every connection and refuses new ones until Mend.
func (g *Gate) Cut() {
	g.mu.Lock()
	g.cut = true
	conns := g.conns
	g.conns = nil
	g.mu.Unlock()
	for c := range conns {
		_ = c.Close()
	}
}

// Mend allows connections again.
func (g *Gate) Mend() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cut = false
}

// LoseAnswer closes the connection instead of handing over the next n answers: the
// request has been carried out, and its sender cannot know.
func (g *Gate) LoseAnswer(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lose, g.lost = n, 0
}

// Lost is how many answers have been swallowed since LoseAnswer.
func (g *Gate) Lost() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.lost
}

// Conns is how many connections are open through the gate.
func (g *Gate) Conns() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.conns)
}

type dialFunc func(ctx context.Context, network, addr string) (net.Conn, error)

func (g *Gate) dial(ctx context.Context, network, addr string, dial dialFunc) (net.Conn, error) {
	if err := g.pass(ctx.Done()); err != nil {
		return nil, err
	}
	c, err := dial(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return g.hold(c, true)
}

// hold puts a connection behind the gate. answers: what is read from it are answers.
func (g *Gate) hold(c net.Conn, answers bool) (net.Conn, error) {
	w := &gateConn{Conn: c, gate: g, answers: answers, closed: make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut {
		_ = c.Close()
		return nil, ErrCut
	}
	if g.conns == nil {
		g.conns = map[*gateConn]bool{}
	}
	g.conns[w] = true
	return w, nil
}

// pass waits while the gate is frozen.
func (g *Gate) pass(gone <-chan struct{}) error {
	for {
		g.mu.Lock()
		thawed, cut := g.thawed, g.cut
		g.mu.Unlock()
		if cut {
			return ErrCut
		}
		if thawed == nil {
			return nil
		}
		select {
		case <-thawed:
		case <-gone:
			return net.ErrClosed
		}
	}
}

// swallow reports whether this answer is one to lose.
func (g *Gate) swallow() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.lose == 0 {
		return false
	}
	g.lose--
	g.lost++
	return true
}

func (g *Gate) listen(listen func(network, addr string) (net.Listener, error)) func(network, addr string) (net.Listener, error) {
	return func(network, addr string) (net.Listener, error) {
		l, err := listen(network, addr)
		if err != nil {
			return nil, err
		}
		return gateListener{l, g}, nil
	}
}

type gateListener struct {
	net.Listener
	gate *Gate
}

// Accept hangs up on those who come while the gate is cut, and waits for the next.
func (l gateListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if held, err := l.gate.hold(c, false); err == nil {
			return held, nil
		}
	}
}

type gateConn struct {
	net.Conn
	gate    *Gate
	answers bool
	once    sync.Once
	closed  chan struct{}
}

// Read waits at the gate after the bytes have come, so that a frozen process does
// not see an answer that was under way when it froze.
func (c *gateConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if at := c.gate.pass(c.closed); at != nil {
		return 0, at
	}
	if n > 0 && c.answers && c.gate.swallow() {
		_ = c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func (c *gateConn) Write(b []byte) (int, error) {
	if err := c.gate.pass(c.closed); err != nil {
		return 0, err
	}
	if !c.answers && c.gate.swallow() {
		_ = c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return c.Conn.Write(b)
}

func (c *gateConn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.gate.mu.Lock()
		delete(c.gate.conns, c)
		c.gate.mu.Unlock()
	})
	return c.Conn.Close()
}
