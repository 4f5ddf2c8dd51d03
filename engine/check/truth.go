package check

import "effectivelyonce/engine"

// Truth is what one sink should hold: the input folded by itself, each record
// once. It is made without the engine, so it depends on no order of arrival.
//
// Everything is counted in units. A unit is an input record, known by its id;
// with emit = at-count:N a unit is a key that reaches N, for there the row's id
// is the key with N, whichever record brings the count there.
type Truth struct {
	Input  *engine.Input
	Sink   *engine.SinkSettings
	units  int
	base   []int32           // partition → index of its first record
	ids    []engine.RecordID // index → record
	counts []int32           // key → records
	before []int32           // key → records of the keys before it
	sums   []int64           // key → sum of values
}

// NewTruth folds the input for one sink.
func NewTruth(in *engine.Input, sink *engine.SinkSettings) *Truth {
	t := &Truth{Input: in, Sink: sink, counts: make([]int32, len(in.Keys)), sums: make([]int64, len(in.Keys))}
	t.base = make([]int32, len(in.Parts))
	t.ids = make([]engine.RecordID, 0, in.Len())
	for p, part := range in.Parts {
		t.base[p] = int32(len(t.ids))
		for o, d := range part {
			t.ids = append(t.ids, engine.RecordID{Part: int16(p), Off: int32(o)})
			t.counts[d.Key]++
			t.sums[d.Key] += in.Amount(d.Value)
		}
	}
	t.before = make([]int32, len(t.counts))
	for k := 1; k < len(t.counts); k++ {
		t.before[k] = t.before[k-1] + t.counts[k-1]
	}
	t.units = len(t.ids)
	if sink.EmitAt > 0 {
		t.units = len(in.Keys)
	}
	return t
}

// Count is how many records the key has, which is the last total of the key.
func (t *Truth) Count(k engine.KeyID) int { return int(t.counts[k]) }

// Sum is the sum of the key's values, in units of engine.ValueScale.
func (t *Truth) Sum(k engine.KeyID) int64 { return t.sums[k] }

// Expected is how many rows (value sinks: contained inputs) there should be.
func (t *Truth) Expected() int {
	if t.Sink.EmitAt == 0 {
		return t.units
	}
	n := 0
	for _, c := range t.counts {
		if int64(c) >= t.Sink.EmitAt {
			n++
		}
	}
	return n
}

// Row is one row that a sink which adds rows should hold. With total output the
// pairs of key and value are fixed, but which record brings which total depends
// on the order of arrival; ID is then NoRecord.
type Row struct {
	ID    engine.RecordID
	Key   engine.KeyID
	Value int64
}

// Rows lists the rows there should be: by id for event output, by key and total
// for total output. With emit = at-count:N there is one row per key that reaches
// N, and its Value is N; what amount an event row shows is then left open.
func (t *Truth) Rows() []Row {
	var out []Row
	if t.Sink.EmitAt == 0 && t.Sink.Output == engine.EventOutput {
		for _, id := range t.ids {
			d := t.Input.At(id)
			out = append(out, Row{ID: id, Key: d.Key, Value: d.Value})
		}
		return out
	}
	for k, c := range t.counts {
		for n := int64(1); n <= int64(c); n++ {
			if t.Sink.EmitAt == 0 || t.Sink.EmitAt == n {
				out = append(out, Row{ID: engine.NoRecord, Key: engine.KeyID(k), Value: n})
			}
		}
	}
	return out
}

// index is the record's place among all records, -1 if the log has no such record.
func (t *Truth) index(id engine.RecordID) int32 {
	if !t.Input.Has(id) {
		return -1
	}
	return t.base[id.Part] + id.Off
}

// unitOf is the unit that a row triggered by this record stands for, -1 for an orphan.
func (t *Truth) unitOf(id engine.RecordID, key engine.KeyID) int32 {
	if t.Sink.EmitAt == 0 {
		return t.index(id)
	}
	if key < 0 || int(key) >= len(t.counts) {
		return -1
	}
	return int32(key)
}

// keyOf is the key of a unit.
func (t *Truth) keyOf(unit int32) engine.KeyID {
	if t.Sink.EmitAt > 0 {
		return engine.KeyID(unit)
	}
	return t.Input.At(t.ids[unit]).Key
}

// ref names a unit for people.
func (t *Truth) ref(unit int32, times int) Ref {
	r := Ref{ID: engine.NoRecord, Key: t.keyOf(unit), Times: times}
	if t.Sink.EmitAt == 0 {
		r.ID = t.ids[unit]
	}
	return r
}
