package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// batchQuery forms one batch after another and writes the two logs. Its memory
// dies with it; the logs say where to go on.
type batchQuery struct {
	job     *engine.Job
	batch   int32 // the one that runs, or ran last
	ends    []int32
	started engine.Time // when its range was formed
	logged  engine.Time // async progress: when the logs were written last
	waiting uint64      // sink tasks that have not reported, a bit each
}

// asyncEvery is how often async progress tracking writes the logs (Spark 3.5,
// asyncProgressTrackingCheckpointIntervalMs; facts 2.13).
const asyncEvery = engine.Second

func (q *batchQuery) Fork(into Coordinator) Coordinator {
	o, ok := into.(*batchQuery)
	if !ok {
		o = &batchQuery{}
	}
	ends := append(o.ends[:0], q.ends...)
	*o = *q
	o.ends = ends
	return o
}

func (q *batchQuery) Step(in *In, out *Out) {
	switch in.Kind {
	case InStart:
		q.start(in, out)
	case InTimer:
		q.trigger(in.Now, out)
	case InMessage:
		q.waiting &^= 1 << in.Task
		if q.waiting == 0 {
			q.finish(in.Now, out)
		}
	}
}

// start runs the newest logged range again if its batch is not in the commit log
// (facts 2.1). The first batch of all is formed after one interval, so that it
// holds something; Spark would form it at once.
func (q *batchQuery) start(in *In, out *Out) {
	for i := range q.job.Plan.Tasks {
		out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
	}
	logs := in.World.Own.(*world.BatchLogs)
	q.batch, q.started = logs.Committed(), in.Now
	q.ends = make([]int32, len(q.job.Input.Parts))
	again := logs.Last() > q.batch && !q.job.Settings.AsyncProgress
	if again {
		q.batch = logs.Last()
	}
	for p := range q.ends {
		q.ends[p] = logs.End(q.batch, p)
	}
	switch {
	case again:
		q.run(out)
	case in.Attempt > 1:
		out.add(Effect{Kind: PostTimer})
	default:
		out.add(Effect{Kind: PostTimer, Delay: q.job.Settings.TriggerInterval})
	}
}

// trigger forms the range of the next batch from what is available. It is written
// to the offset log before anything of the batch runs (facts 2, step 2), except
// with async progress tracking.
func (q *batchQuery) trigger(now engine.Time, out *Out) {
	ends := make([]int32, len(q.ends))
	fresh := false
	for p, part := range q.job.Input.Parts {
		o := q.ends[p]
		for int(o) < len(part) && q.job.Settings.Available(p, int(o)) <= now {
			o++
		}
		fresh = fresh || o > q.ends[p]
		ends[p] = o
	}
	q.started = now
	if !fresh {
		q.pause(now, out)
		return
	}
	q.batch++
	q.ends = append(q.ends[:0], ends...)
	if !q.job.Settings.AsyncProgress {
		out.add(Effect{Kind: DoOp, Op: &world.LogRange{Batch: q.batch, Ends: ends}})
	}
	q.run(out)
}

// run lets the sources read the range.
func (q *batchQuery) run(out *Out) {
	for i := range q.job.Plan.Tasks {
		t := &q.job.Plan.Tasks[i]
		switch t.Kind {
		case engine.OpSource:
			out.add(Effect{Kind: PostMessage, Task: t.ID, Note: noteRun, Ckpt: q.batch, Value: int64(q.ends[t.Part])})
		case engine.OpSink:
			q.waiting |= 1 << t.ID
		}
	}
}

// finish writes the commit log when every sink has the batch.
func (q *batchQuery) finish(now engine.Time, out *Out) {
	if q.job.Settings.AsyncProgress {
		if !q.consumed() && now-q.logged < asyncEvery {
			q.pause(now, out)
			return
		}
		q.logged = now
		out.add(Effect{Kind: DoOp, Op: &world.LogRange{Batch: q.batch, Ends: append([]int32(nil), q.ends...)}})
	}
	out.add(Effect{Kind: DoOp, Op: &world.LogCommit{Batch: q.batch}})
	q.pause(now, out)
}

func (q *batchQuery) consumed() bool {
	for p, part := range q.job.Input.Parts {
		if int(q.ends[p]) < len(part) {
			return false
		}
	}
	return true
}

// pause waits for the next trigger: one interval after the last, or at once if
// the batch took longer (facts 2.11). A job whose input is used up is at rest.
func (q *batchQuery) pause(now engine.Time, out *Out) {
	if q.consumed() {
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
		return
	}
	out.add(Effect{Kind: PostTimer, Delay: max(0, q.started+q.job.Settings.TriggerInterval-now)})
}
