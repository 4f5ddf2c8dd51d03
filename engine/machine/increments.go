package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// longestChain is how many parts a restore reads at most: the next one is full.
// RocksDB keeps chains short by merging files in the background; Spark's store
// writes a full file after some deltas (facts 2.18, 3.16).
const longestChain = 4

// increments is what a task that uploads only changes knows: the newest part that
// certainly exists, and those that may come to. Only what is known to exist may be
// built upon: a part whose checkpoint was given up is thrown away. A crash loses
// all of it; the next attempt builds upon the part it was restored from.
type increments struct {
	on    bool
	base  heldPart
	taken []heldPart // newest last
}

// heldPart is a part and the counts in it, which are never written again.
type heldPart struct {
	number int32
	links  int32
	counts *world.Counts
}

func newIncrements(job *engine.Job) increments {
	return increments{on: job.Settings.Recovery() == "snapshot-incremental"}
}

func (c *increments) forkFrom(src *increments) {
	taken := append(c.taken[:0], src.taken...)
	*c = *src
	c.taken = taken
}

// take turns a full part into one that holds what has changed since the base, and
// tells how many entries that is. Otherwise it changes nothing.
func (c *increments) take(n int32, s *world.Snapshot) int64 {
	if !c.on || s.Counts == nil {
		return 0
	}
	now := heldPart{number: n, links: 1, counts: s.Counts}
	s.Increment, s.Number, s.Base, s.Counts = true, n, 0, nil
	chained := c.base.number != 0 && c.base.links < longestChain
	if chained {
		s.Base, now.links = c.base.number, c.base.links+1
	}
	for k := range engine.KeyID(now.counts.Keys()) {
		count := now.counts.At(k)
		if chained && count == c.base.counts.At(k) || count == 0 {
			continue
		}
		s.Changed = append(s.Changed, world.KeyCount{Key: k, Count: count})
	}
	c.taken = append(c.taken, now)
	return int64(len(s.Changed))
}

// exists says that part n is there to be built upon.
func (c *increments) exists(n int32) {
	for i := range c.taken {
		if c.taken[i].number == n {
			c.base = c.taken[i]
			c.taken = c.taken[:copy(c.taken, c.taken[i+1:])]
			return
		}
	}
}

// restored goes on from the part that the task was restored from.
func (c *increments) restored(s *world.Snapshot) {
	if c.on && s.Increment {
		c.base = heldPart{number: s.Number, links: s.Links, counts: s.Counts}
	}
}

// Uploaded is how many entries of state travel to storage with a part.
func Uploaded(job *engine.Job, s *world.Snapshot) int64 {
	if job.Settings.Recovery() == "remote" {
		return 0
	}
	return s.Uploaded()
}
