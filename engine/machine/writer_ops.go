package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// opWriter writes at once through an Op: the outside decides whether the write is
// new to it. Like plainWriter it has nothing to promise.
type opWriter struct {
	plainWriter
	in   *engine.Input
	set  *engine.SinkSettings
	sink int
}

func newOpWriter(job *engine.Job, sink int) *opWriter {
	return &opWriter{in: job.Input, set: &job.Settings.Sinks[sink], sink: sink}
}

func (w *opWriter) fork(writer) writer { return w }

func (w *opWriter) write(r *engine.Record, out *Out) {
	value, add := r.Value, true
	switch {
	case w.set.Output == engine.TotalOutput:
		value, add = r.Total, false
	case w.set.Kind != engine.SinkEmail:
		value = w.in.Amount(value)
	}
	switch w.set.Kind {
	case engine.SinkDedup:
		w.dedup(r, value, add, out)
	case engine.SinkPosition:
		// Also where a loop resumes from the store: there the comparison refuses
		// nothing, unless both partitions share one number (curriculum L17).
		out.add(Effect{Kind: DoOp, Op: &world.PositionWrite{Sink: w.sink, Guard: true, Fencing: w.set.Fencing, Add: add, Value: value, Record: *r}})
	case engine.SinkEmail:
		out.add(Effect{Kind: DoOp, Op: &world.Call{Sink: w.sink, Keyed: w.set.IdempotencyKey == "from-input", ByKey: w.set.EmitAt > 0, Window: w.set.ProviderWindow, Value: value, Record: *r}})
	}
}

// dedup looks the id up and writes id and value together, or one after the other.
func (w *opWriter) dedup(r *engine.Record, value int64, add bool, out *Out) {
	parts := []world.DedupPart{world.IDAndValue}
	switch w.set.DedupWrite {
	case "id-first":
		parts = []world.DedupPart{world.OnlyID, world.OnlyValue}
	case "value-first":
		parts = []world.DedupPart{world.OnlyValue, world.OnlyID}
	}
	for i, p := range parts {
		out.add(Effect{Kind: DoOp, Depends: i > 0, Op: &world.DedupWrite{Sink: w.sink, Part: p, First: i == 0, ByKey: w.set.EmitAt > 0, Add: add,
			Value: value, Retention: w.set.DedupRetention, Fencing: w.set.Fencing, Record: *r}})
	}
}

// outsideOf is what a sink's target has to remember, nil if rows are all there is.
func outsideOf(job *engine.Job, set *engine.SinkSettings) world.Outside {
	switch set.Kind {
	case engine.SinkDedup:
		return world.NewDedup(job.Input)
	case engine.SinkPosition:
		return world.NewPositions(job.Input, PositionScope(job, set))
	case engine.SinkEmail:
		return world.NewProvider(job.Input)
	}
	return nil
}

// PositionScope is the setting, or what fits the use: a guard compares per key and
// partition, a loop that resumes from the sink needs one number a partition.
func PositionScope(job *engine.Job, set *engine.SinkSettings) string {
	switch {
	case set.PositionScope != "":
		return set.PositionScope
	case job.Settings.Strategy == "offset-commit" && job.Settings.State.PositionUse != "guard":
		return "partition"
	}
	return "key-and-partition"
}

// Outsides makes the targets of all sinks.
func Outsides(job *engine.Job) []world.Outside {
	out := make([]world.Outside, len(job.Settings.Sinks))
	for i := range job.Settings.Sinks {
		out[i] = outsideOf(job, &job.Settings.Sinks[i])
	}
	return out
}
