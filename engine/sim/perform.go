package sim

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// event is the event that a deed of the actor will be recorded as.
func (s *Sim) event(id int16, e *machine.Effect) engine.Event {
	ev := machine.Recorded(s.idOf(id), s.attempt, e)
	if e.Kind == machine.DoRewind {
		ev.Before = int64(s.furthest[e.Value])
	}
	return ev
}

// perform carries out one deed. It reports whether an event was appended: a send
// into a full channel waits, and a seal that is not allowed is dropped.
func (s *Sim) perform(id int16, e *machine.Effect) bool {
	if s.waits(id, e) {
		return false
	}
	s.doing = s.event(id, e)
	ev := &s.doing // kept: an Op may be any type, and would move it to the heap each time
	switch e.Kind {
	case machine.DoSend:
		return s.send(id, e, ev)
	case machine.DoWrite, machine.DoOp:
		switch {
		case s.absorb(id, e, ev):
		case e.Kind == machine.DoWrite:
			s.write(id, e, ev)
		default:
			s.op(id, e, ev)
		}
		s.loseAnswer(id, ev)
		return true
	case machine.DoBegin:
		s.begin(id, e, ev)
		return true
	case machine.DoPrecommit:
		s.precommit(id, e, ev)
		return true
	case machine.DoCommit, machine.DoAbort:
		s.endTxn(id, e, ev)
		return true
	case machine.DoEndRun:
		if s.restsLater(id, e) {
			return false
		}
	case machine.DoSeal:
		if !s.complete() {
			s.actors[id].pos++
			return false
		}
	}
	if ev.Kind == engine.NoKind {
		panic(fmt.Sprintf("sim: effect %d of actor %d has no event", e.Kind, id))
	}
	s.deed(ev)
	done := *e
	s.actors[id].pos++
	s.consequence(id, &done)
	return true
}

// op changes the durable or outside world and tells the machine, if it asked.
func (s *Sim) op(id int16, e *machine.Effect, ev *engine.Event) {
	a := &s.actors[id]
	s.asks(id)
	ans := e.Op.Perform(s.world, ev)
	a.pos++
	for ans.Known && a.pos < len(a.effects) && a.effects[a.pos].Depends {
		a.pos++
	}
	s.deed(ev)
	if !ans.Expires.IsZero() {
		s.push(item{time: s.now + ans.After, kind: itemExpire, actor: s.coordinator(), txn: ans.Expires})
	}
	if ans.Tell {
		s.in = machine.In{Kind: machine.InDone, Answer: ans}
		s.tell(id, &s.in)
	}
	if ans.Wake && s.acting == nil {
		for i := range s.job.Plan.Tasks {
			s.work(int16(i))
		}
	}
}

// complete reports whether every task lives. A process that dies takes its
// connections with it, and a coordinator does not seal a checkpoint while it has
// lost one of its tasks, although the failure is acted upon only later.
func (s *Sim) complete() bool {
	for i := range s.job.Plan.Tasks {
		if !s.actors[i].alive {
			return false
		}
	}
	return true
}

// consequence is what a deed changes outside the machine that did it.
func (s *Sim) consequence(id int16, e *machine.Effect) {
	switch e.Kind {
	case machine.DoInject, machine.DoAlign:
		s.broadcast(id, e.Ckpt)
	case machine.DoWatermark:
		s.passTime(id, e)
	case machine.DoSnapshot:
		s.upload(id, e)
	case machine.DoReinject:
		s.reinject(e)
	case machine.DoTrigger:
		s.world.Store.Begin(e.Ckpt)
		s.acked = 0
	case machine.DoAcked:
		s.acked = e.After
	case machine.DoSeal:
		s.world.Store.Seal()
		s.in = machine.In{Kind: machine.InSealed, Ckpt: e.Ckpt}
		s.tell(id, &s.in)
	case machine.DoExpire:
		s.world.Store.Discard()
	case machine.DoRead:
		p := e.Record.ID.Part
		s.position[p] = int32(e.After)
		s.furthest[p] = max(s.furthest[p], int32(e.After))
		s.checkCaughtUp()
	case machine.DoRewind:
		s.position[e.Value] = int32(e.After)
		s.checkCaughtUp()
	case machine.DoRefuse:
		s.endRun(engine.NeverStarted)
	case machine.DoFail:
		s.fail()
	case machine.DoEndRun:
		s.end()
	}
}

// send puts a record on a channel; a full one is told once and then waited for.
func (s *Sim) send(id int16, e *machine.Effect, ev *engine.Event) bool {
	a, ch := &s.actors[id], &s.chans[e.Chan]
	if ch.records >= s.job.Settings.ChannelCapacity {
		if a.full {
			s.leave(id)
			return false
		}
		ev.Kind, ev.After = engine.ChannelFull, int64(ch.records)
		s.deed(ev)
		a.full = true
		s.leave(id)
		return true
	}
	ev.Kind, ev.After = engine.RecordSent, int64(ch.records+1)
	s.deed(ev)
	a.full = false
	linked := ch.linked || !e.Linked
	a.pos++
	if !linked {
		return true
	}
	s.enqueue(e.Chan, engine.Element{Kind: engine.DataElement, Record: e.Record})
	return true
}

// leave takes an actor off the ready list although it has effects left.
func (s *Sim) leave(id int16) {
	for i, r := range s.ready {
		if r == id {
			s.ready = append(s.ready[:i], s.ready[i+1:]...)
			return
		}
	}
}

// post sends a message or sets a timer.
func (s *Sim) post(id int16, e *machine.Effect) {
	costs := &s.job.Settings.Costs
	coord := s.coordinator()
	m := item{kind: itemMessage, time: s.now, actor: id, to: coord, life: s.actors[id].life, ckpt: e.Ckpt, final: e.Final}
	switch e.Kind {
	case machine.PostUpload:
		s.upload(id, e)
		return
	case machine.PostAck, machine.PostFinished:
		m.what, m.value = machine.InAck, e.Value
		n := int(e.Ckpt)
		if e.Kind == machine.PostFinished {
			m.what, n = machine.InFinished, -1
		}
		m.time += s.cost(costs.Ack, costAck, int(id), 0, engine.NoRecord, n)
	case machine.PostCommit:
		m.kind, m.txn = itemCommit, e.Txn
		m.time += s.cost(costs.Commit, costCommit, int(id), 0, engine.NoRecord, int(e.Txn.No))
	case machine.PostTrigger:
		m.to, m.what = int16(e.Task), machine.InTrigger
	case machine.PostNotify, machine.PostAbort:
		m.to, m.what = int16(e.Task), machine.InNotify
		if e.Kind == machine.PostAbort {
			m.what = machine.InAborted
		}
		m.time += s.cost(costs.Ack, costNotify, int(e.Task), 0, engine.NoRecord, int(e.Ckpt))
	case machine.PostTimer, machine.PostTimeout:
		m.what = machine.InTimer
		if e.Kind == machine.PostTimeout {
			m.what = machine.InTimeout
		}
		m.time += e.Delay
	case machine.PostMessage:
		m.what, m.note, m.value = machine.InMessage, e.Note, e.Value
		if e.Task != engine.CoordinatorID {
			m.to = int16(e.Task)
		}
		m.time += e.Delay + s.cost(costs.Ack, costNotify, int(id), int(e.Note), engine.RecordID{Part: -3, Off: int32(e.Value)}, int(e.Ckpt))
	case machine.PostRestore:
		s.restore(int16(e.Task), e.Ckpt, false)
		return
	case machine.PostConnect:
		s.chans[e.Chan].linked = s.actors[s.job.Plan.Channels[e.Chan].To].alive
		return
	case machine.PostOp:
		s.world.Now = s.now
		e.Op.Perform(s.world, &engine.Event{})
		return
	}
	if m.kind == itemCommit {
		s.delay(&m, engine.CommitMessage)
	} else if e.Kind == machine.PostAck {
		s.delay(&m, engine.AckMessage)
	}
	s.push(m)
}

// stored makes a part durable and tells the task, which is not kept from its work.
func (s *Sim) stored(it *item) bool {
	if s.uploadWaits(it) {
		return false
	}
	e := engine.Event{Kind: engine.SnapshotStored, Task: engine.TaskID(it.actor), Chan: engine.NoChan, Rec: engine.NoRecord,
		Attempt: s.attempt, Ckpt: it.ckpt, Value: int64(len(it.snap.InFlight))}
	s.deed(&e)
	if own, ok := s.world.Own.(world.Parts); ok {
		own.Put(it.ckpt, engine.TaskID(it.actor), *it.snap)
	} else {
		s.world.Store.Put(it.ckpt, engine.TaskID(it.actor), *it.snap)
	}
	s.in = machine.In{Kind: machine.InStored, Ckpt: it.ckpt, Value: e.Value}
	s.posts(it.actor, &s.in)
	return true
}

// posts lets a task answer at once with messages only, even while it is busy.
func (s *Sim) posts(id int16, in *machine.In) {
	s.out.Effects = s.out.Effects[:0]
	s.actors[id].task.Step(in, &s.out)
	for i := range s.out.Effects {
		e := s.out.Effects[i]
		if !e.IsPost() {
			panic(fmt.Sprintf("sim: actor %d answered input %d with a deed", id, in.Kind))
		}
		s.post(id, &e)
	}
}
