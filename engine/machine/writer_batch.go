package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// batchWriter is a sink's side of a batch. Rows that cannot be taken back go out
// one by one; a transaction or a file becomes final at the batch's end and carries
// the batch's number; a position is written together with all rows in one write.
type batchWriter struct {
	writer
	txn    *txnWriter // the writer, if the batch is one transaction or file
	sink   int
	index  int   // of the task among the sink's
	known  int32 // the newest batch that the outside has already
	add    bool
	fence  bool // the store checks tokens
	gather bool // offset-with-output
	in     *engine.Input
	rows   []engine.Record // gathered
}

func newBatchWriter(job *engine.Job, spec *engine.Task) *batchWriter {
	set := &job.Settings.Sinks[spec.Sink]
	w := &batchWriter{in: job.Input, writer: newWriter(job, spec), sink: spec.Sink, index: spec.Index, fence: set.Fencing, add: set.Output == engine.EventOutput, gather: set.Kind == engine.SinkPosition}
	w.txn, _ = w.writer.(*txnWriter)
	return w
}

// restore aborts what an earlier attempt left open, and asks the outside for the
// newest batch that it holds.
func (w *batchWriter) restore(in *In, out *Out) {
	w.writer.restore(in, out)
	if w.txn != nil {
		w.known = in.World.Topics[w.sink].Batch(w.txn.task)
	}
}

// row takes a row of the batch. One of a batch that is committed is skipped
// (facts 2.6, 2.7).
func (w *batchWriter) row(batch int32, lane engine.ChanID, r *engine.Record, out *Out) {
	switch {
	case w.gather:
		row := *r
		row.Value = w.in.Amount(row.Value)
		w.rows = append(w.rows, row)
		out.add(Effect{Kind: DoProcess, Chan: lane, Record: *r, After: r.Total})
	case w.txn == nil:
		w.write(r, out)
	case batch <= w.known:
		out.add(Effect{Kind: DoOp, Op: &world.SkipRow{Batch: batch, Record: *r}})
	default:
		w.txn.next = batch
		w.write(r, out)
	}
}

// end makes the batch final.
func (w *batchWriter) end(batch int32, out *Out) {
	switch {
	case w.gather && len(w.rows) > 0:
		out.add(Effect{Kind: DoOp, Op: &world.PositionBatch{Sink: w.sink, Writer: w.index, Batch: batch, Fencing: w.fence, Add: w.add, Rows: append([]engine.Record(nil), w.rows...)}})
		w.rows = w.rows[:0]
	case w.txn != nil && !w.txn.open.IsZero():
		out.add(Effect{Kind: PostCommit, Txn: w.txn.open})
	}
}

func (w *batchWriter) committed(engine.Txn) { w.txn.open = engine.Txn{} }

// refused fails the batch, whose range will be run again: nothing is behind it.
func (w *batchWriter) refused(in *In, out *Out) {
	why := engine.CommitRefused
	if in.Write {
		why = engine.WriterFenced
	}
	out.add(Effect{Kind: DoFail, Reason: why})
}

func (w *batchWriter) idle() bool { return w.txn == nil || w.txn.open.IsZero() }

func (w *batchWriter) forkTo(into *batchWriter) *batchWriter {
	if into == nil {
		into = &batchWriter{}
	}
	inner, rows := into.writer, into.rows
	*into = *w
	into.writer = w.writer.fork(inner)
	into.txn, _ = into.writer.(*txnWriter)
	into.rows = append(rows[:0], w.rows...)
	return into
}
