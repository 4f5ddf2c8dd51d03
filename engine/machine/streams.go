package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// streams is the strategy of Kafka Streams (3.x/4.x; facts 6) with one stream
// thread. The shuffle is a repartition log, which keeps its order for ever: sources
// append to it, counters read it, and neither knows the other. Every commit.interval
// the thread finishes what it has in hand and commits. With at_least_once that saves
// positions; with exactly_once_v2 it ends one transaction of positions, repartition
// records, changelog and output rows.
type streams struct{}

// Task makes a task of the stream thread.
func (streams) Task(job *engine.Job, id engine.TaskID) Task {
	t := &streamTask{op: newOperator(job, id), eos: job.Settings.Guarantee == "exactly_once_v2"}
	t.shipped = make([]int64, len(job.Plan.Channels))
	t.due = make([]int64, len(t.op.spec.In))
	if t.op.spec.Kind == engine.OpSink {
		t.sink = newStreamWriter(job, t.op.spec, t.eos)
	}
	return t
}

// Coordinator makes the thread's own loop, which commits.
func (streams) Coordinator(job *engine.Job) Coordinator { return newStreamThread(job) }

// Scope is the whole job: its tasks are stations of one thread.
func (streams) Scope(engine.TaskID) Scope { return WholeJob }

// InJob is true for every process.
func (streams) InJob(engine.TaskID) bool { return true }

// Failed leaves nothing to be made void: an open transaction stays open at the
// broker until a new thread registers, or its time is up.
func (streams) Failed(*world.World, *Out) {}

// Durable is what Kafka and the local disks keep.
func (streams) Durable(job *engine.Job) world.Durable {
	first, n := countersOf(job)
	return world.NewStreams(job, first, n)
}

func countersOf(job *engine.Job) (first engine.TaskID, n int) {
	for i := range job.Plan.Operators {
		if op := &job.Plan.Operators[i]; op.Kind == engine.OpCount {
			return op.First, op.Parallelism
		}
	}
	panic("machine: a stream thread without a counter")
}

// Notes between the stations of a stream thread.
const (
	noteRunOn   int8 = iota + 1 // to tasks: work, in the span before commit Ckpt
	notePause                   // to tasks: finish what you have in hand for commit Ckpt
	noteDue                     // a counter to its sinks: Value rows in all went to you
	notePaused                  // a task to the thread: nothing in hand; Value: its position
	noteRebuilt                 // a counter to itself: the changelog is read
)

// streamTask is one station of the thread.
type streamTask struct {
	op      operator
	sink    writer // nil unless a sink
	eos     bool
	attempt int16
	span    int32 // works for this commit; 0 before the thread has said so
	at      int32 // counters: the position in the repartition log
	state   streamState
	shipped []int64 // counters, by channel: rows sent in this life
	taken   int64   // sinks: rows taken in this life
	due     []int64 // sinks, by lane: rows that were to come, as last told for a commit
	told    uint64  // sinks: lanes that have told it for this commit, a bit each
	empty   bool    // counters: the local store is not rebuilt yet
}

// streamState is what a station awaits.
type streamState uint8

const (
	paused streamState = iota // the thread's word
	working
	pausing // sinks: the rows that are still on their way
)

// Blocked keeps a sink from rows of the next span until it knows that span.
func (t *streamTask) Blocked(int) bool { return t.state == paused }

func (t *streamTask) Reads(buf []LogPos) []LogPos {
	if t.state != working || t.empty {
		return buf
	}
	switch t.op.spec.Kind {
	case engine.OpSource:
		return append(buf, LogPos{Log: t.op.spec.Part, Offset: t.op.offset})
	case engine.OpCount:
		return append(buf, LogPos{Log: Repartition + t.op.spec.Index, Offset: t.at})
	}
	return buf
}

func (t *streamTask) Fork(into Task) Task {
	c, ok := into.(*streamTask)
	if !ok {
		c = &streamTask{}
	}
	op, sink, shipped, due := c.op, c.sink, c.shipped, c.due
	*c = *t
	c.op = op
	c.op.forkFrom(&t.op)
	c.shipped, c.due = append(shipped[:0], t.shipped...), append(due[:0], t.due...)
	if t.sink != nil {
		c.sink = t.sink.fork(sink)
	}
	return c
}

func (t *streamTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		if t.op.spec.Kind == engine.OpCount {
			t.count(in.Record, out)
		} else {
			t.read(&in.Record, out)
		}
	case InLogEnd:
		t.op.end(out)
	case InElement:
		t.sink.write(&in.Element.Record, out)
		t.taken++
		t.pauseIfEmpty(out)
	case InMessage:
		t.message(in, out)
	case InDone: // the broker refused to let a write into the transaction
		out.add(Effect{Kind: DoFail, Reason: engine.WriterFenced})
	}
}

// txn is the thread's transaction of this span, none with at_least_once.
func (t *streamTask) txn() engine.Txn {
	if !t.eos {
		return engine.Txn{}
	}
	return engine.Txn{Task: engine.CoordinatorID, No: int16(t.span), Attempt: t.attempt}
}

// read moves a source past a record, which goes into the repartition log.
func (t *streamTask) read(r *engine.Record, out *Out) {
	t.op.offset = r.ID.Off + 1
	out.add(Effect{Kind: DoRead, Record: *r, Before: int64(r.ID.Off), After: int64(t.op.offset)})
	for i := range t.op.spec.Out {
		c := t.op.job.Plan.Target(&t.op.spec.Out[i], r.Key)
		to := &t.op.job.Plan.Tasks[t.op.job.Plan.Channels[c].To]
		out.add(Effect{Kind: DoOp, Op: &world.AppendRepartition{Counter: to.Index, Chan: c, Txn: t.txn(), Record: *r}})
	}
}

// count takes a record from the repartition log. The store is updated at once, the
// changelog and the row follow; a thread never stops between them by itself.
func (t *streamTask) count(r engine.Record, out *Out) {
	t.at++
	n := t.op.counts.Add(r.Key) + 1
	out.add(Effect{Kind: DoProcess, Chan: t.laneOf(&r), Record: r, Before: n - 1, After: n})
	who := t.op.spec.Index
	out.add(Effect{Kind: DoOp, Op: &world.PutStore{Counter: who, Count: n, Record: r}})
	out.add(Effect{Kind: DoOp, Op: &world.AppendChange{Counter: who, Count: n, Txn: t.txn(), Record: r}})
	r.Total = n
	from := len(out.Effects)
	t.op.send(&r, out)
	for _, e := range out.Effects[from:] {
		t.shipped[e.Chan]++
	}
	if t.completes(&r) {
		t.op.counts.Set(r.Key, 0)
		out.add(Effect{Kind: DoOp, Op: &world.PutStore{Counter: who, Record: r}})
		out.add(Effect{Kind: DoOp, Op: &world.AppendChange{Counter: who, Txn: t.txn(), Record: r}})
	}
}

// laneOf is the channel that a record of the repartition log came on.
func (t *streamTask) laneOf(r *engine.Record) engine.ChanID {
	for _, c := range t.op.spec.In {
		if t.op.job.Plan.Tasks[t.op.job.Plan.Channels[c].From].Part == int(r.ID.Part) {
			return c
		}
	}
	panic("machine: " + t.op.spec.Name + " has no lane for " + r.ID.String())
}

func (t *streamTask) message(in *In, out *Out) {
	switch in.Note {
	case noteRunOn:
		t.span, t.state = in.Ckpt, working
		if w, ok := t.sink.(*streamWriter); ok {
			w.txn = t.txn()
		}
	case notePause:
		t.pause(out)
	case noteDue:
		for lane, c := range t.op.spec.In {
			if t.op.job.Plan.Channels[c].From == in.Task {
				t.due[lane] = in.Value
				t.told |= 1 << lane
			}
		}
		t.pauseIfEmpty(out)
	case noteRebuilt:
		t.empty = false // what it counts from is in its memory since it came to life
		out.add(Effect{Kind: DoOp, Op: &world.RebuildStore{Counter: t.op.spec.Index}})
	}
}

// pause stops at a record's border, because a task is told only when it is free. A
// sink has first to write what is still on its way to it.
func (t *streamTask) pause(out *Out) {
	if t.state != working {
		panic("machine: " + t.op.spec.Name + " is told to pause while it does not work")
	}
	switch t.op.spec.Kind {
	case engine.OpSink:
		t.state = pausing
		t.pauseIfEmpty(out)
		return
	case engine.OpCount:
		for i := range t.op.spec.Out {
			for _, c := range t.op.spec.Out[i].Chans {
				out.add(Effect{Kind: PostMessage, Task: t.op.job.Plan.Channels[c].To, Note: noteDue, Ckpt: t.span, Value: t.shipped[c]})
			}
		}
		t.paused(int64(t.at), out)
	default:
		t.paused(int64(t.op.offset), out)
	}
}

func (t *streamTask) paused(at int64, out *Out) {
	t.state, t.told = paused, 0
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: notePaused, Ckpt: t.span, Value: at})
}

func (t *streamTask) pauseIfEmpty(out *Out) {
	all := int64(0)
	for _, n := range t.due {
		all += n
	}
	if t.state == pausing && t.told == 1<<len(t.due)-1 && t.taken == all {
		t.paused(t.taken, out)
	}
}

// restore goes back to the committed positions. With at_least_once the local store
// is kept as it is, ahead of them; with exactly_once_v2 it is wiped, because it may
// hold what was never committed. An empty one is rebuilt from the changelog (facts
// 6.6).
func (t *streamTask) restore(in *In, out *Out) {
	kept := in.World.Own.(*world.Streams)
	t.attempt = in.Attempt
	done := Effect{Kind: DoRestored, Ckpt: kept.Commits()}
	switch t.op.spec.Kind {
	case engine.OpSource:
		t.op.offset = kept.Offset(t.op.spec.Part)
	case engine.OpCount:
		t.at = kept.Read(t.op.spec.Index)
		if t.restoreStore(kept, in.World.Now, out) {
			return
		}
		done.Before = t.op.entries()
		done.After = done.Before
	case engine.OpSink:
		t.sink.restore(in, out)
	}
	if in.Attempt == 1 {
		return
	}
	out.add(done)
	if t.op.spec.Kind == engine.OpSource {
		out.add(Effect{Kind: DoRewind, Value: int64(t.op.spec.Part), Before: int64(in.Offset), After: int64(t.op.offset)})
	}
}

// restoreStore reports whether the store has to be rebuilt first. Reading the
// changelog takes as long as reading as many records from the input.
func (t *streamTask) restoreStore(kept *world.Streams, now engine.Time, out *Out) bool {
	who := t.op.spec.Index
	local, keys := kept.Local(who)
	if !t.eos && kept.Filling(who) {
		keys = 0 // a standby took over and was struck before it had the tail
	}
	if keys > 0 && !t.eos {
		t.op.counts.Load(local)
		return false
	}
	if keys > 0 {
		out.add(Effect{Kind: DoOp, Op: &world.WipeStore{Counter: who}})
	}
	if _, entries := kept.Changelog(who); entries == 0 {
		return false
	}
	if kept.Standby(who) {
		out.add(Effect{Kind: DoOp, Op: &world.PromoteStandby{Counter: who}})
	}
	t.op.counts.Load(kept.Rebuilt(who))
	t.empty = true
	tail := kept.Tail(who, now)
	out.add(Effect{Kind: PostMessage, Task: t.op.spec.ID, Note: noteRebuilt, Ckpt: kept.Commits(),
		Delay: engine.Time(tail)*t.op.job.Settings.Costs.Read + t.op.job.Settings.Transfer(int64(tail))})
	return true
}

// streamWriter writes rows of a transactional sink into the thread's transaction.
type streamWriter struct {
	plainWriter
	totals bool
	txn    engine.Txn
}

// newStreamWriter makes the writer of a sink. Everything but a transactional sink
// is a system outside of Kafka, which no transaction covers (facts 6.9).
func newStreamWriter(job *engine.Job, spec *engine.Task, eos bool) writer {
	set := &job.Settings.Sinks[spec.Sink]
	if eos && set.Kind == engine.SinkTransactional {
		return &streamWriter{totals: set.Output == engine.TotalOutput}
	}
	return newWriter(job, spec)
}

func (w *streamWriter) write(r *engine.Record, out *Out) {
	value := r.Value
	if w.totals {
		value = r.Total
	}
	out.add(Effect{Kind: DoOp, Op: &world.StreamRow{Txn: w.txn, Value: value, Record: *r}})
}

func (w *streamWriter) fork(into writer) writer {
	c, ok := into.(*streamWriter)
	if !ok {
		c = &streamWriter{}
	}
	*c = *w
	return c
}
