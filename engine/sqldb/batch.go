package sqldb

import (
	"context"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/world"
)

// pending is a write that waits, with what it will lead to as far as that is known.
type pending struct {
	write write
	out   outcome
}

// batches reports whether a write may wait for others and share their transaction.
//
// What is lost with a crash is then a few writes instead of one. The driver
// flushes before a checkpoint or a position counts them, so they are replayed:
//
//   - append: written again, as promised (at least once). Fewer repeats, not more:
//     the rows of a batch that was not committed are not there.
//   - upsert: set again to the same.
//   - dedup, atomic: each id is in the transaction of its effect, whoever else is.
//   - offset-with-output: each position is in the transaction of its value, and a
//     loop that resumes from the store resumes from what was committed.
//
// Not so the two writes of a dedup that is not atomic: in one transaction they
// would be atomic, and the gap that they are there to show would be closed in
// secret. And a batch that is a write of its own already is one transaction.
//
// The writes wait in memory, not in an open transaction: that one would keep
// SQLite's only writer lock, or rows in PostgreSQL, while its task waits for
// input that another writer has to let through first.
func (s *Sink) batches(w *write) bool {
	switch {
	case s.opt.Batch < 2 || w.form == batchForm:
		return false
	case w.form == dedupForm:
		return w.part == world.IDAndValue
	}
	return true
}

// wait buffers a write and answers what it will do. It flushes a full buffer.
func (s *Sink) wait(ctx context.Context, w write, ev *engine.Event) (live.Answer, error) {
	p := pending{write: w}
	err := s.ses.retry(ctx, "read", true, func(ctx context.Context) error {
		p.out = outcome{}
		if err := s.ses.connect(ctx); err != nil {
			s.ses.drop()
			return s.ses.db.trouble("connect", err)
		}
		err := s.foresee(ctx, &p)
		if err != nil {
			s.ses.drop() // a query has no transaction to end: a new connection is as good
		}
		return err
	})
	if err != nil {
		return live.Answer{}, err
	}
	s.buf = append(s.buf, p)
	if len(s.buf) >= s.opt.Batch {
		if err := s.flush(ctx); err != nil {
			return live.Answer{}, err
		}
	}
	return s.record(&p.write, &p.out, ev), nil
}

// foresee is what a write will lead to after those that wait already, unless
// another writer comes between. The newest that waits says more than the store.
func (s *Sink) foresee(ctx context.Context, p *pending) error {
	w, out := &p.write, &p.out
	var err error
	switch w.form {
	case rowForm:
		out.after = w.value
		return nil
	case cellForm:
		out.after = w.value
		out.before, err = s.number(ctx, engine.NoRow, func(q *pending) (bool, int64) { return q.write.cell == w.cell, q.out.after }, findCell, w.cell)
		return err
	case dedupForm:
		at, err := s.number(ctx, -1, func(q *pending) (bool, int64) { return q.write.id == w.id && !q.out.known, int64(q.write.at) }, findID, w.id)
		if err != nil {
			return err
		}
		out.known = at >= 0 && w.at-engine.Time(at) <= w.keep
	case positionForm:
		last, err := s.number(ctx, -1, func(q *pending) (bool, int64) {
			return q.write.slot == w.slot && !q.out.known, int64(q.write.rec.ID.Off)
		}, findPosition, w.slot)
		if err != nil {
			return err
		}
		out.known = w.guard && int64(w.rec.ID.Off) <= last
	}
	if out.known {
		return nil
	}
	out.after = w.value
	out.before, err = s.number(ctx, 0, func(q *pending) (bool, int64) { return q.write.key == w.key && !q.out.known, q.out.after }, findBalance, w.key)
	if w.add {
		out.after += out.before
	}
	return err
}

func (s *Sink) number(ctx context.Context, none int64, waits func(*pending) (bool, int64), query, row string) (int64, error) {
	for i := len(s.buf) - 1; i >= 0; i-- {
		if is, n := waits(&s.buf[i]); is {
			return n, nil
		}
	}
	n, found, err := s.ses.number(ctx, query, s.opt.Place, row)
	if !found {
		n = none
	}
	return n, err
}

// flush writes everything that waits in one transaction. A life that has been
// replaced gets Trouble of kind Fenced, and nothing of it is written.
func (s *Sink) flush(ctx context.Context) error {
	again := true
	for i := range s.buf {
		again = again && s.buf[i].write.repeatable()
	}
	err := s.ses.transact(ctx, "write", again, func(ctx context.Context) error {
		var out outcome
		if refused, err := s.refused(ctx, &out); err != nil {
			return err
		} else if refused {
			return &Trouble{Kind: Fenced, Database: s.ses.db.Name(), Doing: "write"}
		}
		for i := range s.buf {
			out = outcome{}
			if err := s.apply(ctx, &s.buf[i].write, &out); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.buf = s.buf[:0]
	}
	return err
}
