package world

import "effectivelyonce/engine"

// Replicated is what a replicated table keeps beyond the memory of its copies: the
// command log, a list of invocations (not of changed rows; VoltDB, facts 9.2), on
// storage that survives a node; and, with each client, how far its invocations
// have been acknowledged.
type Replicated struct {
	log    []engine.Record
	logged []bool // by record
	acked  []int32
}

// NewReplicated is an empty log, and clients that have been told nothing.
func NewReplicated(in *engine.Input) *Replicated {
	return &Replicated{logged: make([]bool, in.Len()), acked: make([]int32, len(in.Parts))}
}

// Fork copies the log and the acknowledgements.
func (r *Replicated) Fork(into Durable) Durable {
	c, ok := into.(*Replicated)
	if !ok {
		c = &Replicated{}
	}
	c.log, c.logged, c.acked = append(c.log[:0], r.log...), append(c.logged[:0], r.logged...), append(c.acked[:0], r.acked...)
	return c
}

// Len is how many invocations the log holds.
func (r *Replicated) Len() int { return len(r.log) }

// Entry is an invocation of the log.
func (r *Replicated) Entry(_ int, offset int32) (engine.Record, bool) {
	if int(offset) >= len(r.log) {
		return engine.Record{}, false
	}
	return r.log[offset], true
}

// Acked is how many invocations of a client have been acknowledged.
func (r *Replicated) Acked(part int) int32 { return r.acked[part] }

// LogCommand makes an invocation durable, once.
type LogCommand struct{ Record engine.Record }

// Perform is recorded as command.logged, or effect.ignored if the log has it.
func (op *LogCommand) Perform(w *World, ev *engine.Event) Answer {
	l, r := w.Own.(*Replicated), &op.Record
	ev.Rec, ev.Key, ev.Value, ev.Attempt = r.ID, r.Key, r.Value, r.Attempt
	if l.logged[w.Row(r.ID)] {
		ev.Kind = engine.EffectIgnored
		return Answer{Record: r.ID, Known: true}
	}
	ev.Kind, ev.After = engine.CommandLogged, int64(len(l.log)+1)
	l.log = append(l.log, *r)
	l.logged[w.Row(r.ID)] = true
	return Answer{Record: r.ID}
}

// Recognise tells that an invocation was run before and changes nothing.
type Recognise struct{ Record engine.Record }

// Perform is recorded as effect.ignored.
func (op *Recognise) Perform(_ *World, ev *engine.Event) Answer {
	r := &op.Record
	ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Attempt = engine.EffectIgnored, r.ID, r.Key, r.Value, r.Attempt
	return Answer{Record: r.ID, Known: true}
}

// Acknowledge is what a client notes: it will not send this invocation again.
type Acknowledge struct{ Record engine.Record }

// Perform is recorded as sink.ack.
func (op *Acknowledge) Perform(w *World, ev *engine.Event) Answer {
	r := &op.Record
	ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Attempt = engine.SinkAck, r.ID, r.Key, r.Value, r.Attempt
	w.Own.(*Replicated).acked[r.ID.Part] = r.ID.Off + 1
	return Answer{Record: r.ID}
}
