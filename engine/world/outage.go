package world

import "effectivelyonce/engine"

// BrokerOp is an Op that may be a request to the broker: it waits while the broker
// is down.
type BrokerOp interface{ AsksBroker() bool }

// StorageOp is an Op that writes to the checkpoint store of its strategy: it waits
// while the store is down.
type StorageOp interface{ asksStorage() }

// MessageOp is an Op that may be a commit or an abort on its way to a broker.
type MessageOp interface{ Message() engine.Message }

// AsksBroker is true: a loop saves its positions at the broker.
func (op *CommitOffsets) AsksBroker() bool { return true }

// AsksBroker is true: a repartition log is a topic.
func (op *AppendRepartition) AsksBroker() bool { return true }

// AsksBroker is true: a changelog is a topic.
func (op *AppendChange) AsksBroker() bool { return true }

// AsksBroker is true: the row goes to a topic.
func (op *StreamRow) AsksBroker() bool { return true }

// AsksBroker is true: positions are kept at the broker.
func (op *CommitStreams) AsksBroker() bool { return true }

// AsksBroker is true.
func (op *BeginStreams) AsksBroker() bool { return true }

// AsksBroker is true.
func (op *EndStreams) AsksBroker() bool { return true }

// Message is a commit or an abort.
func (op *EndStreams) Message() engine.Message {
	if op.Abort {
		return engine.AbortMessage
	}
	return engine.CommitMessage
}

// AsksBroker is true where the broker is the participant asked.
func (op *XAPrepare) AsksBroker() bool { return op.Participant == Broker }

// AsksBroker is true where the broker is the participant told.
func (op *XAFinish) AsksBroker() bool { return op.Participant == Broker }

// Message is the decision, on its way to a participant.
func (op *XAFinish) Message() engine.Message {
	if op.Commit {
		return engine.CommitMessage
	}
	return engine.AbortMessage
}

func (op *LogRange) asksStorage()  {}
func (op *LogCommit) asksStorage() {}

// Repeated reports whether a row of a transaction that is still open was written
// before: rows carry their producer's sequence numbers, which the broker
// remembers (facts 5.1; Kafka keeps the last 5 batches of a producer).
func (t *Topic) Repeated(id engine.Txn, seq int64) bool {
	x := t.find(id)
	return x != nil && x.state == engine.TxnOpen && seq <= x.rows
}

// Unsettled reports whether readers of committed rows still have to wait for a
// transaction with rows that nobody has ended.
func (t *Topic) Unsettled() bool {
	for i := range t.txns {
		if x := &t.txns[i]; x.pending() && x.rows > 0 {
			return true
		}
	}
	return false
}

// InitFresh is Init under a name that was never used: nothing is found that could
// be ended.
func (t *Topic) InitFresh(task engine.TaskID) int16 {
	n, _ := t.Init(task)
	return n
}
