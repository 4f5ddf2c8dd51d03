package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

func (s *Sim) topic(id int16) (*world.Topic, *engine.SinkSettings) {
	n := s.job.Plan.Tasks[id].Sink
	return &s.world.Topics[n], &s.job.Settings.Sinks[n]
}

// write lets a row leave the engine.
func (s *Sim) write(id int16, e *machine.Effect, ev *engine.Event) {
	t, set := s.topic(id)
	ev.Kind = engine.SinkWrite
	if set.Output == engine.TotalOutput {
		ev.Value = e.Record.Total
	}
	switch {
	case !e.Txn.IsZero():
		if !t.Write(e.Txn, e.Epoch) {
			s.refuse(id, e, ev)
			return
		}
		ev.After = ev.Value
	case set.Kind == engine.SinkUpsert:
		if s.asks(id); set.Fencing && s.world.Refuses(ev) {
			break
		}
		ev.Before = s.world.Upsert(s.job.Plan.Tasks[id].Sink, set, &e.Record, ev.Value)
		ev.After = ev.Value
	default:
		ev.After = ev.Value
	}
	s.actors[id].pos++
	s.deed(ev)
}

// refuse is the broker's answer to a writer with an old epoch, or to a write into
// a transaction that has ended.
func (s *Sim) refuse(id int16, e *machine.Effect, ev *engine.Event) {
	t, _ := s.topic(id)
	state, _ := t.State(e.Txn)
	ev.Kind, ev.Before, ev.After = engine.Fenced, int64(state), int64(state)
	s.deed(ev)
	a := &s.actors[id]
	a.effects, a.pos = a.effects[:0], 0 // the client's error is fatal: nothing follows it (facts 5.7)
	s.in = machine.In{Kind: machine.InRefused, Write: true, Txn: e.Txn}
	s.tell(id, &s.in)
}

// begin opens a transaction and starts the broker's clock.
func (s *Sim) begin(id int16, e *machine.Effect, ev *engine.Event) {
	t, set := s.topic(id)
	if !t.Begin(e.Txn, e.Epoch) {
		s.refuse(id, e, ev)
		return
	}
	ev.Kind, ev.After = engine.TxnBegin, int64(engine.TxnOpen)
	s.deed(ev)
	s.actors[id].pos++
	if set.Kind == engine.SinkTransactional {
		s.push(item{time: s.now + set.TxnTimeout, kind: itemExpire, actor: id, txn: e.Txn})
	}
}

// precommit flushes and promises; the broker is asked nothing.
func (s *Sim) precommit(id int16, e *machine.Effect, ev *engine.Event) {
	t, _ := s.topic(id)
	ev.Kind = engine.TxnPrecommit
	before, after := t.Precommit(e.Txn)
	_, rows := t.State(e.Txn)
	ev.Before, ev.After, ev.Value = int64(before), int64(after), rows
	s.actors[id].pos++
	s.deed(ev)
}

// endTxn commits or aborts on restore, before the sink takes any record.
func (s *Sim) endTxn(id int16, e *machine.Effect, ev *engine.Event) {
	t, _ := s.topic(id)
	state, rows := t.State(e.Txn)
	ev.Before, ev.Value = int64(state), rows
	ok := !s.stale(id)
	s.actors[id].wait.late = false
	switch {
	case !ok, e.Kind == machine.DoAbort && state != engine.TxnOpen && state != engine.TxnPrecommitted: // it came late
		ev.Kind, ev.After = engine.Fenced, int64(state)
	case e.Kind == machine.DoAbort:
		ev.Kind = engine.TxnAbort
		if ev.After == 0 {
			ev.After = int64(engine.TxnAborted)
		}
	default:
		ok = s.commitEvent(id, ev, state)
	}
	s.deed(ev)
	s.actors[id].pos++
	x, abort := e.Txn, e.Kind == machine.DoAbort
	if !ok {
		if !abort {
			s.answer(id, x, ok)
		}
		return
	}
	if abort {
		t.Abort(x, false)
		return
	}
	t.Commit(x)
	s.answer(id, x, ok)
}

// commitEvent fills in what a commit request leads to in this state.
func (s *Sim) commitEvent(id int16, ev *engine.Event, state engine.TxnState) bool {
	if s.stale(id) || state == engine.TxnAborted || state == engine.TxnTimedOut || state == engine.TxnNone {
		ev.Kind, ev.After = engine.Fenced, int64(state)
		return false
	}
	ev.Kind, ev.After = engine.TxnCommit, int64(engine.TxnCommitted)
	if _, set := s.topic(id); set.Kind == engine.SinkFiles {
		ev.Kind = engine.FileRenamed
	}
	return true
}

// commit is a commit request that reaches the broker.
func (s *Sim) commit(it *item) bool {
	if s.commitWaits(it) {
		return false
	}
	t, _ := s.topic(it.actor)
	state, rows := t.State(it.txn)
	ev := engine.Event{Task: engine.TaskID(it.actor), Chan: engine.NoChan, Rec: engine.NoRecord, Attempt: s.attempt,
		Txn: it.txn, Before: int64(state), Value: rows}
	ok := s.commitEvent(it.actor, &ev, state)
	s.deed(&ev)
	if ok {
		t.Commit(it.txn)
	}
	if s.same(it) {
		s.answer(it.actor, it.txn, ok)
	}
	s.settle()
	return true
}

func (s *Sim) answer(id int16, x engine.Txn, ok bool) {
	s.in = machine.In{Kind: machine.InCommitted, Txn: x}
	if !ok {
		s.in.Kind = machine.InRefused
	}
	s.tell(id, &s.in)
}

// expire is the broker ending a transaction whose time is up (facts 4.3).
func (s *Sim) expire(it *item) bool {
	if s.clockWaits(it) {
		return false
	}
	if it.actor == s.coordinator() {
		return s.expireOwn(it)
	}
	t, _ := s.topic(it.actor)
	state, rows := t.State(it.txn)
	if state != engine.TxnOpen && state != engine.TxnPrecommitted {
		return false
	}
	ev := engine.Event{Kind: engine.TxnExpired, Task: engine.TaskID(it.actor), Chan: engine.NoChan, Rec: engine.NoRecord,
		Attempt: s.attempt, Txn: it.txn, Before: int64(state), After: int64(engine.TxnTimedOut), Value: rows}
	s.deed(&ev)
	t.Abort(it.txn, true)
	s.settle()
	return true
}

// expireOwn is the same for a transaction that the strategy keeps itself.
func (s *Sim) expireOwn(it *item) bool {
	own := s.world.Own.(world.Expirer)
	rows, ok := own.Expire(it.txn)
	if !ok {
		return false
	}
	ev := engine.Event{Kind: engine.TxnExpired, Task: engine.CoordinatorID, Chan: engine.NoChan, Rec: engine.NoRecord,
		Attempt: s.attempt, Txn: it.txn, Before: int64(engine.TxnOpen), After: int64(engine.TxnTimedOut), Value: rows}
	s.deed(&ev)
	return true
}
