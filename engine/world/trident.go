package world

import "effectivelyonce/engine"

// Trident is what Storm Trident keeps outside its workers: the number and range
// of the batch in progress and the positions behind the last one that succeeded
// (ZooKeeper in a real cluster), and the state object, one row a key. It survives
// every crash. (Storm 2.x, facts 8.1 to 8.4)
type Trident struct {
	Started   int32   // the newest txid given out, 0 none
	Ends      []int32 // by partition: where that batch ends
	Committed int32   // the newest txid that succeeded
	At        []int32 // by partition: the first record behind it
	rows      []tridentRow
}

// tridentRow is a row of the state. A plain state uses only the value, a
// transactional one the txid as well, an opaque one also the value before.
type tridentRow struct {
	value, prev int64
	txid        int32
}

// NewTrident is the durable side of a topology that has not run yet.
func NewTrident(in *engine.Input) *Trident {
	return &Trident{Ends: make([]int32, len(in.Parts)), At: make([]int32, len(in.Parts)), rows: make([]tridentRow, len(in.Keys))}
}

// Fork copies t.
func (t *Trident) Fork(into Durable) Durable {
	c, ok := into.(*Trident)
	if !ok {
		c = &Trident{}
	}
	ends, at, rows := append(c.Ends[:0], t.Ends...), append(c.At[:0], t.At...), append(c.rows[:0], t.rows...)
	*c = *t
	c.Ends, c.At, c.rows = ends, at, rows
	return c
}

// Behind is whether a batch was begun and has not succeeded.
func (t *Trident) Behind() bool { return t.Started > t.Committed }

// TridentBegin notes that an attempt of batch Txid is about to run, and where it ends.
type TridentBegin struct {
	Txid int32
	Ends []int32
}

// Perform is recorded as offsetlog.written.
func (op *TridentBegin) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Ckpt = engine.OffsetLogWritten, op.Txid
	ev.Value, ev.After = engine.PackPositions(op.Ends)
	t := w.Own.(*Trident)
	t.Started = op.Txid
	copy(t.Ends, op.Ends)
	return Answer{}
}

// TridentCommit notes that batch Txid has succeeded; the next one starts behind it.
type TridentCommit struct{ Txid int32 }

// Perform is recorded as commitlog.written.
func (op *TridentCommit) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Ckpt = engine.CommitLogWritten, op.Txid
	t := w.Own.(*Trident)
	t.Committed = op.Txid
	copy(t.At, t.Ends)
	return Answer{}
}

// TridentPut lets the state take in what one batch has for one key, by the rule
// of its kind (facts 8.3): plain adds; transactional skips a txid that the row
// has; opaque then starts again from the value before. State is the setting.
type TridentPut struct {
	State string
	Txid  int32
	Key   engine.KeyID
	Add   int64
}

// Perform is recorded as state.write, or effect.ignored when the row is skipped.
func (op *TridentPut) Perform(w *World, ev *engine.Event) Answer {
	row := &w.Own.(*Trident).rows[op.Key]
	ev.Key, ev.Ckpt, ev.Value = op.Key, op.Txid, op.Add
	ev.Before, ev.After = row.value, row.value
	again := row.txid == op.Txid
	if op.State == "transactional" && again {
		ev.Kind = engine.EffectIgnored
		return Answer{Known: true}
	}
	base := row.value
	if op.State == "opaque" && again {
		base = row.prev
	}
	ev.Kind, ev.After = engine.StateWrite, base+op.Add
	*row = tridentRow{value: ev.After, prev: base, txid: op.Txid}
	return Answer{}
}
