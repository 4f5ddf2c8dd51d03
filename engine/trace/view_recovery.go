package trace

import "effectivelyonce/engine"

func (v *View) applyRecovery(e *engine.Event) {
	v.dirty.Job = true
	switch e.Kind {
	case engine.FaultInjected:
		v.strike(e)
	case engine.FaultEnded:
		if f := v.FaultOf(e); !v.quiet(f, -1) && v.isTask(e.Task) {
			if f != nil && f.Kind == engine.Pause {
				v.Tasks[e.Task].Paused = false
			} else {
				v.Tasks[e.Task].Slow = 0
			}
		}
	case engine.TaskFailed:
		v.down()
		if v.Job.Settings.Strategy == "replicated" && v.lives() && v.Phase == Down {
			v.Phase = Working // the other copies go on
		}
	case engine.StartRefused:
		if v.isTask(e.Task) {
			v.Tasks[e.Task].Status = Refused
		}
		v.down()
	case engine.RestartBegin:
		v.restart(e)
	case engine.RestoreDone:
		v.restore(e)
	case engine.SourceRewound:
		v.rewind(e)
	case engine.ReplayCaughtUp:
		if v.Phase != Ended {
			v.Phase = Working
		}
	case engine.RunEnded:
		v.end(e)
	}
	v.touch(e.Task)
}

func (v *View) down() {
	if v.Phase != Ended {
		v.Phase = Down
	}
}

// strike is a fault taking hold. A crash empties the memory and the input lanes
// of what it hits; what that task had put into the lanes of others stays there.
func (v *View) strike(e *engine.Event) {
	f := v.FaultOf(e)
	if f != nil && f.Kind == engine.Slow {
		if v.isTask(e.Task) {
			v.Tasks[e.Task].Slow = f.Factor
		}
		return
	}
	if f != nil && f.Kind == engine.Pause {
		v.rest(e)
		return
	}
	if v.quiet(f, 1) {
		return
	}
	if v.Phase != Restoring { // else there may be no process yet; if there is, its failure is noticed
		v.down()
	}
	switch {
	case v.isTask(e.Task):
		v.die(e.Task)
	case e.Task == engine.CoordinatorID:
		v.Coordinator.Down = true
	default:
		for i := range v.Tasks {
			if node := v.Job.Plan.Tasks[i].Node; node >= 0 && (f == nil || f.Kind != engine.CrashNode || f.Node() == node) {
				v.die(engine.TaskID(i))
				v.loseDisk(engine.TaskID(i), f)
			}
		}
		v.Coordinator.Down = f == nil || f.Kind != engine.CrashNode
		v.soil()
	}
	v.dirty.Durable = true
}

// loseDisk takes the local store of a task of kafka-streams whose machine is gone: a
// crash of processes alone leaves it where it is (facts 6.6, Kafka Streams 4.x).
func (v *View) loseDisk(id engine.TaskID, f *engine.Fault) {
	if k := &v.Kept; f != nil && f.Kind == engine.CrashNode && v.Job.Settings.Strategy == "kafka-streams" && k.Store[id] != nil {
		clear(k.Store[id])
		k.Wiped[id] = true
	}
}

func (v *View) die(id engine.TaskID) {
	v.Tasks[id].Paused = false
	v.forget(id)
	v.Tasks[id].Status = Crashed
}

// restart stops every task: only what is durable or outside goes on from here.
func (v *View) restart(e *engine.Event) {
	if e.Task != engine.JobID {
		v.restartOne(e.Task)
		return
	}
	v.Attempt, v.Phase, v.restored = int16(e.After), Restoring, 0
	v.Coordinator.Down = false
	for i := range v.Tasks {
		t := &v.Tasks[i]
		if v.Job.Plan.Tasks[i].Node < 0 {
			v.restored++ // a client, which nobody restarts
			continue
		}
		v.leave(engine.TaskID(i))
		v.forget(engine.TaskID(i))
		t.Status, t.Ended, t.Wrote = Restarted, false, 0
	}
	for i := range v.Logs {
		if v.Job.Settings.Strategy != "replicated" {
			v.Logs[i].Ended = false
		}
		if v.Logs[i].Barrier.Ckpt != v.Logs[i].Rewind.Ckpt {
			v.Logs[i].Barrier = Cut{}
		}
	}
	v.soil()
}

// restartOne starts a single process anew; the others go on.
func (v *View) restartOne(id engine.TaskID) {
	if id == engine.CoordinatorID {
		v.Coordinator.Down = false
		v.dirty.Durable = true
	}
	if v.isTask(id) {
		v.leave(id)
		v.forget(id)
		v.Tasks[id].Status, v.Tasks[id].Ended, v.Tasks[id].Wrote = Restarted, false, 0
		if v.Job.Settings.Strategy == "batch" && v.Kept.Published[id] >= 0 {
			v.Tasks[id].Status, v.Tasks[id].Ended = Running, true // its output is final: it has nothing to do again
		}
	}
	v.Phase = Restoring
	v.restored = 0
	for i := range v.Tasks {
		if s := v.Tasks[i].Status; s != Crashed && s != Restarted {
			v.restored++
		}
	}
	if v.restored == len(v.Tasks) {
		v.Phase = Working
	}
}

// lives reports whether any process of the job is alive.
func (v *View) lives() bool {
	for i := range v.Tasks {
		if v.Job.Plan.Tasks[i].Node >= 0 && v.Tasks[i].Status != Crashed && v.Tasks[i].Status != Restarted {
			return true
		}
	}
	return false
}

func (v *View) restore(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	t := &v.Tasks[e.Task]
	t.Status, t.Saved, t.Durable = Running, e.Ckpt, e.Ckpt != 0
	if c := v.Checkpoint(e.Ckpt); c != nil && e.Ckpt != 0 {
		copy(t.Counts, c.Parts[e.Task].Counts)
		t.Timed = c.Parts[e.Task].Timed.saved()
		if v.Job.Settings.WatermarkRestore == "none" {
			t.Timed.Mark = engine.NoTime
		}
	}
	v.restoreKept(e)
	v.dirty.States[e.Task] = true
	v.restored++
	if v.Phase == Restoring && v.restored >= len(v.Tasks) {
		v.Phase = Replaying
	}
}

func (v *View) rewind(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	p := v.Job.Plan.Tasks[e.Task].Part
	loop := v.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop
	if loop {
		p = int(e.Value)
	}
	l := &v.Logs[p]
	if loop {
		l.Refill = l.Rewind.Off
	}
	l.Furthest = max(l.Furthest, int32(e.Before))
	l.Next = int32(e.After)
	v.Tasks[e.Task].offset = l.Next
	v.dirty.Logs[p] = true
}

func (v *View) end(e *engine.Event) {
	v.Phase, v.Reason = Ended, e.Reason
	for i := range v.Tasks {
		v.Tasks[i].Paused = false
		switch t := &v.Tasks[i]; {
		case e.Reason == engine.AtRest && t.Status != Crashed: // a copy that died stays dead
			t.Status = Finished
		case t.Status != Crashed && t.Status != Refused:
			t.Status = Cancelled
		}
	}
	v.soil()
}
