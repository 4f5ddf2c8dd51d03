package machine

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// groupSize is how many records the loop takes before it works on them or saves.
func (t *loopTask) groupSize() int {
	if w := t.job.Settings.Workers; w > 1 {
		return w
	}
	return t.job.Settings.CommitEvery
}

// share gives a group to the workers, one record each. They finish in an order of
// their own, and after each the position is saved: where the first record that is
// not done stands, so that nothing unfinished lies before it (RTBHOUSE/kafka-workers
// issue 19), or, with the flaw commit-past-holes, behind the last one that is done.
// Workers that are done wait for the slowest before the next group is taken.
func (t *loopTask) share(out *Out) {
	group := t.polled
	order := make([]int, len(group))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := t.effort(group[a].ID), t.effort(group[b].ID)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return a - b
	})
	done := make([]bool, len(group))
	saved := t.safe(group, done)
	for _, i := range order {
		t.handle(group[i], out)
		done[i] = true
		if at := t.safe(group, done); !slices.Equal(at, saved) {
			saved = at
			t.commits++
			out.add(Effect{Kind: DoOp, Op: &world.CommitOffsets{At: append([]int32(nil), at...)}})
		}
	}
	t.polled = t.polled[:0]
	if t.ended == len(t.offsets) {
		t.end(out)
	}
}

// safe is the position that may be saved by partition, when of a group these are
// done.
func (t *loopTask) safe(group []engine.Record, done []bool) []int32 {
	at := append([]int32(nil), t.offsets...)
	past := t.job.Settings.Flaw == engine.CommitPastHoles
	for p := range at {
		first, last := int32(-1), int32(-1)
		for i := range group {
			if int(group[i].ID.Part) != p {
				continue
			}
			if first < 0 {
				first = group[i].ID.Off
			}
			if done[i] {
				last = group[i].ID.Off
			}
		}
		switch {
		case first < 0: // nothing of it in this group
		case past && last < 0:
			at[p] = first
		case past:
			at[p] = last + 1
		default:
			at[p] = t.firstOpen(group, done, p)
		}
	}
	return at
}

// firstOpen is where the first record of a partition stands that is not done.
func (t *loopTask) firstOpen(group []engine.Record, done []bool, p int) int32 {
	for i := range group {
		if int(group[i].ID.Part) == p && !done[i] {
			return group[i].ID.Off
		}
	}
	return t.offsets[p]
}

// effort decides how long a worker is busy with a record, compared with others. It
// is a property of the record and the seed, so that a replay is the same.
func (t *loopTask) effort(id engine.RecordID) uint64 {
	x := t.job.Seed ^ uint64(id.Part)<<40 ^ uint64(uint32(id.Off))
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
