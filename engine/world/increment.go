package world

import "effectivelyonce/engine"

// KeyCount is one key's count.
type KeyCount struct {
	Key   engine.KeyID
	Count int64
}

// Chain is the parts that a task's state is put together from: a full one, then
// increments, each on top of the one before. It is never written again. Flink
// 2.x uploads new files only and a restore reads all that are still referred to
// (facts 3.16); Spark's state store keeps deltas and now and then a full file
// (facts 2.18).
type Chain []Snapshot

// with is the chain that ends with s, which stands on a part of c, or on nothing.
func (c Chain) with(s Snapshot) Chain {
	for i := range c {
		if s.Base == c[i].Number {
			return append(c[:i+1:i+1], s)
		}
	}
	return Chain{s}
}

// whole is the newest part with the counts that the chain adds up to, and how many
// entries have to be fetched for that.
func (c Chain) whole(keys int) Snapshot {
	s := c[len(c)-1]
	s.Counts = NewCounts(keys)
	for i := range c {
		for _, e := range c[i].Changed {
			s.Counts.Set(e.Key, e.Count)
		}
		s.Fetched += int64(len(c[i].Changed))
	}
	s.Changed, s.Links = nil, int32(len(c))
	return s
}

// Uploaded is how many entries of state are in a part as it is sent to storage.
func (s *Snapshot) Uploaded() int64 {
	if s.Increment {
		return int64(len(s.Changed))
	}
	return s.Counts.Used()
}

func entries(counts []int64) (n int64) {
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	return n
}
