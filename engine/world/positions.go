package world

import "effectivelyonce/engine"

// Positions is a store in which a value and the input position it covers change
// in one write. How fine the position is kept depends on the scope.
type Positions struct {
	scope  string
	parts  int
	last   []int32 // by key and partition, by partition, or one; -1 nothing applied
	values []int64 // by key
	ends   []int32 // by writer and partition: where the newest batch that was written as a whole ended
}

// NewPositions is an empty store; scope is key-and-partition, partition or single.
func NewPositions(in *engine.Input, scope string) *Positions {
	p := &Positions{scope: scope, parts: len(in.Parts), values: make([]int64, len(in.Keys)), ends: make([]int32, engine.MaxParallelism*len(in.Parts))}
	n := 1
	switch scope {
	case "key-and-partition":
		n = len(in.Keys) * p.parts
	case "partition":
		n = p.parts
	}
	p.last = make([]int32, n)
	for i := range p.last {
		p.last[i] = -1
	}
	return p
}

// Fork copies the store.
func (p *Positions) Fork(into Outside) Outside {
	c, ok := into.(*Positions)
	if !ok {
		c = &Positions{}
	}
	last, values, ends := append(c.last[:0], p.last...), append(c.values[:0], p.values...), append(c.ends[:0], p.ends...)
	*c = *p
	c.last, c.values, c.ends = last, values, ends
	return c
}

func (p *Positions) slot(r *engine.Record) int {
	switch p.scope {
	case "key-and-partition":
		return int(r.Key)*p.parts + int(r.ID.Part)
	case "partition":
		return int(r.ID.Part)
	}
	return 0
}

// Resume is the offset from which a loop that keeps its position here goes on.
func (p *Positions) Resume(part int) int32 {
	switch p.scope {
	case "partition":
		return p.last[part] + 1
	case "single":
		return p.last[0] + 1
	}
	most := int32(-1)
	for k := range p.values {
		most = max(most, p.last[k*p.parts+part])
	}
	return most + 1
}

// Value is what stands for a key.
func (p *Positions) Value(k engine.KeyID) int64 { return p.values[k] }

// PositionWrite applies a record together with its position. With Guard it does
// nothing when the stored position is not below the record's.
type PositionWrite struct {
	Sink    int
	Guard   bool
	Add     bool
	Fencing bool // the store checks the writer's token
	Value   int64
	Record  engine.Record
}

// Perform is recorded as sink.write or effect.ignored.
func (op *PositionWrite) Perform(w *World, ev *engine.Event) Answer {
	p := w.Sinks[op.Sink].(*Positions)
	slot := p.slot(&op.Record)
	ev.Rec, ev.Key, ev.Attempt, ev.Value = op.Record.ID, op.Record.Key, op.Record.Attempt, op.Value
	if op.Fencing && w.Refuses(ev) {
		return Answer{Refused: true}
	}
	if op.Guard && op.Record.ID.Off <= p.last[slot] {
		ev.Kind = engine.EffectIgnored
		return Answer{Record: op.Record.ID, Known: true}
	}
	ev.Kind = engine.SinkWrite
	ev.Before = p.values[op.Record.Key]
	ev.After = op.Value
	if op.Add {
		ev.After += ev.Before
	}
	p.last[slot] = op.Record.ID.Off
	p.values[op.Record.Key] = ev.After
	return Answer{Record: op.Record.ID}
}

// Rows is how many keys have a value.
func (p *Positions) Rows() int64 { return entries(p.values) }
