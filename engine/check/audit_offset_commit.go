package check

import "effectivelyonce/engine"

// loopRules: what a plain loop promises by where it saves its position. It reads
// in order; with commit=before it works on nothing that is not saved; otherwise it
// saves nothing that has not been written, and published if that takes a commit.
type loopRules struct{ ledgers }

func (l *loopRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.SourceRead:
		l.reads(a, e)
	case engine.SourceRewound:
		l.at[e.Value] = int32(e.After)
		if set := &a.job.Settings; (set.StateRecovery == "none" || set.StateRecovery == "remote") &&
			set.Sinks[0].Kind != engine.SinkPosition && int32(e.After) != l.saved[e.Value] {
			a.broke(e, "resume", "%s resumes P%d at %d; %d is saved", a.name(e.Task), e.Value, e.After, l.saved[e.Value])
		}
	case engine.SinkWrite, engine.EffectIgnored, engine.DedupID, engine.DedupValue:
		l.out[a.row(e)] = true
		if a.job.Settings.CommitMode == "before" && e.Rec.Off >= l.saved[e.Rec.Part] {
			a.broke(e, "before", "%s works on %s before its position is saved", a.name(e.Task), e.Rec)
		}
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired:
		a.findTxn(e.Txn).state = engine.TxnState(e.After)
	case engine.OffsetCommit:
		l.saves(a, e)
	case engine.RunEnded:
		for p, part := range a.job.Input.Parts {
			if e.Reason == engine.AtRest && int(l.saved[p]) != len(part) {
				a.broke(e, "rest", "%d of %d records of P%d are saved", l.saved[p], len(part), p)
			}
		}
	}
}

func (l *loopRules) saves(a *Audit, e *engine.Event) {
	if e.Ckpt != l.commits+1 {
		a.broke(e, "commit", "commit %d follows commit %d", e.Ckpt, l.commits)
	}
	l.commits = e.Ckpt
	before, every := a.job.Settings.CommitMode == "before", a.job.Settings.Sinks[0].EmitAt == 0
	held := 0 // records that a worker may have and has not worked on
	if a.job.Settings.State.Handoff == "async" {
		held = 1
	}
	for p, at := range engine.UnpackPositions(e.Value, e.After, len(l.saved)) {
		if at > l.at[p] {
			a.broke(e, "commit", "position %d of P%d is saved; %d is the next to read", at, p, l.at[p])
		}
		for o := l.saved[p]; o < at && !before && every; o++ {
			if id := (engine.RecordID{Part: int16(p), Off: o}); !l.out[a.truths[0].index(id)] {
				if held--; held < 0 {
					a.broke(e, "after", "the position is saved behind %s, which has not been written", id)
				}
			}
		}
		l.saved[p] = at
	}
	for i := range a.txns {
		if x := &a.txns[i]; x.undecided() && !before && x.id.Attempt == e.Attempt {
			a.broke(e, "after", "the position is saved while a transaction is %s", x.state)
		}
	}
}
