package world

import "effectivelyonce/engine"

// Topic is the broker's side of a transactional sink: its transactions, and the
// epoch of each writing task. Rows and markers are events of the trace.
type Topic struct {
	txns   []txn
	epochs []epoch
}

type txn struct {
	id    engine.Txn
	state engine.TxnState
	rows  int64
}

type epoch struct {
	task engine.TaskID
	n    int16
}

// Init is what a broker does when a producer registers under its transactional
// id: the epoch grows, so that an older owner is refused from now on (Kafka's
// InitProducerId). It returns the new epoch and the transactions of that task
// that nobody has ended.
func (t *Topic) Init(task engine.TaskID) (n int16, lingering []engine.Txn) {
	e := t.epochOf(task)
	e.n++
	for i := range t.txns {
		if x := &t.txns[i]; x.id.Task == task && x.pending() {
			lingering = append(lingering, x.id)
		}
	}
	return e.n, lingering
}

// Epoch is the newest epoch of a task's producer.
func (t *Topic) Epoch(task engine.TaskID) int16 { return t.epochOf(task).n }

func (t *Topic) epochOf(task engine.TaskID) *epoch {
	for i := range t.epochs {
		if t.epochs[i].task == task {
			return &t.epochs[i]
		}
	}
	t.epochs = append(t.epochs, epoch{task: task})
	return &t.epochs[len(t.epochs)-1]
}

func (x *txn) pending() bool {
	return x.state == engine.TxnOpen || x.state == engine.TxnPrecommitted
}

func (t *Topic) find(id engine.Txn) *txn {
	for i := range t.txns {
		if t.txns[i].id == id {
			return &t.txns[i]
		}
	}
	return nil
}

// State is where a transaction stands, and how many rows it holds.
func (t *Topic) State(id engine.Txn) (engine.TxnState, int64) {
	if x := t.find(id); x != nil {
		return x.state, x.rows
	}
	return engine.TxnNone, 0
}

// Batch is the newest batch that a task has committed here; a batch's number is
// stored in its own transaction.
func (t *Topic) Batch(task engine.TaskID) int32 {
	n := int16(0)
	for i := range t.txns {
		if x := &t.txns[i]; x.id.Task == task && x.state == engine.TxnCommitted {
			n = max(n, x.id.No)
		}
	}
	return int32(n)
}

// Published reports whether something of this task has been committed, or renamed
// to its final name.
func (t *Topic) Published(task engine.TaskID) bool {
	for i := range t.txns {
		if t.txns[i].id.Task == task && t.txns[i].state == engine.TxnCommitted {
			return true
		}
	}
	return false
}

// Begin opens a transaction; its clock starts (facts 4.5). A stale epoch is refused.
func (t *Topic) Begin(id engine.Txn, epoch int16) bool {
	if t.epochOf(id.Task).n != epoch {
		return false
	}
	t.txns = append(t.txns, txn{id: id, state: engine.TxnOpen})
	return true
}

// Write adds a row to an open transaction. It refuses a stale epoch and a
// transaction that is no longer open.
func (t *Topic) Write(id engine.Txn, epoch int16) bool {
	x := t.find(id)
	if x == nil || x.state != engine.TxnOpen || t.epochOf(id.Task).n != epoch {
		return false
	}
	x.rows++
	return true
}

// Precommit notes that the writer has flushed and promised. The broker is asked
// nothing (facts 4, step 3): an ended transaction stays ended.
func (t *Topic) Precommit(id engine.Txn) (before, after engine.TxnState) {
	x := t.find(id)
	before = x.state
	if x.state == engine.TxnOpen {
		x.state = engine.TxnPrecommitted
	}
	return before, x.state
}

// Commit ends a transaction for good. Repeating it on a committed one changes
// nothing (facts 4.1); on an aborted or expired one it is refused.
func (t *Topic) Commit(id engine.Txn) (before engine.TxnState, ok bool) {
	x := t.find(id)
	if x == nil {
		return engine.TxnNone, false
	}
	before = x.state
	if x.pending() {
		x.state = engine.TxnCommitted
	}
	return before, x.state == engine.TxnCommitted
}

// Abort ends a transaction that is open or pre-committed; expired says that the
// broker did it because the transaction's time was up.
func (t *Topic) Abort(id engine.Txn, expired bool) (before engine.TxnState, ok bool) {
	x := t.find(id)
	if x == nil || !x.pending() {
		return engine.TxnNone, false
	}
	before = x.state
	x.state = engine.TxnAborted
	if expired {
		x.state = engine.TxnTimedOut
	}
	return before, true
}
