package machine

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// microbatch is the strategy of Spark Structured Streaming (3.5; facts 2): the
// range of a batch is written to the offset log, then the batch runs, its state
// version is stored, the sink takes it, and the commit log says that it is done.
// A restart runs exactly the logged range again. Nothing travels beside the
// records: a task tells the next ones how many records of the batch it has sent,
// and a batch is complete at a task when as many have come.
type microbatch struct{}

// Task makes a task that runs its part of one batch after another.
func (microbatch) Task(job *engine.Job, id engine.TaskID) Task {
	t := &batchTask{op: newOperator(job, id), inc: newIncrements(job)}
	t.lanes = make([]laneCount, len(t.op.spec.In))
	for i := range t.op.spec.Out {
		t.outs = append(t.outs, t.op.spec.Out[i].Chans...)
	}
	t.sent = make([]int32, len(t.outs))
	if t.op.spec.Kind == engine.OpSink {
		t.sink = newBatchWriter(job, t.op.spec)
	}
	return t
}

// Coordinator makes the query, which Spark calls the driver.
func (microbatch) Coordinator(job *engine.Job) Coordinator { return &batchQuery{job: job} }

// Scope is the whole job: a task that dies leaves its batch incomplete, and the
// batch is run again as a whole.
func (microbatch) Scope(engine.TaskID) Scope { return WholeJob }

// InJob is true for every process.
func (microbatch) InJob(engine.TaskID) bool { return true }

// Failed leaves nothing to be made void: the logs say what is done.
func (microbatch) Failed(*world.World, *Out) {}

// Durable is the checkpoint location: both logs and the state versions.
func (microbatch) Durable(job *engine.Job) world.Durable {
	return world.NewBatchLogs(len(job.Plan.Tasks), len(job.Input.Keys))
}

// Notes between the processes of a microbatch query.
const (
	noteRun     int8 = iota + 1 // to sources: run batch Ckpt up to offset Value
	noteShipped                 // to the next tasks: Value records of batch Ckpt are on their way to you
	noteStored                  // a counter to itself: the state version is durable
	noteDone                    // a sink to the query: batch Ckpt is out
	noteMark                    // to the next tasks: event time is Value at the end of batch Ckpt
)

// batchTask runs its part of batch, or awaits it.
type batchTask struct {
	op    operator
	sink  *batchWriter // nil unless a sink
	inc   increments
	batch int32
	end   int32 // sources: where the range of the batch ends
	lanes []laneCount
	rows  []engine.Record // counters: what goes on when the state version is stored
	outs  []engine.ChanID // never written again
	sent  []int32         // by outs: records of the batch
}

// laneCount is how much of the batch has come on a lane. The sender may not have
// said yet how much there is.
type laneCount struct {
	got, shipped int32
	told         bool
	mark         engine.Time // event time at the end of the batch, where marked
	marked       bool
}

func (t *batchTask) Blocked(int) bool { return false }

func (t *batchTask) Reads(buf []LogPos) []LogPos {
	if t.op.spec.Kind != engine.OpSource || t.op.offset >= t.end {
		return buf
	}
	return append(buf, LogPos{Log: t.op.spec.Part, Offset: t.op.offset})
}

func (t *batchTask) Fork(into Task) Task {
	c, ok := into.(*batchTask)
	if !ok {
		c = &batchTask{}
	}
	op, sink, lanes, rows, sent, inc := c.op, c.sink, c.lanes, c.rows, c.sent, c.inc
	*c = *t
	c.inc = inc
	c.inc.forkFrom(&t.inc)
	c.op = op
	c.op.forkFrom(&t.op)
	c.lanes, c.rows, c.sent = append(lanes[:0], t.lanes...), append(rows[:0], t.rows...), append(sent[:0], t.sent...)
	if t.sink != nil {
		c.sink = t.sink.forkTo(sink)
	}
	return c
}

func (t *batchTask) Step(in *In, out *Out) {
	t.op.now = in.Now
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.op.offset = in.Record.ID.Off + 1
		out.add(Effect{Kind: DoRead, Record: in.Record, Before: int64(in.Record.ID.Off), After: int64(t.op.offset)})
		t.send(&in.Record, out)
		t.endRange(out)
	case InElement:
		t.record(in.Lane, in.Element.Record, out)
		t.lanes[in.Lane].got++
		t.complete(out)
	case InStored:
		out.add(Effect{Kind: PostMessage, Task: t.op.spec.ID, Note: noteStored, Ckpt: in.Ckpt})
	case InMessage:
		t.message(in, out)
	case InCommitted:
		t.sink.committed(in.Txn)
		t.report(out)
	case InRefused:
		t.sink.refused(in, out)
	}
}

func (t *batchTask) message(in *In, out *Out) {
	if in.Ckpt != t.batch {
		panic(fmt.Sprintf("machine: %s is told %d of batch %d while it is at batch %d", t.op.spec.Name, in.Note, in.Ckpt, t.batch))
	}
	switch in.Note {
	case noteRun:
		t.end = int32(in.Value)
		t.endRange(out)
	case noteShipped:
		for lane, c := range t.op.spec.In {
			if t.op.job.Plan.Channels[c].From == in.Task {
				t.lanes[lane].shipped, t.lanes[lane].told = int32(in.Value), true
			}
		}
		t.complete(out)
	case noteMark:
		t.marked(in)
		t.complete(out)
	case noteStored:
		t.inc.exists(in.Ckpt)
		for i := range t.rows {
			t.send(&t.rows[i], out)
		}
		t.rows = t.rows[:0]
		t.handOn(out)
	}
}

// record takes a record of the batch in. A counter's rows wait for its state
// version: what the sink has taken is never ahead of the state.
func (t *batchTask) record(lane int, r engine.Record, out *Out) {
	switch t.op.spec.Kind {
	case engine.OpSink:
		t.sink.row(t.batch, t.op.spec.In[lane], &r, out)
	case engine.OpCount:
		if t.op.handle(lane, &r, out, t.keep) {
			t.keep(&r)
		}
	default:
		if t.op.handle(lane, &r, out, nil) {
			t.send(&r, out)
		}
	}
}

func (t *batchTask) send(r *engine.Record, out *Out) {
	from := len(out.Effects)
	t.op.send(r, out)
	for i := range out.Effects[from:] {
		for j, c := range t.outs {
			if out.Effects[from+i].Chan == c {
				t.sent[j]++
			}
		}
	}
}

// endRange is what a source does when it has read its part of the range.
func (t *batchTask) endRange(out *Out) {
	if t.op.offset < t.end {
		return
	}
	if t.op.exhausted() && !t.op.ended {
		t.op.end(out)
	}
	t.readTime(out)
	t.handOn(out)
}

// complete goes on when the whole batch has come.
func (t *batchTask) complete(out *Out) {
	for i := range t.lanes {
		if l := &t.lanes[i]; !l.told || l.got < l.shipped || t.op.clock != nil && !l.marked {
			return
		}
	}
	t.passTime(out)
	switch t.op.spec.Kind {
	case engine.OpCount:
		s := t.op.snapshot()
		changed := t.inc.take(t.batch, &s)
		out.add(Effect{Kind: DoSnapshot, Ckpt: t.batch, Before: changed, After: t.op.entries(), Snapshot: &s})
	case engine.OpSink:
		t.sink.end(t.batch, out)
		t.report(out)
	default:
		t.handOn(out)
	}
}

// handOn tells the next tasks how much of the batch is on its way to each.
func (t *batchTask) handOn(out *Out) {
	t.tellTime(out)
	for i, c := range t.outs {
		out.add(Effect{Kind: PostMessage, Task: t.op.job.Plan.Channels[c].To, Note: noteShipped, Ckpt: t.batch, Value: int64(t.sent[i])})
	}
	t.next()
}

// report tells the query that the batch is out, once nothing of it is waiting.
func (t *batchTask) report(out *Out) {
	if !t.sink.idle() {
		return
	}
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: noteDone, Ckpt: t.batch})
	t.next()
}

func (t *batchTask) next() {
	t.batch++
	clear(t.lanes)
	clear(t.sent)
}

// restore goes back to the end of the newest batch that is in the commit log.
func (t *batchTask) restore(in *In, out *Out) {
	logs := in.World.Own.(*world.BatchLogs)
	done := logs.Committed()
	t.batch = done + 1
	t.op.recall(in)
	s := in.Snapshot
	t.inc.restored(&s)
	if t.op.spec.Kind == engine.OpSource {
		s.Offset = logs.End(done, t.op.spec.Part)
	}
	t.op.restore(&s)
	t.rememberTime()
	t.end = s.Offset
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored, Ckpt: done})
		if t.op.spec.Kind == engine.OpSource {
			out.add(Effect{Kind: DoRewind, Value: int64(t.op.spec.Part), Before: int64(in.Offset), After: int64(t.op.offset)})
		}
	}
	if t.op.exhausted() {
		t.op.end(out)
	}
	if t.sink != nil {
		t.sink.restore(in, out)
	}
}
