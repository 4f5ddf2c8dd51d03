package world

import "effectivelyonce/engine"

// Dedup is a store that remembers the ids of the events it has applied, each for
// Retention. Balances grow by the amount (event output) or are set to the total.
type Dedup struct {
	known  []engine.Time // by record, or by key: when its id was remembered, -1 never
	values []int64       // by key
}

// NewDedup is an empty store for a job's input.
func NewDedup(in *engine.Input) *Dedup {
	d := &Dedup{known: make([]engine.Time, max(in.Len(), len(in.Keys))), values: make([]int64, len(in.Keys))}
	for i := range d.known {
		d.known[i] = -1
	}
	return d
}

// Fork copies the store.
func (d *Dedup) Fork(into Outside) Outside {
	c, ok := into.(*Dedup)
	if !ok {
		c = &Dedup{}
	}
	c.known = append(c.known[:0], d.known...)
	c.values = append(c.values[:0], d.values...)
	return c
}

// DedupPart is which of the two writes an op makes.
type DedupPart uint8

// Parts: both in one atomic write, or one of the two.
const (
	IDAndValue DedupPart = iota
	OnlyID
	OnlyValue
)

// DedupWrite applies a record unless its id is known. First says that this is the
// op that looks the id up; the second half of a split write does not.
type DedupWrite struct {
	Sink      int
	Part      DedupPart
	First     bool
	ByKey     bool // emit=at-count:N: the row's id is its key, whichever record brings the count there
	Add       bool // add Value to the balance instead of setting it
	Value     int64
	Retention engine.Time
	Fencing   bool // the store checks the writer's token
	Record    engine.Record
}

// Perform is recorded as sink.write, dedup.id, dedup.value, or effect.ignored.
func (op *DedupWrite) Perform(w *World, ev *engine.Event) Answer {
	d := w.Sinks[op.Sink].(*Dedup)
	row := w.idOf(&op.Record, op.ByKey)
	ev.Rec, ev.Key, ev.Attempt, ev.Value = op.Record.ID, op.Record.Key, op.Record.Attempt, op.Value
	if op.Fencing && w.Refuses(ev) {
		return Answer{Refused: true}
	}
	if op.First && d.known[row] >= 0 && w.Now-d.known[row] <= op.Retention {
		ev.Kind = engine.EffectIgnored
		return Answer{Record: op.Record.ID, Known: true}
	}
	ev.Before = d.values[op.Record.Key]
	ev.After = op.Value
	if op.Add {
		ev.After += ev.Before
	}
	ev.Kind = [...]engine.Kind{engine.SinkWrite, engine.DedupID, engine.DedupValue}[op.Part]
	if op.Part != OnlyValue {
		d.known[row] = w.Now
	}
	if op.Part != OnlyID {
		d.values[op.Record.Key] = ev.After
	}
	return Answer{Record: op.Record.ID}
}

// idOf is the place of the id that a receiver remembers.
func (w *World) idOf(r *engine.Record, byKey bool) int {
	if byKey {
		return int(r.Key)
	}
	return w.Row(r.ID)
}

// Row is the place of a record in tables that have one a record.
func (w *World) Row(id engine.RecordID) int { return w.first[id.Part] + int(id.Off) }
