package world

import "effectivelyonce/engine"

// Snapshot is one task's part of a checkpoint. Its slices are never written again.
type Snapshot struct {
	Offset   int32        // sources: the next offset to read
	Counts   *Counts      // counters: records counted, by key; nil otherwise
	Txns     []engine.Txn // sinks: pre-committed and not known to be committed
	Op       *OpState     // operators other than the counter, and event time; nil if there is none
	InFlight []InFlight   // unaligned: records before the line that are not in the state, in order

	Increment bool       // Changed is all that was stored of the counts; see Chain
	Number    int32      // increments: the checkpoint, or batch, that this is a part of
	Base      int32      // increments: the part that this one stands on, 0: none
	Changed   []KeyCount // increments: by key, since Base
	Links     int32      // increments, restored: parts that were put together
	Fetched   int64      // increments, restored: entries read for that
}

// InFlight is a record that a barrier has overtaken, with the lane it came on.
type InFlight struct {
	Lane   int
	Record engine.Record
}

// Part is a task's place in a checkpoint.
type Part struct {
	Stored   bool
	Snapshot Snapshot
}

// Store is the durable checkpoint store together with the coordinator's durable
// counter. A checkpoint is Pending until Seal, then it is the only one restored
// from (Flink 2.x keeps one completed checkpoint by default).
type Store struct {
	counter      int32
	keys         int // of the input
	pending      int32
	pendingParts []Part
	sealed       int32
	sealedParts  []Part
	chains       []Chain // by task: what increments of sealed checkpoints add up to
}

// Counter is the newest checkpoint number ever given out.
func (s *Store) Counter() int32 { return s.counter }

// Pending is the number of the checkpoint in progress, 0 if there is none.
func (s *Store) Pending() int32 { return s.pending }

// Sealed is the number of the newest completed checkpoint, 0 if there is none.
func (s *Store) Sealed() int32 { return s.sealed }

// Begin opens checkpoint n for parts.
func (s *Store) Begin(n int32) {
	s.counter, s.pending = n, n
	for i := range s.pendingParts {
		s.pendingParts[i] = Part{}
	}
}

// Put stores a task's part; one of a checkpoint that is no longer pending is kept by nobody.
func (s *Store) Put(n int32, task engine.TaskID, snap Snapshot) {
	if n == s.pending {
		s.pendingParts[task] = Part{Stored: true, Snapshot: snap}
	}
}

// Seal makes the pending checkpoint the recovery point. That is the moment at
// which it begins to exist.
func (s *Store) Seal() {
	s.sealed = s.pending
	s.sealedParts = append([]Part(nil), s.pendingParts...)
	s.pending = 0
	for i := range s.sealedParts {
		if part := &s.sealedParts[i].Snapshot; part.Increment {
			s.chains = append([]Chain(nil), grow(s.chains, len(s.sealedParts))...)
			s.chains[i] = s.chains[i].with(*part)
		}
	}
}

// Discard forgets the pending checkpoint and its parts.
func (s *Store) Discard() { s.pending = 0 }

// Restore is a task's part of the recovery point; the zero value if there is none.
func (s *Store) Restore(task engine.TaskID) Snapshot {
	if s.sealed == 0 {
		return Snapshot{}
	}
	if part := &s.sealedParts[task].Snapshot; part.Increment {
		return s.chains[task].whole(s.keys)
	}
	return s.sealedParts[task].Snapshot
}

func (s *Store) fork(into *Store) {
	parts := append(into.pendingParts[:0], s.pendingParts...)
	*into = *s
	into.pendingParts = parts
}
