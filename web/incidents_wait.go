package web

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// visible says how long a reader waited for a record, from when it was first read to
// when it first saw what came of it, at most.
func visible(r *run, v *check.Verdict) string {
	w := &waiting{read: map[engine.RecordID]engine.Time{}, seen: map[engine.RecordID]bool{}, longest: -1}
	for n := 1; n <= r.Last(); n++ {
		e := r.Trace.At(n)
		switch {
		case e.Kind == engine.SourceRead:
			if _, ok := w.read[e.Rec]; !ok {
				w.read[e.Rec] = e.T
			}
		case v.Reader == check.ReadCommitted || v.Reader == check.HonoursLog:
			w.committed(e, v.Reader == check.ReadCommitted)
		case e.Kind == engine.SinkWrite:
			w.shows(e.Rec, e.T)
		}
	}
	if w.longest < 0 {
		return "nothing was seen"
	}
	return "each seen within " + seconds(w.longest)
}

// waiting follows records on their way to a reader.
type waiting struct {
	read    map[engine.RecordID]engine.Time
	seen    map[engine.RecordID]bool
	txns    []waitingTxn // in the order of their first rows
	longest engine.Time
}

type waitingTxn struct {
	id        engine.Txn
	rows      []engine.RecordID
	ended     bool
	committed bool
}

func (w *waiting) shows(rec engine.RecordID, at engine.Time) {
	if rec != engine.NoRecord && !w.seen[rec] {
		w.seen[rec] = true
		w.longest = max(w.longest, at-w.read[rec])
	}
}

// committed is an event as a reader sees it that waits for commits. A reader of a
// topic goes no further than the first transaction that is still open (facts 4.12);
// files become visible one by one.
func (w *waiting) committed(e *engine.Event, inOrder bool) {
	switch e.Kind {
	case engine.SinkWrite:
		if x := w.find(e.Txn); x != nil {
			x.rows = append(x.rows, e.Rec)
		} else {
			w.txns = append(w.txns, waitingTxn{id: e.Txn, rows: []engine.RecordID{e.Rec}})
		}
		return
	case engine.TxnCommit, engine.FileRenamed, engine.TxnAbort, engine.TxnExpired:
		x := w.find(e.Txn)
		if x == nil || x.ended {
			return
		}
		x.ended, x.committed = true, e.Kind == engine.TxnCommit || e.Kind == engine.FileRenamed
	default:
		return
	}
	for i := range w.txns {
		x := &w.txns[i]
		if !x.ended && inOrder {
			return
		}
		for _, rec := range x.rows {
			if x.committed {
				w.shows(rec, e.T)
			}
		}
	}
}

func (w *waiting) find(id engine.Txn) *waitingTxn {
	for i := range w.txns {
		if w.txns[i].id == id {
			return &w.txns[i]
		}
	}
	return nil
}
