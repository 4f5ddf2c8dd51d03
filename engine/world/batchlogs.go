package world

import "effectivelyonce/engine"

// BatchLogs is what a microbatch query keeps in its checkpoint location: the
// offset log, the commit log and the versions of its state (Spark Structured
// Streaming 3.5; facts 2). All of it survives every crash.
type BatchLogs struct {
	ends      [][]int32 // batch-1 → the end of its range by partition; never written again
	committed int32     // the newest entry of the commit log
	versions  []stateVersions
	keys      int
}

// stateVersions are the two newest versions of one task's state. A batch that is
// run again starts from the older one.
type stateVersions struct {
	newest, older stateVersion
}

type stateVersion struct {
	batch int32
	part  Snapshot
	chain Chain // what part stands on, and part, if it is an increment
}

// NewBatchLogs is what a query has before its first batch.
func NewBatchLogs(tasks, keys int) *BatchLogs {
	return &BatchLogs{versions: make([]stateVersions, tasks), keys: keys}
}

// Fork copies the logs.
func (b *BatchLogs) Fork(into Durable) Durable {
	c, ok := into.(*BatchLogs)
	if !ok {
		c = &BatchLogs{}
	}
	ends, versions := append(c.ends[:0], b.ends...), append(c.versions[:0], b.versions...)
	*c = *b
	c.ends, c.versions = ends, versions
	return c
}

// Last is the newest batch whose range is in the offset log, 0 if there is none.
func (b *BatchLogs) Last() int32 { return int32(len(b.ends)) }

// Committed is the newest batch in the commit log. It is the last one, or the one
// before (facts 2.1).
func (b *BatchLogs) Committed() int32 { return b.committed }

// End is where a batch's range ends in a partition; before the first batch it is 0.
func (b *BatchLogs) End(batch int32, part int) int32 {
	if batch == 0 {
		return 0
	}
	return b.ends[batch-1][part]
}

// Version is a task's state after the newest batch that is done; the zero value
// before the first one.
func (b *BatchLogs) Version(task engine.TaskID) Snapshot {
	v := &b.versions[task].older
	if newest := &b.versions[task].newest; newest.batch == b.committed {
		v = newest
	}
	if v.part.Increment {
		return v.chain.whole(b.keys)
	}
	return v.part
}

// Put stores a task's state version. That of a batch that is run again takes the
// place of the earlier attempt's.
func (b *BatchLogs) Put(batch int32, task engine.TaskID, s Snapshot) {
	v := &b.versions[task]
	if v.newest.batch != batch {
		v.older = v.newest
	}
	v.newest = stateVersion{batch: batch, part: s}
	if s.Increment {
		v.newest.chain = v.older.chain.with(s)
	}
}

// LogRange writes a batch's range into the offset log.
type LogRange struct {
	Batch int32
	Ends  []int32 // never written again
}

// Perform is recorded as offsetlog.written.
func (op *LogRange) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Ckpt = engine.OffsetLogWritten, op.Batch
	ev.Value, ev.After = engine.PackPositions(op.Ends)
	b := w.Own.(*BatchLogs)
	// Async progress leaves batches out, and a range of which nothing is known to
	// be done counts for nothing. Otherwise this adds one entry.
	for b.ends = b.ends[:b.committed]; b.Last() < op.Batch; {
		b.ends = append(b.ends, op.Ends)
	}
	return Answer{}
}

// LogCommit writes a batch into the commit log: it is done.
type LogCommit struct{ Batch int32 }

// Perform is recorded as commitlog.written.
func (op *LogCommit) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Ckpt = engine.CommitLogWritten, op.Batch
	w.Own.(*BatchLogs).committed = op.Batch
	return Answer{}
}

// SkipRow is a row of a batch that the outside has already committed: it looks at
// the batch's number and changes nothing (facts 2.6, 2.7).
type SkipRow struct {
	Batch  int32
	Record engine.Record
}

// Perform is recorded as effect.ignored.
func (op *SkipRow) Perform(_ *World, ev *engine.Event) Answer {
	ev.Kind, ev.Ckpt = engine.EffectIgnored, op.Batch
	ev.Rec, ev.Key, ev.Attempt, ev.Value = op.Record.ID, op.Record.Key, op.Record.Attempt, op.Record.Value
	return Answer{Record: op.Record.ID, Known: true}
}
