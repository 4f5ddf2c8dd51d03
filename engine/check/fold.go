package check

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Fold follows the outside world of a run event by event. A run's verdict costs
// one pass over its trace; Reset and CopyFrom keep the memory, so that judging
// many runs allocates nothing.
type Fold struct {
	job     *engine.Job
	n       int32
	ended   bool
	reason  engine.Reason
	truth   *Truth  // any sink's: only for the places of records
	attempt int16   // the job's
	read    []bool  // record → some attempt has read it
	readOf  []int32 // key → different records read
	readBy  []int16 // record → the newest attempt that has read it
	behind  []int32 // partition → the first record that a restart would read again
	follow  bool    // whether a sink needs the lineage of totals
	lin     lineage
	batch   batchTable
	panes   panes  // of windows
	copies  copies // of a table inside the engine that has several
	sinks   []outside
	tally   tally
	out     []Verdict
}

// outside is one sink's outside system.
type outside struct {
	job     *engine.Job
	truth   *Truth
	set     *engine.SinkSettings
	rows    []row    // sinks that add rows
	txns    []txn    // transactional sinks and files
	pos     int32    // the topic's next offset; control markers take offsets too
	cells   []cell   // tables: unit (upsert of events) or key → what stands there
	staged  []staged // tables: writes of transactions that are not decided
	rewound int
	given   []int64 // lookups: what the store was given for each record last
}

// row is one row that was written, whatever became of its transaction.
type row struct {
	unit  int32 // -1: an orphan
	key   engine.KeyID
	value int64
	txn   int32 // -1: none
	pos   int32
	n     int32 // the event that wrote it
	link  int32 // windows: the history of its count
}

type txn struct {
	id    engine.Txn
	state engine.TxnState
	first int32 // offset of its first row, -1 before
}

// undecided reports whether readers of committed rows must wait for it.
func (x *txn) undecided() bool {
	return x.first >= 0 && (x.state == engine.TxnOpen || x.state == engine.TxnPrecommitted)
}

// cell is one row of a table.
type cell struct {
	set   bool
	value int64
	link  int32 // totals, windows: the history of the value
	first int64 // what stood there first
}

// NewFold is a fold before the first event of a run of this job.
func NewFold(job *engine.Job) *Fold {
	f := &Fold{job: job, attempt: 1, sinks: make([]outside, len(job.Settings.Sinks))}
	for i := range f.sinks {
		s := &f.sinks[i]
		s.job, s.set = job, &job.Settings.Sinks[i]
		s.truth = NewTruth(job.Input, s.set)
		if !s.table() {
			s.rows = make([]row, 0, 2*s.truth.units)
			continue
		}
		s.cells = make([]cell, s.cellCount())
		s.given = make([]int64, job.Input.Len())
		f.follow = f.follow || s.byKey()
	}
	f.truth = f.sinks[0].truth
	f.panes.init(job)
	f.follow = f.follow || f.panes.on
	records := len(f.truth.ids)
	f.read, f.readBy, f.readOf = make([]bool, records), make([]int16, records), make([]int32, len(job.Input.Keys))
	if f.follow {
		f.lin.init(job, records)
		f.batch.init(len(job.Input.Keys))
		f.copies.init(job)
	}
	f.initVerdicts()
	return f
}

func (s *outside) totals() bool { return s.set.Output == engine.TotalOutput }

func (s *outside) cellCount() int {
	if s.byKey() || s.set.EmitAt > 0 {
		return len(s.truth.counts)
	}
	return s.truth.units
}

// Reset goes back to before the first event.
func (f *Fold) Reset() {
	f.n, f.ended, f.reason, f.attempt = 0, false, engine.NoReason, 1
	clear(f.read)
	clear(f.readOf)
	clear(f.readBy)
	f.behind = f.behind[:0]
	if f.follow {
		f.lin.reset()
		f.panes.reset()
		f.batch.reset()
		f.copies.reset()
	}
	for i := range f.sinks {
		s := &f.sinks[i]
		s.rows, s.txns, s.staged, s.pos, s.rewound = s.rows[:0], s.txns[:0], s.staged[:0], 0, 0
		clear(s.cells)
		clear(s.given)
	}
}

// CopyFrom makes f equal to o, a fold of the same job, and shares nothing with it.
func (f *Fold) CopyFrom(o *Fold) {
	f.n, f.ended, f.reason = o.n, o.ended, o.reason
	f.attempt = o.attempt
	copy(f.read, o.read)
	copy(f.readOf, o.readOf)
	copy(f.readBy, o.readBy)
	f.behind = append(f.behind[:0], o.behind...)
	if f.follow {
		f.lin.copyFrom(&o.lin)
		f.panes.copyFrom(&o.panes)
		f.batch.copyFrom(&o.batch)
		f.copies.copyFrom(&o.copies)
	}
	for i := range f.sinks {
		s, p := &f.sinks[i], &o.sinks[i]
		s.rows, s.txns = append(s.rows[:0], p.rows...), append(s.txns[:0], p.txns...)
		s.staged, s.pos, s.rewound = append(s.staged[:0], p.staged...), p.pos, p.rewound
		copy(s.cells, p.cells)
		copy(s.given, p.given)
	}
}

// N is the number of the last event applied.
func (f *Fold) N() int { return int(f.n) }

// Advance applies the events of t that the fold has not seen, up to event n.
func (f *Fold) Advance(t *trace.Trace, n int) {
	for i := int(f.n) + 1; i <= n; i++ {
		f.Apply(t.At(i))
	}
}

// Apply takes in the next event of the run.
func (f *Fold) Apply(e *engine.Event) {
	f.n = e.N
	switch {
	case e.Kind == engine.RestartBegin && e.Task == engine.JobID:
		f.attempt = int16(e.After)
	case f.windowed(e):
		return
	case f.batched(e):
		f.putBatch(e)
		return
	}
	switch e.Kind {
	case engine.SourceRead:
		f.hasRead(e)
	case engine.RecordProcessed:
		f.processed(e)
	case engine.SnapshotTaken:
		if f.follow {
			f.lin.snapshot(e)
		}
	case engine.StateWrite, engine.EffectIgnored:
		switch {
		case e.Kind == engine.EffectIgnored && e.Rec == engine.NoRecord:
			f.settleBatch(e, engine.TxnAborted)
		case e.Kind == engine.StateWrite && f.follow:
			f.lin.store(e)
		}
	case engine.RestoreDone:
		if f.follow {
			f.lin.restore(e)
			f.restoreFromSink(e)
			f.copyBack(e)
		}
	case engine.ChangelogAppend:
		if f.follow {
			f.lin.change(e)
		}
	case engine.TaskFailed:
		f.copyLost(e)
	case engine.SinkWrite, engine.DedupValue:
		if e.Rec == engine.NoRecord {
			f.settleBatch(e, engine.TxnCommitted)
		} else {
			f.write(e)
		}
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.FileRenamed:
		if e.Task == engine.CoordinatorID {
			f.moveThread(e)
		} else if s := f.sinkOf(e.Task); s != nil {
			s.move(e)
			f.settleStaged(s, e)
		}
	case engine.RunEnded:
		f.ended, f.reason = true, e.Reason
	}
}

// hasRead notes that an attempt has read a record.
func (f *Fold) hasRead(e *engine.Event) {
	rec := f.truth.index(e.Rec)
	if rec < 0 {
		return
	}
	f.readBy[rec] = f.attempt
	if !f.read[rec] {
		f.read[rec] = true
		f.readOf[f.job.Input.At(e.Rec).Key]++
	}
}

// processed follows a record into the totals of a counter.
func (f *Fold) processed(e *engine.Event) {
	if rec := f.truth.index(e.Rec); f.follow && rec >= 0 {
		f.lin.process(e, rec)
		f.gather(e)
		f.copyRan(e)
	}
}

// sinkOf is the outside system that a task writes to, nil for tasks that write to none.
func (f *Fold) sinkOf(task engine.TaskID) *outside {
	if task < 0 || int(task) >= len(f.job.Plan.Tasks) || f.job.Plan.Tasks[task].Sink < 0 {
		return nil
	}
	return &f.sinks[f.job.Plan.Tasks[task].Sink]
}

func (f *Fold) write(e *engine.Event) {
	s := f.sinkOf(e.Task)
	if s == nil {
		return
	}
	unit := s.truth.unitOf(e.Rec, e.Key)
	if s.table() {
		f.set(s, e, unit)
		return
	}
	r := row{unit: unit, key: e.Key, value: e.Value, txn: -1, pos: s.pos, n: e.N}
	s.pos++
	if f.panes.on {
		r.link = f.panes.inRow(e)
	}
	if !e.Txn.IsZero() {
		r.txn = s.find(e.Txn)
		if x := &s.txns[r.txn]; x.first < 0 {
			x.first = r.pos
		}
	}
	s.rows = append(s.rows, r)
}

// find is the place of a transaction, newest first: a run touches the last ones.
func (s *outside) find(id engine.Txn) int32 {
	for i := len(s.txns) - 1; i >= 0; i-- {
		if s.txns[i].id == id {
			return int32(i)
		}
	}
	s.txns = append(s.txns, txn{id: id, state: engine.TxnOpen, first: -1})
	return int32(len(s.txns) - 1)
}

// move takes a transaction to the state that the broker reports. A decision puts
// a control marker into the topic if the transaction has rows there; a repeated
// commit changes nothing.
func (s *outside) move(e *engine.Event) {
	x := &s.txns[s.find(e.Txn)]
	was, now := x.state, engine.TxnState(e.After)
	x.state = now
	if e.Kind == engine.FileRenamed {
		s.replace(e.Txn)
	}
	decided := now == engine.TxnCommitted || now == engine.TxnAborted || now == engine.TxnTimedOut
	if decided && was != now && x.first >= 0 {
		s.pos++
	}
}

// stable is the last stable offset: readers of committed rows see nothing at or
// behind the first row of the earliest transaction that is still undecided. Files
// do not wait for each other.
func (s *outside) stable() int32 {
	lso := s.pos
	if s.set.Kind == engine.SinkFiles {
		return lso
	}
	for i := range s.txns {
		if x := &s.txns[i]; x.undecided() {
			lso = min(lso, x.first)
		}
	}
	return lso
}
