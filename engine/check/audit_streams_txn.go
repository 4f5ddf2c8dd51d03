package check

import "effectivelyonce/engine"

// commit makes positions, log entries and changelog final.
func (r *streamRules) commit(a *Audit, e *engine.Event) {
	if e.Ckpt != r.newest+1 {
		a.broke(e, "commit", "commit %d follows commit %d", e.Ckpt, r.newest)
	}
	r.newest = e.Ckpt
	copy(r.offsets, r.asked)
	n := 0
	for i := range r.tasks {
		if t := &r.tasks[i]; r.counter(engine.TaskID(i)) {
			t.read, t.stable = r.reads[n], len(t.log)
			copy(t.sealed, t.changes)
			n++
		}
	}
}

// transaction: the thread has one at a time, and it commits with the positions in it.
func (r *streamRules) transaction(a *Audit, e *engine.Event) {
	if e.Kind == engine.TxnBegin {
		if !r.open.IsZero() {
			a.broke(e, "txn", "transaction %d of attempt %d is begun while %d of attempt %d is open", e.Txn.No, e.Txn.Attempt, r.open.No, r.open.Attempt)
		}
		r.open, r.sent = e.Txn, false
		return
	}
	if e.Txn != r.open {
		a.broke(e, "txn", "%s of transaction %d, which is not open", e.Kind, e.Txn.No)
	}
	r.open = engine.Txn{}
	if e.Kind != engine.TxnCommit {
		r.takeBack()
		return
	}
	if !r.sent || r.rows != 0 {
		a.broke(e, "commit", "transaction %d commits without positions, or with %d rows on their way", e.Txn.No, r.rows)
	}
	r.commit(a, e)
}

// takeBack: nothing of an aborted transaction is left, except in local stores.
func (r *streamRules) takeBack() {
	for i := range r.tasks {
		t := &r.tasks[i]
		t.log = t.log[:t.stable]
		copy(t.changes, t.sealed)
	}
}

func (r *streamRules) restart() {
	copy(r.at, r.offsets)
	r.rows = 0
	for i := range r.tasks {
		t := &r.tasks[i]
		t.at, t.expect = t.read, engine.NoKind
	}
}

// rest: all input and all entries made of it are consumed and committed.
func (r *streamRules) rest(a *Audit, e *engine.Event) {
	for p, part := range r.job.Input.Parts {
		if int(r.offsets[p]) != len(part) {
			a.broke(e, "rest", "%d of %d records of partition %d are committed", r.offsets[p], len(part), p)
		}
	}
	for i := range r.tasks {
		if t := &r.tasks[i]; r.counter(engine.TaskID(i)) && int(t.read) != len(t.log) {
			a.broke(e, "rest", "%d of %d entries of the repartition log of %s are committed", t.read, len(t.log), a.name(engine.TaskID(i)))
		}
	}
}
