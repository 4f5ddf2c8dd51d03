package machine

import "effectivelyonce/engine"

// coordinator runs the checkpoints of the barriers strategy, one at a time (Flink
// 2.x: max-concurrent-checkpoints is 1). Its memory dies with it; the numbers
// given out and what is sealed are durable.
type coordinator struct {
	job      *engine.Job
	pending  int32  // the checkpoint that awaits acknowledgements, 0 if none
	acked    uint64 // bit per task
	ended    int    // sources whose part says that nothing is left to read
	flying   bool   // a part holds records in flight, so that a further checkpoint must cover what comes of them
	next     int32
	failures int         // in a row
	overdue  bool        // the timer fired while a checkpoint was pending
	rested   engine.Time // the earliest start of the next checkpoint, by min-pause
	last     bool        // the final checkpoint is sealed
	closes   engine.Time // with the flaw no-final-checkpoint: when the run ends; 0: not yet known
	finished uint64
}

func newCoordinator(job *engine.Job) *coordinator { return &coordinator{job: job} }

func (c *coordinator) Fork(into Coordinator) Coordinator {
	o, ok := into.(*coordinator)
	if !ok {
		o = &coordinator{}
	}
	*o = *c
	return o
}

func (c *coordinator) Step(in *In, out *Out) {
	set := &c.job.Settings
	switch in.Kind {
	case InStart:
		c.next = in.Next
		for i := range c.job.Plan.Tasks {
			out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i), Ckpt: in.Ckpt})
		}
		out.add(Effect{Kind: PostTimer, Delay: set.CheckpointInterval})
	case InTimer:
		c.timer(in.Now, out)
	case InTimeout:
		c.expire(in, out)
	case InAck:
		c.acknowledge(in, out)
	case InSealed:
		c.sealed(in.Now, out)
	case InFinished:
		c.finished |= 1 << in.Task
		if c.finished == c.all() {
			out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
		}
	}
}

// timer starts the next checkpoint, unless one is pending (then it follows that
// one) or the minimum pause is not over (then after it; facts 3.14).
func (c *coordinator) timer(now engine.Time, out *Out) {
	switch {
	case c.closed(now, out):
	case c.pending != 0:
		c.overdue = true
	case now < c.rested:
		out.add(Effect{Kind: PostTimer, Delay: c.rested - now})
	default:
		c.trigger(out)
	}
}

// over notes that no checkpoint is pending any more.
func (c *coordinator) over(now engine.Time, out *Out) {
	c.pending = 0
	c.rested = now + c.job.Settings.CheckpointMinPause
	if c.overdue && !c.last {
		c.overdue = false
		c.timer(now, out)
	}
}

func (c *coordinator) all() uint64 { return 1<<len(c.job.Plan.Tasks) - 1 }

func (c *coordinator) trigger(out *Out) {
	if c.last {
		return
	}
	set := &c.job.Settings
	n := c.next
	c.next++
	c.pending, c.acked, c.ended, c.flying, c.overdue = n, 0, 0, false, false
	out.add(Effect{Kind: DoTrigger, Ckpt: n})
	for i := range c.job.Plan.Tasks {
		if c.job.Plan.Tasks[i].Kind == engine.OpSource {
			out.add(Effect{Kind: PostTrigger, Task: engine.TaskID(i), Ckpt: n})
		}
	}
	out.add(Effect{Kind: PostTimer, Delay: set.CheckpointInterval})
	out.add(Effect{Kind: PostTimeout, Ckpt: n, Delay: set.CheckpointTimeout})
}

// acknowledge counts a part that is durably stored. With the last one the
// checkpoint is sealed, and only then are tasks told. A late acknowledgement of a
// checkpoint that is no longer pending counts for nothing.
func (c *coordinator) acknowledge(in *In, out *Out) {
	bit := uint64(1) << in.Task
	if in.Ckpt != c.pending || c.acked&bit != 0 {
		return
	}
	before := ones(c.acked)
	c.acked |= bit
	out.add(Effect{Kind: DoAcked, Task: in.Task, Ckpt: in.Ckpt, Before: int64(before), After: int64(before + 1)})
	if in.Final {
		c.ended++
	}
	c.flying = c.flying || in.Value > 0
	if c.acked == c.all() && c.unawaited() {
		c.finish(in.Now, out)
	} else if c.acked == c.all() {
		out.add(Effect{Kind: DoSeal, Ckpt: c.pending, After: int64(len(c.job.Plan.Tasks))})
	}
}

// sealed tells the tasks. The notice is best effort: a task that misses it learns
// the same on restore (facts 3.1).
func (c *coordinator) sealed(now engine.Time, out *Out) {
	c.failures = 0
	c.last = c.ended == c.sources() && !c.flying
	for i := range c.job.Plan.Tasks {
		out.add(Effect{Kind: PostNotify, Task: engine.TaskID(i), Ckpt: c.pending, Final: c.last})
	}
	c.over(now, out)
}

func (c *coordinator) sources() int {
	n := 0
	for i := range c.job.Plan.Tasks {
		if c.job.Plan.Tasks[i].Kind == engine.OpSource {
			n++
		}
	}
	return n
}

// expire gives a checkpoint up. Tasks are told, so that no lane stays held for
// it; promises made for it wait for the next one.
func (c *coordinator) expire(in *In, out *Out) {
	n := in.Ckpt
	if c.pending != n {
		return
	}
	out.add(Effect{Kind: DoExpire, Ckpt: n, Before: int64(ones(c.acked))})
	c.failures++
	if c.failures > c.job.Settings.TolerableFailures {
		c.pending = 0
		out.add(Effect{Kind: DoFail, Reason: engine.CheckpointsFailed})
		return
	}
	for i := range c.job.Plan.Tasks {
		out.add(Effect{Kind: PostAbort, Task: engine.TaskID(i), Ckpt: n})
	}
	c.over(in.Now, out)
}
