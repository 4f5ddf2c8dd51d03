package check

import "effectivelyonce/engine"

// tally is scratch memory: how often a reader sees each unit of one sink.
type tally struct {
	seen, hidden []int32 // by unit
	marks        []int32 // by record; repeats inside one history
	totals       []bool  // by key and total: a row shows it
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// count fills the tally with what v's reader sees of s, and adds to v the rows
// and values that are wrong whatever else is there.
func (f *Fold) count(s *outside, v *Verdict) {
	f.tally.seen = zeroed(f.tally.seen, s.truth.units)
	f.tally.hidden = zeroed(f.tally.hidden, s.truth.units)
	if s.table() {
		f.countCells(s, v)
	}
	lso := s.stable()
	for i := range s.rows {
		r := &s.rows[i]
		seen, hidden := s.visible(r, v.committed, lso)
		switch {
		case seen && r.unit >= 0 && f.panes.on:
			f.addHistory(r.link, f.tally.seen)
			if !f.windowIsRight(s.truth.ids[r.unit], r.link, r.value) {
				v.wrong(s.idOf(r.unit), r.key, r.value)
			}
		case hidden && f.panes.on:
			f.addHistory(r.link, f.tally.hidden)
		case seen && r.unit < 0:
			v.Observed++
			v.wrong(engine.NoRecord, r.key, r.value)
		case seen:
			f.tally.seen[r.unit]++
			if !s.fits(r) {
				v.wrong(s.idOf(r.unit), r.key, r.value)
			}
		case hidden && r.unit >= 0:
			f.tally.hidden[r.unit]++
		}
	}
}

// visible says whether a reader sees the row, and otherwise whether it may still
// come to see it. Rows of aborted and expired transactions are seen only by
// readers of uncommitted rows; a file that was removed or replaced by nobody.
func (s *outside) visible(r *row, committed bool, lso int32) (seen, hidden bool) {
	if r.txn >= 0 && s.txns[r.txn].state == engine.TxnRemoved {
		return false, false
	}
	if !committed || r.txn < 0 {
		return true, false
	}
	switch s.txns[r.txn].state {
	case engine.TxnCommitted:
		return r.pos < lso, r.pos >= lso
	case engine.TxnOpen, engine.TxnPrecommitted:
		return false, true
	}
	return false, false
}

// fits reports whether a row shows what its unit may show by itself. That the
// totals of a key are all different is a matter of all rows; see matchTotals.
func (s *outside) fits(r *row) bool {
	if s.truth.keyOf(r.unit) != r.key {
		return false
	}
	switch {
	case s.totals() && s.set.EmitAt > 0:
		return r.value == s.set.EmitAt
	case s.totals():
		return r.value >= 1 && r.value <= int64(s.truth.counts[r.key])
	case s.set.EmitAt > 0:
		return true
	}
	return s.right(r.unit, r.value)
}

func (s *outside) idOf(unit int32) engine.RecordID {
	if s.set.EmitAt > 0 {
		return engine.NoRecord
	}
	return s.truth.ids[unit]
}

func (v *Verdict) wrong(id engine.RecordID, key engine.KeyID, value int64) {
	v.Wrong++
	v.WrongRows = addRef(v.WrongRows, Ref{ID: id, Key: key, Times: 1, Value: value})
}

// matchTotals marks as wrong the rows that show a total which another row of the
// key shows as well: with each input once, the totals of a key must be 1 to n.
func (f *Fold) matchTotals(s *outside, v *Verdict) {
	if !s.totals() || s.set.EmitAt > 0 || s.table() {
		return
	}
	f.tally.totals = zeroed(f.tally.totals, len(s.truth.ids))
	lso := s.stable()
	for i := range s.rows {
		r := &s.rows[i]
		if seen, _ := s.visible(r, v.committed, lso); !seen || r.unit < 0 || !s.fits(r) {
			continue
		}
		there := &f.tally.totals[int64(s.truth.before[r.key])+r.value-1]
		if *there {
			v.wrong(s.idOf(r.unit), r.key, r.value)
		}
		*there = true
	}
}

// countCells reads a table. A total or a balance stands for the inputs in its
// history; any other cell stands for its own unit.
func (f *Fold) countCells(s *outside, v *Verdict) {
	for i := range s.cells {
		c := &s.cells[i]
		switch {
		case !c.set:
		case f.panes.on && !s.balances():
			f.addHistory(c.link, f.tally.seen)
			if !f.windowIsRight(s.truth.ids[i], c.link, c.value) {
				v.wrong(s.truth.ids[i], s.truth.keyOf(int32(i)), c.value)
			}
		case s.balances() && s.set.EmitAt == 0:
			f.addHistory(c.link, f.tally.seen)
			if c.value != f.sumOf(s, c.link) {
				v.wrong(engine.NoRecord, engine.KeyID(i), c.value)
			}
		case s.balances():
			f.tally.seen[i] += f.lin.links[c.link].n
		case s.totals() && s.set.EmitAt == 0:
			f.addHistory(c.link, f.tally.seen)
			f.checkTotal(c, engine.KeyID(i), v)
		case s.totals():
			f.tally.seen[i] += 1 + f.repeats(c.link)
			f.checkTotal(c, engine.KeyID(i), v)
		default:
			f.tally.seen[i]++
			if s.set.EmitAt == 0 && !s.cellRight(int32(i), c) {
				v.wrong(s.truth.ids[i], s.truth.keyOf(int32(i)), c.value)
			}
		}
	}
}

func (f *Fold) checkTotal(c *cell, key engine.KeyID, v *Verdict) {
	if c.value != int64(f.lin.links[c.link].n) {
		v.wrong(engine.NoRecord, key, c.value)
	}
}

func (f *Fold) addHistory(at int32, into []int32) {
	for at != 0 {
		l := &f.lin.links[at]
		into[l.rec]++
		at = l.prev
	}
}

// repeats is how many inputs of a history are in it again.
func (f *Fold) repeats(at int32) int32 {
	f.tally.marks = zeroed(f.tally.marks, int(f.lin.records))
	n := int32(0)
	for at != 0 {
		l := &f.lin.links[at]
		if f.tally.marks[l.rec] > 0 {
			n++
		}
		f.tally.marks[l.rec]++
		at = l.prev
	}
	return n
}
