package lab

import (
	"context"
	"slices"
	"sync"
	"time"

	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// hub is the coordinator's side of the connections to its workers: one a node, the
// newest life of a node counts. A worker is lost when its connection ends (a killed
// process, at once) or when it gives no sign of life for the timeout (a frozen one).
// Nothing that a lost worker still says is handed on.
//
// Flink's heartbeat.timeout is 50 s and its interval 10 s (Flink 2.x); the lab's is
// short, so that a learner need not wait.
type hub struct {
	listener *proc.Listener
	timeout  time.Duration
	on       member

	mu    sync.Mutex
	nodes []*worker // by node; nil: none
	lives []int     // the newest life heard of, by node
	wait  sync.WaitGroup
}

// member is told of workers. The calls for one node come one at a time and in order:
// joined, reports, lost.
type member interface {
	joined(node int)
	report(node int, r live.Report)
	lost(node, life int, silent bool)
}

// worker is the connection to one life of a node.
type worker struct {
	node, life int
	addr       string
	w          *wire
	orders     chan any // live.Order or nodes
	gone       chan struct{}
	once       sync.Once
}

// queuedOrders bounds what waits for a worker that reads nothing. The orders of one
// checkpoint are few; a worker with so many waiting is lost.
const queuedOrders = 4096

// newHub listens. lives are the least lives of the nodes that may come.
func newHub(secret proc.Secret, lives []int, timeout time.Duration, on member) (*hub, error) {
	l, err := proc.Listen(secret)
	if err != nil {
		return nil, err
	}
	return &hub{listener: l, timeout: timeout, on: on, nodes: make([]*worker, len(lives)), lives: slices.Clone(lives)}, nil
}

// serve takes workers in until the context ends.
func (h *hub) serve(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() { _ = h.listener.Close() })
	defer stop()
	for {
		p, err := h.listener.Accept()
		if err != nil {
			break
		}
		h.wait.Go(func() { h.follow(ctx, newWire(p)) })
	}
	h.wait.Wait()
}

// follow hears one worker to its end.
func (h *hub) follow(ctx context.Context, w *wire) {
	defer w.close()
	stop := context.AfterFunc(ctx, w.close)
	defer stop()
	var hi hello
	if kind, err := w.receive(); err != nil || kind != frameHello || w.decode(&hi) != nil {
		return
	}
	k := &worker{node: hi.Node, life: hi.Life, addr: hi.Addr, w: w, orders: make(chan any, queuedOrders), gone: make(chan struct{})}
	if !h.enter(k) {
		_ = w.send(frameGone, nil) // it may be gone already
		return
	}
	h.announce()
	h.on.joined(k.node)
	h.wait.Go(func() { k.write() })
	silent := h.hear(k)
	k.end()
	h.on.lost(k.node, k.life, silent && ctx.Err() == nil)
	h.leave(k)
}

// enter gives a worker the place of its node, after the life before it has been
// told to be lost, unless a newer life has it.
func (h *hub) enter(k *worker) bool {
	for {
		h.mu.Lock()
		if k.node < 0 || k.node >= len(h.nodes) || k.life < h.lives[k.node] {
			h.mu.Unlock()
			return false
		}
		old := h.nodes[k.node]
		h.lives[k.node] = k.life
		if old == nil {
			h.nodes[k.node] = k
			h.mu.Unlock()
			return true
		}
		h.mu.Unlock()
		old.end()
		<-old.gone
	}
}

func (h *hub) leave(k *worker) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.nodes[k.node] = nil
	close(k.gone)
	if k.life == h.lives[k.node] {
		h.lives[k.node]++ // this life was given up: what comes next is a newer one
	}
}

// hear hands reports on until the connection ends or is silent for the timeout.
func (h *hub) hear(k *worker) (silent bool) {
	var mu sync.Mutex
	quiet := time.AfterFunc(h.timeout, func() {
		mu.Lock()
		silent = true
		mu.Unlock()
		k.w.close()
	})
	defer quiet.Stop()
	for {
		kind, err := k.w.receive()
		if err != nil {
			break
		}
		quiet.Reset(h.timeout)
		if kind != frameReport {
			continue
		}
		var r live.Report
		if k.w.decode(&r) != nil {
			break
		}
		h.on.report(k.node, r)
	}
	mu.Lock()
	defer mu.Unlock()
	return silent
}

// announce tells every worker where all of them are, before any later order.
func (h *hub) announce() {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := nodes{Addrs: make([]string, len(h.nodes))}
	for i, k := range h.nodes {
		if k != nil {
			n.Addrs[i] = k.addr
		}
	}
	for _, k := range h.nodes {
		if k != nil {
			k.push(n)
		}
	}
}

// order sends an order to a node. An order to a node that is not there is dropped:
// the leader was told that it is lost.
func (h *hub) order(node int, o live.Order) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.nodes[node]; k != nil {
		k.push(o)
	}
}

func (k *worker) push(v any) {
	select {
	case k.orders <- v:
	default:
		k.end()
	}
}

// write sends what waits, in order.
func (k *worker) write() {
	for {
		select {
		case <-k.gone:
			return
		case v := <-k.orders:
			kind := frameOrder
			if _, ok := v.(nodes); ok {
				kind = frameNodes
			}
			if k.w.send(kind, v) != nil {
				k.end()
				return
			}
		}
	}
}

func (k *worker) end() { k.once.Do(k.w.close) }
