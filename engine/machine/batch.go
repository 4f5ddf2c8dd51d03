package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// batch is the strategy of batch jobs in the manner of MapReduce (facts 1.4): the
// input cannot change, an attempt writes into a file of its own, and success is
// one rename. A task that fails is tried again alone; nobody else notices, unless
// the task has told the outside something before it succeeded.
type batch struct{}

// Task makes a map or a reduce task.
func (batch) Task(job *engine.Job, id engine.TaskID) Task {
	spec := &job.Plan.Tasks[id]
	if spec.Kind == engine.OpReduce {
		return &reduceTask{job: job, spec: spec, sink: newWriter(job, spec), counts: make([]int64, len(job.Input.Keys))}
	}
	return &mapTask{job: job, spec: spec}
}

// Coordinator makes the scheduler of the job.
func (batch) Coordinator(job *engine.Job) Coordinator { return &batchScheduler{job: job} }

// Scope is one task; without its scheduler the job starts anew, from what is published.
func (batch) Scope(dead engine.TaskID) Scope {
	if dead == engine.CoordinatorID {
		return WholeJob
	}
	return SingleTask
}

// InJob is true for every process.
func (batch) InJob(engine.TaskID) bool { return true }

// Failed leaves everything: private files are deleted when their task is tried again.
func (batch) Failed(*world.World, *Out) {}

// Durable is the published map outputs.
func (batch) Durable(job *engine.Job) world.Durable { return world.NewBatch(len(job.Input.Parts)) }

// Notes between tasks and the scheduler of a batch.
const (
	noteMapDone int8 = iota + 1
	noteReduce
	noteReduced
)

// batchScheduler starts the reduce task when every map output is published. Its
// memory is which ones it has heard of; that they are published is durable.
type batchScheduler struct {
	job  *engine.Job
	done uint64 // bit per map task
}

func (s *batchScheduler) Fork(into Coordinator) Coordinator {
	c, ok := into.(*batchScheduler)
	if !ok {
		c = &batchScheduler{}
	}
	*c = *s
	return c
}

func (s *batchScheduler) Step(in *In, out *Out) {
	tasks := s.job.Plan.Tasks
	switch {
	case in.Kind == InStart:
		for i := range tasks {
			out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
		}
	case in.Kind == InMessage && in.Note == noteMapDone:
		s.done |= 1 << in.Task
		if s.done == 1<<(len(tasks)-1)-1 { // every task but the last, which reduces
			out.add(Effect{Kind: PostMessage, Note: noteReduce, Task: engine.TaskID(len(tasks) - 1)})
		}
	case in.Kind == InMessage && in.Note == noteReduced:
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	}
}

// mapTask reads one file from its beginning to its end. A crash loses what it has
// read; the next attempt reads the same again.
type mapTask struct {
	job     *engine.Job
	spec    *engine.Task
	attempt int16
	running bool
	private []engine.Record // this attempt's own file
}

func (t *mapTask) Blocked(int) bool { return false }

func (t *mapTask) Fork(into Task) Task {
	c, ok := into.(*mapTask)
	if !ok {
		c = &mapTask{}
	}
	private := append(c.private[:0], t.private...)
	*c = *t
	c.private = private
	return c
}

func (t *mapTask) Reads(buf []LogPos) []LogPos {
	if !t.running {
		return buf
	}
	return append(buf, LogPos{Log: t.spec.Part, Offset: int32(len(t.private))})
}

func (t *mapTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		r := in.Record
		r.Attempt = t.attempt
		t.private = append(t.private, r)
		out.add(Effect{Kind: DoRead, Record: r, Before: int64(r.ID.Off), After: int64(r.ID.Off) + 1})
	case InLogEnd:
		t.running = false
		out.add(Effect{Kind: DoEndInput})
		out.add(Effect{Kind: DoOp, Op: &world.PublishMap{Map: t.spec.Part, Records: append([]engine.Record{}, t.private...)}})
		out.add(Effect{Kind: PostMessage, Note: noteMapDone, Task: engine.CoordinatorID})
	}
}

// restore starts from the beginning of the file, or not at all if an earlier
// attempt has published: then only its word may have been lost.
func (t *mapTask) restore(in *In, out *Out) {
	t.attempt, t.running = in.Attempt, !in.World.Own.(*world.Batch).Published(t.spec.Part)
	at := 0
	if !t.running {
		at = len(t.job.Input.Parts[t.spec.Part])
	}
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored})
		out.add(Effect{Kind: DoRewind, Value: int64(t.spec.Part), After: int64(at)})
	}
	if !t.running {
		out.add(Effect{Kind: PostMessage, Note: noteMapDone, Task: engine.CoordinatorID})
	}
}

// reduceTask reads the published map outputs in a fixed order, counts, and writes.
// A crash loses its counts; the next attempt sees the same records in the same
// order.
type reduceTask struct {
	job     *engine.Job
	spec    *engine.Task
	sink    writer
	attempt int16
	running bool
	ending  bool // all is written; what was promised is being published
	part    int  // the map output it reads
	offset  int32
	counts  []int64
}

func (t *reduceTask) Blocked(int) bool { return false }

func (t *reduceTask) Fork(into Task) Task {
	c, ok := into.(*reduceTask)
	if !ok {
		c = &reduceTask{}
	}
	counts, sink := append(c.counts[:0], t.counts...), c.sink
	*c = *t
	c.counts, c.sink = counts, t.sink.fork(sink)
	return c
}

func (t *reduceTask) Reads(buf []LogPos) []LogPos {
	if !t.running {
		return buf
	}
	return append(buf, LogPos{Log: Repartition + t.part, Offset: t.offset})
}

func (t *reduceTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InMessage:
		t.start(out)
	case InRead:
		t.reduce(in.Record, out)
	case InCommitted:
		t.sink.committed(in.Txn)
		t.finish(out)
	case InRefused:
		t.sink.refused(in, out)
		t.finish(out)
	}
}

// restore deletes what a failed attempt has left and starts if the map outputs are
// there. If an earlier attempt has published its file, only its word was lost.
func (t *reduceTask) restore(in *In, out *Out) {
	t.attempt = in.Attempt
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored})
	}
	t.sink.restore(in, out)
	own := in.World.Own.(*world.Batch)
	switch {
	case in.World.Topics[t.spec.Sink].Published(t.spec.ID):
		out.add(Effect{Kind: PostMessage, Note: noteReduced, Task: engine.CoordinatorID})
	case own.Complete():
		t.start(out)
	}
}

// start begins with the first map output, once in an attempt.
func (t *reduceTask) start(out *Out) {
	if t.running || t.ending || t.part > 0 {
		return
	}
	t.running = true
	t.next(out)
}

func (t *reduceTask) reduce(r engine.Record, out *Out) {
	t.offset++
	t.counts[r.Key]++
	r.Attempt, r.Total = t.attempt, t.counts[r.Key]
	out.add(Effect{Kind: DoProcess, Chan: t.spec.In[t.part], Record: r, Before: r.Total - 1, After: r.Total})
	if emit := t.job.Settings.Sinks[t.spec.Sink].EmitAt; emit == 0 || r.Total == emit {
		t.sink.write(&r, out)
	}
	t.next(out)
}

// next goes on with the following map output when one is read to its end, and
// publishes after the last one.
func (t *reduceTask) next(out *Out) {
	for int(t.offset) == len(t.job.Input.Parts[t.part]) {
		t.part, t.offset = t.part+1, 0
		if t.part == len(t.job.Input.Parts) {
			t.running, t.ending = false, true
			t.sink.barrier(1, out)
			t.sink.publish(out)
			t.finish(out)
			return
		}
	}
}

func (t *reduceTask) finish(out *Out) {
	if t.ending && t.sink.idle() {
		out.add(Effect{Kind: PostMessage, Note: noteReduced, Task: engine.CoordinatorID})
	}
}
