package engine

// Kind is one of the closed list of things that can happen in a run.
type Kind uint8

// Event is one performed effect. Events of a run are numbered 1…N without gaps;
// gap n lies after event n, gap 0 before everything, and every gap is a place
// where a process can die. The struct holds no pointers, so that a trace is one
// block of memory that can be shared, compared and copied.
//
// Which fields a kind fills is told beside the kind. Fields that do not apply
// hold -1 (Chan, Fault), NoRecord or zero.
type Event struct {
	N       int32
	T       Time
	Kind    Kind
	Reason  Reason
	Task    TaskID // who did it; CoordinatorID or JobID where no task did
	Chan    ChanID // the channel concerned
	Fault   int16  // index into the run's faults
	Attempt int16  // for records: the attempt that read it; otherwise the job's attempt
	Zombie  int16  // not 0: a process did it that had been replaced, started in this attempt; see ZombieWakes
	Rec     RecordID
	Key     KeyID
	Ckpt    int32
	Txn     Txn
	Value   int64
	Before  int64
	After   int64
}

// Kinds of events. The comment names the fields that carry meaning beside N, T,
// Kind and Attempt. "Rec" stands for Rec, Key and Value (the input's value).
const (
	NoKind Kind = iota

	SourceRead      // Task, Rec; Before, After: the source's offset
	BarrierInjected // Task, Ckpt; After: the offset noted. The barrier is on all its output channels with this event
	BarrierArrived  // Task, Chan, Ckpt; Before, After: inputs whose barrier is in
	BarrierAligned  // Task, Ckpt; the barrier goes on, on all output channels, with this event. After: 0, or, where it has overtaken and does not wait, the inputs there are; Before: those whose barrier is in
	ChannelBlocked  // Task (the reader), Chan, Ckpt
	ChannelUnblocked
	ChannelFull // Task (the writer), Chan; After: elements in the channel

	SnapshotTaken       // Task, Ckpt; After: entries copied (a source: its offset); Before, increments: those that have changed and are uploaded
	SnapshotStored      // Task, Ckpt; the part is durable; Value: in-flight records in it. Microbatch: the state version of batch Ckpt
	CheckpointTriggered // coordinator, Ckpt
	CheckpointAcked     // Task whose part it is, Ckpt; Before, After: acknowledgements in
	CheckpointComplete  // coordinator, Ckpt; After: parts. The durable seal: from here on the recovery point
	CheckpointNotified  // Task, Ckpt
	CheckpointExpired   // coordinator, Ckpt; Before: acknowledgements in
	CheckpointDiscarded // job, Ckpt; Before: acknowledgements in

	RecordSent      // Task, Chan, Rec; After: elements in the channel. Into a repartition log: Txn; After: its entries, seen by its reader at once or when Txn commits
	RecordReceived  // Task (the reader), Chan, Rec; After: elements waiting in the lane
	RecordProcessed // Task, Chan, Rec; Reason LateRecord, KnownRecord: dropped; AwaitsTime: see RecordJoined; TableChange: Before, After of the table. At a window Before, After: records in it; at a join or lookup: the value before and after. At a counter Before, After: the key's count; at a sink that gathers a batch After: the total it brings

	TxnBegin     // Task (the coordinator, where one transaction is for all tasks), Txn; After: TxnOpen
	TxnPrecommit // Task, Txn, Ckpt; Before, After: states; Value: rows
	TxnCommit    // Task, Txn; Before, After: states (Committed → Committed is a repeat that changes nothing); Value: rows
	TxnAbort     // Task, Txn; Before, After; Value: rows
	TxnExpired   // Task, Txn; Before, After; Value: rows
	Fenced       // Task, Txn; the broker refused an old epoch or an ended transaction; Before: its state. No Txn: a store refused the token Before, the newest is After; Rec where a row was refused

	SinkAck   // Task (who is told), Rec; what the record led to is acknowledged, and will not be asked for again
	SinkWrite // Task, Rec (Value: what was written: the amount, or the total), Txn; upsert: Before, After of the row (Before NoRow: new). A whole microbatch in one write: no Rec; Ckpt: the batch; Before: rows; Value, After: where it ends, see PackPositions

	DedupID       // Task, Rec; the id is remembered, its effect is a write of its own
	DedupValue    // Task, Rec (Value: what was written); Before, After of the row
	EffectIgnored // Task, Rec; the outside, or a stage, knew it and changed nothing. Microbatch: Ckpt: the batch that it knew; no Rec: all of it. A state that skips a batch: Key, Ckpt (the txid), no Rec
	FileRenamed   // Task, Txn (the file); Value: rows. The file is final with this event

	OffsetCommit       // Task; Ckpt: number of the commit; Value, After: positions, see PackPositions. kafka-streams: Before: positions in the repartition logs, 16 bits each; Txn: they count when it commits
	OffsetLogWritten   // coordinator, Ckpt (the batch); Value, After: the end of its range, see PackPositions
	CommitLogWritten   // coordinator, Ckpt (the batch)
	StateWrite         // Task, Rec; Before, After: the key's count in a store that survives the task (a source: its offset). A batch: Key, Ckpt (the txid), Value: what it adds, no Rec
	ChangelogAppend    // Task, Rec, Txn; Before, After: the key's count; After 0: a tombstone
	StoreWiped         // Task; After: keys it held
	StandbyPromoted    // Task; After: keys its copy holds; Before: entries of the changelog that it has not read
	ChangelogCompacted // Task whose changelog it is; Before, After: committed entries; Value: those that are the head
	MapDone            // Task; its output is published; Value: records in it
	InflightReinjected // Task, Chan, Rec, Ckpt; a record that a barrier had overtaken is put back into its lane

	Watermark    // Task, Chan (NoChan: from its own input log, or restored); Value: what came; Before, After: event time of the task, the least over its inputs. It goes onto the outputs that work in event time, if After is new
	RecordJoined // Task, Rec; a record that has waited for event time to reach its own; Before, After: its value before and after
	WindowFired  // Task, Rec (the row's id, see Job.WindowRow), Key; Value: the window's end; Before: records in it when it fired before, 0; After: records in it

	ParticipantPrepared // Task (the application), Txn; Value: the participant, 0 the database, 1 the broker. A yes-vote that binds
	CoordinatorDecided  // coordinator, Txn; After: TxnCommitted or TxnAborted; durable with this event if there is a log
	CommandLogged       // Task, Rec; After: commands that are durable

	FaultInjected  // Task (target, or JobID), Fault
	FaultEnded     // Task, Fault
	ZombieWakes    // Task, Fault; it was replaced while it slept, and goes on; Value: elements it still has in its queue
	TaskFailed     // Task, Reason
	StartRefused   // Task, Reason
	RestartBegin   // job; Before, After: attempt
	RestoreDone    // Task, Ckpt (0: from the beginning). kafka-streams, counters: Before: keys found in the local store; After: keys in it now
	SourceRewound  // Task; Value: partition; Before, After: offset
	ReplayCaughtUp // job; every source is where it was before the crash
	InputEnded     // Task
	RunEnded       // job; Reason

	KindCount
)

// NoRow is the Before of a write that adds a row.
const NoRow = -1

// TxnState is where a transaction stands at the broker.
type TxnState uint8

// States of a transaction, by what it awaits.
const (
	TxnNone         TxnState = iota
	TxnOpen                  // more writes
	TxnPrecommitted          // the decision
	TxnCommitted
	TxnAborted
	TxnTimedOut // aborted by the broker because its time was up
	TxnRemoved  // a private file that was deleted: nobody can read its rows any more
)

var txnStateNames = [...]string{"none", "open", "pre-committed", "committed", "aborted", "expired", "removed"}

// String is the state's word.
func (s TxnState) String() string { return txnStateNames[s] }

// Reason says why something failed or ended.
type Reason uint8

// Reasons.
const (
	NoReason          Reason = iota
	AtRest                   // everything read, the last checkpoint complete and published
	HorizonReached           // virtual time is up
	RestartsExhausted        // the job failed more often than the model follows it
	Crashed                  // a process died
	CheckpointsFailed        // more checkpoints in a row failed than tolerated
	CommitRefused            // a pre-committed transaction can no longer be committed
	TimeoutTooLong           // transaction.timeout above the broker's transaction.max.timeout
	NeverStarted             // the broker refused the sink at its start
	WriterFenced             // the broker refused a write into an ended transaction
	NoReplicaLeft            // every copy of the table is gone
	SecondJobStarted         // a job with the same transactional ids has started
	ThoughtDead              // a process gave no sign of life for pause.detection
	LateRecord               // it came behind the watermark and its window is gone
	KnownRecord              // a record of its key was there before
	TableChange              // it changed the table of a join
	AwaitsTime               // it waits until event time has reached its own
)

var reasonWords = [...]string{"", "at rest", "horizon reached", "restarts exhausted", "crashed",
	"checkpoints failed", "commit refused", "transaction timeout above the broker's maximum", "never started", "writer fenced", "no replica left",
	"a job with the same transactional ids started", "thought dead",
	"late", "known", "table change", "awaits time"}

// String is the reason in words.
func (r Reason) String() string { return reasonWords[r] }

var kindNames = [KindCount]string{
	SourceRead: "source.read", BarrierInjected: "barrier.injected", BarrierArrived: "barrier.arrived",
	BarrierAligned: "barrier.aligned", ChannelBlocked: "channel.blocked", ChannelUnblocked: "channel.unblocked",
	ChannelFull: "channel.full", SnapshotTaken: "snapshot.taken", SnapshotStored: "snapshot.stored",
	CheckpointTriggered: "checkpoint.triggered", CheckpointAcked: "checkpoint.acked",
	CheckpointComplete: "checkpoint.complete", CheckpointNotified: "checkpoint.notified",
	CheckpointExpired: "checkpoint.expired", CheckpointDiscarded: "checkpoint.discarded",
	RecordSent: "record.sent", RecordReceived: "record.received", RecordProcessed: "record.processed", SinkAck: "sink.ack",
	TxnBegin: "txn.begin", TxnPrecommit: "txn.precommit", TxnCommit: "txn.commit", TxnAbort: "txn.abort",
	TxnExpired: "txn.expired", Fenced: "fenced", SinkWrite: "sink.write",
	DedupID: "dedup.id", DedupValue: "dedup.value", EffectIgnored: "effect.ignored", FileRenamed: "file.renamed",
	OffsetCommit: "offset.commit", OffsetLogWritten: "offsetlog.written", CommitLogWritten: "commitlog.written",
	StateWrite: "state.write", ChangelogAppend: "changelog.append", StoreWiped: "store.wiped", StandbyPromoted: "standby.promoted",
	ChangelogCompacted: "changelog.compacted",
	Watermark:          "watermark", WindowFired: "window.fired", RecordJoined: "record.joined",
	MapDone: "map.done", InflightReinjected: "inflight.reinjected", ParticipantPrepared: "participant.prepared",
	CoordinatorDecided: "coordinator.decided", CommandLogged: "command.logged",
	FaultInjected: "fault.injected", FaultEnded: "fault.ended", ZombieWakes: "zombie.wakes", TaskFailed: "task.failed",
	StartRefused: "start.refused", RestartBegin: "restart.begin", RestoreDone: "restore.done",
	SourceRewound: "source.rewound", ReplayCaughtUp: "replay.caught-up", InputEnded: "input.ended",
	RunEnded: "run.ended",
}

// String is the kind's name as events, faults and pages spell it.
func (k Kind) String() string { return kindNames[k] }

// KindNames lists the names of all kinds, in the order of the constants.
func KindNames() []string { return kindNames[1:] }

// ParseKind finds a kind by its name.
func ParseKind(s string) (Kind, bool) {
	for k, n := range kindNames {
		if n == s && k != 0 {
			return Kind(k), true
		}
	}
	return NoKind, false
}

// PackPositions puts one position a partition into an event's Value and After:
// nine bits each, seven partitions in After, the eighth in Value.
func PackPositions(at []int32) (value, after int64) {
	for p, o := range at {
		if p == 7 {
			value = int64(o)
			continue
		}
		after |= int64(o) << (9 * p)
	}
	return value, after
}

// UnpackPositions is the inverse of PackPositions for n partitions.
func UnpackPositions(value, after int64, n int) []int32 {
	out := make([]int32, n)
	for p := range out {
		if p == 7 {
			out[p] = int32(value)
			continue
		}
		out[p] = int32(after >> (9 * p) & 511)
	}
	return out
}
