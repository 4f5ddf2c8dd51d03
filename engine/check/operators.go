package check

import "effectivelyonce/engine"

// right reports whether a row may show the value by itself: the input's value, what
// a join finds at the record's event time, or one of the answers that a lookup can
// have given. That a reader sees only one answer a record is a matter of all rows.
func (s *outside) right(unit int32, value int64) bool {
	id := s.truth.ids[unit]
	switch {
	case s.job.Settings.Operator == engine.OperatorJoin:
		return value == s.job.JoinTruth(id)
	case s.job.Settings.Lookup != engine.LookupOff:
		for a := int16(1); a <= engine.MaxRestarts+1; a++ {
			if value == engine.LookupAnswer(s.truth.Input.At(id).Value, a) {
				return true
			}
		}
		return false
	}
	return value == s.truth.Input.At(id).Value
}

// cellRight reports whether a table's row of one record is right. Of a lookup the
// truth is the answer that the outside was shown first: who has seen it may have
// acted on it, and the table must not come to say something else.
func (s *outside) cellRight(unit int32, c *cell) bool {
	if s.job.Settings.Lookup != engine.LookupOff {
		return c.value == c.first
	}
	return s.right(unit, c.value)
}

// amount is what an input adds to a balance: what the store was given for it last,
// where rows show something else than the input's value.
func (f *Fold) amount(s *outside, rec int32) int64 {
	id := f.truth.ids[rec]
	switch {
	case f.job.Settings.Operator == engine.OperatorJoin:
		return f.job.JoinTruth(id)
	case f.job.Settings.Lookup != engine.LookupOff:
		return s.given[rec]
	case f.panes.on:
		return engine.ValueScale // a window's row counts it
	}
	return f.job.Input.Amount(f.job.Input.At(id).Value)
}

// causes reports whether the unit leads to anything outside: a change of a join's
// table does not.
func (s *outside) causes(unit int32) bool {
	return s.set.EmitAt > 0 || !s.job.IsChange(s.truth.ids[unit])
}
