package trace

import "effectivelyonce/engine"

// Outages is what does not answer. Faults of which nobody dies change nothing else
// in the picture; what comes of them has events of its own.
type Outages struct {
	Storage   int   // outages of the checkpoint store that are not over
	Broker    int   // of the whole broker
	Parts     []int // by partition; nil: none was ever down
	SecondJob bool  // another job has started under the same transactional ids
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
