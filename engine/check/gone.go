package check

import "effectivelyonce/engine"

// Behind tells the fold where a restart would go on: by partition, the first record
// that it would read again. It concerns verdicts before the end only. A record before
// that place is read by nobody any more, so one that has no effect outside is not in
// flight, whatever the class of the end will be (facts 4.4: a transaction that
// expired after its checkpoint was complete; Flink 2.x, Kafka 4.x). A fold that was
// never told calls everything that it misses in flight.
func (f *Fold) Behind(at []int32) { f.behind = append(f.behind[:0], at...) }

// unread reports whether no restart would read the record again and no process of
// this attempt still holds it. Where that cannot be told from the positions, it does
// not say so: records that were saved while they were under way (unaligned barriers,
// stored stages, logs between two tasks) come back without being read.
func (f *Fold) unread(rec int32) bool {
	set := &f.job.Settings
	id := f.truth.ids[rec]
	if int(id.Part) >= len(f.behind) || id.Off >= f.behind[id.Part] || f.panes.on {
		return false
	}
	switch set.Strategy {
	case "barriers": // what is before the barrier has gone through every task
		return !set.Unaligned && set.State.RestoreFrom != "none"
	case "microbatch", "trident": // the batch is done
		return true
	case "offset-commit": // the position may be ahead of the work
		return f.readBy[rec] < f.attempt
	}
	return false
}

// gone reports whether nothing will cause the unit's effect by being read again.
func (f *Fold) gone(s *outside, unit int32) bool {
	if s.set.EmitAt == 0 {
		return f.read[unit] && f.unread(unit)
	}
	for rec := range f.read {
		if f.read[rec] && s.truth.Input.At(s.truth.ids[rec]).Key == engine.KeyID(unit) && !f.unread(int32(rec)) {
			return false
		}
	}
	return true
}

// remains reports whether a later write of its key may bring the unit back: a total
// stands for all inputs before it, and a row that waits for a count has not given up.
func (s *outside) remains() bool { return s.byKey() || s.set.EmitAt > 0 }
