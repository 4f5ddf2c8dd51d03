package machine

import (
	"effectivelyonce/engine"
)

// writer is a sink task's side of the outside world. Its moments are those of a
// committing sink writer (Flink's CommittingSinkWriter, FLIP-143): write,
// flush and promise at the barrier, commit after completion, commit again on
// restore.
type writer interface {
	restore(in *In, out *Out)
	write(r *engine.Record, out *Out)
	barrier(n int32, out *Out)
	notified(n int32, out *Out)
	publish(out *Out) // end everything promised now, in this step
	committed(x engine.Txn)
	refused(in *In, out *Out)
	snapshot() []engine.Txn
	idle() bool // nothing promised is waiting to be committed
	fork(into writer) writer
}

func newWriter(job *engine.Job, spec *engine.Task) writer {
	set := &job.Settings.Sinks[spec.Sink]
	switch set.Kind {
	case engine.SinkTransactional, engine.SinkFiles:
		return &txnWriter{set: set, task: spec.ID, deletes: job.Settings.Strategy == "batch", forgets: job.Settings.Flaw == engine.LostAnswersOK}
	case engine.SinkDedup, engine.SinkPosition, engine.SinkEmail:
		return newOpWriter(job, spec.Sink)
	}
	return plainWriter{}
}

// plainWriter writes at once: append, upsert and email differ only in what the
// outside makes of the write. It has nothing to promise and nothing to undo.
type plainWriter struct{}

func (plainWriter) restore(*In, *Out)                {}
func (plainWriter) write(r *engine.Record, out *Out) { out.add(Effect{Kind: DoWrite, Record: *r}) }
func (plainWriter) barrier(int32, *Out)              {}
func (plainWriter) notified(int32, *Out)             {}
func (plainWriter) publish(*Out)                     {}
func (plainWriter) committed(engine.Txn)             {}
func (plainWriter) refused(*In, *Out)                {}
func (plainWriter) snapshot() []engine.Txn           { return nil }
func (plainWriter) idle() bool                       { return true }
func (w plainWriter) fork(writer) writer             { return w }

// txnWriter writes into one transaction per checkpoint. The transaction is opened
// by its first row, promised at the barrier, named in the checkpoint, and
// committed once the checkpoint is complete. A private file that is renamed when
// it is final goes the same way, without a broker's clock.
type txnWriter struct {
	set      *engine.SinkSettings
	task     engine.TaskID
	forgets  bool // a flaw: what is promised is known to memory alone
	deletes  bool // what a failed attempt has left is removed, not only given up
	attempt  int16
	epoch    int16
	next     int32 // the checkpoint the open transaction belongs to
	open     engine.Txn
	promised []promise
}

// promise is a pre-committed transaction and the checkpoint that first covers it.
type promise struct {
	txn  engine.Txn
	ckpt int32
}

// restore ends what earlier attempts left: commit again what the checkpoint
// names, then abort the rest (facts 4, steps 1 and 6).
func (w *txnWriter) restore(in *In, out *Out) {
	w.attempt, w.epoch, w.next = in.Attempt, in.Epoch, in.Next
	if w.set.Kind == engine.SinkTransactional && w.set.TxnTimeout > w.set.TxnMax {
		out.add(Effect{Kind: DoRefuse, Reason: engine.TimeoutTooLong})
		return
	}
	for _, x := range in.Snapshot.Txns {
		if w.forgets {
			continue
		}
		w.promised = append(w.promised, promise{txn: x, ckpt: in.Ckpt})
		out.add(Effect{Kind: DoCommit, Txn: x})
	}
	for _, x := range in.Lingering {
		if !w.hasPromised(x) {
			out.add(Effect{Kind: DoAbort, Txn: x})
			if w.deletes {
				out.Effects[len(out.Effects)-1].After = int64(engine.TxnRemoved)
			}
		}
	}
}

func (w *txnWriter) hasPromised(x engine.Txn) bool {
	for _, p := range w.promised {
		if p.txn == x {
			return true
		}
	}
	return false
}

func (w *txnWriter) write(r *engine.Record, out *Out) {
	if w.open.IsZero() {
		w.open = engine.Txn{Task: w.task, No: int16(w.next), Attempt: w.attempt}
		out.add(Effect{Kind: DoBegin, Txn: w.open, Epoch: w.epoch})
	}
	e := out.next()
	e.Kind, e.Record, e.Txn, e.Epoch = DoWrite, *r, w.open, w.epoch
}

// barrier promises the open transaction. Without rows there is nothing to promise.
func (w *txnWriter) barrier(n int32, out *Out) {
	w.next = n + 1
	if w.open.IsZero() {
		return
	}
	out.add(Effect{Kind: DoPrecommit, Txn: w.open, Ckpt: n})
	w.promised = append(w.promised, promise{txn: w.open, ckpt: n})
	w.open = engine.Txn{}
}

// notified commits everything that checkpoint n covers, also promises of earlier
// checkpoints that did not complete (facts 3.2).
func (w *txnWriter) notified(n int32, out *Out) {
	for _, p := range w.promised {
		if p.ckpt <= n {
			out.add(Effect{Kind: PostCommit, Txn: p.txn})
		}
	}
}

func (w *txnWriter) publish(out *Out) {
	for _, p := range w.promised {
		out.add(Effect{Kind: DoCommit, Txn: p.txn})
	}
}

func (w *txnWriter) committed(x engine.Txn) {
	kept := w.promised[:0]
	for _, p := range w.promised {
		if p.txn != x {
			kept = append(kept, p)
		}
	}
	w.promised = kept
}

// refused is what an expired transaction leads to. A refused commit is ignored
// with a line in the log, as Flink's Kafka connector 4.0 does (facts 4.2), or
// fails the job; a refused write always fails it.
func (w *txnWriter) refused(in *In, out *Out) {
	if in.Write {
		out.add(Effect{Kind: DoFail, Reason: engine.WriterFenced})
		return
	}
	w.committed(in.Txn)
	if w.set.OnExpired == engine.ExpiredFail {
		out.add(Effect{Kind: DoFail, Reason: engine.CommitRefused})
	}
}

func (w *txnWriter) snapshot() []engine.Txn {
	if len(w.promised) == 0 {
		return nil
	}
	out := make([]engine.Txn, len(w.promised))
	for i, p := range w.promised {
		out[i] = p.txn
	}
	return out
}

func (w *txnWriter) idle() bool { return len(w.promised) == 0 }

func (w *txnWriter) fork(into writer) writer {
	c, ok := into.(*txnWriter)
	if !ok {
		c = &txnWriter{}
	}
	promised := append(c.promised[:0], w.promised...)
	*c = *w
	c.promised = promised
	return c
}
