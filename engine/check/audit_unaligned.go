package check

import (
	"slices"

	"effectivelyonce/engine"
)

// flown are the records that a task's part of a checkpoint holds beside its state.
type flown struct {
	ckpt    int32
	records []waiting
}

// holdsBack reports whether the task aligns barriers.
func (a *Audit) holdsBack(task engine.TaskID) bool {
	return a.job.Settings.CheckpointMode != "at_least_once" && !a.overtaken(task)
}

// overtaken reports whether barriers jump the lanes of the task.
func (a *Audit) overtaken(task engine.TaskID) bool {
	in := a.job.Plan.Tasks[task].In
	return len(in) > 0 && a.job.Overtakes(in[0])
}

// mayForward: a barrier goes on when it is in on every channel, or, where it
// overtakes, when the first one is in.
func (a *Audit) mayForward(e *engine.Event, tk *auditTask, all int64) bool {
	if a.overtaken(e.Task) {
		all = 1
	}
	return tk.ckpt == e.Ckpt && ones(tk.arrived) == all
}

// jumps: a barrier that overtakes comes before the records that wait in the lane,
// but arrives behind all that were sent before it. They belong to the checkpoint.
func (a *Audit) jumps(e *engine.Event, tk *auditTask, l *lane) {
	tk.jumped = tk.jumped[:0]
	for i := range l.queue {
		w := &l.queue[i]
		switch {
		case w.barrier == e.Ckpt:
			l.queue = append(l.queue[:i], l.queue[i+1:]...)
			return
		case w.barrier == 0 && !w.received:
			a.broke(e, "overtake", "barrier %d reaches %s before %s, which was sent before it", e.Ckpt, a.name(e.Task), w.rec)
		case w.barrier == 0:
			tk.jumped = append(tk.jumped, *w)
		}
	}
	a.broke(e, "overtake", "barrier %d reaches %s without being sent", e.Ckpt, a.name(e.Task))
}

// flies: what a task takes after it has copied its state, from a lane whose barrier
// is not in, is before the line and not in the copy.
func (a *Audit) flies(e *engine.Event, tk *auditTask, w *waiting) {
	if tk.ckpt != 0 && tk.arrived&(1<<a.job.Plan.Channels[w.lane].ToIndex) == 0 && a.overtaken(e.Task) {
		tk.flight = append(tk.flight, *w)
	}
}

// landed: a part is complete when the last barrier is in, and holds the records in flight.
func (a *Audit) landed(e *engine.Event, tk *auditTask) {
	if e.Value != int64(len(tk.flight)) {
		a.broke(e, "inflight", "%s stores %d records in flight where %d are", a.name(e.Task), e.Value, len(tk.flight))
	}
	if !a.overtaken(e.Task) {
		return
	}
	if all := uint64(1)<<len(a.job.Plan.Tasks[e.Task].In) - 1; tk.ckpt != e.Ckpt || tk.arrived != all {
		a.broke(e, "inflight", "%s stores its part of checkpoint %d before the last barrier is in", a.name(e.Task), e.Ckpt)
	}
	tk.flown = append(tk.flown, flown{ckpt: e.Ckpt, records: append([]waiting(nil), tk.flight...)})
	tk.flight, tk.ckpt, tk.arrived = tk.flight[:0], 0, 0
}

// owesBack: a restored task first gets the records in flight back.
func (tk *auditTask) owesBack(ckpt int32) {
	tk.back = tk.back[:0]
	for i := range tk.flown {
		if tk.flown[i].ckpt == ckpt && ckpt > 0 {
			tk.back = append(tk.back, tk.flown[i].records...)
		}
	}
}

// reinjected: the saved records come back once, in order, into their own lanes.
func (a *Audit) reinjected(e *engine.Event, tk *auditTask) {
	if len(tk.back) == 0 || tk.back[0].rec != e.Rec || tk.back[0].lane != e.Chan || e.Ckpt != a.ckpts.sealed {
		a.broke(e, "reinject", "%s gets %s back, which checkpoint %d does not hold next", a.name(e.Task), e.Rec, e.Ckpt)
		return
	}
	w := tk.back[0]
	w.received = true
	l := &a.lanes[e.Chan]
	l.queue = slices.Insert(l.queue, l.back, w) // before anything that the new attempt has sent
	l.back++
	tk.back = tk.back[1:]
}
