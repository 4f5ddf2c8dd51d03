package world

import "effectivelyonce/engine"

// join lets a write take part in transaction x, whose time begins to run with its
// first write. A transaction that is over refuses it, and so does one of another
// owner. Without transactions everything is let in.
func (s *Streams) join(x engine.Txn, ev *engine.Event) (Answer, bool) {
	if x.IsZero() {
		return Answer{}, true
	}
	ev.Txn = x
	if s.txn != x || s.state != engine.TxnOpen {
		ev.Kind, ev.Before, ev.After = engine.Fenced, int64(s.state), int64(s.state)
		return Answer{Refused: true, Tell: true}, false
	}
	if s.clocked {
		return Answer{}, true
	}
	s.clocked = true
	return Answer{Expires: x, After: s.timeout}, true
}

func fillRecord(ev *engine.Event, kind engine.Kind, r *engine.Record) {
	ev.Kind, ev.Rec, ev.Key, ev.Attempt, ev.Value = kind, r.ID, r.Key, r.Attempt, r.Value
}

// AppendRepartition sends a record into the repartition log of a counter.
type AppendRepartition struct {
	Counter int
	Chan    engine.ChanID
	Txn     engine.Txn
	Record  engine.Record
}

// Perform is recorded as record.sent; After is the log's length then.
func (op *AppendRepartition) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	t := &s.counters[op.Counter]
	fillRecord(ev, engine.RecordSent, &op.Record)
	ans, ok := s.join(op.Txn, ev)
	if !ok {
		return ans
	}
	ev.Chan, ev.After = op.Chan, int64(len(t.log)+1)
	t.log = append(t.log, op.Record)
	ans.Wake = !s.eos
	return ans
}

// PutStore sets a key's count in a counter's local store, at once and whatever
// becomes of the transaction (facts 6.6).
type PutStore struct {
	Counter int
	Count   int64
	Record  engine.Record
}

// Perform is recorded as state.write.
func (op *PutStore) Perform(w *World, ev *engine.Event) Answer {
	store := w.Own.(*Streams).counters[op.Counter].store
	fillRecord(ev, engine.StateWrite, &op.Record)
	ev.Before, ev.After = store[op.Record.Key], op.Count
	store[op.Record.Key] = op.Count
	return Answer{}
}

// AppendChange sends a key's new count to the changelog topic.
type AppendChange struct {
	Counter int
	Count   int64
	Txn     engine.Txn
	Record  engine.Record
}

// Perform is recorded as changelog.append.
func (op *AppendChange) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	t := &s.counters[op.Counter]
	fillRecord(ev, engine.ChangelogAppend, &op.Record)
	ans, ok := s.join(op.Txn, ev)
	if !ok {
		return ans
	}
	ev.Before, ev.After = t.changes[op.Record.Key], op.Count
	t.changes[op.Record.Key] = op.Count
	t.entries++
	t.topic.append(op.Record.Key, op.Count, w.Now)
	return ans
}

// StreamRow sends a row of a transactional sink to its topic.
type StreamRow struct {
	Txn    engine.Txn
	Value  int64
	Record engine.Record
}

// Perform is recorded as sink.write.
func (op *StreamRow) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	fillRecord(ev, engine.SinkWrite, &op.Record)
	ev.Value = op.Value
	ans, ok := s.join(op.Txn, ev)
	if !ok {
		return ans
	}
	ev.After = op.Value
	s.rows++
	return ans
}

// CommitStreams saves how far the thread has come. Within a transaction the
// positions are only sent to it and count when it commits.
type CommitStreams struct {
	No      int32
	Txn     engine.Txn // zero: at once
	Offsets []int32    // by partition; never written again
	Reads   []int32    // by counter: the position in its repartition log; never written again
}

// Perform is recorded as offset.commit; Before holds the positions in the
// repartition logs, 16 bits each.
func (op *CommitStreams) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	ev.Kind, ev.Ckpt = engine.OffsetCommit, op.No
	ans, ok := s.join(op.Txn, ev)
	if !ok {
		return ans
	}
	ev.Value, ev.After = engine.PackPositions(op.Offsets)
	for i, at := range op.Reads {
		ev.Before |= int64(at) << (16 * i)
	}
	copy(s.sent, op.Offsets)
	for i, at := range op.Reads {
		s.counters[i].sent = at
	}
	if op.Txn.IsZero() {
		s.commit(w.Now)
		s.commits = op.No
		ans = s.done()
	}
	return ans
}

// BeginStreams opens the thread's transaction. Its clock starts with the first write.
type BeginStreams struct{ Txn engine.Txn }

// Perform is recorded as txn.begin.
func (op *BeginStreams) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Txn, ev.After = engine.TxnBegin, op.Txn, int64(engine.TxnOpen)
	s := w.Own.(*Streams)
	s.txn, s.state, s.rows, s.clocked = op.Txn, engine.TxnOpen, 0, false
	return Answer{}
}

// EndStreams commits or aborts the thread's transaction. Both are for all that it
// covers or for nothing.
type EndStreams struct {
	No    int32
	Txn   engine.Txn
	Abort bool
}

// Perform is recorded as txn.commit, txn.abort or fenced.
func (op *EndStreams) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	ev.Txn, ev.Ckpt, ev.Before, ev.Value = op.Txn, op.No, int64(s.state), s.rows
	switch {
	case s.txn != op.Txn || s.state != engine.TxnOpen:
		ev.Kind, ev.After = engine.Fenced, int64(s.state)
		return Answer{Refused: true, Tell: true}
	case op.Abort:
		ev.Kind, ev.After = engine.TxnAbort, int64(engine.TxnAborted)
		s.abort(engine.TxnAborted)
		return Answer{}
	}
	ev.Kind, ev.After = engine.TxnCommit, int64(engine.TxnCommitted)
	s.commit(w.Now)
	s.commits = op.No
	return s.done()
}

// WipeStore empties a local store that may hold uncommitted updates (facts 6.6).
type WipeStore struct{ Counter int }

// Perform is recorded as store.wiped; After is how many keys it held.
func (op *WipeStore) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	ev.Kind = engine.StoreWiped
	_, ev.After = s.Local(op.Counter)
	clear(s.counters[op.Counter].store)
	s.counters[op.Counter].filled = 0
	return Answer{}
}

// RebuildStore fills an empty local store from its changelog.
type RebuildStore struct{ Counter int }

// Perform is recorded as restore.done; After is how many keys the store holds then.
func (op *RebuildStore) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	ev.Kind = engine.RestoreDone
	t := &s.counters[op.Counter]
	s.rebuild(op.Counter, t.store, t.filled)
	t.filled, ev.Ckpt = 0, s.commits
	ev.After = entries(t.store)
	return Answer{}
}

// done is the answer to a commit: N is 1 when nothing is left to consume, 2 when a
// changelog is to be compacted.
func (s *Streams) done() Answer {
	if s.AtRest() {
		return Answer{Tell: true, N: 1}
	}
	for i := range s.counters {
		if s.counters[i].topic.due() {
			return Answer{Tell: true, N: 2}
		}
	}
	return Answer{Tell: true}
}
