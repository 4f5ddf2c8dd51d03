package check

import "effectivelyonce/engine"

// voteRules: two-phase commit. Nothing is committed without every vote and a
// decision; there is one decision a transaction (one that is not
// logged may be made again, and is the same); who has voted yes is not ended
// against it; and nothing is taken while a participant waits.
type voteRules struct {
	txns  []vote
	saved []int32 // by partition: the committed position
}

// vote is what is known of one global transaction.
type vote struct {
	id        engine.Txn
	yes       int
	decided   engine.TxnState
	committed int // participants
	aborted   bool
}

// doubt reports whether a participant waits for the decision.
func (v *vote) doubt() bool { return v.yes > 0 && v.committed < 2 && !v.aborted }

func newVoteRules(job *engine.Job) *voteRules {
	return &voteRules{saved: make([]int32, len(job.Input.Parts))}
}

func (r *voteRules) reset() {
	r.txns = r.txns[:0]
	clear(r.saved)
}

func (r *voteRules) of(x engine.Txn) *vote {
	for i := range r.txns {
		if r.txns[i].id == x {
			return &r.txns[i]
		}
	}
	r.txns = append(r.txns, vote{id: x})
	return &r.txns[len(r.txns)-1]
}

func (r *voteRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.ParticipantPrepared:
		r.of(e.Txn).yes++
	case engine.CoordinatorDecided:
		x := r.of(e.Txn)
		if x.decided != engine.TxnNone && (a.job.Settings.CoordinatorLog || x.decided != engine.TxnState(e.After)) {
			a.broke(e, "decision", "transaction %d was decided before: %s", x.id.No, x.decided)
		}
		if x.decided = engine.TxnState(e.After); x.decided == engine.TxnCommitted && x.yes < 2 {
			a.broke(e, "votes", "transaction %d is decided with %d of 2 votes", x.id.No, x.yes)
		}
	case engine.TxnCommit, engine.OffsetCommit:
		x := r.of(e.Txn)
		if x.committed++; x.decided != engine.TxnCommitted || x.aborted {
			a.broke(e, "decision", "transaction %d is committed; it was decided: %s", x.id.No, x.decided)
		}
		if e.Kind == engine.OffsetCommit {
			copy(r.saved, engine.UnpackPositions(e.Value, e.After, len(r.saved)))
		}
	case engine.TxnAbort:
		x := r.of(e.Txn)
		if x.aborted = true; x.committed > 0 || x.yes > 0 && x.decided != engine.TxnAborted {
			a.broke(e, "decision", "transaction %d is aborted after %d votes; it was decided: %s", x.id.No, x.yes, x.decided)
		}
	case engine.SourceRead, engine.TxnBegin:
		for i := range r.txns {
			if r.txns[i].doubt() {
				a.broke(e, "locks", "%s while transaction %d is in doubt", e.Kind, r.txns[i].id.No)
			}
		}
	case engine.RunEnded:
		r.rest(a, e)
	}
}

func (r *voteRules) rest(a *Audit, e *engine.Event) {
	for p, part := range a.job.Input.Parts {
		if e.Reason == engine.AtRest && int(r.saved[p]) != len(part) {
			a.broke(e, "rest", "%d of %d records of P%d are committed", r.saved[p], len(part), p)
		}
	}
}
