package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// streamThread is the loop of a stream thread: let the tasks work for a commit
// interval, pause them, commit, go on. Its memory dies with it.
type streamThread struct {
	job     *engine.Job
	eos     bool
	attempt int16
	no      int32   // the commit that comes next
	waiting uint64  // tasks that have not paused yet, a bit each
	offsets []int32 // by partition: where the sources paused
	reads   []int32 // by counter: where it paused in its repartition log
	moved   bool    // something was consumed since the last commit
	atRest  bool    // everything was consumed and committed when the thread started
}

func newStreamThread(job *engine.Job) *streamThread {
	_, n := countersOf(job)
	return &streamThread{job: job, eos: job.Settings.Guarantee == "exactly_once_v2",
		offsets: make([]int32, len(job.Input.Parts)), reads: make([]int32, n)}
}

func (c *streamThread) Fork(into Coordinator) Coordinator {
	o, ok := into.(*streamThread)
	if !ok {
		o = &streamThread{}
	}
	offsets, reads := append(o.offsets[:0], c.offsets...), append(o.reads[:0], c.reads...)
	*o = *c
	o.offsets, o.reads = offsets, reads
	return o
}

func (c *streamThread) Step(in *In, out *Out) {
	switch in.Kind {
	case InStart:
		c.start(in, out)
	case InTimer:
		c.waiting = 1<<len(c.job.Plan.Tasks) - 1
		c.tellAll(notePause, out)
	case InMessage:
		c.paused(in, out)
	case InTimeout:
		c.commit(out)
	case InDone:
		switch {
		case in.Answer.Refused: // facts 6.5: the thread drops its tasks and starts over
			out.add(Effect{Kind: DoFail, Reason: engine.CommitRefused})
		case in.Answer.N == 1:
			out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
		default:
			if in.Answer.N == 2 {
				c.compact(out)
			}
			c.no++
			c.run(out)
		}
	}
}

// start registers with the broker, which ends what an earlier thread left open
// (facts 5.6), and brings the tasks to life.
func (c *streamThread) start(in *In, out *Out) {
	kept := in.World.Own.(*world.Streams)
	c.attempt, c.no, c.atRest = in.Attempt, kept.Commits()+1, kept.AtRest()
	if c.eos && c.refused(out) {
		return
	}
	if x, open := kept.Open(); open {
		out.add(Effect{Kind: DoOp, Op: &world.EndStreams{No: c.no, Txn: x, Abort: true}})
	}
	for i := range c.job.Plan.Tasks {
		out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
	}
	for p := range c.offsets {
		c.offsets[p] = kept.Offset(p)
	}
	for i := range c.reads {
		c.reads[i] = kept.Read(i)
	}
	c.run(out)
}

func (c *streamThread) refused(out *Out) bool {
	for i := range c.job.Settings.Sinks {
		if c.job.Settings.StreamsTimeout() > c.job.Settings.Sinks[i].TxnMax {
			out.add(Effect{Kind: DoRefuse, Reason: engine.TimeoutTooLong})
			return true
		}
	}
	return false
}

func (c *streamThread) txn() engine.Txn {
	if !c.eos {
		return engine.Txn{}
	}
	return engine.Txn{Task: engine.CoordinatorID, No: int16(c.no), Attempt: c.attempt}
}

// run lets the tasks work until the next commit.
func (c *streamThread) run(out *Out) {
	c.moved = false
	if c.eos {
		out.add(Effect{Kind: DoOp, Op: &world.BeginStreams{Txn: c.txn()}})
	}
	c.goOn(out)
}

// goOn lets the tasks work. The interval begins when the last of them knows: then
// each takes at least one record before it is paused, as a real thread's loop does.
func (c *streamThread) goOn(out *Out) {
	c.tellAll(noteRunOn, out)
	told := c.job.Settings.Costs.Ack * 3 / 2 // costs vary by a quarter
	out.add(Effect{Kind: PostTimer, Delay: told + c.job.Settings.CommitInterval})
}

func (c *streamThread) tellAll(note int8, out *Out) {
	for i := range c.job.Plan.Tasks {
		out.add(Effect{Kind: PostMessage, Task: engine.TaskID(i), Note: note, Ckpt: c.no})
	}
}

// paused notes where a task has stopped. When all have, nothing is under way, and
// what was done is committed, if anything was.
func (c *streamThread) paused(in *In, out *Out) {
	spec := &c.job.Plan.Tasks[in.Task]
	at := (*int32)(nil)
	switch spec.Kind {
	case engine.OpSource:
		at = &c.offsets[spec.Part]
	case engine.OpCount:
		at = &c.reads[spec.Index]
	}
	if at != nil && *at != int32(in.Value) {
		*at, c.moved = int32(in.Value), true
	}
	if c.waiting &^= 1 << in.Task; c.waiting != 0 {
		return
	}
	switch {
	case c.moved:
		if c.eos {
			c.sendOffsets(out)
		}
		out.add(Effect{Kind: PostTimeout, Delay: c.job.Settings.Costs.Commit})
	case c.atRest:
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	default:
		c.goOn(out)
	}
}

func (c *streamThread) sendOffsets(out *Out) {
	out.add(Effect{Kind: DoOp, Op: &world.CommitStreams{No: c.no, Txn: c.txn(),
		Offsets: append([]int32(nil), c.offsets...), Reads: append([]int32(nil), c.reads...)}})
}

// commit saves the positions, or ends the transaction that holds them together
// with everything else.
func (c *streamThread) commit(out *Out) {
	if c.eos {
		out.add(Effect{Kind: DoOp, Op: &world.EndStreams{No: c.no, Txn: c.txn()}})
		return
	}
	c.sendOffsets(out)
}
