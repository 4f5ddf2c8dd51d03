package web

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
)

// sinkOf is the sink that an event of a transaction belongs to, -1 if none.
func (w *whyWriter) sinkOf(e *engine.Event) int {
	if e.Txn.IsZero() {
		return -1
	}
	if e.Txn.Task < 0 { // one transaction for all tasks, of the coordinator
		return slices.IndexFunc(w.job.Settings.Sinks, func(k engine.SinkSettings) bool { return k.Kind == engine.SinkTransactional })
	}
	return w.job.Plan.Tasks[e.Txn.Task].Sink
}

// find is the first event from n on that is of the kind, at the sink, and passes.
func (w *whyWriter) find(from, sink int, kind engine.Kind, ok func(*engine.Event) bool) *engine.Event {
	for n := max(1, from); n <= w.t.Len(); n++ {
		if e := w.t.At(n); e.Kind == kind && w.sinkOf(e) == sink && (ok == nil || ok(e)) {
			return e
		}
	}
	return nil
}

// transaction: what was undecided at the crash was committed again or aborted.
func (w *whyWriter) transaction(sink int) []reason {
	var out []reason
	if e := w.find(w.rec.Restore, sink, engine.TxnCommit, func(e *engine.Event) bool { return int(e.N) < w.end() && w.promised(e) }); e != nil {
		text := w.committedAgain(e)
		if e.Before == e.After {
			text = fmt.Sprintf("The restart committed transaction %d again; it was committed already, so nothing changed.", e.Txn.No)
		}
		out = append(out, w.at(int(e.N), text))
	}
	if e := w.find(w.rec.Restart, sink, engine.TxnAbort, func(e *engine.Event) bool { return e.Value > 0 }); e != nil {
		text := fmt.Sprintf("Transaction %d never committed. The restart aborted it", e.Txn.No)
		if again := w.find(int(e.N), sink, engine.TxnCommit, func(c *engine.Event) bool { return c.Before != c.After && c.Txn != e.Txn }); again != nil {
			text += "; its results came again in " + newTransaction(e, again)
		}
		out = append(out, w.at(int(e.N), text+"."))
	}
	if e := w.find(w.rec.Restart, sink, engine.TxnExpired, func(e *engine.Event) bool { return e.Value > 0 && w.before(e.Txn) }); e != nil && len(out) == 0 {
		out = append(out, w.back(), w.at(int(e.N), fmt.Sprintf("Transaction %d of the start before was never committed. The broker aborted it when its time was up.", e.Txn.No)))
	}
	if len(out) == 0 {
		return append(w.nothingBetween(sink)[:1], w.at(w.rec.Restart, "No transaction held results at the crash, so there was nothing to end."))
	}
	w.point = len(out) - 1
	return out
}

// newTransaction names the transaction that took the place of an aborted one. It
// has the same number when it belongs to the same checkpoint of a later attempt.
func newTransaction(old, again *engine.Event) string {
	if again.Txn.No == old.Txn.No {
		return "a new one with the same number"
	}
	return fmt.Sprintf("transaction %d", again.Txn.No)
}

// end is where the recovery is over.
func (w *whyWriter) end() int {
	if w.rec.Caught > 0 {
		return w.rec.Caught
	}
	return w.t.Len()
}

// dirtyRead: a reader of everything has seen rows of a transaction that was
// aborted afterwards.
func (w *whyWriter) dirtyRead(sink int) []reason {
	reps := w.repeatsAfterRestart(sink)
	var out []reason
	if len(reps) > 0 {
		out = append(out, w.at(reps[0].First, fmt.Sprintf("%s lay in transactions that were not committed; a read_uncommitted reader takes them at once.", w.rows(sink, reps))))
	}
	if e := w.find(w.rec.Restart, sink, engine.TxnAbort, func(e *engine.Event) bool { return e.Value > 0 }); e != nil {
		out = append(out, w.at(int(e.N), fmt.Sprintf("The restart aborted transaction %d. Its rows stay in the topic, marked as aborted.", e.Txn.No)))
	}
	if len(reps) > 0 {
		out = append(out, w.at(reps[0].Again, "Replay wrote the same results again, in a new transaction."))
	}
	w.point = len(out) - 1
	return out
}

// lost: a promise that expired, or rows that nobody writes again.
func (w *whyWriter) lost(sink int) []reason {
	var out []reason
	if e := w.expired(sink); e != nil {
		out = append(out, w.at(int(e.N), fmt.Sprintf("Transaction %d waited longer than transaction.timeout, so the broker aborted it with its %s.", e.Txn.No, count(int(e.Value), "result", "results"))))
		if c := w.checkpointOf(e.Txn); c != nil {
			out = append(out, w.at(int(c.N), fmt.Sprintf("Checkpoint %d was complete: for the engine these results were done.", c.Ckpt)))
		}
	}
	if w.rec != nil {
		out = append(out, w.at(w.rec.Restore, w.passedBy()))
	}
	if len(out) == 0 {
		out = append(out, w.at(w.t.Len(), "Their records were read, and no write of theirs is visible at the end."))
	}
	w.point = len(out) - 1
	return out
}

// expired is the transaction that expired with results, first of all one that a
// complete checkpoint counts on: what another one held was read again.
func (w *whyWriter) expired(sink int) *engine.Event {
	sealed := func(e *engine.Event) bool { return e.Value > 0 && w.checkpointOf(e.Txn) != nil }
	if e := w.find(1, sink, engine.TxnExpired, sealed); e != nil {
		return e
	}
	return w.find(1, sink, engine.TxnExpired, func(e *engine.Event) bool { return e.Value > 0 })
}

// checkpointOf is the seal of the checkpoint that covers a pre-committed
// transaction: the one it was promised for, or the next one of the same attempt
// if that failed. It is nil when there is none.
func (w *whyWriter) checkpointOf(x engine.Txn) *engine.Event {
	for n := 1; n <= w.t.Len(); n++ {
		e := w.t.At(n)
		if e.Kind != engine.TxnPrecommit || e.Txn != x {
			continue
		}
		for m := n; m <= w.t.Len(); m++ {
			if c := w.t.At(m); c.Kind == engine.CheckpointComplete && c.Ckpt >= e.Ckpt && c.Attempt == e.Attempt {
				return c
			}
		}
	}
	return nil
}

// stuck: why the run did not come to rest.
func (w *whyWriter) stuck() []reason {
	var out []reason
	last := w.t.At(w.t.Len())
	for n := 1; n <= w.t.Len() && len(out) == 0; n++ {
		if e := w.t.At(n); e.Kind == engine.CheckpointExpired {
			out = append(out, w.at(n, fmt.Sprintf("Checkpoint %d took longer than checkpoint.timeout and was given up.", e.Ckpt)))
		}
	}
	for n := 1; n <= w.t.Len(); n++ {
		if e := w.t.At(n); e.Kind == engine.TaskFailed && e.Reason != engine.Crashed || e.Kind == engine.StartRefused {
			out = append(out, w.at(n, fmt.Sprintf("The job failed: %s.", e.Reason)))
			break
		}
	}
	if last.Kind == engine.RunEnded && last.Reason != engine.AtRest {
		out = append(out, w.at(w.t.Len(), fmt.Sprintf("The model stopped following it: %s.", last.Reason)))
	}
	if len(out) == 0 {
		out = append(out, w.at(w.t.Len(), "Results are out that this reader will not get before the end."))
	}
	return out
}

// before reports whether a transaction was there when the job restarted.
func (w *whyWriter) before(x engine.Txn) bool {
	e := w.first(1, func(e *engine.Event) bool { return e.Txn == x })
	return e != nil && int(e.N) < w.rec.Restart
}

// promised reports whether a restart may have made this commit. A loop does not keep
// what it promised: what it commits after a restart it has read again.
func (w *whyWriter) promised(commit *engine.Event) bool {
	return w.job.Settings.Strategy != "offset-commit" || w.before(commit.Txn)
}

// committedTwice: a transaction was committed, and the restored positions lie before
// records of it. So they came again, into another one that was committed as well.
func (w *whyWriter) committedTwice(sink int) []reason {
	committed := func(n int) bool {
		x := w.t.At(n).Txn
		return w.find(1, sink, engine.TxnCommit, func(c *engine.Event) bool { return c.Txn == x }) != nil
	}
	var reps []repeat
	for _, p := range w.repeatsAfterRestart(sink) {
		if committed(p.First) && committed(p.Again) {
			reps = append(reps, p)
		}
	}
	if len(reps) == 0 {
		return []reason{w.back()}
	}
	w.point = 2
	return []reason{
		w.at(reps[0].First, w.rows(sink, reps)+" lay in a transaction that was committed, and no saved position covered their records."),
		w.back(),
		w.at(reps[0].Again, "Replay wrote the same results again, in a new transaction, and it was committed too."),
	}
}

// off: each record shows once, and a value is not the one of the input.
func (w *whyWriter) off() []reason {
	out := []reason{}
	text := "A value outside is not the one that the input gives, though each record shows once."
	if w.rec != nil {
		out = append(out, w.back())
		text = "The two attempts did not come to the same values, and what stands outside is not what the input gives."
		if set := &w.job.Settings; set.Operator == engine.OperatorWindow && set.WatermarkRestore == "none" {
			text = "Event time began again from nothing. So a record that had been late before was not late now, and opened its window once more."
		}
	}
	out = append(out, w.at(w.t.Len(), text))
	w.point = len(out) - 1
	return out
}
