package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// Outages is what does not answer. Faults of which nobody dies change nothing else
// in the picture; what comes of them has events of its own.
type Outages struct {
	Storage   int              // outages of the checkpoint store that are not over
	Broker    int              // of the whole broker
	Parts     []int            // by partition; nil: none was ever down
	Unheard   []engine.TaskID  // writers that will not hear of their next write, in the order of the faults
	Late      []engine.Message // messages of which the next will be late
	SecondJob bool             // another job has started under the same transactional ids
}

// Unreadable reports whether a partition of the input cannot be read.
func (o *Outages) Unreadable(part int) bool {
	return o.Broker > 0 || part < len(o.Parts) && o.Parts[part] > 0
}

// quiet follows a fault of which nobody dies, by is 1 when it takes hold and -1
// when it is over. It reports whether it is one.
func (v *View) quiet(f *engine.Fault, by int) bool {
	if f == nil || f.Kind.Kills() || f.Kind == engine.Slow || f.Kind == engine.Pause {
		return false
	}
	switch f.Kind {
	case engine.StorageDown:
		v.Outages.Storage += by
	case engine.BrokerDown:
		if f.Part == engine.AllPartitions {
			v.Outages.Broker += by
			break
		}
		if v.Outages.Parts == nil {
			v.Outages.Parts = make([]int, len(v.Logs))
		}
		v.Outages.Parts[f.Part] += by
	case engine.SecondJob:
		v.Outages.SecondJob = true
	case engine.LoseResponse:
		v.Outages.Unheard = putOrTake(v.Outages.Unheard, f.TargetID(), by)
		if id := f.TargetID(); v.isTask(id) {
			v.touch(id)
		}
	case engine.Late:
		v.Outages.Late = putOrTake(v.Outages.Late, f.Message, by)
	}
	for i := range v.dirty.Logs {
		v.dirty.Logs[i] = true
	}
	for i := range v.dirty.Outside {
		v.dirty.Outside[i] = true
	}
	v.dirty.Durable = true
	return true
}

// putOrTake adds x to a list, or takes it out once.
func putOrTake[T comparable](list []T, x T, by int) []T {
	if by > 0 {
		return append(slices.Clone(list), x)
	}
	if i := slices.Index(list, x); i >= 0 {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	return list
}
