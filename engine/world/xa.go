package world

import "effectivelyonce/engine"

// XA is what the parties of global transactions keep outside their processes: the
// broker its positions and its branch of each transaction, the coordinator its log
// of decisions. The other branch, the rows, is a transaction of the sink's
// database (World.Topics). All of it survives every crash. (X/Open XA as databases
// and brokers implement it; facts 10.1, secondary source)
type XA struct {
	sink     int
	At       []int32 // by partition: the committed position
	branches []branch
}

// branch is the broker's part of one global transaction, with what the
// coordinator's log says about the whole.
type branch struct {
	id      engine.Txn
	to      [engine.MaxPartitions]int32 // the positions it would commit
	state   engine.TxnState
	decided engine.TxnState // TxnNone: the log has no decision
}

// The participants of a global transaction, in the order in which they are asked.
const (
	Database = iota
	Broker
	Participants // how many there are
)

// NewXA is the parties before the first transaction. Sink is the database.
func NewXA(in *engine.Input, sink int) *XA { return &XA{sink: sink, At: make([]int32, len(in.Parts))} }

// Fork copies x.
func (x *XA) Fork(into Durable) Durable {
	c, ok := into.(*XA)
	if !ok {
		c = &XA{}
	}
	at, branches := append(c.At[:0], x.At...), append(c.branches[:0], x.branches...)
	*c = *x
	c.At, c.branches = at, branches
	return c
}

func (x *XA) find(id engine.Txn) *branch {
	for i := range x.branches {
		if x.branches[i].id == id {
			return &x.branches[i]
		}
	}
	return nil
}

// Last is the newest global transaction and how many there have been.
func (x *XA) Last() (id engine.Txn, n int) {
	if n = len(x.branches); n > 0 {
		id = x.branches[n-1].id
	}
	return id, n
}

// Positions are those that a transaction would commit.
func (x *XA) Positions(id engine.Txn) []int32 { return x.find(id).to[:len(x.At)] }

// Decided is the logged decision, TxnNone if there is none.
func (x *XA) Decided(id engine.Txn) engine.TxnState { return x.find(id).decided }

// State is where a participant's branch stands.
func (x *XA) State(w *World, id engine.Txn, participant int) engine.TxnState {
	if participant == Broker {
		return x.find(id).state
	}
	s, _ := w.Topics[x.sink].State(id)
	return s
}

// InDoubt reports whether a participant has voted yes and not been told the decision.
func (x *XA) InDoubt(w *World, id engine.Txn) bool {
	return x.State(w, id, Database) == engine.TxnPrecommitted || x.State(w, id, Broker) == engine.TxnPrecommitted
}

// XABegin opens both branches of a global transaction. The database's clock does
// not run: a prepared branch waits for its coordinator however long that takes.
type XABegin struct {
	Txn   engine.Txn
	Epoch int16
}

// Perform is recorded as txn.begin.
func (op *XABegin) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind, ev.Txn, ev.After = engine.TxnBegin, op.Txn, int64(engine.TxnOpen)
	x := w.Own.(*XA)
	w.Topics[x.sink].Begin(op.Txn, op.Epoch)
	b := branch{id: op.Txn, state: engine.TxnOpen}
	copy(b.to[:], x.At)
	x.branches = append(x.branches, b)
	return Answer{}
}

// XAConsume notes that a message was taken from the broker within a transaction:
// its position moves with the transaction or not at all. It has no event of its
// own; it takes hold with the reading.
type XAConsume struct {
	Txn engine.Txn
	ID  engine.RecordID
}

// Perform changes the broker's branch.
func (op *XAConsume) Perform(w *World, _ *engine.Event) Answer {
	w.Own.(*XA).find(op.Txn).to[op.ID.Part] = op.ID.Off + 1
	return Answer{}
}

// XAPrepare asks a participant for its vote. A yes binds: the branch can be
// committed whatever happens, is aborted by nobody but the coordinator, and its
// locks are held until then. A branch that has been aborted is a no.
type XAPrepare struct {
	Txn         engine.Txn
	Participant int
}

// Perform is recorded as participant.prepared, or fenced for a no (Refused). Value
// is the participant.
func (op *XAPrepare) Perform(w *World, ev *engine.Event) Answer {
	x := w.Own.(*XA)
	before := x.State(w, op.Txn, op.Participant)
	ev.Task, ev.Txn, ev.Value, ev.Before, ev.After = op.Txn.Task, op.Txn, int64(op.Participant), int64(before), int64(before)
	if before != engine.TxnOpen {
		ev.Kind = engine.Fenced
		return Answer{Tell: true, Refused: true}
	}
	ev.Kind, ev.After = engine.ParticipantPrepared, int64(engine.TxnPrecommitted)
	if op.Participant == Broker {
		x.find(op.Txn).state = engine.TxnPrecommitted
	} else {
		w.Topics[x.sink].Precommit(op.Txn)
	}
	return Answer{Tell: true}
}

// XADecide is the coordinator's decision. With Logged it is durable with this
// event; otherwise it dies with the coordinator.
type XADecide struct {
	Txn    engine.Txn
	Commit bool
	Logged bool
}

// Perform is recorded as coordinator.decided.
func (op *XADecide) Perform(w *World, ev *engine.Event) Answer {
	after := engine.TxnAborted
	if op.Commit {
		after = engine.TxnCommitted
	}
	ev.Kind, ev.Txn, ev.After = engine.CoordinatorDecided, op.Txn, int64(after)
	if op.Logged {
		w.Own.(*XA).find(op.Txn).decided = after
	}
	return Answer{Tell: true}
}

// XAFinish tells a participant the decision. Repeating it changes nothing. A branch
// without a vote cannot be committed, a committed one not be aborted.
type XAFinish struct {
	Txn         engine.Txn
	Participant int
	Commit      bool
}

// Perform is recorded as txn.commit or txn.abort at the database and as
// offset.commit at the broker, whose abort nobody sees; or as fenced.
func (op *XAFinish) Perform(w *World, ev *engine.Event) Answer {
	x := w.Own.(*XA)
	state := x.State(w, op.Txn, op.Participant)
	ev.Task, ev.Txn, ev.Before, ev.After = op.Txn.Task, op.Txn, int64(state), int64(state)
	if op.refused(state) {
		ev.Kind = engine.Fenced
		return Answer{Tell: true, Refused: true}
	}
	if op.Participant == Broker {
		x.finish(op, ev)
		return Answer{Tell: true}
	}
	_, ev.Value = w.Topics[x.sink].State(op.Txn)
	ev.Kind, ev.After = engine.TxnAbort, int64(engine.TxnAborted)
	if op.Commit {
		ev.Kind, ev.After = engine.TxnCommit, int64(engine.TxnCommitted)
	}
	if op.Commit {
		w.Topics[x.sink].Commit(op.Txn)
	} else {
		w.Topics[x.sink].Abort(op.Txn, false)
	}
	return Answer{Tell: true}
}

func (op *XAFinish) refused(state engine.TxnState) bool {
	if op.Commit {
		return state != engine.TxnPrecommitted && state != engine.TxnCommitted
	}
	return state == engine.TxnCommitted
}

// finish ends the broker's branch. With a commit the positions move.
func (x *XA) finish(op *XAFinish, ev *engine.Event) {
	b := x.find(op.Txn)
	to := b.to[:len(x.At)]
	ev.Kind, ev.Ckpt, ev.Before = engine.OffsetCommit, int32(op.Txn.No), 0
	ev.Value, ev.After = engine.PackPositions(to)
	switch {
	case op.Commit:
		b.state = engine.TxnCommitted
		copy(x.At, to)
	default:
		b.state = engine.TxnAborted
	}
}
