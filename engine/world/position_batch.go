package world

import "effectivelyonce/engine"

// PositionBatch applies a whole batch together with the position at which it
// ends, in one write. It does nothing when the stored position is not below it.
type PositionBatch struct {
	Sink  int
	Batch int32
	Add   bool            // event output: balances grow; otherwise totals are set
	Rows  []engine.Record // in order; never written again
}

// Perform is recorded as sink.write or effect.ignored, with no record of its own:
// the rows are those that the sink has gathered since the batch began. Before is
// how many they are; Value and After the position they end at.
func (op *PositionBatch) Perform(w *World, ev *engine.Event, really bool) Answer {
	p := w.Sinks[op.Sink].(*Positions)
	ends := append([]int32(nil), p.ends...)
	known := true
	for i := range op.Rows {
		id := op.Rows[i].ID
		known = known && id.Off < p.ends[id.Part]
		ends[id.Part] = max(ends[id.Part], id.Off+1)
	}
	ev.Kind, ev.Ckpt, ev.Before = engine.SinkWrite, op.Batch, int64(len(op.Rows))
	ev.Value, ev.After = engine.PackPositions(ends)
	if known {
		ev.Kind = engine.EffectIgnored
		return Answer{Record: engine.NoRecord, Known: true}
	}
	if !really {
		return Answer{Record: engine.NoRecord}
	}
	copy(p.ends, ends)
	for i := range op.Rows {
		r := &op.Rows[i]
		if op.Add {
			p.values[r.Key] += r.Value
		} else {
			p.values[r.Key] = r.Total
		}
	}
	return Answer{Record: engine.NoRecord}
}
