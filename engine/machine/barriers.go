package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// barriers is the strategy of Flink's aligned checkpoints (Flink 2.x; facts 3 and
// 4): sources put numbered barriers into the stream, an operator with several
// inputs holds back those whose barrier is in, copies its state when all are, and
// a checkpoint exists once the coordinator has sealed it.
type barriers struct{}

// Task makes a task that takes part in aligned checkpoints.
func (barriers) Task(job *engine.Job, id engine.TaskID) Task {
	t := &barrierTask{op: newOperator(job, id)}
	if t.op.spec.Kind == engine.OpSink {
		t.sink = newWriter(job, t.op.spec)
	}
	return t
}

// Coordinator makes the checkpoint coordinator.
func (barriers) Coordinator(job *engine.Job) Coordinator { return newCoordinator(job) }

// Scope is the whole job: with keyed exchanges it is one region (facts 3.5).
func (barriers) Scope(engine.TaskID) Scope { return WholeJob }

// InJob is true for every process: the coordinator runs with the job.
func (barriers) InJob(engine.TaskID) bool { return true }

// Failed discards the checkpoint that is pending.
func (barriers) Failed(w *world.World, out *Out) {
	if n := w.Store.Pending(); n != 0 {
		out.add(Effect{Kind: DoDiscard, Ckpt: n})
	}
}

// Durable is nothing beyond the checkpoint store.
func (barriers) Durable(*engine.Job) world.Durable { return nil }

// barrierTask awaits, while ckpt is not 0, the barriers of that checkpoint on the
// lanes that are not in arrived.
type barrierTask struct {
	op      operator
	sink    writer // nil unless a sink
	ckpt    int32
	arrived uint64 // bit per lane
	last    int32  // newest checkpoint that is done with here, taken or given up
	final   int32  // the checkpoint whose part says that nothing is left to read
	ending  bool   // the final checkpoint is complete; finish once idle
}

func (t *barrierTask) Reads(buf []LogPos) []LogPos {
	if t.op.spec.Kind != engine.OpSource {
		return buf
	}
	return append(buf, LogPos{Log: t.op.spec.Part, Offset: t.op.offset})
}

func (t *barrierTask) Blocked(lane int) bool { return t.arrived&(1<<lane) != 0 }

func (t *barrierTask) Fork(into Task) Task {
	c, ok := into.(*barrierTask)
	if !ok {
		c = &barrierTask{}
	}
	op, sink := c.op, c.sink
	*c = *t
	c.op = op
	c.op.forkFrom(&t.op)
	if t.sink != nil {
		c.sink = t.sink.fork(sink)
	}
	return c
}

func (t *barrierTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.op.read(&in.Record, out)
	case InLogEnd:
		t.op.end(out)
	case InElement:
		if in.Element.Kind == engine.BarrierElement {
			t.barrier(in.Lane, in.Element.Checkpoint, out)
		} else {
			t.record(in.Lane, &in.Element.Record, out)
		}
	case InTrigger:
		out.add(Effect{Kind: DoInject, Ckpt: in.Ckpt, After: int64(t.op.offset)})
		t.takeSnapshot(in.Ckpt, out)
	case InStored:
		out.add(Effect{Kind: PostAck, Ckpt: in.Ckpt, Final: t.final == in.Ckpt})
	case InNotify:
		t.notified(in, out)
	case InAborted:
		t.giveUp(in.Ckpt, out)
	case InCommitted:
		t.sink.committed(in.Txn)
		t.finishIfIdle(out)
	case InRefused:
		t.sink.refused(in, out)
		t.finishIfIdle(out)
	}
}

// record hands a record to the operator, or to the outside world.
func (t *barrierTask) record(lane int, r *engine.Record, out *Out) {
	if t.sink != nil {
		t.sink.write(r, out)
		return
	}
	t.op.process(lane, *r, out)
}

// barrier notes that checkpoint n's barrier is in on a lane. The lane is held
// back until the barrier is in on all of them. A barrier of a checkpoint that was
// given up here is taken out of the lane and forgotten.
func (t *barrierTask) barrier(lane int, n int32, out *Out) {
	lanes := len(t.op.spec.In)
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
	case after < lanes:
		out.add(Effect{Kind: DoBlock, Chan: t.op.spec.In[lane], Ckpt: n})
	default:
		t.aligned(lane, n, out)
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

func (t *barrierTask) takeSnapshot(n int32, out *Out) {
	s := t.op.snapshot()
	if t.sink != nil {
		s.Txns = t.sink.snapshot()
	}
	if t.op.exhausted() {
		t.final = n
	}
	out.add(Effect{Kind: DoSnapshot, Ckpt: n, After: t.op.entries(), Snapshot: s})
}

// unblock opens all lanes that are held and leaves no checkpoint in progress.
func (t *barrierTask) unblock(out *Out) {
	for lane := range t.op.spec.In {
		if t.arrived&(1<<lane) != 0 {
			out.add(Effect{Kind: DoUnblock, Chan: t.op.spec.In[lane], Ckpt: t.ckpt})
		}
	}
	t.ckpt, t.arrived = 0, 0
}

func (t *barrierTask) giveUp(n int32, out *Out) {
	if t.ckpt == n {
		t.unblock(out)
	}
	t.last = max(t.last, n)
}

func (t *barrierTask) notified(in *In, out *Out) {
	out.add(Effect{Kind: DoNotified, Ckpt: in.Ckpt})
	if t.sink != nil {
		t.sink.notified(in.Ckpt, out)
	}
	t.ending = t.ending || in.Final
	t.finishIfIdle(out)
}

func (t *barrierTask) finishIfIdle(out *Out) {
	if t.ending && (t.sink == nil || t.sink.idle()) {
		out.add(Effect{Kind: PostFinished})
	}
}

func (t *barrierTask) restore(in *In, out *Out) {
	t.op.restore(&in.Snapshot)
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored, Ckpt: in.Ckpt})
		if t.op.spec.Kind == engine.OpSource {
			out.add(Effect{Kind: DoRewind, Value: int64(t.op.spec.Part), Before: int64(in.Offset), After: int64(t.op.offset)})
		}
	}
	t.last = in.Next - 1
	if t.sink != nil {
		t.sink.restore(in, out)
	}
}

func ones(bits uint64) int {
	n := 0
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}
