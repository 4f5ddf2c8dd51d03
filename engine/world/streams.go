package world

import "effectivelyonce/engine"

// Streams is what Kafka keeps for one Kafka Streams application, and the local
// stores of its tasks, which lie on disks that the crash of a process leaves alone
// (Kafka 3.x/4.x; facts 6). With exactly_once_v2 one transaction covers source
// offsets, repartition records, changelog and output rows (facts 6.3).
type Streams struct {
	lengths  []int32 // of the input's partitions; never written again
	offsets  []int32 // by partition: the committed position
	counters []streamTask
	first    engine.TaskID // the first counter
	commits  int32         // the number of the newest commit
	eos      bool
	timeout  engine.Time // of transactions

	txn     engine.Txn
	state   engine.TxnState
	rows    int64   // in the transaction
	clocked bool    // something was written into the transaction: its time runs (facts 4.5)
	sent    []int32 // in the transaction: source positions, committed with it
}

// streamTask is the repartition log in front of one counter, its local store and
// its changelog.
type streamTask struct {
	log    []engine.Record
	stable int // log entries that readers of committed records see
	read   int32
	sent   int32 // in the transaction: the position in the log, committed with it

	store   []int64 // by key, on the local disk
	changes []int64 // by key: the newest value in the changelog
	entries int32   // of the changelog
	sealed  []int64 // with transactions: the newest committed value
	kept    int32   // with transactions: committed entries
	topic   changelog
	filled  int32 // the offset of the changelog up to which a promoted store has it
}

// NewStreams is an application that has not run yet.
func NewStreams(job *engine.Job, first engine.TaskID, counters int) *Streams {
	parts, keys := len(job.Input.Parts), len(job.Input.Keys)
	s := &Streams{eos: job.Settings.Guarantee == "exactly_once_v2", offsets: make([]int32, parts), sent: make([]int32, parts),
		timeout: job.Settings.StreamsTimeout(), first: first}
	for _, p := range job.Input.Parts {
		s.lengths = append(s.lengths, int32(len(p)))
	}
	for range counters {
		s.counters = append(s.counters, streamTask{store: make([]int64, keys), changes: make([]int64, keys), sealed: make([]int64, keys),
			topic: newChangelog(&job.Settings, keys)})
	}
	return s
}

// Fork copies everything.
func (s *Streams) Fork(into Durable) Durable {
	c, ok := into.(*Streams)
	if !ok {
		c = &Streams{}
	}
	offsets, sent, counters := append(c.offsets[:0], s.offsets...), append(c.sent[:0], s.sent...), grow(c.counters, len(s.counters))
	*c = *s
	c.offsets, c.sent, c.counters = offsets, sent, counters
	for i := range s.counters {
		c.counters[i].forkFrom(&s.counters[i])
	}
	return c
}

func (t *streamTask) forkFrom(src *streamTask) {
	log, store := append(t.log[:0], src.log...), append(t.store[:0], src.store...)
	changes, sealed, topic := append(t.changes[:0], src.changes...), append(t.sealed[:0], src.sealed...), t.topic
	*t = *src
	t.topic = topic
	t.topic.forkFrom(&src.topic)
	t.log, t.store, t.changes, t.sealed = log, store, changes, sealed
}

// Entry is the record at a position of a repartition log. With transactions only
// committed entries are there to be read (read_committed between sub-topologies);
// aborted ones, which take offsets in Kafka, have none here.
func (s *Streams) Entry(log int, offset int32) (engine.Record, bool) {
	t := &s.counters[log]
	end := len(t.log)
	if s.eos {
		end = t.stable
	}
	if int(offset) >= end {
		return engine.Record{}, false
	}
	return t.log[offset], true
}

// Commits is the number of the newest commit, 0 before the first.
func (s *Streams) Commits() int32 { return s.commits }

// Offset is the committed position of a partition.
func (s *Streams) Offset(part int) int32 { return s.offsets[part] }

// Read is a counter's committed position in its repartition log.
func (s *Streams) Read(counter int) int32 { return s.counters[counter].read }

// Open is the transaction that nobody has ended, and whether there is one.
func (s *Streams) Open() (engine.Txn, bool) { return s.txn, s.state == engine.TxnOpen }

// Local is a counter's local store as it lies on its disk, uncommitted updates
// included, and how many keys it holds. The caller must not change it.
func (s *Streams) Local(counter int) (values []int64, keys int64) {
	for _, v := range s.counters[counter].store {
		if v > 0 {
			keys++
		}
	}
	return s.counters[counter].store, keys
}

// Changelog is what an empty store is rebuilt from, and how many entries that takes
// to read: with transactions the committed ones. The caller must not change it.
func (s *Streams) Changelog(counter int) (values []int64, entries int32) {
	t := &s.counters[counter]
	if s.eos {
		return t.sealed, t.kept
	}
	return t.changes, t.entries
}

// LoseDisk takes the local store of a task whose node is gone.
func (s *Streams) LoseDisk(task engine.TaskID) {
	if i := int(task - s.first); i >= 0 && i < len(s.counters) {
		clear(s.counters[i].store)
		s.counters[i].filled = 0
	}
}

// AtRest reports whether all input, and everything made of it, is consumed and
// committed.
func (s *Streams) AtRest() bool {
	for p, n := range s.lengths {
		if s.offsets[p] < n {
			return false
		}
	}
	for i := range s.counters {
		if t := &s.counters[i]; int(t.read) < len(t.log) {
			return false
		}
	}
	return true
}

// Expire ends the open transaction because its time is up (facts 4.3).
func (s *Streams) Expire(x engine.Txn) (rows int64, ok bool) {
	if s.txn != x || s.state != engine.TxnOpen {
		return 0, false
	}
	s.abort(engine.TxnTimedOut)
	return s.rows, true
}

// abort takes back what the transaction covers. Local stores are outside of it:
// they keep its updates until they are wiped.
func (s *Streams) abort(as engine.TxnState) {
	s.state = as
	for i := range s.counters {
		t := &s.counters[i]
		t.log, t.entries = t.log[:t.stable], t.kept
		copy(t.changes, t.sealed)
		t.topic.abort()
	}
}

// commit makes everything that the transaction covers final, in one moment.
func (s *Streams) commit(now engine.Time) {
	s.state = engine.TxnCommitted
	copy(s.offsets, s.sent)
	for i := range s.counters {
		t := &s.counters[i]
		t.read, t.stable, t.kept = t.sent, len(t.log), t.entries
		copy(t.sealed, t.changes)
		t.topic.commit(now)
	}
}
