package check

import "effectivelyonce/engine"

// staged is a write into a table that becomes visible with its transaction.
type staged struct {
	txn   engine.Txn
	event engine.Event
}

// table reports whether the sink keeps values instead of rows.
func (s *outside) table() bool {
	switch s.set.Kind {
	case engine.SinkUpsert, engine.SinkDedup, engine.SinkPosition, engine.SinkState:
		return true
	}
	return false
}

// balances reports whether the sink adds amounts: a store that remembers ids or a
// position and is given events (curriculum 1.1).
func (s *outside) balances() bool {
	return !s.totals() && s.table() && s.set.Kind != engine.SinkUpsert
}

// byKey reports whether the table has one value a key, judged by its history.
func (s *outside) byKey() bool { return s.table() && (s.totals() || s.balances()) }

// set takes in a write to a table. One that belongs to a transaction waits for it.
func (f *Fold) set(s *outside, e *engine.Event, unit int32) {
	if !e.Txn.IsZero() {
		s.find(e.Txn)
		s.staged = append(s.staged, staged{txn: e.Txn, event: *e})
		return
	}
	f.apply(s, e, unit)
}

// settleStaged lets the writes of a transaction that was decided take effect, in
// their order, or forgets them.
func (f *Fold) settleStaged(s *outside, e *engine.Event) {
	after := engine.TxnState(e.After)
	if len(s.staged) == 0 || after == engine.TxnOpen || after == engine.TxnPrecommitted {
		return
	}
	kept := s.staged[:0]
	for i := range s.staged {
		w := s.staged[i]
		switch {
		case w.txn != e.Txn:
			kept = append(kept, w)
		case after == engine.TxnCommitted:
			f.apply(s, &w.event, s.truth.unitOf(w.event.Rec, w.event.Key))
		}
	}
	s.staged = kept
}

// apply changes the value that stands in a table. Whose history it carries is
// followed by what was processed, not by what the store reports.
func (f *Fold) apply(s *outside, e *engine.Event, unit int32) {
	at := unit
	if s.byKey() {
		at = int32(e.Key)
	}
	rec := f.truth.index(e.Rec)
	if at < 0 || int(at) >= len(s.cells) || s.balances() && rec < 0 {
		s.rows = append(s.rows, row{unit: -1, key: e.Key, value: e.Value, txn: -1, n: e.N})
		return
	}
	c := &s.cells[at]
	switch {
	case f.panes.on && s.balances():
		*c = cell{set: true, value: e.After, link: f.lin.chain(c.link, f.panes.inRow(e))}
	case f.panes.on:
		*c = cell{set: true, value: e.Value, link: f.panes.inRow(e)}
	case s.balances():
		now := e.After
		if !e.Txn.IsZero() {
			now = c.value + e.Value
		}
		s.given[rec] = e.Value
		*c = cell{set: true, value: now, link: f.lin.extend(c.link, rec)}
	case s.totals():
		if c.set && e.Value < c.value {
			s.rewound++
		}
		*c = cell{set: true, value: e.Value}
		if rec >= 0 {
			c.link = f.lin.carriedBy(e.Attempt, rec, e.Value)
		}
	default:
		first := e.Value
		if c.set {
			first = c.first
		}
		*c = cell{set: true, value: e.Value, first: first}
	}
}

// sumOf is the sum of the amounts of the inputs in a history.
func (f *Fold) sumOf(s *outside, at int32) int64 {
	sum := int64(0)
	for at != 0 {
		l := &f.lin.links[at]
		sum += f.amount(s, l.rec)
		at = l.prev
	}
	return sum
}

// replace removes the files that had been published under the name that x now
// has: a task's output of the same number, from another attempt.
func (s *outside) replace(x engine.Txn) {
	for i := range s.txns {
		o := &s.txns[i]
		if o.id != x && o.id.Task == x.Task && o.id.No == x.No && o.state == engine.TxnCommitted {
			o.state = engine.TxnRemoved
		}
	}
}

// restoreFromSink gives a loop whose totals live in the store that it writes to
// the histories that stand there (curriculum 3.4, last line).
func (f *Fold) restoreFromSink(e *engine.Event) {
	set := &f.job.Settings
	s := f.sinkOf(e.Task)
	c := f.lin.slot(e.Task)
	if set.Strategy != "offset-commit" || set.StateRecovery != "remote" && set.StateRecovery != "cdc" || s == nil || c < 0 ||
		s.set.Kind != engine.SinkPosition || !s.totals() {
		return
	}
	heads := f.lin.headsOf(c)
	for k := range heads {
		heads[k] = s.cells[k].link
	}
}
