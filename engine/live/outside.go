// Package live drives the machines of engine/machine in real time: a goroutine a
// task, batches on channels, snapshots that are fsynced files, and outside systems
// that are real. It adds no rule of its own: what a task does at a barrier, a
// completion or a restart is decided by the same machines that the simulation
// steps, and every deed is one event here too.
//
// The parts: Source and Outside are what connectors (engine/kafka, engine/sqldb)
// implement; a driver steps the machines and has their deeds performed.
package live

import (
	"context"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// Source reads one partition of a replayable input. Its position is kept in the
// checkpoint and nowhere else; what it tells a broker about it is for monitoring
// only (Flink's Kafka source does the same, facts 3).
type Source interface {
	// Open goes to an offset. It is called once in the life of a task, before Fetch.
	Open(ctx context.Context, offset int32) error
	// Fetch appends the records that are there, at least one unless the context is
	// done or the input has ended (end). The records carry ID, Key and Value.
	Fetch(ctx context.Context, buf []engine.Record) (out []engine.Record, end bool, err error)
	// Covered is told that a completed checkpoint covers everything before offset.
	Covered(ctx context.Context, offset int32)
	Close() error
}

// Life is what an outside system is told when a sink task comes to life.
type Life struct {
	Task       engine.TaskID
	Name       string // of the task, sink/0
	Attempt    int16  // of the job, from 1
	Token      int64  // fencing token: larger in each life; stores that check tokens refuse a smaller one
	Checkpoint int32  // restored from, 0: none
	Promises   []Promise
}

// Promise is a pre-committed transaction as a checkpoint keeps it, with what the
// outside system needs to end it from another process (Kafka: transactional id,
// producer id and epoch; facts 4).
type Promise struct {
	Txn    engine.Txn
	Handle []byte
}

// Opened is what an outside system answers when a task comes to life.
type Opened struct {
	Epoch     int16        // of the producer that has just registered; older ones are refused from now on
	Lingering []engine.Txn // transactions of earlier lives that nobody has ended and no promise names
}

// Answer is what an outside system says to a deed.
type Answer struct {
	Refused bool          // DoBegin, DoWrite, DoCommit: fenced, expired, or no longer open
	Op      *world.Answer // what the machine may want to know, nil: nothing
}

// Outside carries out the deeds of one sink task in a real system. It is called by
// one goroutine at a time. When the process dies nothing of it is called any more;
// what has been acknowledged by the system stays.
type Outside interface {
	// Open is called before the machine is restored. An error is not the end: the
	// driver fails the task, and the restart tries again.
	Open(ctx context.Context, life Life) (Opened, error)
	// Perform carries out one of DoBegin, DoWrite, DoPrecommit, DoCommit, DoAbort and
	// DoOp, and completes the event that the deed is recorded as. Writes may be
	// buffered; DoPrecommit and Flush return when the system has acknowledged all of
	// them. An error means that it is not known whether the deed took hold.
	Perform(ctx context.Context, e *machine.Effect, ev *engine.Event) (Answer, error)
	// Flush returns when every write so far is acknowledged.
	Flush(ctx context.Context) error
	// Handle is what a checkpoint must keep of a pre-committed transaction.
	Handle(x engine.Txn) []byte
	Close() error
}

// Row is what an independent reader finds outside: the verdict of a live run is
// made of rows alone.
type Row struct {
	ID      engine.RecordID // of the input record that the row was written for; NoRecord where a row sums up many
	Key     string
	Value   int64
	Attempt int16 // of the job that wrote it
}

// Reader reads everything that is visible outside, without knowing the job.
type Reader interface {
	Rows(ctx context.Context) ([]Row, error)
}
