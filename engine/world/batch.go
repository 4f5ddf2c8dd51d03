package world

import "effectivelyonce/engine"

// Batch is what the tasks of a batch job have published: map outputs, each final
// from one moment to the next. Nothing half-written is ever here; what an attempt
// writes before it publishes is its own and is deleted before the next one starts.
type Batch struct {
	outputs [][]engine.Record // by map task; nil until it is published
}

// NewBatch is a job of which nothing is published.
func NewBatch(maps int) *Batch { return &Batch{outputs: make([][]engine.Record, maps)} }

// Fork copies which outputs there are; what is published is never written again.
func (b *Batch) Fork(into Durable) Durable {
	c, ok := into.(*Batch)
	if !ok {
		c = &Batch{}
	}
	c.outputs = append(c.outputs[:0], b.outputs...)
	return c
}

// Published reports whether a map task's output is final.
func (b *Batch) Published(m int) bool { return b.outputs[m] != nil }

// Complete reports whether every map output is final.
func (b *Batch) Complete() bool {
	for m := range b.outputs {
		if !b.Published(m) {
			return false
		}
	}
	return true
}

// Entry is the record at a position of a published map output.
func (b *Batch) Entry(m int, offset int32) (engine.Record, bool) {
	if int(offset) >= len(b.outputs[m]) {
		return engine.Record{}, false
	}
	return b.outputs[m][offset], true
}

// PublishMap renames a map task's private file to its final name. A second
// attempt of the same task replaces the file with an equal one. The slice is not
// nil and never written again.
type PublishMap struct {
	Map     int
	Records []engine.Record
}

// Perform is recorded as map.done.
func (op *PublishMap) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Value = engine.MapDone, int64(len(op.Records))
	w.Own.(*Batch).outputs[op.Map] = op.Records
	return Answer{Wake: true}
}
