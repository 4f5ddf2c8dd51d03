package check

import "effectivelyonce/engine"

// batchOf names what a sink task gathers of a microbatch before it writes the
// whole of it in one write.
func batchOf(task engine.TaskID) engine.Txn { return engine.Txn{Task: task, No: 1} }

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
	row.Txn = batchOf(e.Task)
	s.staged = append(s.staged, staged{txn: row.Txn, event: row})
}

// settleBatch lets everything gathered take effect, or forgets it: it was known
// outside, or the sink has died.
func (f *Fold) settleBatch(e *engine.Event, as engine.TxnState) {
	if s := f.sinkOf(e.Task); s != nil && f.job.Settings.Strategy == "microbatch" {
		f.settleStaged(s, &engine.Event{Txn: batchOf(e.Task), After: int64(as)})
	}
}
