package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// way is how a task draws the line of a checkpoint through its inputs.
type way uint8

const (
	// holdBack: a lane whose barrier is in is held until the barrier is in on all of
	// them; then the state is copied (Flink 2.x, mode exactly_once; facts 3, step 2).
	holdBack way = iota
	// letPass: nothing is held. Records behind the line that come before the last
	// barrier get into the copy, and are read again after a restart (Flink 2.x, mode
	// at_least_once; facts 3.4).
	letPass
	// overtake: the first barrier goes on at once and the state is copied. What is
	// before the line and not in the state, because a barrier has overtaken it, is
	// saved with the copy (Flink 2.x, unaligned checkpoints; facts 3.6).
	overtake
)

// wayOf is the way of a task; its inputs are all of one sort.
func wayOf(job *engine.Job, id engine.TaskID) way {
	in := job.Plan.Tasks[id].In
	switch {
	case job.Settings.CheckpointMode == "at_least_once":
		return letPass
	case len(in) > 0 && job.Overtakes(in[0]):
		return overtake
	}
	return holdBack
}

// part is a task's part of a checkpoint whose line is not yet drawn on all lanes.
type part struct {
	copied world.Snapshot
	flight []world.InFlight // before the line and not in the copied state, in order
}

// record hands a record to the operator, or to the outside world.
func (t *barrierTask) record(lane int, r *engine.Record, out *Out) {
	if t.way == overtake && t.ckpt != 0 && t.arrived&(1<<lane) == 0 {
		t.part.flight = append(t.part.flight, world.InFlight{Lane: lane, Record: *r})
	}
	if t.sink != nil {
		t.sink.write(r, out)
		return
	}
	t.op.process(lane, *r, out)
}

// barrier notes that a checkpoint's barrier is in on a lane. A barrier of a
// checkpoint that was given up here is taken out of the lane and forgotten.
func (t *barrierTask) barrier(in *In, out *Out) {
	lane, n, lanes := in.Lane, in.Element.Checkpoint, len(t.op.spec.In)
	if n > t.ckpt && n > t.last {
		t.unblock(out)
		t.ckpt = n
	}
	stale := n != t.ckpt
	before := ones(t.arrived)
	after := before
	if !stale {
		t.arrived |= 1 << lane
		after = ones(t.arrived)
	}
	out.add(Effect{Kind: DoArrive, Chan: t.op.spec.In[lane], Ckpt: n, Before: int64(before), After: int64(after)})
	switch {
	case stale:
	case t.way == overtake:
		t.overtaken(in, after, out)
	case after == lanes:
		t.aligned(lane, n, out)
	case t.way == holdBack:
		out.add(Effect{Kind: DoBlock, Chan: t.op.spec.In[lane], Ckpt: n})
	}
}

// aligned sends the barrier on first and copies the state behind it: the barrier
// does not wait for storage (facts 3, step 3).
func (t *barrierTask) aligned(lane int, n int32, out *Out) {
	out.add(Effect{Kind: DoAlign, Ckpt: n})
	if t.sink != nil {
		t.sink.barrier(n, out)
	}
	t.takeSnapshot(n, out)
	t.arrived &^= 1 << lane // its barrier was never held
	t.unblock(out)
	t.last = n
}

// overtaken sends the barrier on and copies the state when the first barrier is
// in, and gathers what barriers have overtaken until the last one is.
func (t *barrierTask) overtaken(in *In, arrived int, out *Out) {
	n, lanes := in.Element.Checkpoint, len(t.op.spec.In)
	if arrived == 1 {
		out.add(Effect{Kind: DoAlign, Ckpt: n, Before: 1, After: int64(lanes)})
		if t.sink != nil {
			t.sink.barrier(n, out)
		}
		t.part.copied = t.copyState(n)
		out.add(Effect{Kind: DoCopy, Ckpt: n, Before: int64(len(t.part.copied.Changed)), After: t.op.entries()})
	}
	for _, r := range in.Overtaken {
		t.part.flight = append(t.part.flight, world.InFlight{Lane: in.Lane, Record: r})
	}
	if arrived < lanes {
		return
	}
	s := t.part.copied
	s.InFlight = append([]world.InFlight(nil), t.part.flight...)
	out.add(Effect{Kind: PostUpload, Ckpt: n, Snapshot: &s})
	t.unblock(out)
	t.last = n
}

func (t *barrierTask) takeSnapshot(n int32, out *Out) {
	s := t.copyState(n)
	out.add(Effect{Kind: DoSnapshot, Ckpt: n, Before: int64(len(s.Changed)), After: t.op.entries(), Snapshot: &s})
}

func (t *barrierTask) copyState(n int32) world.Snapshot {
	s := t.op.snapshot()
	t.inc.take(n, &s)
	if t.sink != nil {
		s.Txns = t.sink.snapshot()
	}
	if c := t.op.clock; c != nil && c.mark < engine.EndOfTime {
		t.behind = n
	}
	if t.op.exhausted() {
		t.final = n
	}
	return s
}

// unblock opens all lanes that are held and leaves no checkpoint in progress.
func (t *barrierTask) unblock(out *Out) {
	for lane := range t.op.spec.In {
		if t.Blocked(lane) {
			out.add(Effect{Kind: DoUnblock, Chan: t.op.spec.In[lane], Ckpt: t.ckpt})
		}
	}
	t.ckpt, t.arrived = 0, 0
	t.part = part{flight: t.part.flight[:0]}
}

// giveUp leaves a checkpoint that will not complete.
func (t *barrierTask) giveUp(n int32, out *Out) {
	if t.ckpt == n {
		t.unblock(out)
	}
	t.last = max(t.last, n)
}
