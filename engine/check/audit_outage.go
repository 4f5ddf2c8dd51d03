package check

import "effectivelyonce/engine"

// quiet follows the faults of which nobody dies. A task whose answer was lost
// makes the same write again, and only that one.
func (a *Audit) quiet(f *engine.Fault, e *engine.Event) {
	tk := a.task(e)
	a.brokerDown = a.brokerDown || f != nil && f.Kind == engine.BrokerDown
	a.late = a.late || f != nil && f.Kind == engine.Late
	if f == nil || tk == nil || e.Kind != engine.FaultEnded || f.Kind != engine.LoseResponse {
		return
	}
	tk.again = tk.wrote
}

// effect: a task writes what is at the head of a lane, or repeats its last write.
func (a *Audit) effect(e *engine.Event, tk *auditTask) {
	repeated := tk.repeated(e)
	tk.wrote = e.Rec
	switch {
	case repeated && e.Kind == engine.EffectIgnored:
		tk.half = engine.NoRecord // the receiver knows the id: no second write follows
	case repeated && e.Kind == engine.DedupID:
	case repeated, e.Kind == engine.SinkWrite:
		if !repeated {
			a.take(e, tk)
		}
		a.wrote(e)
	case e.Kind == engine.EffectIgnored:
		a.take(e, tk)
	default:
		a.half(e, tk)
	}
}

// again reports whether a strategy other than barriers repeats its last write: its
// rules have taken it in before.
func (a *Audit) again(e *engine.Event) bool {
	tk := a.task(e)
	switch e.Kind {
	case engine.RestartBegin:
		for i := range a.tasks {
			a.tasks[i].again = engine.NoRecord
		}
		return false
	case engine.SinkWrite, engine.DedupID, engine.DedupValue, engine.EffectIgnored:
	default:
		return false
	}
	if tk == nil {
		return false
	}
	repeated := tk.repeated(e)
	tk.wrote = e.Rec
	return repeated
}

// repeated reports whether the event is the second try of a write.
func (tk *auditTask) repeated(e *engine.Event) bool {
	if tk.again == engine.NoRecord || tk.again != e.Rec {
		return false
	}
	tk.again = engine.NoRecord
	return true
}

// freshNames reports whether the task registers under a new name at each start, so
// that nobody ends what earlier attempts have left.
func (a *Audit) freshNames(task engine.TaskID) bool {
	if task < 0 || int(task) >= len(a.job.Plan.Tasks) || a.job.Plan.Tasks[task].Sink < 0 {
		return false
	}
	k := &a.job.Settings.Sinks[a.job.Plan.Tasks[task].Sink]
	return k.Kind == engine.SinkTransactional && k.Prefix == engine.FreshPrefix
}
