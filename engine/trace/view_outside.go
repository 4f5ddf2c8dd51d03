package trace

import "effectivelyonce/engine"

// Outside is one outside system as it stands, whoever may see it. Nothing in here
// ever goes back: a crash does not touch it.
type Outside struct {
	Sink    int     // index into Settings.Sinks
	Rows    []Row   // every row written, in order; sinks that add rows
	Topic   []Entry // transactional sinks: rows and control markers in the order of the partition
	Txns    []Txn   // transactional sinks, in the order they were begun
	Cells   []Cell  // tables, in the order in which the rows first appeared
	table   bool
	emit    int64
	total   bool
	Known   int     // dedup: ids it remembers
	Ignored int     // writes that it recognised as repeats and left out
	At      []int32 // positions: by partition, the first record behind what it has taken in; nil: it keeps none
	ids     map[engine.RecordID]bool
	halves  map[engine.RecordID]engine.Kind // dedup in two writes: which of them was made, where the other was not
	balance bool                            // tables: one row a key, whatever the output
	rowOf   map[RowID]int                   // tables: index into Cells; other sinks: how many rows
}

// RowID is what makes two rows the same row: the input that caused it, or, for
// rows that are written only at a count, the key and that count.
type RowID struct {
	Rec engine.RecordID
	Key engine.KeyID
	At  int64
}

// Row is one row that was written.
type Row struct {
	ID      RowID
	Rec     engine.RecordID // the input that caused it
	Key     engine.KeyID
	Value   int64 // the amount, or the total
	Attempt int16 // that read the input
	Txn     int   // index into Txns, -1: none
	Copy    int   // 1 for the first row with this id, 2 for the next, …
	N       int32 // the event that wrote it
}

// Entry is one offset of a topic: a row, or the control marker that ends a transaction.
type Entry struct {
	Row    int // index into Rows, -1: a marker
	Txn    int // index into Txns
	Commit bool
}

// Txn is one transaction at the broker.
type Txn struct {
	ID      engine.Txn
	State   engine.TxnState
	Ckpt    int32 // it was pre-committed for
	Rows    int
	First   int // index into Topic of its first row, -1: none
	Repeats int // commits that changed nothing
	Refused int // calls that the broker refused
	Begun   engine.Time
	Eighths int // of its timeout that have passed since Begun, while it is undecided
}

// Undecided reports whether readers of committed rows have to wait for it.
func (x *Txn) Undecided() bool {
	return x.First >= 0 && (x.State == engine.TxnOpen || x.State == engine.TxnPrecommitted)
}

// Cell is one row of a table.
type Cell struct {
	ID      RowID
	Rec     engine.RecordID // of the last write
	Key     engine.KeyID
	Value   int64
	Prev    int64 // the value before the last write, engine.NoRow: none
	High    int64 // the highest value it ever showed
	Attempt int16
	Writes  int
}

// Rewound reports whether the cell shows an older total than it did before.
func (c *Cell) Rewound() bool { return c.Value < c.High }

func newOutside(job *engine.Job, i int) Outside {
	k := &job.Settings.Sinks[i]
	o := Outside{Sink: i, table: IsTable(k.Kind), balance: k.Kind != engine.SinkUpsert, emit: k.EmitAt,
		total: k.Output == engine.TotalOutput, rowOf: map[RowID]int{}}
	switch k.Kind {
	case engine.SinkPosition:
		o.At = make([]int32, len(job.Input.Parts))
	case engine.SinkDedup:
		o.ids = map[engine.RecordID]bool{}
		if k.DedupWrite != "atomic" {
			o.halves = map[engine.RecordID]engine.Kind{}
		}
	}
	return o
}

// Halves is how many records a sink that remembers ids knows by half: their id
// without their value, or the other way round. A crash between the two leaves them so.
func (o *Outside) Halves() int { return len(o.halves) }

// halve notes that one of the two writes of a record was made.
func (o *Outside) halve(e *engine.Event) {
	switch was, there := o.halves[e.Rec]; {
	case o.halves == nil || e.Kind != engine.DedupID && e.Kind != engine.DedupValue:
	case there && was != e.Kind:
		delete(o.halves, e.Rec)
	default:
		o.halves[e.Rec] = e.Kind
	}
}

// Copies is how many rows have this id, whoever sees them.
func (o *Outside) Copies(id RowID) int {
	if o.table {
		return 1
	}
	return o.rowOf[id]
}

// Stable is the last stable offset: readers of committed rows get no entry from
// here on, because a transaction that began at or before it is still undecided.
func (o *Outside) Stable() int {
	lso := len(o.Topic)
	for i := range o.Txns {
		if x := &o.Txns[i]; x.Undecided() {
			lso = min(lso, x.First)
		}
	}
	return lso
}

// Sees reports whether a reader of this isolation gets the i-th row.
func (o *Outside) Sees(i int, iso engine.Isolation) bool {
	r := &o.Rows[i]
	if r.Txn < 0 || iso == engine.ReadUncommitted {
		return true
	}
	return o.Txns[r.Txn].State == engine.TxnCommitted && o.place(i) < o.Stable()
}

// place is the offset of the i-th row of a topic.
func (o *Outside) place(i int) int {
	for at := min(i, len(o.Topic)); at < len(o.Topic); at++ {
		if o.Topic[at].Row == i {
			return at
		}
	}
	return len(o.Topic)
}

// Visible counts the rows that a reader of this isolation sees, and those that it
// may still come to see.
func (o *Outside) Visible(iso engine.Isolation) (seen, hidden int) {
	if o.table {
		return len(o.Cells), 0
	}
	if len(o.Topic) == 0 || iso == engine.ReadUncommitted {
		return len(o.Rows), 0
	}
	lso := o.Stable()
	for at, en := range o.Topic {
		switch {
		case en.Row < 0:
		case o.Txns[en.Txn].State == engine.TxnCommitted && at < lso:
			seen++
		case o.Txns[en.Txn].State == engine.TxnCommitted, o.Txns[en.Txn].Undecided():
			hidden++
		}
	}
	return seen, hidden
}

func (v *View) applyOutside(e *engine.Event) {
	task := e.Task
	if !v.writes(task) {
		task = e.Txn.Task
	}
	if !v.writes(task) {
		v.applyCommon(e)
		return
	}
	if e.Txn.IsZero() && (e.Kind == engine.TxnBegin || e.Kind == engine.Fenced) {
		return
	}
	s := v.Job.Plan.Tasks[task].Sink
	o := &v.Outside[s]
	v.dirty.Outside[s] = true
	v.touch(task)
	switch e.Kind {
	case engine.SinkWrite, engine.DedupID, engine.DedupValue, engine.EffectIgnored:
		v.effect(task, o, e)
	case engine.TxnBegin:
		o.Txns = append(o.Txns, Txn{ID: e.Txn, State: engine.TxnOpen, First: -1, Begun: e.T})
		v.Tasks[task].Open = e.Txn
	case engine.Fenced:
		o.txn(e.Txn).Refused++
	default:
		o.move(e)
		if v.Tasks[task].Open == e.Txn {
			v.Tasks[task].Open = engine.Txn{}
		}
	}
}

// txn finds a transaction; one that began unseen is added.
func (o *Outside) txn(id engine.Txn) *Txn { return &o.Txns[o.txnIndex(id)] }

func (o *Outside) txnIndex(id engine.Txn) int {
	for i := len(o.Txns) - 1; i >= 0; i-- {
		if o.Txns[i].ID == id {
			return i
		}
	}
	o.Txns = append(o.Txns, Txn{ID: id, First: -1})
	return len(o.Txns) - 1
}

// move changes a transaction's state. Ending one writes a control marker.
func (o *Outside) move(e *engine.Event) {
	i := o.txnIndex(e.Txn)
	x := &o.Txns[i]
	was := x.State
	x.State = engine.TxnState(e.After)
	if e.Kind == engine.FileRenamed {
		x.State = engine.TxnCommitted
	}
	switch {
	case e.Kind == engine.TxnPrecommit:
		x.Ckpt = e.Ckpt
	case was == x.State:
		x.Repeats++
	case x.First >= 0:
		o.Topic = append(o.Topic, Entry{Row: -1, Txn: i, Commit: x.State == engine.TxnCommitted})
	}
}

func (o *Outside) write(e *engine.Event) {
	id := RowID{Rec: e.Rec}
	if o.emit > 0 {
		id = RowID{Rec: engine.NoRecord, Key: e.Key, At: o.emit}
	}
	if o.table {
		if o.balance {
			c := *e
			c.Value = e.After
			o.set(RowID{Rec: engine.NoRecord, Key: e.Key}, &c)
			return
		}
		if o.total && o.emit == 0 {
			id = RowID{Rec: engine.NoRecord, Key: e.Key}
		}
		o.set(id, e)
		return
	}
	o.rowOf[id]++
	r := Row{ID: id, Rec: e.Rec, Key: e.Key, Value: e.Value, Attempt: e.Attempt, Txn: -1, Copy: o.rowOf[id], N: e.N}
	if !e.Txn.IsZero() {
		r.Txn = o.txnIndex(e.Txn)
		x := &o.Txns[r.Txn]
		x.Rows++
		if x.First < 0 {
			x.First = len(o.Topic)
		}
		o.Topic = append(o.Topic, Entry{Row: len(o.Rows), Txn: r.Txn})
	}
	o.Rows = append(o.Rows, r)
}

// set writes a row of a table: the value counts, not how often it was written.
func (o *Outside) set(id RowID, e *engine.Event) {
	i, there := o.rowOf[id]
	if !there {
		i = len(o.Cells)
		o.rowOf[id] = i
		o.Cells = append(o.Cells, Cell{ID: id, Key: e.Key, Prev: engine.NoRow, High: e.Value})
	} else {
		o.Cells[i].Prev = o.Cells[i].Value
	}
	c := &o.Cells[i]
	c.Rec, c.Value, c.Attempt = e.Rec, e.Value, e.Attempt
	c.High = max(c.High, c.Value)
	c.Writes++
}
