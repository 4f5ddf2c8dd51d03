package check

import "effectivelyonce/engine"

// batchOf names what a sink task gathers of a microbatch before it writes the whole
// of it in one write. What a zombie has gathered is its own: a replacement that is
// being restored, or that gathers the same batch, changes nothing of it.
func batchOf(e *engine.Event, attempt int16) engine.Txn {
	return engine.Txn{Task: e.Task, Attempt: bornIn(e, attempt), No: 1}
}

// bornIn is the attempt in which the process that did it was started: of the living
// the job's. What an event says of attempts is the record's, which may be older where
// it has waited in state.
func bornIn(e *engine.Event, attempt int16) int16 {
	if e.Zombie != 0 {
		return e.Zombie
	}
	return attempt
}

// gather notes a row that a sink has taken and not written: a record processed by
// a sink task. After is the total that it brings.
func (f *Fold) gather(e *engine.Event) {
	s := f.sinkOf(e.Task)
	if s == nil || s.set.Kind != engine.SinkPosition || f.job.Settings.Strategy != "microbatch" {
		return
	}
	row := *e
	if s.totals() {
		row.Value = e.After
	}
	row.Txn = batchOf(e, f.attempt)
	s.staged = append(s.staged, staged{txn: row.Txn, event: row})
}

// settleBatch lets everything gathered take effect, or forgets it: it was known
// outside. What a process that has died had gathered is never settled.
func (f *Fold) settleBatch(e *engine.Event, as engine.TxnState) {
	if s := f.sinkOf(e.Task); s != nil && f.job.Settings.Strategy == "microbatch" {
		f.settleStaged(s, &engine.Event{Txn: batchOf(e, f.attempt), After: int64(as)})
	}
}
