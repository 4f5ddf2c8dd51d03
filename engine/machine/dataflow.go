package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// dataflow is the strategy of Google Cloud Dataflow and MillWheel (facts 7): every
// stage takes one record, stores in one write that it has seen it, what its state
// is now and what it has produced, sends that, and acknowledges the record to the
// stage before. A sender keeps an output until it is acknowledged, and sends it
// again when either end has come back; the receiver drops what it has seen.
//
// With weak production a stage sends before it stores (facts 7.5, LIKELY), so that
// what it sends after a crash may differ from what it has sent before. In
// at_least_once mode nobody looks at ids (facts 7.6).
//
// Stages fail singly. A crash loses what a stage has in memory and in its lanes;
// its store survives.
type dataflow struct{}

// Messages between stages, and between them and the coordinator.
const (
	flowAck  int8 = iota + 1 // to a sender: record Ckpt:Value is taken in
	flowBack                 // to senders and the coordinator: this stage has come back
	flowAsk                  // to a stage: say when you have nothing left to do
	flowIdle                 // to the coordinator: nothing is left
)

// Task makes a stage.
func (dataflow) Task(job *engine.Job, id engine.TaskID) Task {
	set := &job.Settings
	t := &dataflowTask{op: newOperator(job, id), once: set.DataflowMode == "exactly_once"}
	t.weak = t.once && set.Production == "weak"
	if t.op.spec.Kind == engine.OpSink {
		t.sink = newWriter(job, t.op.spec)
	}
	return t
}

// Coordinator makes the process that notices the end.
func (dataflow) Coordinator(job *engine.Job) Coordinator { return &dataflowCoordinator{job: job} }

// Scope is the dead stage alone.
func (dataflow) Scope(engine.TaskID) Scope { return SingleTask }

// InJob is true for every process.
func (dataflow) InJob(engine.TaskID) bool { return true }

// Failed has nothing to take back.
func (dataflow) Failed(*world.World, *Out) {}

// Durable is the stores of the stages.
func (dataflow) Durable(job *engine.Job) world.Durable { return world.NewStages(job) }

// dataflowTask is one stage. Its store is copied into memory when it comes to life
// and follows what it writes.
type dataflowTask struct {
	op    operator
	sink  writer // nil unless a sink
	store world.Stage
	once  bool // look at ids
	weak  bool
	asked bool // the coordinator wants to know when nothing is left
}

func (t *dataflowTask) Reads(buf []LogPos) []LogPos {
	if t.op.spec.Kind != engine.OpSource {
		return buf
	}
	return append(buf, LogPos{Log: t.op.spec.Part, Offset: t.op.offset})
}

func (t *dataflowTask) Blocked(int) bool { return false }

func (t *dataflowTask) Fork(into Task) Task {
	c, ok := into.(*dataflowTask)
	if !ok {
		c = &dataflowTask{}
	}
	op, sink, store := c.op, c.sink, c.store
	*c = *t
	c.op, c.store = op, store
	c.op.forkFrom(&t.op)
	c.store.CopyFrom(&t.store)
	if t.sink != nil {
		c.sink = t.sink.fork(sink)
	}
	return c
}

func (t *dataflowTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		r := in.Record
		t.op.offset = r.ID.Off + 1
		out.add(Effect{Kind: DoRead, Record: r, Before: int64(r.ID.Off), After: int64(t.op.offset)})
		t.produce(&world.StageWrite{Record: r, Source: true, Before: int64(r.ID.Off), After: int64(t.op.offset)}, out)
	case InLogEnd:
		t.op.end(out)
		t.report(out)
	case InElement:
		t.take(in.Lane, in.Element.Record, out)
	case InMessage:
		t.message(in, out)
	}
}

// restore goes on from the store: what no reader has acknowledged is sent again, in
// order, and the senders of a stage that comes back alone are told to do the same.
func (t *dataflowTask) restore(in *In, out *Out) {
	t.store.CopyFrom(in.World.Own.(*world.Stages).Of(t.op.spec.ID))
	t.op.offset = t.store.Offset
	if t.op.counts != nil {
		t.op.counts.Load(t.store.Counts)
	}
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored})
		if t.op.spec.Kind == engine.OpSource {
			out.add(Effect{Kind: DoRewind, Value: int64(t.op.spec.Part), Before: int64(in.Offset), After: int64(t.op.offset)})
		}
	}
	for i := range t.op.spec.Out {
		for _, c := range t.op.spec.Out[i].Chans {
			out.add(Effect{Kind: PostConnect, Chan: c})
		}
	}
	t.resend(engine.NoTask, out)
	if !in.Alone {
		return
	}
	for _, c := range t.op.spec.In {
		out.add(Effect{Kind: PostMessage, Task: t.op.job.Plan.Channels[c].From, Note: flowBack})
	}
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: flowBack})
}

// resend sends what a reader, or every reader, has not acknowledged.
func (t *dataflowTask) resend(reader engine.TaskID, out *Out) {
	for _, o := range t.store.Kept {
		if reader == engine.NoTask || t.reader(o.Chan) == reader {
			out.add(Effect{Kind: DoSend, Linked: true, Chan: o.Chan, Record: o.Record})
		}
	}
}

func (t *dataflowTask) reader(c engine.ChanID) engine.TaskID { return t.op.job.Plan.Channels[c].To }

func (t *dataflowTask) row(id engine.RecordID) int {
	n := int(id.Off)
	for _, p := range t.op.job.Input.Parts[:id.Part] {
		n += len(p)
	}
	return n
}

// take handles one record from the stage before. A sink stores the id behind the
// effect; in between, a crash leads to the effect once more.
func (t *dataflowTask) take(lane int, r engine.Record, out *Out) {
	row := t.row(r.ID)
	switch {
	case t.once && t.store.Seen[row]:
		out.add(Effect{Kind: DoOp, Op: &world.StageSkip{Record: r}})
	case t.sink != nil:
		t.sink.write(&r, out)
		if t.once {
			out.add(Effect{Kind: DoOp, Op: &world.StageWrite{Record: r, ID: true}})
		}
	default:
		t.op.handle(lane, &r, out, nil)
		counted := t.op.counts != nil
		t.produce(&world.StageWrite{Record: r, ID: t.once, Counted: counted, Before: max(r.Total-1, 0), After: r.Total}, out)
	}
	t.store.Seen[row] = true
	out.add(Effect{Kind: PostMessage, Task: t.op.job.Plan.Channels[t.op.spec.In[lane]].From, Note: flowAck,
		Ckpt: int32(r.ID.Part), Value: int64(r.ID.Off)})
}

// produce stores what the record has led to and sends it, or the other way round.
func (t *dataflowTask) produce(w *world.StageWrite, out *Out) {
	for i := range t.op.spec.Out {
		if g := &t.op.spec.Out[i]; g.Emit == 0 || g.Emit == w.Record.Total {
			w.Outputs = append(w.Outputs, world.Output{Chan: t.op.job.Plan.Target(g, w.Record.Key), Record: w.Record})
		}
	}
	t.store.Kept = append(t.store.Kept, w.Outputs...)
	if !t.weak {
		out.add(Effect{Kind: DoOp, Op: w})
	}
	for _, o := range w.Outputs {
		out.add(Effect{Kind: DoSend, Linked: true, Chan: o.Chan, Record: o.Record})
	}
	if t.weak {
		out.add(Effect{Kind: DoOp, Op: w})
	}
}

func (t *dataflowTask) message(in *In, out *Out) {
	switch in.Note {
	case flowAck:
		id := engine.RecordID{Part: int16(in.Ckpt), Off: int32(in.Value)}
		for i := range t.store.Kept {
			if o := t.store.Kept[i]; o.Record.ID == id && t.reader(o.Chan) == in.Task {
				t.store.Release(o.Chan, id)
				out.add(Effect{Kind: PostOp, Op: &world.StageRelease{Task: t.op.spec.ID, Chan: o.Chan, ID: id}})
				break
			}
		}
		t.report(out)
	case flowBack:
		for i := range t.op.spec.Out {
			for _, c := range t.op.spec.Out[i].Chans {
				if t.reader(c) == in.Task {
					out.add(Effect{Kind: PostConnect, Chan: c})
				}
			}
		}
		t.resend(in.Task, out)
	case flowAsk:
		t.asked = true
		t.report(out)
	}
}

// report answers the coordinator once everything produced is acknowledged and, at
// a source, everything is read.
func (t *dataflowTask) report(out *Out) {
	if !t.asked || len(t.store.Kept) > 0 || t.op.spec.Kind == engine.OpSource && !t.op.ended {
		return
	}
	t.asked = false
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: flowIdle})
}

// dataflowCoordinator notices the end of a job: it asks the stages, from the
// sources on, column by column, to say when they have nothing left to do. What a
// column has finished is durable in the next one, so it need not be asked again.
type dataflowCoordinator struct {
	job   *engine.Job
	depth int
	waits uint64 // stages of this column that have not answered
}

func (c *dataflowCoordinator) Fork(into Coordinator) Coordinator {
	o, ok := into.(*dataflowCoordinator)
	if !ok {
		o = &dataflowCoordinator{}
	}
	*o = *c
	return o
}

func (c *dataflowCoordinator) Step(in *In, out *Out) {
	switch {
	case in.Kind == InStart:
		if !in.Alone {
			for i := range c.job.Plan.Tasks {
				out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
			}
		}
		c.column(out)
	case in.Kind == InMessage && in.Note == flowIdle:
		if c.waits &^= 1 << in.Task; c.waits == 0 {
			c.depth++
			c.column(out)
		}
	case in.Kind == InMessage && c.depthOf(in.Task) == c.depth:
		c.ask(in.Task, out)
	}
}

func (c *dataflowCoordinator) depthOf(id engine.TaskID) int {
	return c.job.Plan.Operators[c.job.Plan.Tasks[id].Op].Depth
}

func (c *dataflowCoordinator) ask(id engine.TaskID, out *Out) {
	c.waits |= 1 << id
	out.add(Effect{Kind: PostMessage, Task: id, Note: flowAsk})
}

// column asks all stages of a column; behind the last one the job has come to rest.
func (c *dataflowCoordinator) column(out *Out) {
	for i := range c.job.Plan.Tasks {
		if id := engine.TaskID(i); c.depthOf(id) == c.depth {
			c.ask(id, out)
		}
	}
	if c.waits == 0 {
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	}
}
