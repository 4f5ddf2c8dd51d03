package lab

import (
	"context"
	"sync"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// node is the worker's side: it keeps a connection to the coordinator, a link for
// each channel that leaves it, and takes in the channels that reach it.
type node struct {
	me       hello
	secret   proc.Secret
	beat     time.Duration // between two signs of life
	listener *proc.Listener
	host     hosting

	mu    sync.Mutex
	addrs []string // of the other workers, as the coordinator said last
	links []*link
	up    *wire // to the coordinator; nil: none
	wait  sync.WaitGroup
}

// hosting is what a worker needs of live.Host.
type hosting interface {
	deliverer
	Do(live.Order)
}

func newNode(me hello, count int, secret proc.Secret, beat time.Duration) (*node, error) {
	l, err := proc.Listen(secret)
	if err != nil {
		return nil, err
	}
	me.Addr = l.Addr()
	return &node{me: me, secret: secret, beat: beat, listener: l, addrs: make([]string, count)}, nil
}

// link makes the link of one channel to a task on another node.
func (n *node) link(ch engine.ChanID, to int) *link {
	l := &link{secret: n.secret, ch: ch, where: func() string {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.addrs[to]
	}}
	n.mu.Lock()
	n.links = append(n.links, l)
	n.mu.Unlock()
	return l
}

// serve takes channels in until the context ends.
func (n *node) serve(ctx context.Context, host hosting) {
	n.host = host
	stop := context.AfterFunc(ctx, func() { _ = n.listener.Close() })
	defer stop()
	for {
		p, err := n.listener.Accept()
		if err != nil {
			break
		}
		n.wait.Go(func() { takeIn(ctx, p, host) })
	}
	n.mu.Lock()
	links := n.links
	n.mu.Unlock()
	for _, l := range links {
		l.close()
	}
	n.wait.Wait()
}

// report tells the coordinator something. While there is none it is dropped: the
// next one starts everything again.
func (n *node) report(r live.Report) {
	n.mu.Lock()
	up := n.up
	n.mu.Unlock()
	if up != nil {
		_ = up.send(frameReport, r) // a connection that fails is noticed by obey
	}
}

// obey connects to the coordinator and does what it says, until the connection ends
// or another worker has taken this one's place (replaced).
func (n *node) obey(ctx context.Context, addr string) (replaced bool, err error) {
	dialing, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	p, err := proc.Dial(dialing, addr, "worker", n.secret)
	if err != nil {
		return false, err
	}
	w := newWire(p)
	defer w.close()
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	if err := w.send(frameHello, n.me); err != nil {
		return false, err
	}
	n.setUp(w)
	defer n.setUp(nil)
	over := make(chan struct{})
	defer close(over)
	n.wait.Go(func() { n.beats(w, over) })
	for {
		kind, err := w.receive()
		if err != nil {
			return false, err
		}
		switch kind {
		case frameGone:
			return true, nil
		case frameNodes:
			var now nodes
			if err := w.decode(&now); err != nil {
				return false, err
			}
			n.mu.Lock()
			n.addrs = now.Addrs
			n.mu.Unlock()
		case frameOrder:
			var o live.Order
			if err := w.decode(&o); err != nil {
				return false, err
			}
			n.host.Do(o)
		}
	}
}

func (n *node) setUp(w *wire) {
	n.mu.Lock()
	n.up = w
	n.mu.Unlock()
}

func (n *node) beats(w *wire, over <-chan struct{}) {
	tick := time.NewTicker(n.beat)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
			if w.send(frameBeat, nil) != nil {
				return
			}
		}
	}
}
