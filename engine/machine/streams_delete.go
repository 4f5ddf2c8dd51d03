package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// completes reports whether nothing more is to come for the record's key, so that
// its entry can go (state.delete=when-complete): the store forgets it, and a
// tombstone in the changelog makes every copy forget it.
func (t *streamTask) completes(r *engine.Record) bool {
	return t.op.job.Settings.State.Delete != "never" && r.Total == int64(t.op.job.Input.OfKey(r.Key))
}

// compact is the broker's cleaner. It stands here because its moment is a commit:
// only then do committed entries become more.
func (c *streamThread) compact(out *Out) {
	first, n := countersOf(c.job)
	for i := range n {
		out.add(Effect{Kind: DoOp, Op: &world.Compact{Counter: i, Task: first + engine.TaskID(i)}})
	}
}
