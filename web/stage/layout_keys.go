package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// countsKeys reports whether a task holds counts by key. A loop that writes each
// record as it is counts nothing: its node shows no empty table.
func countsKeys(job *engine.Job, t *engine.Task) bool {
	if t.Kind == engine.OpLoop {
		set := &job.Settings.Sinks[t.Sink]
		return set.Output == engine.TotalOutput || set.EmitAt > 0
	}
	return trace.Counts(t.Kind)
}

// mostKeys is how many keys the busiest task of a counter owns.
func mostKeys(job *engine.Job, op *engine.Operator) int {
	most := 1
	for i := range op.Parallelism {
		most = max(most, len(ownedKeys(job, op, i)))
	}
	return most
}

// ownedKeys are the keys that the i-th task of an operator counts, in their order.
func ownedKeys(job *engine.Job, op *engine.Operator, i int) []engine.KeyID {
	var out []engine.KeyID
	for k := range job.Input.Keys {
		if op.Route == nil || int(op.Route[k]) == i {
			out = append(out, engine.KeyID(k))
		}
	}
	return out
}
