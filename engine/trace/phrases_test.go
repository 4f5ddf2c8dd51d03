package trace_test

import "effectivelyonce/engine"

// addPhrases adds one event of every kind, and more where the sentence depends on
// the payload. Fault is written one higher than it is, so that zero means none.
func addPhrases(add func(engine.Kind, string, engine.Event), task func(string) engine.TaskID, lane engine.ChanID) {
	addFlow(add, lane)
	addOutput(add, engine.Txn{Task: task("topic/0"), No: 3, Attempt: 1})
	addRecovery(add)
}

// rec is an event about the record P0:3.
func rec(e engine.Event) engine.Event {
	e.Rec, e.Key = engine.RecordID{Part: 0, Off: 3}, 2
	if e.Value == 0 {
		e.Value = 44 * engine.ValueScale
	}
	return e
}

func addFlow(add func(engine.Kind, string, engine.Event), lane engine.ChanID) {
	add(engine.SourceRead, "source/0", rec(engine.Event{Before: 3, After: 4}))
	add(engine.RecordSent, "source/1", rec(engine.Event{Chan: lane, After: 1}))
	add(engine.RecordReceived, "count/0", rec(engine.Event{Chan: lane, After: 1}))
	add(engine.RecordProcessed, "count/0", rec(engine.Event{Chan: lane, Before: 2, After: 3}))
	add(engine.ChannelFull, "source/1", rec(engine.Event{Chan: lane, After: 8}))
	add(engine.InputEnded, "source/1", engine.Event{})
	add(engine.Watermark, "source/0", engine.Event{Value: 130_000, Before: int64(engine.NoTime), After: 130_000})
	add(engine.WindowFired, "count/0", rec(engine.Event{Value: 200_000, After: 3}))
	add(engine.RecordJoined, "count/0", rec(engine.Event{Before: 2000, After: 6000}))

	add(engine.CheckpointTriggered, "coordinator", engine.Event{Ckpt: 3})
	add(engine.BarrierInjected, "source/0", engine.Event{Ckpt: 3, After: 8})
	add(engine.BarrierArrived, "count/0", engine.Event{Ckpt: 3, Chan: lane, After: 1})
	add(engine.ChannelBlocked, "count/0", engine.Event{Ckpt: 3, Chan: lane})
	add(engine.BarrierAligned, "count/0", engine.Event{Ckpt: 3})
	add(engine.ChannelUnblocked, "count/0", engine.Event{Ckpt: 3, Chan: lane})
	add(engine.BarrierAligned, "table/0", engine.Event{Ckpt: 3})
	add(engine.SnapshotTaken, "source/0", engine.Event{Ckpt: 3, After: 8})
	add(engine.SnapshotTaken, "count/0", engine.Event{Ckpt: 3, After: 1})
	add(engine.SnapshotTaken, "topic/0", engine.Event{Ckpt: 3})
	add(engine.SnapshotStored, "count/0", engine.Event{Ckpt: 3})
	add(engine.CheckpointAcked, "count/0", engine.Event{Ckpt: 3, Before: 3, After: 4})
	add(engine.CheckpointComplete, "coordinator", engine.Event{Ckpt: 3, After: 8})
	add(engine.CheckpointNotified, "topic/0", engine.Event{Ckpt: 3})
	add(engine.CheckpointExpired, "coordinator", engine.Event{Ckpt: 4, Before: 5})
	add(engine.CheckpointDiscarded, "", engine.Event{Ckpt: 5, Before: 4})
	add(engine.CheckpointDiscarded, "", engine.Event{Ckpt: 6, Before: 8})
}

func addOutput(add func(engine.Kind, string, engine.Event), txn engine.Txn) {
	open, pre, done, gone := int64(engine.TxnOpen), int64(engine.TxnPrecommitted), int64(engine.TxnCommitted), int64(engine.TxnAborted)
	add(engine.TxnBegin, "topic/0", engine.Event{Txn: txn, After: open})
	add(engine.SinkWrite, "topic/0", rec(engine.Event{Txn: txn}))
	add(engine.TxnPrecommit, "topic/0", engine.Event{Txn: txn, Ckpt: 3, Before: open, After: pre, Value: 1})
	add(engine.TxnPrecommit, "topic/0", engine.Event{Txn: txn, Ckpt: 3, Before: int64(engine.TxnTimedOut), After: int64(engine.TxnTimedOut), Value: 1})
	add(engine.TxnCommit, "topic/0", engine.Event{Txn: txn, Before: pre, After: done, Value: 4})
	add(engine.TxnCommit, "topic/0", engine.Event{Txn: txn, Before: pre, After: done})
	add(engine.TxnCommit, "topic/0", engine.Event{Txn: txn, Before: done, After: done, Value: 4, Attempt: 2})
	add(engine.TxnAbort, "topic/0", engine.Event{Txn: txn, Before: open, After: gone, Value: 2, Attempt: 2})
	add(engine.TxnExpired, "topic/0", engine.Event{Txn: txn, Before: pre, After: int64(engine.TxnTimedOut), Value: 2})
	add(engine.Fenced, "topic/0", engine.Event{Txn: txn, Before: gone, After: gone, Attempt: 2})

	add(engine.SinkWrite, "table/0", rec(engine.Event{Value: 1, Before: engine.NoRow, After: 1}))
	add(engine.SinkWrite, "table/0", rec(engine.Event{Value: 3, Before: 2, After: 3}))
	add(engine.SinkWrite, "table/0", rec(engine.Event{Value: 2, Before: 5, After: 2}))
	add(engine.SinkWrite, "ledger/0", rec(engine.Event{Before: 44 * engine.ValueScale, After: 44 * engine.ValueScale}))
	add(engine.SinkWrite, "mailbox/0", rec(engine.Event{}))
}

func addRecovery(add func(engine.Kind, string, engine.Event)) {
	add(engine.FaultInjected, "count/1", engine.Event{Fault: 1})
	add(engine.FaultInjected, "count/0", engine.Event{Fault: 2})
	add(engine.FaultInjected, "", engine.Event{Fault: 3})
	add(engine.FaultInjected, "coordinator", engine.Event{Fault: 1})
	add(engine.FaultEnded, "count/0", engine.Event{Fault: 2})
	add(engine.TaskFailed, "count/1", engine.Event{Reason: engine.Crashed})
	add(engine.TaskFailed, "", engine.Event{Reason: engine.Crashed})
	add(engine.TaskFailed, "coordinator", engine.Event{Reason: engine.CheckpointsFailed})
	add(engine.StartRefused, "topic/0", engine.Event{Reason: engine.TimeoutTooLong})
	add(engine.RestartBegin, "", engine.Event{Before: 1, After: 2})
	add(engine.RestoreDone, "count/1", engine.Event{Ckpt: 2, Attempt: 2})
	add(engine.RestoreDone, "count/1", engine.Event{Attempt: 2})
	add(engine.SourceRewound, "source/0", engine.Event{Before: 11, After: 8, Attempt: 2})
	add(engine.SourceRewound, "source/1", engine.Event{Before: 9, After: 9, Attempt: 2})
	add(engine.ReplayCaughtUp, "", engine.Event{Attempt: 2})
	for _, r := range []engine.Reason{engine.AtRest, engine.HorizonReached, engine.RestartsExhausted, engine.NeverStarted} {
		add(engine.RunEnded, "", engine.Event{Reason: r})
	}
}
