package check

import "effectivelyonce/engine"

// copyRules: a copy runs an invocation once; with a synchronous log nothing is
// run that is not logged; a client is told when every copy that is not known to be
// dead has run its invocation; and while all live, the copy that readers ask is
// never ahead of those that would take over.
type copyRules struct{ ledgers }

func (l *copyRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.CommandLogged:
		if l.log[a.row(e)] {
			a.broke(e, "log", "%s is logged a second time", e.Rec)
		}
		l.log[a.row(e)] = true
	case engine.RecordProcessed:
		l.runs(a, e)
	case engine.SinkAck:
		l.acknowledges(a, e)
	case engine.TaskFailed:
		if e.Task < 0 {
			l.live = 0
		} else if a.job.Plan.Tasks[e.Task].Kind == engine.OpReplica {
			l.live &^= 1 << a.job.Plan.Tasks[e.Task].Index
		}
	case engine.RestoreDone:
		if t := &a.job.Plan.Tasks[e.Task]; t.Kind == engine.OpReplica {
			l.live |= 1 << t.Index
			for i := range l.ran {
				l.ran[i] &^= 1 << t.Index
			}
		}
	case engine.RunEnded:
		for i := range l.out {
			if e.Reason == engine.AtRest && !l.out[i] {
				a.broke(e, "rest", "%s was never acknowledged", a.truths[0].ids[i])
			}
			if e.Reason == engine.AtRest && a.job.Settings.CommandLog != "off" && l.ran[i]&l.live != 0 && !l.log[i] {
				a.broke(e, "rest", "%s is in the table and not in the log", a.truths[0].ids[i])
			}
		}
	}
}

func (a *Audit) copies() uint64 { return 1<<(a.job.Settings.K+1) - 1 }

func (l *copyRules) runs(a *Audit, e *engine.Event) {
	i := a.row(e)
	bit := uint64(1) << a.job.Plan.Tasks[e.Task].Index
	if l.ran[i]&bit != 0 {
		a.broke(e, "once", "%s runs %s a second time", a.name(e.Task), e.Rec)
	}
	l.ran[i] |= bit
	if a.job.Settings.CommandLog == "sync" && !l.log[i] {
		a.broke(e, "log", "%s runs %s, which is not logged", a.name(e.Task), e.Rec)
	}
	// Not while copies rebuild from the log, each for itself, and not between the loss
	// of a copy and the moment at which the next one knows that it leads.
	missing := a.copies() &^ l.ran[i]
	if bit == 1 && l.live&a.copies() == a.copies() && missing != 0 && (!l.log[i] || e.Chan != engine.NoChan) {
		a.broke(e, "ahead", "%s runs %s before the copies behind it", a.name(e.Task), e.Rec)
	}
}

func (l *copyRules) acknowledges(a *Audit, e *engine.Event) {
	i := a.row(e)
	if l.out[i] {
		a.broke(e, "once", "%s is acknowledged a second time", e.Rec)
	}
	l.out[i] = true
	if missing := a.copies() & l.live &^ l.ran[i]; missing != 0 && l.live != 0 {
		a.broke(e, "ack", "%s is acknowledged although copy %b of those that live have not run it", e.Rec, missing)
	}
	if a.job.Settings.CommandLog == "sync" && !l.log[i] {
		a.broke(e, "log", "%s is acknowledged and not logged", e.Rec)
	}
}
