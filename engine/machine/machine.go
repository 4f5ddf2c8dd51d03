// Package machine holds the pure machines of a job: tasks, sink writers and
// coordinators. A machine is a plain struct. It has no goroutine, channel, clock,
// random source or I/O; it is told one thing at a time (In) and appends what it
// wants done to a buffer (Out). A driver performs these effects one by one.
//
// Effects come in two sorts. A deed changes something and is recorded as exactly
// one event. A post sends a message or sets a timer; it has no event of its own
// and takes hold together with the deed before it. Every gap between two events
// is a place where a process can die: it then loses its machine, the effects not
// yet performed and the messages it has under way.
//
// Strategies differ in when positions, state and output become durable together.
// Each lives in its own file behind Strategy; adding one touches no other.
package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// Strategy makes the machines of one way to survive a crash.
type Strategy interface {
	Task(job *engine.Job, id engine.TaskID) Task
	Coordinator(job *engine.Job) Coordinator
	// Scope is what restarts when a task or the coordinator has died.
	Scope(dead engine.TaskID) Scope
	// InJob reports whether crash-job takes this process along.
	InJob(id engine.TaskID) bool
	// Failed is what becomes void when the job fails: deeds of the supervisor.
	Failed(w *world.World, out *Out)
	// Durable is what the strategy keeps outside its processes, nil if nothing
	// beyond the checkpoint store.
	Durable(job *engine.Job) world.Durable
}

// New is the strategy that the job's settings name; NewJob has checked the name.
func New(job *engine.Job) Strategy {
	switch job.Settings.Strategy {
	case "barriers":
		return barriers{}
	case "microbatch":
		return microbatch{}
	case "kafka-streams":
		return streams{}
	case "trident":
		return trident{}
	case "dataflow":
		return dataflow{}
	case "xa":
		return xa{}
	case "batch":
		return batch{}
	case "replicated":
		return replicated{job}
	case "offset-commit":
		return offsetCommit{}
	}
	panic("machine: unknown strategy " + job.Settings.Strategy)
}

// Task is one task of the plan: what it does to records and how it takes part in
// the strategy.
type Task interface {
	// Step takes in one thing and appends the effects in the order in which they
	// must take hold.
	Step(in *In, out *Out)
	// Blocked reports whether the task refuses to take elements from this lane.
	Blocked(lane int) bool
	// Reads appends what the task would read next from logs, at most one position
	// a log. A task that reads no log at this moment appends nothing. The driver
	// picks the record that has been available longest, and tells InLogEnd once
	// for a log that is read to its end.
	Reads(buf []LogPos) []LogPos
	// Fork copies the task into an older copy, which may be nil, and returns it.
	Fork(into Task) Task
}

// Bulk is a Task that can be told of several records at once. It is the same as one
// Step for each, in order, before any of their effects is performed: no answer to one
// of them bears on what the machine makes of the next.
type Bulk interface {
	Task
	// StepElements is Step with InElement, Lane and Now for each element that is a
	// record. It tells how many it has taken: it stops at the first one that is none.
	StepElements(in *In, elems []engine.Element, out *Out) int
	// StepRecords is Step with InRead and Now for each record.
	StepRecords(in *In, records []engine.Record, out *Out)
}

// LogPos is a position in a log: an input partition, or a log between two
// operators that outlives its readers (Repartition + reader's lane).
type LogPos struct {
	Log    int
	Offset int32
}

// Repartition is added to the number of a log between operators.
const Repartition = 1000

// Scope is what restarts when a process has died.
type Scope uint8

// Scopes.
const (
	WholeJob   Scope = iota // every task, from the newest durable point
	SingleTask              // the dead process alone
	StaysAway               // nothing; the others go on without it, and the coordinator is told InLost
)

// Coordinator decides when a checkpoint starts and when it exists.
type Coordinator interface {
	Step(in *In, out *Out)
	Fork(into Coordinator) Coordinator
}

// InKind is what happens to a machine.
type InKind uint8

// What happens to tasks, then to coordinators.
const (
	InRestore   InKind = iota + 1 // the task comes to life: Ckpt, Snapshot, Attempt, Epoch, Lingering, Next, Offset
	InRead                        // sources: Record was read from the log
	InLogEnd                      // sources: the partition is read to its end
	InElement                     // Lane, Element: taken from an input; Overtaken: the records that a barrier has jumped
	InTrigger                     // sources: start checkpoint Ckpt
	InStored                      // the part of Ckpt is durable; Value: in-flight records in it
	InNotify                      // checkpoint Ckpt is complete; Final: it is the last
	InAborted                     // checkpoint Ckpt will not complete
	InCommitted                   // the broker committed Txn
	InRefused                     // the broker refused to commit Txn, or to write into it (Write)

	InMessage // Task sent Note with Ckpt and Value
	InDone    // the world has performed an Op that asked for an answer: Answer

	InStart    // the coordinator comes to life: Ckpt is the newest complete checkpoint
	InTimer    // its timer for the next checkpoint fired
	InTimeout  // its timer for checkpoint Ckpt fired
	InAck      // Task has stored its part of Ckpt; Final: nothing is left to read there; Value: in-flight records in it
	InSealed   // checkpoint Ckpt is durably complete
	InFinished // Task has published everything after the final checkpoint
	InLost     // Task was found dead and stays away
	InRejoined // the job has restarted around a coordinator that is no part of it; Attempt
)

// In is one thing that happens to a machine. Fields not named beside the kind are zero.
type In struct {
	Kind      InKind
	Final     bool
	Write     bool
	Alone     bool // InRestore, InStart: the other processes live and go on
	Lane      int
	Log       int
	Note      int8
	Value     int64
	Answer    world.Answer
	World     *world.World // read only: what a process finds when it comes to life
	Ckpt      int32
	Now       engine.Time // coordinators: the time at which this happens
	Next      int32       // the number the next checkpoint will have
	Offset    int32       // the furthest offset any attempt has read
	Attempt   int16
	Epoch     int16
	Task      engine.TaskID
	Txn       engine.Txn
	Record    engine.Record
	Element   engine.Element
	Snapshot  world.Snapshot
	Lingering []engine.Txn
	Overtaken []engine.Record // the driver's; to be copied
}

// EffectKind is what a machine wants done.
type EffectKind uint8

// Deeds, each with the event it is recorded as, then posts.
const (
	DoRead      EffectKind = iota + 1 // source.read
	DoSend                            // record.sent, or channel.full first
	DoProcess                         // record.processed
	DoInject                          // barrier.injected; the barrier goes onto all outputs
	DoArrive                          // barrier.arrived
	DoAlign                           // barrier.aligned; the barrier goes onto all outputs
	DoBlock                           // channel.blocked
	DoUnblock                         // channel.unblocked
	DoSnapshot                        // snapshot.taken; the upload starts
	DoCopy                            // snapshot.taken; the upload starts with PostUpload
	DoReinject                        // inflight.reinjected; the record is put into the lane
	DoEndInput                        // input.ended
	DoRestored                        // restore.done
	DoRewind                          // source.rewound
	DoNotified                        // checkpoint.notified
	DoWrite                           // sink.write, or fenced
	DoBegin                           // txn.begin, or fenced; the broker's clock starts
	DoPrecommit                       // txn.precommit
	DoCommit                          // txn.commit, or fenced; answered by InCommitted or InRefused
	DoAbort                           // txn.abort
	DoRefuse                          // start.refused; the run ends
	DoTrigger                         // checkpoint.triggered
	DoAcked                           // checkpoint.acked
	DoSeal                            // checkpoint.complete, unless a task of it is gone; answered by InSealed
	DoExpire                          // checkpoint.expired
	DoFail                            // task.failed; the job restarts
	DoEndRun                          // run.ended: the job has come to rest
	DoDiscard                         // checkpoint.discarded
	DoWatermark                       // watermark; unless Final it goes onto the outputs, if After is above Before
	DoJoin                            // record.joined
	DoFire                            // window.fired; Record: the row
	DoOp                              // a change of the durable or outside world: Op; its event is Op's

	PostUpload    // the part of Ckpt is complete and on its way to the store: Snapshot
	PostAck       // to the coordinator: Ckpt, Final, Value
	PostCommit    // to the broker: Txn, after the time a commit takes
	PostFinished  // to the coordinator
	PostTrigger   // to Task: Ckpt
	PostNotify    // to Task: Ckpt, Final
	PostAbort     // to Task: Ckpt
	PostRestore   // to Task: bring it to life from Ckpt
	PostTimer     // back to the coordinator after Delay: InTimer
	PostMessage   // to Task (or CoordinatorID): Note, Ckpt, Value; Delay is added to the time an acknowledgement takes
	PostTimeout   // back to the coordinator after Delay: InTimeout of Ckpt
	PostConnect   // Chan: connects with the reader as it lives now; see Linked
	PostOp        // Op: housekeeping in the durable world that nobody can tell apart from the deed before it
	firstPostKind = PostUpload
)

// Effect is one thing a machine wants done.
type Effect struct {
	Kind     EffectKind
	Final    bool
	Depends  bool // drop it if the Op before it found the record known
	Linked   bool // DoSend: into the void unless connected since the reader came to life
	Note     int8
	Reason   engine.Reason
	Epoch    int16
	Chan     engine.ChanID
	Task     engine.TaskID
	Ckpt     int32
	Txn      engine.Txn
	Value    int64
	Delay    engine.Time
	Before   int64
	After    int64
	Record   engine.Record
	Op       world.Op
	Snapshot *world.Snapshot // DoSnapshot, PostUpload: the part, never written again; nil otherwise
}

// IsPost reports whether the effect has no event of its own.
func (e *Effect) IsPost() bool { return e.Kind >= firstPostKind }

// Out collects effects; drivers reuse it.
type Out struct {
	Effects []Effect
	// Unwatched says that nobody records events: deeds that change nothing outside the
	// machine (DoRead and DoProcess of plain steps) may be left out.
	Unwatched bool
}

func (o *Out) add(e Effect) { o.Effects = append(o.Effects, e) }

// next is add for what happens once a record: the effect is filled in where it lies.
// It is valid until the next one is added.
func (o *Out) next() *Effect {
	n := len(o.Effects)
	if n == cap(o.Effects) {
		o.Effects = append(o.Effects, Effect{})
		return &o.Effects[n]
	}
	o.Effects = o.Effects[:n+1]
	e := &o.Effects[n]
	*e = Effect{}
	return e
}
