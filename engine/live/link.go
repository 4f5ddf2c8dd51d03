package live

import (
	"context"

	"effectivelyonce/engine"
)

// A job is run by one Leader and one or several Hosts. The Leader steps the
// coordinator, seals checkpoints and restarts the job; a Host steps the tasks it was
// given, one goroutine each. Within a process they call each other; between
// processes Order, Report, Seen and the batches of a Link travel as the plain
// structs they are (no pointers, interfaces or maps), in the order of their sending.
//
//	leader := NewLeader(job, LeaderConfig{Store: …, Tell: …})
//	host := NewHost(job, HostConfig{Tasks: …, Store: …, Report: …, Remote: …})
//
//	leader ── Order ──▶ host          host.Do(order)
//	host ── Report ──▶ leader         leader.Report(report)
//	host ── batch ──▶ other host      host.Deliver(ctx, attempt, channel, batch)
//	both ── Seen ──▶ collector        the configured Tap
//
// What the transport owes: orders to one host, reports of one host and batches of
// one channel arrive once and in order, or the connection is lost. A connection
// that is lost is told to the leader (Leader.Lost), and nothing that was sent over
// it arrives later: what a replaced worker still says is not handed on. Attempts
// protect what slips through: an order, report or batch of another attempt than the
// current one changes nothing.

// Link carries the elements of one channel of the plan to its reader in another
// process. Channels whose reader is hosted by the same Host need none.
type Link interface {
	// Send hands a batch over and returns when the link has taken it; while the
	// channel is full it waits, which is the backpressure of the job. The slice is the
	// caller's again afterwards. The other side hands it to Host.Deliver with the same
	// attempt and channel. An error fails the writing task.
	Send(ctx context.Context, attempt int16, batch []engine.Element) error
}

// OrderKind is what a leader tells a task.
type OrderKind uint8

// Orders.
const (
	OrderStart   OrderKind = iota + 1 // come to life: Attempt, Token, Ckpt, Part, Next, Offset; an older life on this host ends first
	OrderTrigger                      // sources: start checkpoint Ckpt
	OrderNotify                       // checkpoint Ckpt is complete; Final: it is the last
	OrderAbort                        // checkpoint Ckpt will not complete
	OrderStop                         // end this attempt; answered by ReportStopped, also when there was nothing to end
)

// Order is a message of the leader to one task.
type Order struct {
	Kind    OrderKind
	Final   bool
	Task    engine.TaskID
	Attempt int16
	Ckpt    int32
	Next    int32 // the number the next checkpoint will have
	Offset  int32 // sources: the furthest offset any attempt is known to have read
	Token   int64 // fencing token of this life
	Part    PartRef
}

// ReportKind is what a task tells the leader.
type ReportKind uint8

// Reports.
const (
	ReportStarted  ReportKind = iota + 1 // the task is restored
	ReportAck                            // its part of Ckpt is durable: Part, Final, Value (records in flight)
	ReportDeclined                       // its part of Ckpt could not be stored: Why; the checkpoint is given up, the task goes on
	ReportFinished                       // it has published everything after the final checkpoint
	ReportFailed                         // it is dead, or must die: Reason, Why; the job restarts
	ReportStopped                        // the attempt has ended here
	ReportEnded                          // the job has come to rest: Reason (jobs without a coordinator's checkpoints)
	ReportRefused                        // the outside will never take it: Reason, Why; the run ends
)

// Report is a message of a task to the leader.
type Report struct {
	Kind    ReportKind
	Final   bool
	Reason  engine.Reason
	Task    engine.TaskID
	Attempt int16
	Ckpt    int32
	Offset  int32 // sources: the furthest offset read by this attempt
	Value   int64
	Part    PartRef
	Why     string // for people: what went wrong, as the system said it
}

// PartRef names one task's durable part of a checkpoint, and what it must look like
// when it is read again.
type PartRef struct {
	Ckpt    int32 // 0: there is none, the task starts from the beginning
	Attempt int16 // that wrote it
	Task    engine.TaskID
	Length  int64
	Sum     uint32 // CRC-32C of the file's bytes
}

// Seen is a batch of events as one task (or the coordinator, or the job) performed
// them. Numbers are left to the collector: N is zero. T is microseconds since the
// Epoch given in the config, so that processes agree.
type Seen struct {
	Task    engine.TaskID
	Attempt int16
	Left    int64 // events of records that were left out just before these, because there were too many
	Every   int32 // of the records' events those of every Every-th offset are kept; 1: all
	Events  []engine.Event
}

// Tap takes events in. It is called by many goroutines, must not keep the slice,
// and must not wait for long: the task stands still meanwhile.
type Tap func(Seen)
