package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// trident is the strategy of Storm Trident (Storm 2.x; facts 8): the stream is cut
// into small batches with growing numbers (txids), the sources of the topology are
// a spout of one of three kinds, and a counter adds what a batch has for each key
// to a state object of one of three kinds. A batch whose processing fails is tried
// again; what that does to the state depends on the pair.
//
// A crash of any process makes the batch in progress fail as a whole. The state
// and what the spout has noted survive; everything in memory belongs to the batch.
type trident struct{}

// Messages between the coordinator and the tasks.
const (
	noteRange   int8 = iota + 1 // to a source: read up to offset Value for batch Ckpt
	noteExpect                  // to a counter: batch Ckpt has Value records for it
	noteApplied                 // to the coordinator: the state has all of batch Ckpt
)

// Task makes a source, an operator without state, or a counter with its state.
func (trident) Task(job *engine.Job, id engine.TaskID) Task {
	return &tridentTask{op: newOperator(job, id), adds: make([]int64, len(job.Input.Keys))}
}

// Coordinator makes the batch coordinator.
func (trident) Coordinator(job *engine.Job) Coordinator { return &tridentCoordinator{job: job} }

// Scope is the whole job: a batch fails as one.
func (trident) Scope(engine.TaskID) Scope { return WholeJob }

// InJob is true for every process.
func (trident) InJob(engine.TaskID) bool { return true }

// Failed has nothing to take back.
func (trident) Failed(*world.World, *Out) {}

// Durable is the spout's notes and the state.
func (trident) Durable(job *engine.Job) world.Durable { return world.NewTrident(job.Input) }

// tridentTask is one task of the topology. A source reads up to end; a counter
// counts the records of one batch, in op.counts, until it has as many as the
// coordinator told it to expect, and then writes one row a key: what the batch adds
// to the key's count or, with output=event, to its balance.
type tridentTask struct {
	op       operator
	end      int32
	txid     int32   // counters: the batch that is told of, 0 none
	adds     []int64 // counters: by key
	expected int64
	got      int64
}

func (t *tridentTask) Reads(buf []LogPos) []LogPos {
	spec := t.op.spec
	if spec.Kind != engine.OpSource {
		return buf
	}
	if t.op.offset < t.end || t.op.exhausted() {
		return append(buf, LogPos{Log: spec.Part, Offset: t.op.offset})
	}
	return buf
}

func (t *tridentTask) Blocked(int) bool { return false }

func (t *tridentTask) Fork(into Task) Task {
	c, ok := into.(*tridentTask)
	if !ok {
		c = &tridentTask{}
	}
	op, adds := c.op, append(c.adds[:0], t.adds...)
	*c = *t
	c.op, c.adds = op, adds
	c.op.forkFrom(&t.op)
	return c
}

func (t *tridentTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.op.read(&in.Record, out)
	case InLogEnd:
		t.op.end(out)
	case InElement:
		t.op.process(in.Lane, in.Element.Record, out)
		t.count(&in.Element.Record)
		t.apply(out)
	case InMessage:
		if in.Note == noteRange {
			t.end = int32(in.Value)
			return
		}
		t.txid, t.expected = in.Ckpt, in.Value
		t.apply(out)
	}
}

// restore begins behind the last batch that succeeded.
func (t *tridentTask) restore(in *In, out *Out) {
	own := in.World.Own.(*world.Trident)
	if t.op.spec.Kind == engine.OpSource {
		t.op.offset = own.At[t.op.spec.Part]
		t.end = t.op.offset
	}
	if in.Attempt == 1 {
		return
	}
	out.add(Effect{Kind: DoRestored, Ckpt: own.Committed})
	if t.op.spec.Kind == engine.OpSource {
		out.add(Effect{Kind: DoRewind, Value: int64(t.op.spec.Part), Before: int64(in.Offset), After: int64(t.op.offset)})
	}
}

// count notes what a record adds.
func (t *tridentTask) count(r *engine.Record) {
	t.got++
	if t.op.job.Settings.Sinks[0].Output == engine.TotalOutput {
		t.adds[r.Key]++
		return
	}
	t.adds[r.Key] += t.op.job.Input.Amount(r.Value)
}

// apply writes the batch into the state once all of it is here: one row after the
// other, so that a crash can leave some keys with it and some without.
func (t *tridentTask) apply(out *Out) {
	if t.op.spec.Kind != engine.OpCount || t.txid == 0 || t.got < t.expected {
		return
	}
	for k := range t.adds {
		if t.op.counts.At(engine.KeyID(k)) > 0 {
			out.add(Effect{Kind: DoOp, Op: &world.TridentPut{State: t.op.job.Settings.TridentState, Txid: t.txid, Key: engine.KeyID(k), Add: t.adds[k]}})
		}
	}
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: noteApplied, Ckpt: t.txid})
	t.op.counts.Clear()
	clear(t.adds)
	t.txid, t.expected, t.got = 0, 0, 0
}
