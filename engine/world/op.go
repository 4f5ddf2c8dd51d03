package world

import "effectivelyonce/engine"

// Op is one change of the durable or outside world, as data: a small immutable
// struct that stands, with its Perform, in the file of the system it belongs to.
type Op interface {
	// Perform carries the change out and fills in what it is recorded as.
	Perform(w *World, ev *engine.Event) Answer
}

// Answer is what the world says to an Op.
type Answer struct {
	Record  engine.RecordID
	N       int32      // what the Op says it is
	Known   bool       // it had been applied before; nothing was changed
	Refused bool       // the asker is not allowed (any more)
	Tell    bool       // the machine wants to know: InDone
	Wake    bool       // a log has grown: its readers look again
	Expires engine.Txn // not zero: the broker's patience with it is over after After
	After   engine.Time
}

// Durable is what one strategy keeps outside the memory of its processes (logs,
// committed positions, stores). It survives every crash.
type Durable interface {
	Fork(into Durable) Durable
}

// Parts is what a Durable offers that keeps the parts which tasks upload, in
// place of the checkpoint store.
type Parts interface {
	Put(n int32, task engine.TaskID, s Snapshot)
}

// Versions is what a Durable offers that hands a task the state it goes on with.
type Versions interface {
	Version(task engine.TaskID) Snapshot
}

// Expirer is what a Durable offers that keeps transactions of its own.
type Expirer interface {
	// Expire ends a transaction whose time is up and tells how many rows it holds,
	// false if it has ended already.
	Expire(x engine.Txn) (rows int64, ok bool)
}

// Disks is a Durable of which a part lies on the local disk of a task's node: it
// survives the task, not the node.
type Disks interface {
	LoseDisk(task engine.TaskID)
}

// Outside is one sink's target, where a plain row is not all there is to it.
type Outside interface {
	Fork(into Outside) Outside
}

// Log is what a Durable with logs between operators offers to their readers.
type Log interface {
	// Entry is the record at a position of a log, false if there is none to be
	// read yet.
	Entry(log int, offset int32) (engine.Record, bool)
}
