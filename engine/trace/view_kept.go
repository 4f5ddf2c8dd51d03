package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// Kept is what a strategy other than checkpoints keeps outside its processes. It
// survives every crash; what does not concern the strategy is empty.
type Kept struct {
	Commit    int32      // offset-commit, kafka-streams, xa: the newest commit of positions
	Committed []int32    // by partition: the first record behind it
	Sent      []int32    // kafka-streams: positions in the open transaction, nil: none
	Txn       engine.Txn // kafka-streams, xa: the newest transaction
	State     engine.TxnState

	Plans []Plan // microbatch, trident: the offset log
	Done  int32  // the newest batch in the commit log

	Store    [][]int64  // by task: counts in a store that survives it
	Sealed   [][]int64  // by task: kafka-streams: the changelog as committed; microbatch, xa: the counts as of the last commit
	Changes  [][]int64  // by task: kafka-streams: the newest values in the changelog
	Entries  []int      // by task: length of the changelog
	Topics   []Topic    // by task: kafka-streams: the changelog as a topic
	Wiped    []bool     // by task: the local store was wiped or its disk is lost, and it is being rebuilt
	IDs      []int      // by task: dataflow: records whose id the stage has stored
	Txids    []int32    // by key: trident: the batch that a row took in last
	Commands int        // replicated: length of the command log
	Acked    []int32    // by partition: replicated: invocations that were acknowledged
	Panes    [][2]Timed // by task: microbatch: event time and windows as of the two newest state versions, newest first

	Published []int64 // by task: batch: records in the published output, -1: none yet

	Votes   [2]bool         // xa: the database, the broker: voted yes and not been told the decision
	Decided engine.TxnState // xa: what the coordinator decided about Txn
}

// Plan is a batch and where its range ends, by partition.
type Plan struct {
	Batch int32
	To    []int32
}

func newKept(job *engine.Job) Kept {
	n, parts, keys := len(job.Plan.Tasks), len(job.Input.Parts), len(job.Input.Keys)
	k := Kept{Committed: make([]int32, parts), Acked: make([]int32, parts), Txids: make([]int32, keys), Store: make([][]int64, n),
		Sealed: make([][]int64, n), Changes: make([][]int64, n), Entries: make([]int, n), Topics: make([]Topic, n), Wiped: make([]bool, n), IDs: make([]int, n),
		Published: make([]int64, n), Panes: make([][2]Timed, n)}
	for i := range k.Published {
		k.Published[i] = -1
		if Counts(job.Plan.Tasks[i].Kind) {
			k.Store[i], k.Sealed[i], k.Changes[i] = make([]int64, keys), make([]int64, keys), make([]int64, keys)
		}
	}
	return k
}

// Counts reports whether tasks of this kind hold counts by key.
func Counts(k engine.OpKind) bool {
	return k == engine.OpCount || k == engine.OpLoop || k == engine.OpReduce || k == engine.OpReplica
}

// Repartition reports whether a channel is a log at the broker instead of a queue
// between two processes.
func (v *View) Repartition(c engine.ChanID) bool {
	return v.Job.Settings.Strategy == "kafka-streams" && v.Job.Plan.Tasks[v.Job.Plan.Channels[c].To].Kind == engine.OpCount
}

// keep folds what an event changes outside of all processes.
func (v *View) keep(e *engine.Event) {
	k := &v.Kept
	switch e.Kind {
	case engine.OffsetCommit:
		v.keepOffsets(e)
	case engine.OffsetLogWritten:
		k.Plans = append(slices.DeleteFunc(k.Plans, func(p Plan) bool { return p.Batch >= e.Ckpt }),
			Plan{Batch: e.Ckpt, To: engine.UnpackPositions(e.Value, e.After, len(v.Logs))})
	case engine.CommitLogWritten:
		k.Done = e.Ckpt
		for _, p := range k.Plans {
			if p.Batch == e.Ckpt {
				v.cut(e.Ckpt, p.To)
			}
		}
	case engine.SnapshotStored:
		if v.Job.Settings.Strategy == "microbatch" && v.isTask(e.Task) {
			k.Changes[e.Task], k.Sealed[e.Task] = k.Sealed[e.Task], slices.Clone(v.Tasks[e.Task].Counts)
			k.Panes[e.Task] = [2]Timed{v.Tasks[e.Task].Timed.saved(), k.Panes[e.Task][0]}
			k.Entries[e.Task] = int(e.Ckpt)
			v.Tasks[e.Task].Saved, v.Tasks[e.Task].Durable = e.Ckpt, true
			v.touch(e.Task)
		}
	case engine.ChangelogCompacted, engine.StandbyPromoted:
		v.logTopic(e)
	case engine.StateWrite, engine.ChangelogAppend, engine.StoreWiped, engine.CommandLogged, engine.SinkAck, engine.MapDone:
		v.keepState(e)
	case engine.TxnBegin, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.ParticipantPrepared, engine.CoordinatorDecided:
		v.keepTxn(e)
	default:
		return
	}
	v.dirty.Durable = true
}

// cut marks where a restart would go on.
func (v *View) cut(no int32, at []int32) {
	for p, off := range at {
		v.Logs[p].Rewind = Cut{Ckpt: no, Off: off}
		v.dirty.Logs[p] = true
	}
	v.tidy()
}

func (v *View) keepOffsets(e *engine.Event) {
	k, at := &v.Kept, engine.UnpackPositions(e.Value, e.After, len(v.Logs))
	if v.Job.Settings.Strategy == "kafka-streams" && !e.Txn.IsZero() {
		k.Sent = at
		return
	}
	k.Commit, k.Committed = e.Ckpt, at
	if v.Job.Settings.Strategy == "xa" {
		k.Votes[1] = false
	}
	v.cut(e.Ckpt, at)
	v.settle(true)
	v.settleTopics(true)
}

// settle ends what repartition logs hold back: with a commit what was taken is
// done with, and what a transaction brought is there.
func (v *View) settle(committed bool) {
	for i := range v.Chans {
		c := &v.Chans[i]
		if !v.Repartition(engine.ChanID(i)) {
			continue
		}
		if committed {
			c.done = nil
		} else {
			c.Elems = slices.DeleteFunc(c.Elems, func(el Elem) bool { return !el.Txn.IsZero() })
		}
		for j := range c.Elems {
			c.Elems[j].Txn = engine.Txn{}
		}
		v.dirty.Chans[i] = true
	}
}

func (v *View) keepState(e *engine.Event) {
	k := &v.Kept
	switch e.Kind {
	case engine.StateWrite:
		v.keepWrite(e)
	case engine.ChangelogAppend:
		k.Changes[e.Task][e.Key] = e.After
		k.Entries[e.Task]++
		v.logTopic(e)
		if e.Txn.IsZero() {
			k.Sealed[e.Task][e.Key] = e.After
		}
	case engine.StoreWiped:
		clear(k.Store[e.Task])
		k.Wiped[e.Task] = true
		v.touch(e.Task)
	case engine.CommandLogged:
		k.Commands = int(e.After)
	case engine.SinkAck:
		k.Acked[e.Rec.Part] = e.Rec.Off + 1
		v.Logs[e.Rec.Part].Rewind = Cut{Ckpt: 1, Off: e.Rec.Off + 1}
		v.dirty.Logs[e.Rec.Part] = true
	case engine.MapDone:
		k.Published[e.Task] = e.Value
		p := v.Job.Plan.Tasks[e.Task].Part
		v.Logs[p].Rewind = Cut{Ckpt: 1, Off: v.Logs[p].Next}
		v.dirty.Logs[p] = true
		v.touch(e.Task)
		v.publish(e.Task, e.Attempt)
	}
}

// keepWrite is a write to a store that survives the task.
func (v *View) keepWrite(e *engine.Event) {
	k := &v.Kept
	if v.Job.Settings.Strategy == "dataflow" {
		k.IDs[e.Task]++
		if v.Job.Plan.Tasks[e.Task].Kind == engine.OpSource {
			p := v.Job.Plan.Tasks[e.Task].Part
			v.Logs[p].Rewind = Cut{Ckpt: 1, Off: int32(e.After)}
			v.dirty.Logs[p] = true
		}
	}
	if e.Rec == engine.NoRecord {
		k.Txids[e.Key] = e.Ckpt
		for i := range v.Outside {
			v.Outside[i].set(RowID{Rec: engine.NoRecord, Key: e.Key}, &engine.Event{Rec: engine.NoRecord, Key: e.Key, Value: e.After, Attempt: e.Attempt})
			v.dirty.Outside[i] = true
		}
	}
	if k.Store[e.Task] == nil {
		return
	}
	k.Store[e.Task][e.Key] = e.After
}

// keepTxn follows transactions that are not one sink's own.
func (v *View) keepTxn(e *engine.Event) {
	k := &v.Kept
	if s := v.Job.Settings.Strategy; s != "kafka-streams" && s != "xa" {
		return
	}
	switch e.Kind {
	case engine.TxnBegin:
		k.Txn, k.State, k.Sent, k.Votes, k.Decided = e.Txn, engine.TxnOpen, nil, [2]bool{}, engine.TxnNone
	case engine.ParticipantPrepared:
		k.Votes[e.Value&1] = true
		for i := range v.dirty.Outside {
			v.dirty.Outside[i] = true
		}
	case engine.CoordinatorDecided:
		k.Decided = engine.TxnState(e.After)
	case engine.TxnCommit:
		k.State, k.Votes[0] = engine.TxnCommitted, false
		if k.Sent != nil {
			k.Commit, k.Committed, k.Sent = e.Ckpt, k.Sent, nil
			v.cut(k.Commit, k.Committed)
		}
		v.seal(true)
	default:
		k.State, k.Sent, k.Votes = engine.TxnState(e.After), nil, [2]bool{}
		v.seal(false)
	}
}

// seal makes the counts of a transaction final, or takes them back.
func (v *View) seal(committed bool) {
	k := &v.Kept
	v.settle(committed)
	v.settleTopics(committed)
	for i := range v.Tasks {
		switch {
		case k.Sealed[i] == nil:
		case v.Job.Settings.Strategy == "xa" && committed:
			copy(k.Sealed[i], v.Tasks[i].Counts)
		case v.Job.Settings.Strategy == "xa":
			copy(v.Tasks[i].Counts, k.Sealed[i])
			v.dirty.States[i] = true
		case committed:
			copy(k.Sealed[i], k.Changes[i])
		default:
			copy(k.Changes[i], k.Sealed[i])
		}
	}
}
