package machine

import "effectivelyonce/engine"

// plainDeeds are the deeds whose event is known without asking the outside world.
var plainDeeds = [...]engine.Kind{
	DoRead: engine.SourceRead, DoProcess: engine.RecordProcessed, DoArrive: engine.BarrierArrived,
	DoBlock: engine.ChannelBlocked, DoUnblock: engine.ChannelUnblocked, DoEndInput: engine.InputEnded,
	DoRestored: engine.RestoreDone, DoRewind: engine.SourceRewound, DoNotified: engine.CheckpointNotified,
	DoInject: engine.BarrierInjected, DoAlign: engine.BarrierAligned, DoSnapshot: engine.SnapshotTaken,
	DoTrigger: engine.CheckpointTriggered, DoAcked: engine.CheckpointAcked, DoSeal: engine.CheckpointComplete,
	DoExpire: engine.CheckpointExpired, DoRefuse: engine.StartRefused, DoFail: engine.TaskFailed,
	DoEndRun:    engine.RunEnded,
	DoDiscard:   engine.CheckpointDiscarded,
	DoWatermark: engine.Watermark, DoFire: engine.WindowFired, DoJoin: engine.RecordJoined,
	DoCopy: engine.SnapshotTaken, DoReinject: engine.InflightReinjected,
}

// Recorded is the event that a deed of a process is recorded as, by every driver.
// The kind is NoKind where only the driver knows it (a send, a write, an Op), and
// the Before of source.rewound is the driver's too.
func Recorded(who engine.TaskID, attempt int16, e *Effect) engine.Event {
	switch e.Kind {
	case DoAcked:
		who = e.Task
	case DoEndRun:
		who = engine.JobID
	}
	ev := engine.Event{Task: who, Chan: engine.NoChan, Attempt: attempt, Rec: engine.NoRecord, Reason: e.Reason,
		Ckpt: e.Ckpt, Txn: e.Txn, Before: e.Before, After: e.After}
	if int(e.Kind) < len(plainDeeds) {
		ev.Kind = plainDeeds[e.Kind]
	}
	switch e.Kind {
	case DoRead, DoProcess, DoSend, DoWrite, DoReinject, DoJoin:
		ev.Rec, ev.Key, ev.Value, ev.Attempt = e.Record.ID, e.Record.Key, e.Record.Value, e.Record.Attempt
	}
	switch e.Kind {
	case DoFire:
		ev.Rec, ev.Key, ev.Value, ev.Attempt = e.Record.ID, e.Record.Key, e.Value, e.Record.Attempt
	case DoWatermark:
		ev.Chan, ev.Value = e.Chan, e.Value
	case DoRewind:
		ev.Value = e.Value
	case DoProcess, DoSend, DoArrive, DoBlock, DoUnblock, DoReinject:
		ev.Chan = e.Chan
	}
	return ev
}
