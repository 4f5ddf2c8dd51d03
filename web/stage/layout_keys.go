package stage

import "effectivelyonce/engine"

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
