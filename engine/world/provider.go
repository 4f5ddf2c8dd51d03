package world

import "effectivelyonce/engine"

// Provider is an outside company's service that performs an effect and, given a
// key, remembers it for a while. Keys from the input are record ids; random keys
// never repeat and are not kept.
type Provider struct {
	seen []engine.Time // by record, or by key: when its key was last accepted, -1 never
}

// NewProvider is a provider that has seen nothing.
func NewProvider(in *engine.Input) *Provider {
	p := &Provider{seen: make([]engine.Time, max(in.Len(), len(in.Keys)))}
	for i := range p.seen {
		p.seen[i] = -1
	}
	return p
}

// Fork copies the provider.
func (p *Provider) Fork(into Outside) Outside {
	c, ok := into.(*Provider)
	if !ok {
		c = &Provider{}
	}
	c.seen = append(c.seen[:0], p.seen...)
	return c
}

// Call asks the provider for the effect. Keyed says that the key comes from the
// input and is the same on a replay.
type Call struct {
	Sink   int
	Keyed  bool
	ByKey  bool // emit=at-count:N: the key sent along names the row's key, not the record
	Window engine.Time
	Value  int64
	Record engine.Record
}

// Perform is recorded as sink.write, or effect.ignored when the key is remembered.
func (op *Call) Perform(w *World, ev *engine.Event) Answer {
	p := w.Sinks[op.Sink].(*Provider)
	row := w.idOf(&op.Record, op.ByKey)
	ev.Rec, ev.Key, ev.Attempt, ev.Value, ev.After = op.Record.ID, op.Record.Key, op.Record.Attempt, op.Value, op.Value
	if op.Keyed && p.seen[row] >= 0 && w.Now-p.seen[row] <= op.Window {
		ev.Kind, ev.After = engine.EffectIgnored, 0
		return Answer{Record: op.Record.ID, Known: true}
	}
	ev.Kind = engine.SinkWrite
	p.seen[row] = w.Now
	return Answer{Record: op.Record.ID}
}
