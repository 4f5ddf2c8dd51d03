package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// xaCoordinator is the transaction manager: it asks every participant for its
// vote, decides, writes the decision to its log (coordinator.log=on) and tells the
// participants. It handles one transaction at a time, one request after the other.
//
// What it does not find when it comes back decides what happens: with a log, a
// transaction without a decision in it is aborted (presumed abort); without one, a
// participant that has voted yes can be told nothing and waits for ever.
type xaCoordinator struct {
	job     *engine.Job
	txn     engine.Txn // in hand, zero: none
	phase   xaPhase
	commit  bool       // the decision
	at      int        // the participant to be asked or told next
	refused bool       // a participant has voted no
	queued  engine.Txn // asked for meanwhile
	lost    engine.Txn // in doubt, and nobody knows the decision
	known   engine.Txn // the newest transaction that has ended
	kept    bool       // how: committed
}

// xaPhase is what the transaction in hand awaits.
type xaPhase uint8

const (
	xaVotes xaPhase = iota
	xaDecision
	xaDone
)

func (c *xaCoordinator) Fork(into Coordinator) Coordinator {
	o, ok := into.(*xaCoordinator)
	if !ok {
		o = &xaCoordinator{}
	}
	*o = *c
	return o
}

func (c *xaCoordinator) Step(in *In, out *Out) {
	switch in.Kind {
	case InStart:
		c.start(in, out)
	case InMessage:
		x := engine.Txn{Task: c.job.Plan.Tasks[0].ID, No: int16(in.Ckpt), Attempt: int16(in.Value)}
		if in.Note == xaNext {
			c.request(out)
			return
		}
		c.asked(x, in.Note == xaCommit, out)
	case InDone:
		c.answered(in.Answer.Refused, out)
	}
}

// start looks after what an earlier life may have left in doubt.
func (c *xaCoordinator) start(in *In, out *Out) {
	own := in.World.Own.(*world.XA)
	last, n := own.Last()
	if n > 0 {
		c.recover(last, own, in.World, out)
	}
	if in.Attempt > 1 {
		out.add(Effect{Kind: PostMessage, Task: c.job.Plan.Tasks[0].ID, Note: xaReturned})
	}
}

// recover asks the participants what they have prepared, and the log what was
// decided. A branch that is still open is no concern yet: its application is.
func (c *xaCoordinator) recover(x engine.Txn, own *world.XA, w *world.World, out *Out) {
	state := own.State(w, x, world.Database)
	switch {
	case !own.InDoubt(w, x):
		if state != engine.TxnOpen {
			c.known, c.kept = x, state == engine.TxnCommitted
		}
	case !c.job.Settings.CoordinatorLog:
		c.lost = x
	case own.Decided(x) == engine.TxnCommitted:
		c.txn, c.commit = x, true
		if state == engine.TxnCommitted {
			c.at = world.Broker
		}
		c.phase = xaDone
		c.next(out)
	case own.Decided(x) == engine.TxnAborted:
		c.txn, c.commit, c.phase = x, false, xaDone
		c.next(out)
	default:
		c.decide(x, false, out)
	}
}

// asked answers an application that waits. Work on a transaction begins once: when
// its commit is asked for, or, if nothing is known of it, with its abort.
func (c *xaCoordinator) asked(x engine.Txn, commit bool, out *Out) {
	switch {
	case x == c.txn || x == c.lost:
	case x == c.known:
		c.tell(out)
	case !c.txn.IsZero(): // of an application that has died; the new one has to wait
		c.queued = x
	case commit:
		c.txn, c.phase, c.at, c.refused = x, xaVotes, 0, false
		c.next(out)
	default:
		c.refused = false
		c.decide(x, false, out)
	}
}

// next sends the next request, which takes its time to arrive.
func (c *xaCoordinator) next(out *Out) {
	out.add(Effect{Kind: PostMessage, Task: engine.CoordinatorID, Note: xaNext, Ckpt: int32(c.txn.No), Value: int64(c.phase)*world.Participants + int64(c.at)})
}

// request is what a participant does when the request has reached it.
func (c *xaCoordinator) request(out *Out) {
	if c.phase == xaVotes {
		out.add(Effect{Kind: DoOp, Op: &world.XAPrepare{Txn: c.txn, Participant: c.at}})
		return
	}
	out.add(Effect{Kind: DoOp, Op: &world.XAFinish{Txn: c.txn, Participant: c.at, Commit: c.commit}})
	if !c.commit {
		out.add(Effect{Kind: PostOp, Op: &world.XAFinish{Txn: c.txn, Participant: world.Broker}})
	}
}

// answered goes on when the world has carried out what was asked of it.
func (c *xaCoordinator) answered(refused bool, out *Out) {
	switch c.phase {
	case xaVotes:
		c.at++
		if c.refused = refused; refused || c.at == world.Participants {
			c.decide(c.txn, !refused, out)
			return
		}
		c.next(out)
	case xaDecision:
		c.phase, c.at = xaDone, 0
		if c.refused { // the one that said no has aborted; the other had not been asked
			out.add(Effect{Kind: PostOp, Op: &world.XAFinish{Txn: c.txn, Participant: world.Broker}})
			c.end(out)
			return
		}
		c.next(out)
	case xaDone:
		if c.at++; c.commit && c.at < world.Participants {
			c.next(out)
			return
		}
		c.end(out)
	}
}

// decide is the moment on which everything hangs.
func (c *xaCoordinator) decide(x engine.Txn, commit bool, out *Out) {
	c.txn, c.phase, c.commit = x, xaDecision, commit
	out.add(Effect{Kind: DoOp, Op: &world.XADecide{Txn: x, Commit: commit, Logged: c.job.Settings.CoordinatorLog}})
}

func (c *xaCoordinator) end(out *Out) {
	c.known, c.kept, c.txn = c.txn, c.commit, engine.Txn{}
	c.tell(out)
	if next := c.queued; !next.IsZero() {
		c.queued = engine.Txn{}
		c.asked(next, true, out)
	}
}

// tell lets the application know how the newest transaction has ended.
func (c *xaCoordinator) tell(out *Out) {
	out.add(Effect{Kind: PostMessage, Task: c.known.Task, Note: xaOutcome, Ckpt: int32(c.known.No), Value: int64(c.known.Attempt), Final: c.kept})
}
