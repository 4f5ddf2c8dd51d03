package lab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live/proc"
)

// link carries one channel to a task in another worker, over a connection of its
// own: a channel that is held back for a barrier must not hold up another one. One
// batch is under way at a time, until the reader has taken it, so that the socket's
// buffers do not hide a queue.
type link struct {
	secret proc.Secret
	ch     engine.ChanID
	where  func() string // the reader's worker now; "": there is none

	mu   sync.Mutex // one sender
	w    *wire
	addr string
}

// dialTime is how long a worker may take to answer.
const dialTime = 2 * time.Second

// Send hands a batch over and waits until the reader has taken it. A context that
// ends while it waits ends the connection: nobody knows whether the batch arrived.
func (l *link) Send(ctx context.Context, attempt int16, elements []engine.Element) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.connect(ctx); err != nil {
		return fmt.Errorf("channel %d: %w", l.ch, err)
	}
	w := l.w
	stop := context.AfterFunc(ctx, w.close)
	err := exchange(w, batch{Attempt: attempt, Elements: elements})
	if !stop() {
		err = context.Cause(ctx)
	}
	if err != nil {
		w.close()
		l.w = nil
		return fmt.Errorf("channel %d: %w", l.ch, err)
	}
	return nil
}

func exchange(w *wire, b batch) error {
	if err := w.send(frameBatch, b); err != nil {
		return err
	}
	if _, err := w.receive(); err != nil {
		return err
	}
	var a taken
	if err := w.decode(&a); err != nil {
		return err
	}
	if a.Why != "" {
		return errors.New(a.Why)
	}
	return nil
}

// connect sees to a connection with the worker that hosts the reader now.
func (l *link) connect(ctx context.Context) error {
	addr := l.where()
	if l.w != nil && addr == l.addr {
		return nil
	}
	if l.w != nil {
		l.w.close()
		l.w = nil
	}
	if addr == "" {
		return errors.New("the worker of its reader is not there")
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	p, err := proc.Dial(ctx, addr, strconv.Itoa(int(l.ch)), l.secret)
	if err != nil {
		return err
	}
	l.w, l.addr = newWire(p), addr
	return nil
}

// close ends the connection, and whoever waits for an answer on it.
func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.w != nil {
		l.w.close()
		l.w = nil
	}
}

// takeIn serves one channel of another worker until its connection ends. While a
// batch is not yet taken a further read waits for nothing but that end.
func takeIn(ctx context.Context, p *proc.Peer, host deliverer) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = p.Close() })
	defer stop()
	no, err := strconv.ParseInt(p.Name, 10, 16)
	if err != nil {
		return
	}
	w := newWire(p)
	batches := make(chan batch)
	go func() {
		defer cancel()
		for {
			var b batch
			if _, err := w.receive(); err != nil || w.decode(&b) != nil {
				return
			}
			select {
			case batches <- b:
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-batches:
			var a taken
			if err := host.Deliver(ctx, b.Attempt, engine.ChanID(no), b.Elements); err != nil {
				a.Why = err.Error()
			}
			if w.send(frameTaken, a) != nil {
				return
			}
		}
	}
}
