package sim

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// loseAnswer holds a task whose write was applied and whose answer is lost: it will
// make the same write again.
func (s *Sim) loseAnswer(id int16, ev *engine.Event) {
	a := &s.actors[id]
	if s.acting != nil {
		a.wait = wait{}
		return
	}
	a.wait.late = false
	if a.wait.again {
		a.wait = wait{}
		return
	}
	if ev.Kind != engine.SinkWrite && ev.Kind != engine.DedupID && ev.Kind != engine.DedupValue {
		return
	}
	for i, index := range s.outages.armed {
		f := s.fault(index)
		if f.Kind != engine.LoseResponse || f.TargetID() != engine.TaskID(id) {
			continue
		}
		s.outages.armed = slices.Delete(s.outages.armed, i, i+1)
		a.pos--
		a.wait.again, a.wait.txn = true, ev.Txn
		if !ev.Txn.IsZero() {
			t, _ := s.topic(id)
			_, a.wait.seq = t.State(ev.Txn)
		}
		s.push(item{time: s.now, kind: itemFaultEnded, fault: index})
		s.holdUntil(id, s.now+engine.ClientRetry)
		s.leave(id)
		return
	}
}

// absorb is the broker's answer to a row that it has: each carries a sequence
// number of its producer, and a repeat changes nothing (facts 5.1, Kafka 3.0 and
// later by default).
func (s *Sim) absorb(id int16, e *machine.Effect, ev *engine.Event) bool {
	a := &s.actors[id]
	if !a.wait.again || a.wait.txn.IsZero() {
		return false
	}
	t, set := s.topic(id)
	if e.Kind == machine.DoWrite && !t.Repeated(a.wait.txn, a.wait.seq) {
		return false
	}
	r := &e.Record
	if op, ok := e.Op.(*world.StreamRow); ok {
		r = &op.Record
	}
	ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Attempt, ev.Txn = engine.EffectIgnored, r.ID, r.Key, r.Value, r.Attempt, a.wait.txn
	if set.Output == engine.TotalOutput {
		ev.Value = r.Total
	}
	a.pos++
	s.deed(ev)
	return true
}

// secondJob is the start of another job with the same transactional ids: the epoch
// of each grows, and what was open or promised under it is aborted (facts 4.10, 5.6).
func (s *Sim) secondJob() {
	for i := range s.job.Plan.Tasks {
		sink := s.job.Plan.Tasks[i].Sink
		if sink < 0 || !s.sharesNames(sink) {
			continue
		}
		_, open := s.world.Topics[sink].Init(engine.TaskID(i))
		s.outages.foreign = append(s.outages.foreign, open...)
	}
}

func (s *Sim) sharesNames(sink int) bool {
	k := &s.job.Settings.Sinks[sink]
	return k.Kind == engine.SinkTransactional && k.Prefix != engine.FreshPrefix
}

// foreignAbort ends the first of them in the other job's name.
func (s *Sim) foreignAbort() bool {
	x := s.outages.foreign[0]
	s.outages.foreign = slices.Delete(s.outages.foreign, 0, 1)
	t, _ := s.topic(int16(x.Task))
	state, rows := t.State(x)
	if state != engine.TxnOpen && state != engine.TxnPrecommitted {
		return false
	}
	ev := engine.Event{Kind: engine.TxnAbort, Task: x.Task, Chan: engine.NoChan, Rec: engine.NoRecord, Reason: engine.SecondJobStarted,
		Attempt: s.attempt, Txn: x, Before: int64(state), After: int64(engine.TxnAborted), Value: rows}
	s.deed(&ev)
	t.Abort(x, false)
	return true
}

// register is what a sink's task does at the broker when it comes to life. Under a
// name of its own for each start it finds nothing of earlier attempts.
func (s *Sim) register(sink int, task engine.TaskID) (int16, []engine.Txn) {
	if k := &s.job.Settings.Sinks[sink]; k.Kind == engine.SinkTransactional && k.Prefix == engine.FreshPrefix {
		return s.world.Topics[sink].InitFresh(task), nil
	}
	return s.world.Topics[sink].Init(task)
}
