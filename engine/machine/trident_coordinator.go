package machine

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// Batches of the trident strategy: how often one is formed, and how large it gets
// (curriculum 1.5).
const (
	tridentInterval = 150 * engine.Millisecond
	tridentBatch    = 8
)

// tridentCoordinator forms batches and lets the next one begin when the one before
// has succeeded, so that the state sees txids strictly in order (facts 8.1). Its
// memory dies with it; txids and positions are durable.
type tridentCoordinator struct {
	job     *engine.Job
	txid    int32   // the batch in progress, 0 none
	newest  int32   // the newest txid given out
	at      []int32 // by partition: behind the last batch that succeeded
	ends    []int32 // by partition: where the batch in progress ends
	waits   uint64  // counters that have not applied it, a bit a task
	overdue bool    // the timer fired while a batch was in progress
}

func (c *tridentCoordinator) Fork(into Coordinator) Coordinator {
	o, ok := into.(*tridentCoordinator)
	if !ok {
		o = &tridentCoordinator{}
	}
	at, ends := append(o.at[:0], c.at...), append(o.ends[:0], c.ends...)
	*o = *c
	o.at, o.ends = at, ends
	return o
}

func (c *tridentCoordinator) Step(in *In, out *Out) {
	switch in.Kind {
	case InStart:
		c.start(in, out)
	case InTimer:
		c.overdue = c.txid != 0
		if !c.overdue {
			c.next(in.Now, out)
		}
	case InMessage:
		c.applied(in, out)
	}
}

// start goes on behind the last batch that succeeded. A batch that was begun and
// did not succeed comes again at once.
func (c *tridentCoordinator) start(in *In, out *Out) {
	own := in.World.Own.(*world.Trident)
	c.newest, c.at = own.Started, slices.Clone(own.At)
	for i := range c.job.Plan.Tasks {
		out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
	}
	switch {
	case in.Attempt == 1:
		out.add(Effect{Kind: PostTimer, Delay: tridentInterval})
	case own.Behind():
		c.replay(in.Now, own.Ends, out)
	default:
		out.add(Effect{Kind: PostTimer})
	}
}

// replay tries a failed batch again, as the kind of the spout demands (facts 8.2):
// a transactional one emits the same records under the same txid, an opaque one
// keeps the txid and takes what is available now, and the records of a
// non-transactional one come in a batch with a new txid.
func (c *tridentCoordinator) replay(now engine.Time, ends []int32, out *Out) {
	switch c.job.Settings.Spout {
	case "transactional":
		c.begin(c.newest, slices.Clone(ends), out)
	case "opaque":
		ends := c.available(now)
		out.add(Effect{Kind: DoOp, Op: &world.TridentBegin{Txid: c.newest, Ends: ends}})
		c.begin(c.newest, ends, out)
	default:
		c.next(now, out)
	}
}

// next forms a new batch, or waits for the next time if there is nothing to take.
// When everything has been taken, the job has come to rest.
func (c *tridentCoordinator) next(now engine.Time, out *Out) {
	if c.finished() {
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
		return
	}
	ends := c.available(now)
	if slices.Equal(ends, c.at) {
		out.add(Effect{Kind: PostTimer, Delay: tridentInterval})
		return
	}
	c.newest++
	out.add(Effect{Kind: DoOp, Op: &world.TridentBegin{Txid: c.newest, Ends: ends}})
	c.begin(c.newest, ends, out)
}

// available is where a batch ends that takes what can be read now, in the order in
// which it became so, at most tridentBatch records.
func (c *tridentCoordinator) available(now engine.Time) []int32 {
	ends := slices.Clone(c.at)
	for range tridentBatch {
		best, bestAt := -1, engine.Time(0)
		for p := range ends {
			at := c.job.Settings.Available(p, int(ends[p]))
			if int(ends[p]) < len(c.job.Input.Parts[p]) && at <= now && (best < 0 || at < bestAt) {
				best, bestAt = p, at
			}
		}
		if best < 0 {
			break
		}
		ends[best]++
	}
	return ends
}

// begin tells the sources what to read and the counters how much to expect.
func (c *tridentCoordinator) begin(txid int32, ends []int32, out *Out) {
	c.txid, c.ends, c.waits, c.overdue = txid, ends, 0, false
	plan := c.job.Plan
	expect := make([]int64, len(plan.Tasks))
	for p := range ends {
		for _, d := range c.job.Input.Parts[p][c.at[p]:ends[p]] {
			expect[c.counterOf(d.Key)]++
		}
	}
	for i := range plan.Tasks {
		spec := &plan.Tasks[i]
		switch {
		case spec.Kind == engine.OpSource && ends[spec.Part] > c.at[spec.Part]:
			out.add(Effect{Kind: PostMessage, Task: spec.ID, Note: noteRange, Ckpt: txid, Value: int64(ends[spec.Part])})
		case expect[i] > 0:
			c.waits |= 1 << i
			out.add(Effect{Kind: PostMessage, Task: spec.ID, Note: noteExpect, Ckpt: txid, Value: expect[i]})
		}
	}
	out.add(Effect{Kind: PostTimer, Delay: tridentInterval})
}

// counterOf is the counter that owns a key.
func (c *tridentCoordinator) counterOf(key engine.KeyID) engine.TaskID {
	for i := range c.job.Plan.Operators {
		if op := &c.job.Plan.Operators[i]; op.Kind == engine.OpCount {
			return op.First + engine.TaskID(op.Route[key])
		}
	}
	panic("machine: trident without a counter")
}

// applied counts the counters that are done with the batch. With the last one the
// batch has succeeded.
func (c *tridentCoordinator) applied(in *In, out *Out) {
	c.waits &^= 1 << in.Task
	if in.Ckpt != c.txid || c.waits != 0 {
		return
	}
	out.add(Effect{Kind: DoOp, Op: &world.TridentCommit{Txid: c.txid}})
	c.txid = 0
	copy(c.at, c.ends)
	if c.overdue || c.finished() {
		c.next(in.Now, out)
	}
}

func (c *tridentCoordinator) finished() bool {
	for p := range c.at {
		if int(c.at[p]) < len(c.job.Input.Parts[p]) {
			return false
		}
	}
	return true
}
