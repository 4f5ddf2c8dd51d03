package kafka

import (
	"context"
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// commit ends a transaction by its handle, whether this life has begun it or not:
// there is one way, and it may be repeated.
func (s *TxnSink) commit(ctx context.Context, x engine.Txn, ev *engine.Event) (live.Answer, error) {
	if t := s.open[x]; t != nil {
		if err := s.promise(ctx, x, t); err != nil {
			if Fenced(err) {
				return s.late(x, ev), nil
			}
			return live.Answer{}, err
		}
		if t.rows == 0 {
			return s.ended(x, ev, engine.TxnCommitted), nil // the broker has never heard of it
		}
	}
	p := s.known[x]
	switch {
	case p == nil && s.promisedEmpty(x):
		return s.ended(x, ev, engine.TxnCommitted), nil
	case p == nil:
		return s.late(x, ev), nil
	case p.handle.ID == "" && p.state == engine.TxnCommitted:
		return s.ended(x, ev, engine.TxnCommitted), nil
	case p.handle.ID == "":
		return s.late(x, ev), nil
	case p.state == engine.TxnNone: // another life's: it may have been committed already
		d, ok, err := described(ctx, s.cl, p.handle.ID)
		if err != nil {
			return live.Answer{}, err
		}
		p.state = engine.TxnCommitted
		if ok && ongoing(d.State) {
			p.state = engine.TxnPrecommitted
		}
	}
	if err := endTxn(ctx, s.cl, p.handle, true); err != nil {
		if Fenced(err) {
			return s.late(x, ev), nil
		}
		return live.Answer{}, fmt.Errorf("commit %s: %w", p.handle.ID, err)
	}
	return s.ended(x, ev, engine.TxnCommitted), nil
}

// abort ends a transaction that nobody has promised. What earlier lives had left was
// aborted when this one registered (Open).
func (s *TxnSink) abort(ctx context.Context, x engine.Txn, ev *engine.Event) (live.Answer, error) {
	if s.swept[x] && s.open[x] == nil {
		delete(s.swept, x)
		ev.Kind, ev.Before, ev.After = engine.TxnAbort, int64(engine.TxnOpen), max(ev.After, int64(engine.TxnAborted))
		return live.Answer{}, nil
	}
	p := s.known[x]
	if t := s.open[x]; t != nil {
		if t.rows == 0 {
			return s.ended(x, ev, engine.TxnAborted), nil
		}
		if err := t.cl.AbortBufferedRecords(ctx); err != nil {
			return live.Answer{}, fmt.Errorf("abort: %w", err)
		}
		producer, epoch, err := t.cl.ProducerID(ctx)
		if err != nil {
			return s.late(x, ev), nil // the client has been refused already
		}
		p = &promised{handle: handle{name{s.life.Token, x.No, x.Attempt}.id(s.guard.ID), producer, epoch}, state: t.state, rows: t.rows}
		s.known[x] = p
	}
	if p == nil || p.handle.ID == "" {
		return s.late(x, ev), nil
	}
	if err := endTxn(ctx, s.cl, p.handle, false); err != nil {
		if Fenced(err) {
			return s.late(x, ev), nil
		}
		return live.Answer{}, fmt.Errorf("abort %s: %w", p.handle.ID, err)
	}
	return s.ended(x, ev, engine.TxnAborted), nil
}

// ended notes how a transaction came out, and lets its producer go.
func (s *TxnSink) ended(x engine.Txn, ev *engine.Event, state engine.TxnState) live.Answer {
	ev.Kind = engine.TxnCommit
	if state == engine.TxnAborted {
		ev.Kind = engine.TxnAbort
	}
	p := s.settle(x)
	ev.Before, ev.After, ev.Value = int64(p.state), int64(state), p.rows
	p.state = state
	return live.Answer{}
}

// late is the answer to one who comes too late: it was ended in another way.
func (s *TxnSink) late(x engine.Txn, ev *engine.Event) live.Answer {
	p := s.settle(x)
	if p.state != engine.TxnCommitted {
		p.state = engine.TxnAborted // by a later life, or because its time was up: the broker does not say which
	}
	ev.Kind, ev.Before, ev.After, ev.Value = engine.Fenced, int64(p.state), int64(p.state), p.rows
	return live.Answer{Refused: true}
}

// settle moves a transaction of this life to those that are only known.
func (s *TxnSink) settle(x engine.Txn) *promised {
	p := s.known[x]
	if p == nil {
		p = &promised{}
		s.known[x] = p
	}
	if t := s.open[x]; t != nil {
		p.state, p.rows = t.state, t.rows
		t.cl.Close()
		delete(s.open, x)
	}
	s.forget(x)
	return p
}

// remembered is how many checkpoints back an ended transaction is still known, for
// one who asks again.
const remembered = 64

func (s *TxnSink) forget(newest engine.Txn) {
	for x, p := range s.known {
		if newest.No-x.No > remembered && (p.state == engine.TxnCommitted || p.state == engine.TxnAborted) {
			delete(s.known, x)
		}
	}
}

// promisedEmpty reports whether a checkpoint names a transaction into which nothing
// was ever written.
func (s *TxnSink) promisedEmpty(x engine.Txn) bool {
	for _, p := range s.life.Promises {
		if p.Txn == x {
			return len(p.Handle) == 0
		}
	}
	return false
}

// Flush returns when the broker has acknowledged every row of the open transaction.
func (s *TxnSink) Flush(ctx context.Context) error {
	for _, t := range s.open {
		if t.state != engine.TxnOpen {
			continue
		}
		if err := t.flush(ctx, s.cfg.Topic); err != nil {
			return err
		}
	}
	return nil
}

// Handle is what a checkpoint must keep of a promised transaction; nil where nothing
// was written into it.
func (s *TxnSink) Handle(x engine.Txn) []byte {
	if p := s.known[x]; p != nil && p.handle.ID != "" && p.rows > 0 {
		return p.handle.encode()
	}
	for _, p := range s.life.Promises {
		if p.Txn == x {
			return p.Handle
		}
	}
	return nil
}

// Close lets go of the connections. Nothing is ended at the broker: that is what a
// crash would leave.
func (s *TxnSink) Close() error {
	for _, t := range s.open {
		t.cl.Close()
	}
	if s.cl != nil {
		s.cl.Close()
		s.cl = nil
	}
	s.open = nil
	return nil
}
