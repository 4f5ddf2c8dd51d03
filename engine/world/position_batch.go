package world

import "effectivelyonce/engine"

// PositionBatch applies a whole batch together with the position at which it
// ends, in one write. It does nothing when the stored position is not below it.
// Where several tasks write, each has a share of the batch and its own position.
type PositionBatch struct {
	Sink    int
	Writer  int // its index among the sink's tasks
	Batch   int32
	Fencing bool            // the store checks the writer's token
	Add     bool            // event output: balances grow; otherwise totals are set
	Rows    []engine.Record // in order; never written again
}

// Perform is recorded as sink.write or effect.ignored, with no record of its own:
// the rows are those that the sink has gathered since the batch began. Before is
// how many they are; Value and After the position they end at.
func (op *PositionBatch) Perform(w *World, ev *engine.Event) Answer {
	if ev.Rec, ev.Ckpt = engine.NoRecord, op.Batch; op.Fencing && w.Refuses(ev) {
		return Answer{Refused: true}
	}
	p := w.Sinks[op.Sink].(*Positions)
	stored := p.ends[op.Writer*p.parts : (op.Writer+1)*p.parts]
	ends := append([]int32(nil), stored...)
	known := true
	for i := range op.Rows {
		id := op.Rows[i].ID
		known = known && id.Off < stored[id.Part]
		ends[id.Part] = max(ends[id.Part], id.Off+1)
	}
	ev.Kind, ev.Ckpt, ev.Before = engine.SinkWrite, op.Batch, int64(len(op.Rows))
	ev.Value, ev.After = engine.PackPositions(ends)
	if known {
		ev.Kind = engine.EffectIgnored
		return Answer{Record: engine.NoRecord, Known: true}
	}
	copy(stored, ends)
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
