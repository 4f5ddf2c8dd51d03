package check

import "effectivelyonce/engine"

// promise is what is known of a transaction.
type promise struct {
	id    engine.Txn
	state engine.TxnState
	ckpt  int32 // the checkpoint it was pre-committed for, 0 before
	rows  int64
}

func (x *promise) undecided() bool {
	return x.state == engine.TxnOpen || x.state == engine.TxnPrecommitted
}

// find is the transaction's entry, made if there is none.
func (a *Audit) findTxn(id engine.Txn) *promise {
	for i := len(a.txns) - 1; i >= 0; i-- {
		if a.txns[i].id == id {
			return &a.txns[i]
		}
	}
	a.txns = append(a.txns, promise{id: id})
	return &a.txns[len(a.txns)-1]
}

// transaction checks the two phases of a sink.
func (a *Audit) transaction(e *engine.Event) {
	x := a.findTxn(e.Txn)
	if e.Kind != engine.TxnBegin && e.Before != int64(x.state) {
		a.broke(e, "txn", "transaction is told to be %s where it is %s", engine.TxnState(e.Before), x.state)
	}
	if e.Kind != engine.TxnBegin && e.Value != x.rows {
		a.broke(e, "txn", "transaction is told to hold %d rows where it holds %d", e.Value, x.rows)
	}
	switch e.Kind {
	case engine.TxnBegin:
		a.began(e, x)
	case engine.TxnPrecommit:
		if tk := a.task(e); tk != nil && tk.picture != e.Ckpt {
			a.broke(e, "promise", "%s promises for checkpoint %d away from its barrier", a.name(e.Task), e.Ckpt)
		}
		if x.ckpt == 0 {
			x.ckpt = e.Ckpt
		}
	case engine.TxnCommit, engine.FileRenamed:
		a.committed(e, x)
	case engine.TxnAbort:
		if x.ckpt != 0 && x.ckpt <= a.ckpts.sealed && e.Reason != engine.SecondJobStarted {
			a.broke(e, "commit", "%s aborts a transaction that checkpoint %d has promised; %d is complete", a.name(e.Task), x.ckpt, a.ckpts.sealed)
		}
		if !x.undecided() {
			a.broke(e, "txn", "a transaction that is %s is aborted", x.state)
		}
	}
	x.state = engine.TxnState(e.After)
}

// began: one open transaction per writer, and nobody writes anew before what
// earlier attempts left is decided.
func (a *Audit) began(e *engine.Event, x *promise) {
	if x.state != engine.TxnNone {
		a.broke(e, "txn", "a transaction that is %s is opened again", x.state)
	}
	if x.id.Task != e.Task || x.id.Attempt != a.attempt {
		a.broke(e, "txn", "%s opens a transaction under the name of %s in attempt %d", a.name(e.Task), a.name(x.id.Task), x.id.Attempt)
	}
	for i := range a.txns {
		o := &a.txns[i]
		if o.id.Task != e.Task || o.id == x.id || !o.undecided() {
			continue
		}
		if o.id.Attempt < a.attempt && !a.freshNames(e.Task) {
			a.broke(e, "linger", "%s opens a transaction while one of attempt %d is still %s", a.name(e.Task), o.id.Attempt, o.state)
		} else if o.id.Attempt == a.attempt && o.state == engine.TxnOpen {
			a.broke(e, "txn", "%s opens a second transaction", a.name(e.Task))
		}
	}
}

// committed: a commit follows a complete checkpoint that covers the transaction,
// or repeats a commit.
func (a *Audit) committed(e *engine.Event, x *promise) {
	switch {
	case x.state == engine.TxnCommitted:
	case x.state != engine.TxnPrecommitted:
		a.broke(e, "commit", "a transaction that is %s is committed", x.state)
	case x.ckpt > a.ckpts.sealed:
		a.broke(e, "commit", "a transaction promised for checkpoint %d is committed; the newest complete one is %d", x.ckpt, a.ckpts.sealed)
	}
	if engine.TxnState(e.After) != engine.TxnCommitted {
		a.broke(e, "txn", "after a commit the transaction is %s", engine.TxnState(e.After))
	}
}

// wrote checks a row that leaves the engine.
func (a *Audit) wrote(e *engine.Event) {
	sink := a.job.Plan.Tasks[e.Task].Sink
	set := &a.job.Settings.Sinks[sink]
	want := a.tasks[e.Task].total
	if set.Output == engine.EventOutput {
		want = a.job.Input.At(e.Rec).Value
		if set.Kind == engine.SinkDedup || set.Kind == engine.SinkPosition {
			want = a.job.Input.Amount(want)
		}
	}
	if a.keyed.alters {
		want = a.tasks[e.Task].total
	}
	if e.Value != want {
		a.broke(e, "value", "%s writes %d where it was given %d", a.name(e.Task), e.Value, want)
	}
	switch set.Kind {
	case engine.SinkTransactional, engine.SinkFiles:
		x := a.findTxn(e.Txn)
		if x.state != engine.TxnOpen || x.id.Task != e.Task || x.id.Attempt != a.attempt {
			a.broke(e, "fence", "%s writes into a transaction of attempt %d that is %s", a.name(e.Task), x.id.Attempt, x.state)
		}
		x.rows++
	default:
		a.stands(e)
	}
}

// stands follows what a table holds, whoever writes.
func (a *Audit) stands(e *engine.Event) {
	sink := a.job.Plan.Tasks[e.Task].Sink
	set := &a.job.Settings.Sinks[sink]
	switch set.Kind {
	case engine.SinkUpsert:
		at := a.truths[sink].unitOf(e.Rec, e.Key)
		if set.Output == engine.TotalOutput {
			at = int32(e.Key)
		}
		cell := &a.tables[sink][at]
		if e.Before != *cell || e.After != e.Value {
			a.broke(e, "value", "a table row goes from %d to %d where %d stood and %d was written", e.Before, e.After, *cell, e.Value)
		}
		*cell = e.After
	case engine.SinkDedup, engine.SinkPosition:
		cell := &a.tables[sink][e.Key]
		after := e.Value
		if set.Output == engine.EventOutput {
			after += *cell
		}
		if e.Before != *cell || e.After != after {
			a.broke(e, "value", "the value of a key goes from %d to %d where %d stood and %d was written", e.Before, e.After, *cell, e.Value)
		}
		*cell = e.After
	}
}
