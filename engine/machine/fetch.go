package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// FetchTime is how long a task waits for its state before it can go on from its
// part. State that stays in remote storage does not travel (Flink's ForSt,
// experimental; facts 3.17). A copy that is made from a table's changes reads one
// change a key: the stream is compacted (facts 12).
func FetchTime(job *engine.Job, w *world.World, part *world.Snapshot) engine.Time {
	set := &job.Settings
	switch set.Recovery() {
	case "snapshot", "snapshot-incremental":
		if part.Increment {
			return set.Transfer(part.Fetched)
		}
		return set.Transfer(part.Uploaded())
	case "cdc":
		n := w.Sinks[0].(*world.Positions).Rows()
		return engine.Time(n)*set.Costs.Read + set.Transfer(n)
	}
	return 0
}

// retained is the first offset of a partition that the broker still has; older
// records were deleted (facts 12.1).
func retained(job *engine.Job, part int, now engine.Time) int32 {
	keep := job.Settings.State.InputKept
	o := int32(0)
	for keep > 0 && int(o) < len(job.Input.Parts[part]) && job.Settings.Available(part, int(o))+keep < now {
		o++
	}
	return o
}
