package live

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// perform carries out what the machine wants, in order, and what its answers lead to.
// It reports false when the life is over.
func (r *runner) perform() bool {
	for i := 0; i < len(r.out.Effects); i++ {
		e := &r.out.Effects[i]
		if r.dead.Load() {
			return false
		}
		if r.h.cfg.Crash != nil && r.h.cfg.Crash(r.id, r.attempt, e) {
			r.die()
			return false
		}
		switch {
		case e.Kind == machine.DoSend:
			if !r.send(e) {
				return false
			}
		case e.IsPost():
			if e.Kind == machine.PostCommit {
				commit := machine.Effect{Kind: machine.DoCommit, Txn: e.Txn}
				if !r.outside(i, &commit) {
					return false
				}
				continue
			}
			r.post(e)
		case isOutside(e.Kind):
			if !r.outside(i, e) {
				return false
			}
		case !r.deed(e):
			return false
		}
	}
	r.out.Effects = r.out.Effects[:0]
	return !r.failed
}

func isOutside(k machine.EffectKind) bool {
	switch k {
	case machine.DoWrite, machine.DoBegin, machine.DoPrecommit, machine.DoCommit, machine.DoAbort, machine.DoOp:
		return true
	}
	return false
}

// deed records what a machine did, and lets its consequence take hold.
func (r *runner) deed(e *machine.Effect) bool {
	switch e.Kind {
	case machine.DoRead, machine.DoProcess, machine.DoJoin:
		if r.rec.wants(e.Record.ID) {
			ev := machine.Recorded(r.id, r.attempt, e)
			r.rec.add(&ev)
		}
		return true
	}
	if r.rec.on() && e.Kind != machine.DoFail { // that is the supervisor's event
		ev := machine.Recorded(r.id, r.attempt, e)
		if e.Kind == machine.DoRewind {
			ev.Before = e.Before
		}
		r.rec.add(&ev)
	}
	switch e.Kind {
	case machine.DoInject, machine.DoAlign:
		return r.broadcast(engine.Element{Kind: engine.BarrierElement, Checkpoint: e.Ckpt}, false)
	case machine.DoWatermark:
		if !e.Final && e.After > e.Before {
			return r.broadcast(engine.Element{Kind: engine.WatermarkElement, Mark: engine.Time(e.After)}, true)
		}
	case machine.DoSnapshot:
		return r.upload(e)
	case machine.DoFail:
		r.fail(e.Reason, nil)
		return false
	case machine.DoRefuse:
		r.failed = true
		r.rec.flush()
		r.h.report(Report{Kind: ReportRefused, Task: r.id, Attempt: r.attempt, Reason: e.Reason, Why: e.Reason.String()})
		return false
	case machine.DoEndRun:
		r.rec.flush()
		r.h.report(Report{Kind: ReportEnded, Task: r.id, Attempt: r.attempt, Reason: e.Reason})
	}
	return true
}

// post sends a message. Timers are a coordinator's.
func (r *runner) post(e *machine.Effect) {
	rep := Report{Task: r.id, Attempt: r.attempt, Ckpt: e.Ckpt, Final: e.Final, Value: e.Value, Offset: r.offset}
	switch e.Kind {
	case machine.PostAck:
		rep.Kind = ReportAck
		for i, ref := range r.refs {
			if ref.Ckpt == e.Ckpt {
				rep.Part = ref
				r.refs = append(r.refs[:i], r.refs[i+1:]...)
				break
			}
		}
	case machine.PostFinished:
		rep.Kind = ReportFinished
	default:
		panic(fmt.Sprintf("live: task %s posts effect %d, which no strategy that runs live does", r.spec.Name, e.Kind))
	}
	r.rec.flush()
	r.h.report(rep)
}

// outside has a deed performed by the real system and tells the machine the answer,
// whose effects go behind those that are still to be performed. I is the place of the
// effect that led to it.
func (r *runner) outside(i int, e *machine.Effect) bool {
	if r.sink == nil {
		r.fail(engine.Crashed, fmt.Errorf("%s has nothing to write to", r.spec.Name))
		return false
	}
	ev := &r.ev
	left := e.Kind == machine.DoWrite && !r.rec.wants(e.Record.ID)
	if !left {
		*ev = r.willBe(e)
	}
	ans, err := r.sink.Perform(r.ctx, e, ev)
	if err != nil {
		r.fail(engine.Crashed, err)
		return false
	}
	if left && ans == (Answer{}) {
		return true
	}
	return r.answered(i, e, left, ans)
}

// answered records what has become of a deed and tells the machine. What was left out
// is recorded only when it was refused.
func (r *runner) answered(i int, e *machine.Effect, left bool, ans Answer) bool {
	ev, kind, txn := &r.ev, e.Kind, e.Txn
	if ans.Refused && left {
		*ev, left = r.willBe(e), false
	}
	if ans.Refused && kind != machine.DoOp {
		ev.Kind = engine.Fenced
	}
	if !left {
		r.rec.add(ev)
	}
	in := machine.In{Txn: txn}
	switch {
	case kind == machine.DoCommit && !ans.Refused:
		in.Kind = machine.InCommitted
	case kind == machine.DoCommit:
		in.Kind = machine.InRefused
	case ans.Refused && (kind == machine.DoBegin || kind == machine.DoWrite):
		in.Kind, in.Write = machine.InRefused, true
		r.out.Effects = r.out.Effects[:i+1] // the client's error is fatal: nothing follows it (facts 5.7)
	case ans.Op == nil:
		return true
	case ans.Op.Tell:
		in.Kind, in.Answer = machine.InDone, *ans.Op
	case ans.Op.Known:
		for n := i + 1; n < len(r.out.Effects) && r.out.Effects[n].Depends; {
			r.out.Effects = append(r.out.Effects[:n], r.out.Effects[n+1:]...)
		}
		return true
	default:
		return true
	}
	r.task.Step(&in, &r.out)
	return true
}

// willBe is what the deed is recorded as if the outside system adds nothing.
func (r *runner) willBe(e *machine.Effect) engine.Event {
	ev := machine.Recorded(r.id, r.attempt, e)
	switch e.Kind {
	case machine.DoWrite:
		ev.Kind = engine.SinkWrite
		if r.set.Output == engine.TotalOutput {
			ev.Value = e.Record.Total
		}
		ev.After = ev.Value
	case machine.DoBegin:
		ev.Kind, ev.After = engine.TxnBegin, int64(engine.TxnOpen)
	case machine.DoPrecommit:
		ev.Kind, ev.Before, ev.After = engine.TxnPrecommit, int64(engine.TxnOpen), int64(engine.TxnPrecommitted)
	case machine.DoCommit:
		ev.Kind, ev.Before, ev.After = engine.TxnCommit, int64(engine.TxnPrecommitted), int64(engine.TxnCommitted)
		if r.set.Kind == engine.SinkFiles {
			ev.Kind = engine.FileRenamed
		}
	case machine.DoAbort:
		ev.Kind, ev.Before = engine.TxnAbort, int64(engine.TxnOpen)
		if ev.After == 0 {
			ev.After = int64(engine.TxnAborted)
		}
	}
	return ev
}
