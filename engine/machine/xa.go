package machine

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// xa is the strategy of heterogeneous atomic commit (X/Open XA: a transaction
// manager, a database, a broker; facts 10.1, secondary source): an application
// takes messages and writes rows inside a global transaction, which a coordinator
// commits in two phases. The position in the broker and the rows in the database
// become durable together, if the coordinator can say what it has decided.
//
// A crash of the application ends what it had not asked to commit: its sessions
// are gone, and the participants abort. A crash of the coordinator takes what it
// knew and did not log; participants that had voted keep their promises and locks.
type xa struct{}

// Messages between the application and the coordinator; Ckpt and Value name the
// transaction.
const (
	xaCommit   int8 = iota + 1 // to the coordinator: commit it
	xaInquire                  // to the coordinator: what has become of it?
	xaOutcome                  // to the application: committed (Final) or aborted
	xaReturned                 // to the application: the coordinator has come back
	xaNext                     // the coordinator to itself: the next request has reached a participant
)

// Task makes the application.
func (xa) Task(job *engine.Job, id engine.TaskID) Task {
	return &xaTask{job: job, spec: &job.Plan.Tasks[id], counts: make([]int64, len(job.Input.Keys))}
}

// Coordinator makes the transaction manager.
func (xa) Coordinator(job *engine.Job) Coordinator { return &xaCoordinator{job: job} }

// Scope is the process alone: application and coordinator know nothing of each
// other's lives.
func (xa) Scope(dead engine.TaskID) Scope {
	if dead == engine.CoordinatorID {
		return SingleTask
	}
	return WholeJob
}

// InJob is false for the coordinator, which is a process of its own.
func (xa) InJob(id engine.TaskID) bool { return id != engine.CoordinatorID }

// Failed leaves transactions to their participants.
func (xa) Failed(*world.World, *Out) {}

// Durable is the broker's branches and the coordinator's log.
func (xa) Durable(job *engine.Job) world.Durable {
	return world.NewXA(job.Input, job.Plan.Tasks[0].Sink)
}

// xaTask is the application: one process that takes messages from all partitions,
// commit.every of them a global transaction. While a transaction waits for its
// outcome the positions are locked, and nothing is taken.
type xaTask struct {
	job     *engine.Job
	spec    *engine.Task
	epoch   int16
	attempt int16
	offsets []int32    // by partition: the next to take
	base    []int32    // by partition: committed
	to      []int32    // by partition: committed, if the transaction that is waited for is
	counts  []int64    // by key: records before offsets
	txn     engine.Txn // open, or waited for; zero: none
	made    int        // transactions begun so far, by any attempt
	taken   int        // messages in it
	waits   bool       // for its outcome
	ended   int        // partitions read to their end
}

func (t *xaTask) Blocked(int) bool { return false }

func (t *xaTask) Reads(buf []LogPos) []LogPos {
	if t.waits {
		return buf
	}
	for p, at := range t.offsets {
		buf = append(buf, LogPos{Log: p, Offset: at})
	}
	return buf
}

func (t *xaTask) Fork(into Task) Task {
	c, ok := into.(*xaTask)
	if !ok {
		c = &xaTask{}
	}
	offsets, base, to, counts := append(c.offsets[:0], t.offsets...), append(c.base[:0], t.base...), append(c.to[:0], t.to...), append(c.counts[:0], t.counts...)
	*c = *t
	c.offsets, c.base, c.to, c.counts = offsets, base, to, counts
	return c
}

func (t *xaTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.restore(in, out)
	case InRead:
		t.take(in.Record, out)
	case InLogEnd:
		if t.ended++; t.ended == len(t.offsets) {
			out.add(Effect{Kind: DoEndInput})
			t.rest(out)
		}
	case InMessage:
		switch {
		case !t.waits:
		case in.Note == xaReturned:
			t.ask(xaInquire, out)
		case in.Note == xaOutcome && int32(t.txn.No) == in.Ckpt && int64(t.txn.Attempt) == in.Value:
			t.outcome(in.Final, out)
		}
	}
}

// restore goes on from the broker's position. A transaction that was left open is
// aborted with its session; one that has votes is the coordinator's to end.
func (t *xaTask) restore(in *In, out *Out) {
	own := in.World.Own.(*world.XA)
	t.epoch, t.attempt = in.Epoch, in.Attempt
	t.base = slices.Clone(own.At)
	t.offsets = slices.Clone(own.At)
	t.recount()
	if in.Attempt > 1 {
		out.add(Effect{Kind: DoRestored})
		for p, at := range t.base {
			out.add(Effect{Kind: DoRewind, Value: int64(p), After: int64(at)})
		}
	}
	var last engine.Txn
	last, t.made = own.Last()
	switch {
	case last.IsZero():
	case own.InDoubt(in.World, last):
		t.txn, t.waits, t.to = last, true, slices.Clone(own.Positions(last))
		t.ask(xaInquire, out)
	case own.State(in.World, last, world.Database) == engine.TxnOpen:
		out.add(Effect{Kind: DoOp, Op: &world.XAFinish{Txn: last, Participant: world.Database}})
		out.add(Effect{Kind: PostOp, Op: &world.XAFinish{Txn: last, Participant: world.Broker}})
	}
}

// recount makes the counts those of all records before the position: their place
// in the log says it all.
func (t *xaTask) recount() {
	clear(t.counts)
	for p, at := range t.offsets {
		for _, d := range t.job.Input.Parts[p][:at] {
			t.counts[d.Key]++
		}
	}
}

// take handles one message inside the transaction.
func (t *xaTask) take(r engine.Record, out *Out) {
	if t.txn.IsZero() {
		t.made++
		t.txn = engine.Txn{Task: t.spec.ID, No: int16(t.made), Attempt: t.attempt}
		out.add(Effect{Kind: DoOp, Op: &world.XABegin{Txn: t.txn, Epoch: t.epoch}})
	}
	t.offsets[r.ID.Part] = r.ID.Off + 1
	out.add(Effect{Kind: DoRead, Record: r, Before: int64(r.ID.Off), After: int64(r.ID.Off + 1)})
	out.add(Effect{Kind: PostOp, Op: &world.XAConsume{Txn: t.txn, ID: r.ID}})
	t.counts[r.Key]++
	r.Total = t.counts[r.Key]
	out.add(Effect{Kind: DoProcess, Chan: engine.NoChan, Record: r, Before: r.Total - 1, After: r.Total})
	if set := &t.job.Settings.Sinks[t.spec.Sink]; set.EmitAt == 0 || set.EmitAt == r.Total {
		out.add(Effect{Kind: DoWrite, Record: r, Txn: t.txn, Epoch: t.epoch})
	}
	if t.taken++; t.taken == t.job.Settings.CommitEvery {
		t.commit(out)
		return
	}
	t.rest(out) // the end of the input is told only once
}

// commit hands the transaction to the coordinator.
func (t *xaTask) commit(out *Out) {
	t.waits, t.to = true, slices.Clone(t.offsets)
	t.ask(xaCommit, out)
}

func (t *xaTask) ask(note int8, out *Out) {
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: note, Ckpt: int32(t.txn.No), Value: int64(t.txn.Attempt)})
}

// outcome ends the waiting. What was aborted is taken again from the position that
// is still the committed one.
func (t *xaTask) outcome(committed bool, out *Out) {
	if committed {
		copy(t.base, t.to)
	}
	for p, at := range t.base {
		if t.offsets[p] != at {
			out.add(Effect{Kind: DoRewind, Value: int64(p), After: int64(at)})
		}
	}
	t.offsets = slices.Clone(t.base)
	t.recount()
	t.txn, t.waits, t.taken = engine.Txn{}, false, 0
	t.rest(out)
}

// rest commits a last partial transaction, or ends the run when all is committed.
func (t *xaTask) rest(out *Out) {
	for p, at := range t.offsets {
		if int(at) < len(t.job.Input.Parts[p]) {
			return
		}
	}
	switch {
	case t.ended < len(t.offsets): // InLogEnd is still to come
	case t.txn.IsZero():
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	default:
		t.commit(out)
	}
}
