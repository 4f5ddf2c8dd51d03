package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// operator is what a task does to a record, without any strategy: a source's
// position, a counter's keyed state.
type operator struct {
	job     *engine.Job
	spec    *engine.Task
	offset  int32
	ended   bool
	counts  *world.Counts // nil unless a counter
	keyed   keyed         // what it does instead of counting, nil: nothing else
	clock   *clock        // event time, nil if the job has none
	now     engine.Time
	attempt int16 // of the job
}

func newOperator(job *engine.Job, id engine.TaskID) operator {
	op := operator{job: job, spec: &job.Plan.Tasks[id]}
	if op.spec.Kind == engine.OpCount {
		op.counts = world.NewCounts(len(job.Input.Keys))
	}
	op.keyed, op.clock = newKeyed(job, op.spec), newClock(job, op.spec)
	return op
}

// forkFrom copies src, reusing the memory of the older copy.
func (op *operator) forkFrom(src *operator) {
	counts, keyed, clock := op.counts, op.keyed, op.clock
	*op = *src
	if src.counts != nil {
		op.counts = counts.CopyFrom(src.counts)
	}
	if src.keyed != nil {
		op.keyed = src.keyed.fork(keyed)
	}
	if src.clock != nil {
		op.clock = src.clock.forkTo(clock)
	}
}

// read moves a source past a record and sends it on.
func (op *operator) read(r *engine.Record, out *Out) {
	op.offset = r.ID.Off + 1
	if !out.Unwatched {
		e := out.next()
		e.Kind, e.Record, e.Before, e.After = DoRead, *r, int64(r.ID.Off), int64(op.offset)
	}
	op.send(r, out)
	op.tick(r, out)
}

// end tells that the partition is read to its end.
func (op *operator) end(out *Out) {
	op.ended = true
	out.add(Effect{Kind: DoEndInput})
	if op.clock != nil {
		op.advance(engine.EndOfTime, op.job.Settings.Strategy == "microbatch", out)
	}
}

// exhausted reports whether a source has nothing left to read.
func (op *operator) exhausted() bool {
	if op.job.Input.Open {
		return op.spec.Kind == engine.OpSource && op.ended
	}
	return op.spec.Kind == engine.OpSource && int(op.offset) == len(op.job.Input.Parts[op.spec.Part])
}

// process takes a record from a lane: a counter counts it, others hand it on.
func (op *operator) process(lane int, r engine.Record, out *Out) {
	if op.keyed == nil {
		op.plain(lane, &r, out)
		op.send(&r, out)
		return
	}
	op.processKeyed(lane, r, out)
}

// processKeyed stands apart because what it hands to the step escapes to the heap.
func (op *operator) processKeyed(lane int, r engine.Record, out *Out) {
	if op.handle(lane, &r, out, func(row *engine.Record) { op.send(row, out) }) {
		op.send(&r, out)
	}
}

// handle is process without the sending; a counter writes the total into r. It
// reports whether r goes on; other rows that it leads to are emitted.
func (op *operator) handle(lane int, r *engine.Record, out *Out, emit func(*engine.Record)) bool {
	if op.keyed != nil {
		return op.keyed.take(op, &Effect{Kind: DoProcess, Chan: op.spec.In[lane], Record: *r}, r, out, emit)
	}
	op.plain(lane, r, out)
	return true
}

// plain is what a step does to a record that nothing else is set for.
func (op *operator) plain(lane int, r *engine.Record, out *Out) {
	var before, after int64
	given := *r
	if op.spec.Kind == engine.OpCount {
		before = op.counts.Add(r.Key)
		after = before + 1
		r.Total = after
	}
	if out.Unwatched {
		return
	}
	e := out.next()
	e.Kind, e.Chan, e.Record, e.Before, e.After = DoProcess, op.spec.In[lane], given, before, after
}

// send puts a record on one channel towards each operator downstream.
func (op *operator) send(r *engine.Record, out *Out) {
	for i := range op.spec.Out {
		g := &op.spec.Out[i]
		if g.Emit > 0 && r.Total != g.Emit {
			continue
		}
		e := out.next()
		e.Kind, e.Chan, e.Record = DoSend, op.job.Plan.Target(g, r.Key), *r
	}
}

// snapshot is a copy of what the operator would need to go on from here.
func (op *operator) snapshot() world.Snapshot {
	s := world.Snapshot{Offset: op.offset, Op: op.extras()}
	if op.counts != nil {
		s.Counts = op.counts.Snapshot()
	}
	return s
}

// entries is how many values a snapshot holds: the keys counted, or a source's offset.
func (op *operator) entries() int64 {
	if op.spec.Kind == engine.OpSource {
		return int64(op.offset)
	}
	if op.keyed != nil && op.keyed.entries() >= 0 {
		return op.keyed.entries()
	}
	return op.counts.Used()
}

// restore puts the operator where a snapshot was taken; the zero snapshot is the beginning.
func (op *operator) restore(s *world.Snapshot) {
	op.offset, op.ended = s.Offset, false
	if op.counts != nil {
		op.counts.Restore(s.Counts)
	}
	op.loadExtras(s.Op)
}
