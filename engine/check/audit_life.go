package check

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// alive: who is dead does nothing until it is restored. The broker, the
// supervisor and faults have no process that could die.
func (a *Audit) alive(e *engine.Event) {
	if a.over && e.Kind != engine.FaultInjected {
		a.broke(e, "end", "%s after the run has ended", e.Kind)
	}
	switch e.Kind {
	case engine.FaultInjected, engine.FaultEnded, engine.TaskFailed, engine.TxnExpired, engine.RestoreDone,
		engine.CheckpointDiscarded, engine.RestartBegin, engine.ReplayCaughtUp, engine.RunEnded:
		return
	case engine.CheckpointTriggered, engine.CheckpointAcked, engine.CheckpointComplete, engine.CheckpointExpired:
		if a.coord != up {
			a.broke(e, "dead", "the coordinator does %s while it is not running", e.Kind)
		}
		return
	}
	if tk := a.task(e); tk != nil && tk.life != up && !a.loads(e, tk) && e.Reason != engine.SecondJobStarted &&
		!(a.late && (e.Kind == engine.TxnCommit || e.Kind == engine.Fenced)) {
		a.broke(e, "dead", "%s does %s while it is not running", a.name(e.Task), e.Kind)
	}
}

// loads reports whether records reach the queue of a process that waits for its
// state, which has weight: it stands, and takes nothing in. Only the attempt that is
// starting sends to it, and somebody of it has come to life.
func (a *Audit) loads(e *engine.Event, tk *auditTask) bool {
	return e.Kind == engine.RecordReceived && tk.life == asleep && a.begun && e.Attempt == a.attempt && a.job.Settings.State.KeyBytes > 0
}

func (a *Audit) lifeEvent(t *trace.Trace, e *engine.Event) {
	tk := a.task(e)
	switch e.Kind {
	case engine.FaultInjected:
		a.fault(t.FaultOf(e), e)
	case engine.TaskFailed:
		a.failed = true
		if e.Reason == engine.Crashed && !a.isStruck(e.Task) {
			a.broke(e, "dead", "%s is found dead although it is not", a.name(e.Task))
		}
	case engine.RestartBegin:
		a.restart(e)
	case engine.RestoreDone:
		a.restore(e, tk)
	case engine.SourceRewound:
		if !tk.rewind {
			a.broke(e, "restore", "%s is set to an offset without being restored", a.name(e.Task))
		}
		tk.rewind = false
		if e.After != int64(a.ckpts.sealedOffsets[e.Task]) || e.Before != int64(tk.most) {
			a.broke(e, "restore", "%s goes from offset %d to %d; it came to %d, and checkpoint %d notes %d", a.name(e.Task),
				e.Before, e.After, tk.most, a.ckpts.sealed, a.ckpts.sealedOffsets[e.Task])
		}
	case engine.InflightReinjected:
		a.reinjected(e, tk)
	case engine.InputEnded:
		if tk.ended || int(tk.offset) != len(a.job.Input.Parts[a.job.Plan.Tasks[e.Task].Part]) {
			a.broke(e, "offset", "%s ends at offset %d", a.name(e.Task), tk.offset)
		}
		tk.ended = true
	case engine.ReplayCaughtUp:
		for i := range a.tasks {
			if a.tasks[i].offset < a.tasks[i].most {
				a.broke(e, "offset", "%s has not caught up: it stands at %d and came to %d", a.name(engine.TaskID(i)), a.tasks[i].offset, a.tasks[i].most)
			}
		}
	case engine.RunEnded:
		a.over = true
		if e.Reason == engine.AtRest {
			a.rest(e)
		}
	}
}

func (a *Audit) fault(f *engine.Fault, e *engine.Event) {
	if f == nil || a.over {
		return
	}
	switch {
	case f.Kind == engine.CrashJob:
		for i := range a.tasks {
			a.hit(engine.TaskID(i))
		}
		a.hit(engine.CoordinatorID)
	case f.Kind == engine.Crash:
		a.hit(e.Task)
	case f.Kind == engine.CrashNode:
		for i := range a.tasks {
			if a.job.Plan.Tasks[i].Node == f.Node() {
				a.hit(engine.TaskID(i))
			}
		}
	}
}

// hit kills a process, unless the job is stopped and it does not exist right now.
// One that exists and waits to be restored can be hit as well.
func (a *Audit) hit(id engine.TaskID) {
	switch {
	case id == engine.CoordinatorID && a.coord != asleep:
		a.coord = struck
	case id >= 0 && (a.tasks[id].life != asleep || a.begun || a.coord != asleep):
		a.kill(id)
	}
}

// isStruck reports whether a fault has killed the process; of the whole job, any.
func (a *Audit) isStruck(id engine.TaskID) bool {
	if id >= 0 {
		return a.tasks[id].life == struck
	}
	found := a.coord == struck
	for i := range a.tasks {
		found = found || id == engine.JobID && a.tasks[i].life == struck
	}
	return found
}

// kill takes a task's memory and its lanes.
func (a *Audit) kill(id engine.TaskID) {
	tk := &a.tasks[id]
	tk.paused = false
	tk.life, tk.owed, tk.picture, tk.ckpt, tk.arrived, tk.half = struck, tk.owed[:0], 0, 0, 0, engine.NoRecord
	tk.wrote, tk.again = engine.NoRecord, engine.NoRecord
	tk.flight, tk.back = tk.flight[:0], tk.back[:0]
	for _, c := range a.job.Plan.Tasks[id].In {
		a.lanes[c].queue, a.lanes[c].back = a.lanes[c].queue[:0], 0
	}
}

// restart: an attempt follows a failure, and starts with empty lanes.
func (a *Audit) restart(e *engine.Event) {
	if !a.failed {
		a.broke(e, "restart", "the job restarts although nothing has failed")
	}
	if e.Before != int64(a.attempt) || e.After != int64(a.attempt)+1 {
		a.broke(e, "restart", "attempt %d follows attempt %d", e.After, a.attempt)
	}
	if a.ckpts.pending != 0 {
		a.broke(e, "restart", "checkpoint %d is still pending", a.ckpts.pending)
	}
	if a.job.Settings.State.RestoreFrom == "none" {
		a.ckpts.sealed = 0
		clear(a.ckpts.sealedOffsets)
	}
	a.attempt, a.failed, a.begun, a.coord, a.ckpts.pending = int16(e.After), false, false, asleep, 0
	for i := range a.tasks {
		a.kill(engine.TaskID(i))
		a.tasks[i].life, a.tasks[i].ended = asleep, false
	}
	for i := range a.lanes {
		a.lanes[i].last = 0
	}
}

// restore: everybody goes back to the newest complete checkpoint, once.
func (a *Audit) restore(e *engine.Event, tk *auditTask) {
	if tk.life != asleep {
		a.broke(e, "restore", "%s is restored although it was not stopped", a.name(e.Task))
	}
	if e.Ckpt != a.ckpts.sealed {
		a.broke(e, "restore", "%s starts from checkpoint %d; the newest complete one is %d", a.name(e.Task), e.Ckpt, a.ckpts.sealed)
	}
	tk.life, a.begun = up, true
	if a.coord == asleep {
		a.coord = up
	}
	tk.offset, tk.rewind = a.ckpts.sealedOffsets[e.Task], a.job.Plan.Tasks[e.Task].Kind == engine.OpSource
	if tk.counts != nil {
		tk.restoreCounts(e.Ckpt)
	}
	tk.owesBack(e.Ckpt)
}

// rest: a run ends by itself only when everything is read and processed, a
// complete checkpoint covers all of it, and every promise is kept.
func (a *Audit) rest(e *engine.Event) {
	if a.ckpts.pending != 0 {
		a.broke(e, "rest", "checkpoint %d is pending", a.ckpts.pending)
	}
	for i := range a.tasks {
		spec := &a.job.Plan.Tasks[i]
		if spec.Kind != engine.OpSource {
			continue
		}
		size := len(a.job.Input.Parts[spec.Part])
		if !a.tasks[i].ended || int(a.tasks[i].offset) != size {
			a.broke(e, "rest", "%s has read %d of %d records", spec.Name, a.tasks[i].offset, size)
		}
		if int(a.ckpts.sealedOffsets[i]) != size {
			a.broke(e, "rest", "checkpoint %d covers %d of %d records of %s", a.ckpts.sealed, a.ckpts.sealedOffsets[i], size, spec.Name)
		}
	}
	for i := range a.lanes {
		if n := a.lanes[i].records(); n > 0 {
			a.broke(e, "rest", "%d records are still on their way to %s", n, a.name(a.job.Plan.Channels[i].To))
		}
	}
	for i := range a.txns {
		if x := &a.txns[i]; x.undecided() && x.rows > 0 {
			a.broke(e, "rest", "a transaction of attempt %d of %s is still %s", x.id.Attempt, a.name(x.id.Task), x.state)
		}
	}
}
