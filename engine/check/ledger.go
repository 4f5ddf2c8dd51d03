package check

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Ledger is the story of one input record: what every attempt did with it, which
// snapshots contain it, which transactions carried it, what became of those, and
// what is left of it outside. Numbers named N are event numbers.
type Ledger struct {
	ID       engine.RecordID
	Key      engine.KeyID
	Value    int64
	Until    int // the last event taken into account
	Attempts []Attempt
	Effects  []Effect
}

// Attempt is one life of the job, from its start to the crash that ended it.
type Attempt struct {
	No     int
	From   int32 // the checkpoint it started from; 0: from the beginning of the log
	Begin  int32 // the event that began it, 0 for the first attempt
	End    int32 // the fault or failure that ended it, 0 if nothing did
	Read   int32 // the event that read the record, 0 if none did
	Behind bool  // the checkpoint it started from contains the record already
	Alone  bool  // one task started again, Task; the others went on
	Task   engine.TaskID
	Steps  []Step
	Copies []Copy
	Rows   []WrittenRow
}

// Step is one thing that happened to the record.
type Step struct {
	N      int32
	Kind   engine.Kind
	Task   engine.TaskID
	Chan   engine.ChanID
	Before int64 // record.processed at a counter: the key's count
	After  int64
	Told   string // what a window, join, dedup or lookup did with it, or a batch: the event's sentence; "" elsewhere
}

// Fate is what became of a checkpoint.
type Fate uint8

// Fates. A checkpoint exists from the moment it is sealed; one that was
// discarded or expired never happened.
const (
	Awaiting Fate = iota
	Sealed
	Discarded
	Expired
)

var fateWords = [...]string{"not complete yet", "complete", "discarded", "expired"}

// String is the fate in words.
func (f Fate) String() string { return fateWords[f] }

// Copy is a snapshot of one task that contains the record. When a checkpoint
// does not come to exist, the next one contains the record as well; the list of
// a task ends with the first sealed one.
type Copy struct {
	Task  engine.TaskID
	Ckpt  int32
	N     int32
	Fate  Fate
	FateN int32 // the event that decided it, 0 while it is awaited
}

// WrittenRow is one write to the outside that the record triggered.
type WrittenRow struct {
	N      int32
	Sink   int
	Task   engine.TaskID
	Value  int64
	Txn    engine.Txn // zero: none
	Ckpt   int32      // the checkpoint it was pre-committed for, 0 before
	State  engine.TxnState
	StateN int32 // the event that brought the transaction there
	Voted  bool  // xa: the broker has voted yes on its transaction
	Zombie int16 // not 0: a process wrote it that had been replaced; the attempt it was started in
}

// Effect is what one reader of one sink finds of the record.
type Effect struct {
	Sink   string
	Reader string
	Times  int // rows, or how often the value of its key contains it
	Hidden int // rows that may still become visible
}

// LedgerOf is the record's ledger after the last event of the run. The input has
// the record.
func LedgerOf(t *trace.Trace, id engine.RecordID) *Ledger { return LedgerAt(t, id, t.Len()) }

// LedgerAt is the record's ledger after event n.
func LedgerAt(t *trace.Trace, id engine.RecordID, n int) *Ledger {
	d := t.Job.Input.At(id)
	w := ledgerWriter{run: t, job: t.Job, fates: map[int32]fate{},
		led: &Ledger{ID: id, Key: d.Key, Value: d.Value, Until: n, Attempts: []Attempt{{No: 1}}}}
	f := NewFold(t.Job)
	for i := 1; i <= n; i++ {
		w.apply(t.At(i))
		f.Apply(t.At(i))
	}
	w.settle()
	w.led.Effects = f.effects(id, d.Key)
	return w.led
}

func (f *Fold) effects(id engine.RecordID, key engine.KeyID) []Effect {
	var out []Effect
	for i := range f.out {
		v := f.out[i]
		s := &f.sinks[v.sink]
		v.WrongRows = nil
		f.count(s, &v)
		unit := s.truth.unitOf(id, key)
		out = append(out, Effect{Sink: v.Sink, Reader: v.Reader,
			Times: int(f.tally.seen[unit]), Hidden: int(f.tally.hidden[unit])})
	}
	return out
}

type fate struct {
	what Fate
	n    int32
}

// ledgerWriter folds a trace into one record's ledger.
type ledgerWriter struct {
	run      *trace.Trace
	job      *engine.Job
	led      *Ledger
	fates    map[int32]fate
	holds    []engine.TaskID // tasks of the running attempt whose state contains the record
	gathered []engine.Txn    // batches of sink tasks that have taken it and not written it; see batchOf
	over     bool
}

func (w *ledgerWriter) now() *Attempt { return &w.led.Attempts[len(w.led.Attempts)-1] }

func (w *ledgerWriter) apply(e *engine.Event) {
	switch e.Kind {
	case engine.SourceRead, engine.RecordSent, engine.RecordReceived, engine.RecordProcessed, engine.RecordJoined, engine.SinkWrite,
		engine.DedupID, engine.DedupValue, engine.EffectIgnored, engine.StateWrite, engine.ChangelogAppend,
		engine.InflightReinjected, engine.CommandLogged, engine.SinkAck:
		if e.Rec == w.led.ID {
			w.step(e)
		} else if e.Kind == engine.SinkWrite && e.Rec == engine.NoRecord {
			w.batch(e)
		} else if w.job.Settings.Strategy == "trident" && e.Rec == engine.NoRecord {
			w.txid(e)
		}
	case engine.BarrierInjected, engine.SnapshotTaken:
		w.copied(e)
	case engine.CheckpointComplete, engine.CommitLogWritten:
		w.fates[e.Ckpt] = fate{Sealed, e.N}
	case engine.CheckpointDiscarded:
		w.fates[e.Ckpt] = fate{Discarded, e.N}
	case engine.CheckpointExpired:
		w.fates[e.Ckpt] = fate{Expired, e.N}
	case engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.FileRenamed, engine.ParticipantPrepared:
		w.moved(e)
	case engine.FaultInjected, engine.TaskFailed:
		w.struck(e)
	case engine.RestartBegin:
		w.led.Attempts = append(w.led.Attempts, Attempt{No: int(e.After), Begin: e.N, Alone: e.Task != engine.JobID, Task: e.Task})
		w.forget(e.Task)
	case engine.RestoreDone:
		w.now().From = e.Ckpt
	case engine.RunEnded:
		w.over = true
	case engine.SourceRewound:
		if w.isItsSource(e.Task) && e.After > int64(w.led.ID.Off) {
			w.now().Behind = true
		}
	}
}

// counts reports whether the task keeps totals.
func (w *ledgerWriter) counts(task engine.TaskID) bool {
	switch w.job.Plan.Tasks[task].Kind {
	case engine.OpCount, engine.OpLoop, engine.OpReduce, engine.OpReplica:
		return true
	}
	return false
}

// forget is the memory that a restart takes: of one task, or of the whole job.
func (w *ledgerWriter) forget(task engine.TaskID) {
	w.holds = slices.DeleteFunc(w.holds, func(t engine.TaskID) bool { return task < 0 || t == task })
}

func (w *ledgerWriter) isItsSource(task engine.TaskID) bool {
	return task >= 0 && w.job.Plan.Tasks[task].Kind == engine.OpSource && w.job.Plan.Tasks[task].Part == int(w.led.ID.Part)
}

func (w *ledgerWriter) step(e *engine.Event) {
	a := w.now()
	st := Step{N: e.N, Kind: e.Kind, Task: e.Task, Chan: e.Chan, Before: e.Before, After: e.After}
	if operates(w.job, e) {
		st.Told = trace.Sentence(w.run, e)
	}
	a.Steps = append(a.Steps, st)
	switch e.Kind {
	case engine.SourceRead:
		a.Read = e.N
		w.holds = append(w.holds, e.Task)
	case engine.RecordProcessed:
		if w.counts(e.Task) {
			w.holds = append(w.holds, e.Task)
		}
		if w.job.Plan.Tasks[e.Task].Kind == engine.OpSink {
			w.gathered = append(w.gathered, batchOf(e, int16(w.led.Attempts[len(w.led.Attempts)-1].No)))
		}
	case engine.SinkWrite, engine.DedupValue:
		r := WrittenRow{N: e.N, Sink: w.job.Plan.Tasks[e.Task].Sink, Task: e.Task, Value: e.Value, Txn: e.Txn, Zombie: e.Zombie}
		if !e.Txn.IsZero() {
			r.State, r.StateN = engine.TxnOpen, e.N
		}
		a.Rows = append(a.Rows, r)
	}
}

// operates reports whether the event is the work of a step that is no counter: its
// sentence says into which window a record went, or with what it was joined.
func operates(job *engine.Job, e *engine.Event) bool {
	if e.Kind == engine.RecordJoined {
		return true
	}
	set := &job.Settings
	return e.Kind == engine.RecordProcessed && job.Plan.Tasks[e.Task].Kind == engine.OpCount &&
		(set.Operator != "" && set.Operator != engine.OperatorCount || set.Lookup != engine.LookupOff)
}

// batch is a microbatch that a sink has gathered and writes in one write.
func (w *ledgerWriter) batch(e *engine.Event) {
	if i := slices.Index(w.gathered, batchOf(e, int16(w.led.Attempts[len(w.led.Attempts)-1].No))); i >= 0 {
		a := w.now()
		a.Rows = append(a.Rows, WrittenRow{N: e.N, Sink: w.job.Plan.Tasks[e.Task].Sink, Task: e.Task, Zombie: e.Zombie})
		w.gathered = slices.Delete(w.gathered, i, i+1)
	}
}

// txid is what became of a batch's sum for the record's key: the write that carries it
// is the first one after the record was counted in this attempt. An opaque state puts the
// sum of a later try in place of that of an earlier one of the same txid (facts 8.3).
func (w *ledgerWriter) txid(e *engine.Event) {
	a := w.now()
	if e.Key != w.led.Key || e.Kind != engine.StateWrite && e.Kind != engine.EffectIgnored {
		return
	}
	if n := len(a.Steps); n > 0 && a.Steps[n-1].Kind == engine.RecordProcessed && w.counts(a.Steps[n-1].Task) {
		told := trace.Sentence(w.run, e)
		if e.Kind == engine.StateWrite && e.After != e.Before+e.Value {
			told = fmt.Sprintf("%s put %d in place of what an earlier try of txid %d had added to %s: %d became %d",
				w.job.Plan.Name(e.Task), e.Value, e.Ckpt, w.job.Input.Keys[e.Key], e.Before, e.After)
		}
		a.Steps = append(a.Steps, Step{N: e.N, Kind: e.Kind, Task: e.Task, Chan: engine.NoChan, Before: e.Before, After: e.After, Told: told})
	}
}

// copied notes a snapshot of a task that holds the record. A source's part is the
// offset noted with the barrier, so its snapshot event says nothing new.
func (w *ledgerWriter) copied(e *engine.Event) {
	source := e.Task >= 0 && w.job.Plan.Tasks[e.Task].Kind == engine.OpSource
	if source != (e.Kind == engine.BarrierInjected) || !slices.Contains(w.holds, e.Task) {
		return
	}
	if source && e.After <= int64(w.led.ID.Off) {
		return
	}
	w.now().Copies = append(w.now().Copies, Copy{Task: e.Task, Ckpt: e.Ckpt, N: e.N})
}

func (w *ledgerWriter) moved(e *engine.Event) {
	for i := range w.led.Attempts {
		for j := range w.led.Attempts[i].Rows {
			r := &w.led.Attempts[i].Rows[j]
			if e.Kind == engine.ParticipantPrepared {
				r.Voted = r.Voted || r.Txn == e.Txn && e.Value&1 == 1
				continue
			}
			if r.Txn != e.Txn || e.Before == e.After {
				continue
			}
			r.State, r.StateN = engine.TxnState(e.After), e.N
			if e.Kind == engine.TxnPrecommit {
				r.Ckpt = e.Ckpt
			}
		}
	}
}

// struck notes the first thing that went wrong in an attempt. A slow task is not
// wrong, and what strikes after the run has ended hits nothing.
func (w *ledgerWriter) struck(e *engine.Event) {
	if f := w.run.FaultOf(e); e.Kind == engine.FaultInjected && f != nil && !f.Kind.Kills() {
		return
	}
	if a := w.now(); a.End == 0 && !w.over {
		a.End = e.N
	}
}

// settle fills in the fates, which are known only at the end, and leaves out the
// copies that follow a sealed one.
func (w *ledgerWriter) settle() {
	for i := range w.led.Attempts {
		a := &w.led.Attempts[i]
		kept := a.Copies[:0]
		var done []engine.TaskID
		for _, c := range a.Copies {
			if slices.Contains(done, c.Task) {
				continue
			}
			c.Fate, c.FateN = w.fates[c.Ckpt].what, w.fates[c.Ckpt].n
			if c.Fate == Sealed {
				done = append(done, c.Task)
			}
			kept = append(kept, c)
		}
		a.Copies = kept
	}
}
