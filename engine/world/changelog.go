package world

import "effectivelyonce/engine"

// changelog is a changelog topic entry by entry, and the standby that follows it
// (Kafka 4.x; facts 5.13, 6.8). It is kept only where a setting asks for it;
// otherwise the newest values are all that a run can tell apart.
//
// Compaction keeps the last entry of each key, in order, and leaves the head of the
// log alone: "one entry a key" is never promised. An entry without a value, a
// tombstone, deletes its key, and leaves the log itself when it is old enough.
type changelog struct {
	on      bool
	head    int         // newest entries that compaction leaves alone; 0: never compacted
	kept    engine.Time // how long a tombstone stays
	log     []change
	eos     bool
	stable  int // entries that readers see: with transactions the committed ones
	clean   int // entries before which compaction has been
	next    int32
	standby bool
	shadow  []int64     // the standby's store
	follows int32       // the offset that the standby reads next
	mark    int32       // the offset behind the newest commit
	since   engine.Time // of the newest commit: the standby reads on from follows
	pace    engine.Time // how long it takes for an entry
}

// change is one entry; offsets never change. Count 0 is a tombstone.
type change struct {
	offset int32
	key    engine.KeyID
	count  int64
	at     engine.Time
}

func newChangelog(set *engine.Settings, keys int) changelog {
	st := &set.State
	c := changelog{head: st.ChangelogHead, kept: st.DeleteKept, standby: set.Recovery() == "standby", eos: set.Guarantee == "exactly_once_v2",
		pace: set.Costs.Read + set.Transfer(1)}
	c.on = c.head > 0 || c.standby || st.Delete != "never"
	if c.standby {
		c.shadow = make([]int64, keys)
	}
	return c
}

func (c *changelog) forkFrom(src *changelog) {
	log, shadow := append(c.log[:0], src.log...), append(c.shadow[:0], src.shadow...)
	*c = *src
	c.log, c.shadow = log, shadow
}

func (c *changelog) append(key engine.KeyID, count int64, at engine.Time) {
	if c.on {
		c.log = append(c.log, change{offset: c.next, key: key, count: count, at: at})
		c.next++
	}
	if !c.eos {
		c.stable = len(c.log)
	}
}

// abort takes back what the transaction sent. (In Kafka its entries stay, and
// readers of committed records skip them.)
func (c *changelog) abort() { c.log = c.log[:min(c.stable, len(c.log))] }

// commit makes what was appended readable.
func (c *changelog) commit(now engine.Time) {
	c.follow(now)
	c.stable, c.mark, c.since = len(c.log), c.next, now
}

// reached is the offset that the standby reads next at a time: since the newest
// commit it has read one entry after the other, also while the job was down.
func (c *changelog) reached(now engine.Time) int32 {
	at := c.follows
	left := int64(now-c.since) / max(int64(c.pace), 1)
	for _, e := range c.log {
		if e.offset >= c.follows && e.offset < c.mark && left > 0 {
			at = e.offset + 1
			left--
		}
	}
	return at
}

// follow lets the standby read what it can have read by now.
func (c *changelog) follow(now engine.Time) {
	if !c.standby {
		return
	}
	to := c.reached(now)
	for _, e := range c.log {
		if e.offset >= c.follows && e.offset < to {
			c.shadow[e.key] = e.count
		}
	}
	c.follows, c.since = to, now
}

// due reports whether so much was added since the last time that cleaning pays;
// Kafka's min.cleanable.dirty.ratio is 0.5.
func (c *changelog) due() bool { return c.head > 0 && c.stable-c.clean >= 2*c.head }

// compact cleans everything before the head.
func (c *changelog) compact(now engine.Time, keys int) {
	end := max(c.stable-c.head, 0)
	last := make([]int32, keys)
	for _, e := range c.log[:end] {
		last[e.key] = e.offset + 1
	}
	out := c.log[:0]
	for i, e := range c.log {
		newest := e.offset+1 == last[e.key]
		gone := e.count == 0 && now-e.at > c.kept
		if i >= end || newest && !gone {
			out = append(out, e)
		}
		if i+1 == end {
			c.clean = len(out)
		}
	}
	c.stable -= len(c.log) - len(out)
	c.log = out
}

// fill puts the readable entries from an offset on into a store.
func (c *changelog) fill(store []int64, from int32) {
	for _, e := range c.log[:c.stable] {
		if e.offset >= from {
			store[e.key] = e.count
		}
	}
}

// Tail is how many readable entries a store that is filled anew has to read: those
// of the whole log, or those that its standby has not read at this time.
func (s *Streams) Tail(counter int, now engine.Time) int32 {
	t := &s.counters[counter]
	if !t.topic.on {
		_, n := s.Changelog(counter)
		return n
	}
	from := int32(0)
	if t.topic.standby {
		from = t.topic.reached(now)
	}
	n := int32(0)
	for _, e := range t.topic.log[:t.topic.stable] {
		if e.offset >= from {
			n++
		}
	}
	return n
}

// Rebuilt is what a counter's store holds after it was filled anew. Nobody writes it.
func (s *Streams) Rebuilt(counter int) []int64 {
	t := &s.counters[counter]
	store := make([]int64, len(t.store))
	from := int32(0)
	if t.topic.standby {
		copy(store, t.topic.shadow)
		from = t.topic.follows
	}
	s.rebuild(counter, store, from)
	return store
}

// rebuild fills a store from an offset of the changelog on: an empty one from 0, a
// standby's from where it stands.
func (s *Streams) rebuild(counter int, store []int64, from int32) {
	t := &s.counters[counter]
	if t.topic.on {
		t.topic.fill(store, from)
		return
	}
	values, _ := s.Changelog(counter)
	copy(store, values)
}

// Filling reports whether a counter's store is a standby's that still lacks the tail.
func (s *Streams) Filling(counter int) bool { return s.counters[counter].filled > 0 }

// Standby reports whether a copy of a counter's store follows its changelog.
func (s *Streams) Standby(counter int) bool { return s.counters[counter].topic.standby }

// PromoteStandby lets the standby take a counter's place. It holds what it has read
// so far. The node that it ran on gets no fault of its own here, and a new standby
// is as far as this one at once.
type PromoteStandby struct{ Counter int }

// Perform is recorded as standby.promoted: After: keys it holds, Before: entries
// of the changelog that it has not read.
func (op *PromoteStandby) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	t := &s.counters[op.Counter]
	t.topic.follow(w.Now)
	copy(t.store, t.topic.shadow)
	t.filled = t.topic.follows
	ev.Kind, ev.Before = engine.StandbyPromoted, int64(s.Tail(op.Counter, w.Now))
	_, ev.After = s.Local(op.Counter)
	return Answer{}
}

// Compact cleans the changelog of a counter. The broker does so in the background;
// a crash of the application neither stops nor undoes it.
type Compact struct {
	Counter int
	Task    engine.TaskID
}

// Perform is recorded as changelog.compacted: Before, After: committed entries;
// Value: those of them that are the head.
func (op *Compact) Perform(w *World, ev *engine.Event) Answer {
	s := w.Own.(*Streams)
	c := &s.counters[op.Counter].topic
	ev.Kind, ev.Task, ev.Before = engine.ChangelogCompacted, op.Task, int64(c.stable)
	c.compact(w.Now, len(s.counters[op.Counter].store))
	ev.After, ev.Value = int64(c.stable), int64(c.stable-c.clean)
	return Answer{}
}
