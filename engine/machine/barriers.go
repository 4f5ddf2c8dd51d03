package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// barriers is the strategy of Flink's checkpoints (Flink 2.x; facts 3 and 4):
// sources put numbered barriers into the stream, every task copies its state at
// its barrier, and a checkpoint exists once the coordinator has sealed it. How a
// task with several inputs draws the line is told in barrier_cut.go.
type barriers struct{}

// Task makes a task that takes part in checkpoints.
func (barriers) Task(job *engine.Job, id engine.TaskID) Task {
	t := &barrierTask{op: newOperator(job, id), way: wayOf(job, id), inc: newIncrements(job)}
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
	way     way
	inc     increments
	ckpt    int32
	arrived uint64 // bit per lane
	part    part   // overtake: what of the checkpoint in progress is gathered so far
	last    int32  // newest checkpoint that is done with here, taken or given up
	final   int32  // the checkpoint whose part says that nothing is left to read
	behind  int32  // the checkpoint whose part was copied before event time had come to its end
	ending  bool   // the final checkpoint is complete; finish once idle
}

func (t *barrierTask) Reads(buf []LogPos) []LogPos {
	if t.op.spec.Kind != engine.OpSource {
		return buf
	}
	return append(buf, LogPos{Log: t.op.spec.Part, Offset: t.op.offset})
}

func (t *barrierTask) Blocked(lane int) bool { return t.way == holdBack && t.arrived&(1<<lane) != 0 }

func (t *barrierTask) Fork(into Task) Task {
	c, ok := into.(*barrierTask)
	if !ok {
		c = &barrierTask{}
	}
	op, sink, flight, inc := c.op, c.sink, c.part.flight, c.inc
	*c = *t
	c.inc = inc
	c.inc.forkFrom(&t.inc)
	c.part.flight = append(flight[:0], t.part.flight...)
	c.op = op
	c.op.forkFrom(&t.op)
	if t.sink != nil {
		c.sink = t.sink.fork(sink)
	}
	return c
}

func (t *barrierTask) Step(in *In, out *Out) {
	t.op.now = in.Now
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.op.read(&in.Record, out)
	case InLogEnd:
		t.op.end(out)
	case InElement:
		t.element(in, out)
	case InTrigger:
		out.add(Effect{Kind: DoInject, Ckpt: in.Ckpt, After: int64(t.op.offset)})
		t.takeSnapshot(in.Ckpt, out)
	case InStored:
		if t.behind == in.Ckpt {
			in.Value++ // the end of time is in flight
		}
		out.add(Effect{Kind: PostAck, Ckpt: in.Ckpt, Final: t.final == in.Ckpt, Value: in.Value})
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

// StepElements implements Bulk. An answer to a write that bears on what follows is a
// refusal, and the job fails with that.
func (t *barrierTask) StepElements(in *In, elems []engine.Element, out *Out) int {
	t.op.now = in.Now
	for i := range elems {
		if elems[i].Kind != engine.DataElement {
			return i
		}
		t.record(in.Lane, &elems[i].Record, out)
	}
	return len(elems)
}

// StepRecords implements Bulk.
func (t *barrierTask) StepRecords(in *In, records []engine.Record, out *Out) {
	t.op.now = in.Now
	for i := range records {
		t.op.read(&records[i], out)
	}
}

func (t *barrierTask) element(in *In, out *Out) {
	switch in.Element.Kind {
	case engine.BarrierElement:
		t.barrier(in, out)
	case engine.WatermarkElement:
		t.op.watermark(in.Lane, in.Element.Mark, false, out, func(row *engine.Record) { t.op.send(row, out) })
	default:
		t.record(in.Lane, &in.Element.Record, out)
	}
}

func (t *barrierTask) notified(in *In, out *Out) {
	out.add(Effect{Kind: DoNotified, Ckpt: in.Ckpt})
	t.inc.exists(in.Ckpt)
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
	t.op.recall(in)
	t.op.restore(&in.Snapshot)
	t.inc.restored(&in.Snapshot)
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
	for _, f := range in.Snapshot.InFlight {
		out.add(Effect{Kind: DoReinject, Chan: t.op.spec.In[f.Lane], Ckpt: in.Ckpt, Record: f.Record})
	}
	t.op.resume(out)
}

func ones(bits uint64) int {
	n := 0
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}
