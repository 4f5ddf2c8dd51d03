package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// offsetCommit is the strategy of a plain consumer loop (Kafka consumer 4.x; facts
// 1.1 to 1.3, 5.12, 5.14): poll, work, write, and save the position now and then.
// Nothing ties the saved position to the output, except a store that takes both in
// one write (offset-with-output); then that store is where the loop resumes.
type offsetCommit struct{}

// Task makes the loop.
func (offsetCommit) Task(job *engine.Job, id engine.TaskID) Task {
	spec := &job.Plan.Tasks[id]
	t := &loopTask{job: job, sink: newWriter(job, spec), offsets: make([]int32, len(job.Input.Parts)), upTo: make([]int32, len(job.Input.Parts))}
	if set := &job.Settings.Sinks[spec.Sink]; set.Output == engine.TotalOutput || set.EmitAt > 0 {
		t.counts = make([]int64, len(job.Input.Keys))
	}
	return t
}

// Coordinator only starts the loop; a plain consumer has none.
func (offsetCommit) Coordinator(job *engine.Job) Coordinator { return launcher{job} }

// Scope is the whole job, which is one process.
func (offsetCommit) Scope(engine.TaskID) Scope { return WholeJob }

// InJob is true: there is nothing but the loop.
func (offsetCommit) InJob(engine.TaskID) bool { return true }

// Failed leaves everything as it is: what was saved stays saved.
func (offsetCommit) Failed(*world.World, *Out) {}

// Durable is the group's committed positions and the remote store.
func (offsetCommit) Durable(job *engine.Job) world.Durable { return world.NewOffsets(job.Input) }

// launcher brings every task to life and has nothing else to do.
type launcher struct{ job *engine.Job }

func (l launcher) Fork(Coordinator) Coordinator { return l }

func (l launcher) Step(in *In, out *Out) {
	if in.Kind != InStart {
		return
	}
	for i := range l.job.Plan.Tasks {
		out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
	}
}

// loopTask is one process that polls all partitions. A crash loses its counts, the
// records it has polled and not worked on, and the place it had come to.
type loopTask struct {
	job     *engine.Job
	sink    writer
	counts  []int64         // by key; nil: no output depends on a count
	offsets []int32         // by partition: the next to read
	upTo    []int32         // by partition: before it, reading only rebuilds the counts
	polled  []engine.Record // commit=before, or with workers: of the group that is not saved yet
	since   int             // records since the last save
	ended   int             // partitions read to their end
	commits int32
	due     bool // commit=auto: the next poll saves
	lags    bool // the broker's position is behind the one of the store
	saving  bool // the group's transaction is being committed; its position comes after
	stopped bool // the end, or a failure: nothing more is done
	held    handed
}

func (t *loopTask) Blocked(int) bool { return false }

func (t *loopTask) Fork(into Task) Task {
	c, ok := into.(*loopTask)
	if !ok {
		c = &loopTask{}
	}
	counts, offsets, upTo, polled, sink := c.counts, c.offsets, c.upTo, c.polled, c.sink
	*c = *t
	if t.counts != nil {
		c.counts = append(counts[:0], t.counts...)
	}
	c.offsets, c.upTo = append(offsets[:0], t.offsets...), append(upTo[:0], t.upTo...)
	c.polled = append(polled[:0], t.polled...)
	c.sink = t.sink.fork(sink)
	return c
}

// Reads is every partition; while the counts are rebuilt, only what has to be read
// again for that.
func (t *loopTask) Reads(buf []LogPos) []LogPos {
	if t.stopped {
		return buf
	}
	rebuilding := t.rebuilding()
	for p, at := range t.offsets {
		if !rebuilding || at < t.upTo[p] {
			buf = append(buf, LogPos{Log: p, Offset: at})
		}
	}
	return buf
}

func (t *loopTask) rebuilding() bool {
	for p, at := range t.offsets {
		if at < t.upTo[p] {
			return true
		}
	}
	return false
}

func (t *loopTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.poll(&in.Record, out)
	case InLogEnd:
		if t.ended++; t.ended == len(t.offsets) {
			out.add(Effect{Kind: DoEndInput})
			t.end(out)
		}
	case InCommitted:
		t.sink.committed(in.Txn)
		t.published(out)
	case InRefused:
		n := len(out.Effects)
		t.sink.refused(in, out)
		if len(out.Effects) > n { // it fails the loop: its position must not be saved
			t.stopped, t.saving = true, false
		}
		t.published(out)
	}
}

// restore goes on from the saved position. Where that is decides everything.
func (t *loopTask) restore(in *In, out *Out) {
	own := in.World.Own.(*world.Offsets)
	t.commits = own.Commits()
	spec := in.World.Sinks[0]
	store, resumes := spec.(*world.Positions)
	resumes = resumes && t.job.Settings.State.PositionUse != "guard"
	for p := range t.offsets {
		t.offsets[p] = own.Committed(p)
		if resumes {
			t.offsets[p] = store.Resume(p)
			t.lags = t.lags || t.offsets[p] > own.Committed(p)
		}
	}
	if t.counts != nil {
		t.recover(own, store, in.World.Now)
	}
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored, Ckpt: t.commits})
		for p, at := range t.offsets {
			out.add(Effect{Kind: DoRewind, Value: int64(p), After: int64(at)})
		}
	}
	begin := *in
	begin.Next = t.commits + 1
	t.sink.restore(&begin, out)
}

// recover gets the counts back (curriculum 3.4): not at all, from a store, or by
// reading everything before the position again without writing anything.
func (t *loopTask) recover(own *world.Offsets, store *world.Positions, now engine.Time) {
	switch t.job.Settings.StateRecovery {
	case "none":
	case "remote", "cdc":
		for k := range t.counts {
			t.counts[k] = own.Count(engine.KeyID(k))
			if store != nil {
				t.counts[k] = store.Value(engine.KeyID(k))
			}
		}
	default:
		copy(t.upTo, t.offsets)
		for p := range t.offsets {
			t.offsets[p] = retained(t.job, p, now)
		}
	}
}

// poll takes a record from the broker. With commit=auto this is the moment at
// which the client saves what earlier polls have returned (facts 5.12).
func (t *loopTask) poll(r *engine.Record, out *Out) {
	p := r.ID.Part
	silent := r.ID.Off < t.upTo[p]
	if t.due {
		t.commit(out)
	}
	t.offsets[p] = r.ID.Off + 1
	out.add(Effect{Kind: DoRead, Record: *r, Before: int64(r.ID.Off), After: int64(t.offsets[p])})
	if silent {
		t.count(*r, out)
		return
	}
	t.since++
	if t.job.Settings.CommitMode == "before" || t.job.Settings.Workers > 1 {
		t.polled = append(t.polled, *r)
	} else {
		t.handOver(r, out)
	}
	if t.since == t.groupSize() {
		t.group(out)
	}
}

// group ends a group of commit.every records, or what is left of one.
func (t *loopTask) group(out *Out) {
	t.since = 0
	if t.job.Settings.Workers > 1 {
		t.share(out)
		return
	}
	n := t.commits + 1
	if t.job.Settings.CommitMode == "before" {
		t.commit(out)
		for i := range t.polled {
			t.handle(t.polled[i], out)
		}
		t.polled = t.polled[:0]
	}
	t.sink.barrier(n, out)
	t.sink.publish(out)
	t.saving = true
	t.published(out)
}

// published goes on when the group's output is out: now its position is saved,
// unless that was done before the work or is left to the next poll.
func (t *loopTask) published(out *Out) {
	if !t.saving || !t.sink.idle() {
		return
	}
	t.saving = false
	switch t.job.Settings.CommitMode {
	case "after":
		t.commit(out)
	case "auto":
		t.due = true
	}
	if t.ended == len(t.offsets) {
		t.end(out)
	}
}

func (t *loopTask) commit(out *Out) {
	t.due, t.lags = false, false
	t.commits++
	out.add(Effect{Kind: DoOp, Op: &world.CommitOffsets{At: append([]int32(nil), t.offsets...)}})
}

// end saves what is left of a group and then ends the run: nothing is to come.
func (t *loopTask) end(out *Out) {
	t.drain(out)
	switch {
	case t.stopped:
	case t.since > 0:
		t.group(out)
	default:
		if t.due || t.lags { // the client saves once more when it is closed
			t.commit(out)
		}
		t.stopped = true
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	}
}

// handle is the work on one record: count, and write.
func (t *loopTask) handle(r engine.Record, out *Out) {
	r = t.count(r, out)
	if emit := t.job.Settings.Sinks[0].EmitAt; emit == 0 || r.Total == emit {
		t.sink.write(&r, out)
	}
}

// count adds a record to the count of its key. A remote store takes the new count
// at once, and by a request of its own; the store that the output goes to takes it
// with the output.
func (t *loopTask) count(r engine.Record, out *Out) engine.Record {
	if t.counts == nil {
		return r
	}
	t.counts[r.Key]++
	r.Total = t.counts[r.Key]
	out.add(Effect{Kind: DoProcess, Chan: engine.NoChan, Record: r, Before: r.Total - 1, After: r.Total})
	set := &t.job.Settings
	if set.StateRecovery == "remote" && set.Sinks[0].Kind != engine.SinkPosition {
		out.add(Effect{Kind: DoOp, Op: &world.StoreCount{Record: r, Count: r.Total}})
	}
	return r
}
