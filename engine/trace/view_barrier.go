package trace

import (
	"slices"

	"effectivelyonce/engine"
)

func (v *View) applyBarrier(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	t, task := &v.Tasks[e.Task], &v.Job.Plan.Tasks[e.Task]
	switch e.Kind {
	case engine.BarrierInjected:
		v.Logs[task.Part].Barrier = Cut{Ckpt: e.Ckpt, Off: int32(e.After)}
		v.dirty.Logs[task.Part] = true
		v.putBarrier(task, e.Ckpt)
	case engine.BarrierArrived:
		c := &v.Chans[e.Chan]
		c.Elems = slices.DeleteFunc(c.Elems, func(el Elem) bool { return el.Kind == engine.BarrierElement && el.Ckpt == e.Ckpt })
		v.dirty.Chans[e.Chan] = true
		if e.Before == e.After {
			break // of a checkpoint that was given up
		}
		c.Arrived = e.Ckpt
		if int(e.After) < len(task.In) {
			t.Aligning, t.Status = e.Ckpt, Aligning
		}
	case engine.BarrierAligned:
		if e.After > e.Before { // overtaken: the other barriers are still to come
			v.putBarrier(task, e.Ckpt)
			break
		}
		for _, c := range task.In {
			v.Chans[c].Arrived = 0
			v.dirty.Chans[c] = true
		}
		t.Aligning, t.Status = 0, Running
		v.putBarrier(task, e.Ckpt)
	case engine.ChannelBlocked, engine.ChannelUnblocked:
		c := &v.Chans[e.Chan]
		c.Blocked = e.Kind == engine.ChannelBlocked
		if !c.Blocked {
			c.Arrived = 0
			if t.Status == Aligning {
				t.Aligning, t.Status = 0, Running // given up
			}
		}
		v.dirty.Chans[e.Chan] = true
	}
	v.touch(e.Task)
}

// putBarrier puts a barrier behind what was sent on all outputs of a task.
func (v *View) putBarrier(task *engine.Task, ckpt int32) {
	for _, g := range task.Out {
		for _, c := range g.Chans {
			if !v.reached(c) {
				continue
			}
			v.Chans[c].Elems = append(v.Chans[c].Elems, Elem{Kind: engine.BarrierElement, Ckpt: ckpt, Rec: engine.NoRecord})
			v.dirty.Chans[c] = true
		}
	}
}
