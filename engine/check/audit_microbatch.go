package check

import "effectivelyonce/engine"

// batchRules are what every microbatch run keeps: the range is logged before it is
// read, a batch that is run again has the same range, the state version comes
// before the rows, the commit log after the sinks.
type batchRules struct {
	job       *engine.Job
	ends      [][]int32 // batch-1 → end of its range by partition
	committed int32
	reads     []int32              // by partition: the next offset to read
	begun     []int32              // by partition: where the batch that runs began
	stored    []int32              // by task: the batch of its newest state version in this attempt
	out       []map[int32]bool     // by sink: units of the batch that are out
	published map[engine.Txn]bool  // committed batches: task and number, the attempt left out
	rows      map[engine.Txn]int64 // of this attempt's open transactions
}

func newBatchRules(job *engine.Job) *batchRules {
	return &batchRules{job: job}
}

func (b *batchRules) reset() {
	parts := len(b.job.Input.Parts)
	*b = batchRules{job: b.job, reads: make([]int32, parts), begun: make([]int32, parts), stored: make([]int32, len(b.job.Plan.Tasks)),
		published: map[engine.Txn]bool{}, rows: map[engine.Txn]int64{}}
	for range b.job.Settings.Sinks {
		b.out = append(b.out, map[int32]bool{})
	}
}

func (b *batchRules) end(batch int32, part int) int32 {
	if batch == 0 {
		return 0
	}
	return b.ends[batch-1][part]
}

func (b *batchRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.OffsetLogWritten:
		b.logged(a, e)
	case engine.SourceRead:
		b.read(a, e)
	case engine.SnapshotStored:
		b.stored[e.Task] = e.Ckpt
	case engine.RecordSent:
		if t := &b.job.Plan.Tasks[e.Task]; t.Kind == engine.OpCount && b.stored[e.Task] != b.committed+1 {
			a.broke(e, "version", "%s sends rows of batch %d before its state version is stored", t.Name, b.committed+1)
		}
	case engine.SinkWrite, engine.EffectIgnored, engine.DedupID, engine.DedupValue, engine.RecordProcessed:
		b.wrote(a, e)
	case engine.TxnCommit, engine.FileRenamed:
		b.publish(a, e)
	case engine.CommitLogWritten:
		b.done(a, e)
	case engine.RestartBegin:
		clear(b.stored)
		clear(b.rows)
		b.start()
	case engine.RestoreDone:
		if e.Ckpt != b.committed {
			a.broke(e, "restore", "%s starts from version %d where %d is the newest in the commit log", a.name(e.Task), e.Ckpt, b.committed)
		}
	case engine.SourceRewound:
		if e.After != int64(b.end(b.committed, int(e.Value))) {
			a.broke(e, "restore", "%s goes to offset %d where batch %d ended at %d", a.name(e.Task), e.After, b.committed, b.end(b.committed, int(e.Value)))
		}
	case engine.RunEnded:
		if e.Reason == engine.AtRest {
			b.rest(a, e)
		}
	}
}

// start is where the next batch begins: at the end of the newest committed one.
func (b *batchRules) start() {
	for p := range b.begun {
		b.begun[p] = b.end(b.committed, p)
		if !b.job.Settings.AsyncProgress {
			b.reads[p] = b.begun[p]
		}
	}
	for i := range b.out {
		clear(b.out[i])
	}
}

// logged: numbers follow each other, the one before is done, and ranges grow.
func (b *batchRules) logged(a *Audit, e *engine.Event) {
	if b.job.Settings.AsyncProgress {
		b.ends = b.ends[:b.committed]
	} else if e.Ckpt != b.committed+1 || int(e.Ckpt) != len(b.ends)+1 {
		a.broke(e, "offsetlog", "batch %d is logged after %d, and %d is the newest that is done", e.Ckpt, len(b.ends), b.committed)
	}
	ends := engine.UnpackPositions(e.Value, e.After, len(b.reads))
	for p, to := range ends {
		if to < b.end(int32(len(b.ends)), p) {
			a.broke(e, "offsetlog", "the range of batch %d goes back in partition %d", e.Ckpt, p)
		}
	}
	for len(b.ends) < int(e.Ckpt) {
		b.ends = append(b.ends, ends)
	}
}

// read: nothing is read that is not in the range of the batch that is not done.
func (b *batchRules) read(a *Audit, e *engine.Event) {
	if b.job.Settings.AsyncProgress {
		return
	}
	p := int(e.Rec.Part)
	if int(b.committed) >= len(b.ends) || e.Rec.Off >= b.end(b.committed+1, p) {
		a.broke(e, "offsetlog", "%s is read before a range that holds it is logged", e.Rec)
	}
	if e.Rec.Off != b.reads[p] {
		a.broke(e, "offset", "%s is read where offset %d is next", e.Rec, b.reads[p])
	}
	b.reads[p] = e.Rec.Off + 1
}

// wrote notes what is out. A whole batch in one write has no record of its own:
// its rows were taken one by one before.
func (b *batchRules) wrote(a *Audit, e *engine.Event) {
	spec := &b.job.Plan.Tasks[e.Task]
	if spec.Sink < 0 || e.Rec == engine.NoRecord {
		return
	}
	b.out[spec.Sink][a.truths[spec.Sink].index(e.Rec)] = true
	if !e.Txn.IsZero() {
		b.rows[e.Txn]++
		if int32(e.Txn.No) != b.committed+1 {
			a.broke(e, "txn", "%s writes into transaction %d while batch %d runs", spec.Name, e.Txn.No, b.committed+1)
		}
	}
}

// publish: a batch is published once by a task, however often it is run.
func (b *batchRules) publish(a *Audit, e *engine.Event) {
	x := engine.Txn{Task: e.Txn.Task, No: e.Txn.No}
	if b.published[x] {
		a.broke(e, "commit", "%s publishes batch %d a second time", a.name(e.Task), e.Txn.No)
	}
	b.published[x] = true
	delete(b.rows, e.Txn)
}

// done: the commit log follows the offset log by one at most, and comes when every
// sink has every record of the batch.
func (b *batchRules) done(a *Audit, e *engine.Event) {
	if int(e.Ckpt) != len(b.ends) || e.Ckpt <= b.committed {
		a.broke(e, "commitlog", "batch %d is done after %d; the newest logged is %d", e.Ckpt, b.committed, len(b.ends))
		return
	}
	size := 0
	for p := range b.begun {
		size += int(b.end(e.Ckpt, p) - b.begun[p])
	}
	for i := range b.out {
		if b.job.Settings.Sinks[i].EmitAt == 0 && b.job.Settings.Operator == engine.OperatorCount && len(b.out[i]) != size {
			a.broke(e, "commitlog", "batch %d is done with %d of %d records out", e.Ckpt, len(b.out[i]), size)
		}
	}
	for x, n := range b.rows {
		a.broke(e, "commitlog", "batch %d is done while transaction %d with %d rows is open", e.Ckpt, x.No, n)
	}
	b.committed = e.Ckpt
	b.start()
}

func (b *batchRules) rest(a *Audit, e *engine.Event) {
	for p, part := range b.job.Input.Parts {
		if int(b.end(b.committed, p)) != len(part) {
			a.broke(e, "rest", "the newest batch that is done ends at %d of %d in partition %d", b.end(b.committed, p), len(part), p)
		}
	}
}
