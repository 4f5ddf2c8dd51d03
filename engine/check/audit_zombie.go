package check

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// standsStill follows pauses and what comes of them. It reports whether e was the
// deed of a zombie, to which the rules of living tasks do not apply.
func (a *Audit) standsStill(t *trace.Trace, e *engine.Event) bool {
	tk := a.task(e)
	if tk == nil {
		for i := range a.tasks { // the whole job is stopped
			a.tasks[i].paused = a.tasks[i].paused && e.Kind != engine.RestartBegin
		}
		return false
	}
	if e.Zombie != 0 {
		a.zombie(e, tk)
		return true
	}
	f := t.FaultOf(e)
	switch {
	case e.Kind == engine.FaultInjected && f != nil && f.Kind == engine.Pause:
		tk.paused = !a.over && tk.life == up
	case e.Kind == engine.FaultEnded && f != nil && f.Kind == engine.Pause:
		if !tk.paused {
			a.broke(e, "pause", "%s goes on although it did not stand still", a.name(e.Task))
		}
		tk.paused = false
	case e.Kind == engine.TaskFailed && e.Reason == engine.ThoughtDead && !tk.paused:
		a.broke(e, "pause", "%s is thought dead although it goes on", a.name(e.Task))
	case e.Kind == engine.RestoreDone:
		tk.paused, tk.reborn = false, a.attempt
	case e.Kind == engine.RestartBegin:
		tk.paused = false
	case tk.paused && a.ownDeed(e):
		a.broke(e, "pause", "%s does %s while it stands still", a.name(e.Task), e.Kind)
	}
	return false
}

// ownDeed reports whether the task itself has to run for e to happen. What it has
// sent arrives without it.
func (a *Audit) ownDeed(e *engine.Event) bool {
	switch e.Kind {
	case engine.FaultInjected, engine.FaultEnded, engine.TaskFailed, engine.RecordReceived, engine.CheckpointAcked, engine.TxnCommit,
		engine.FileRenamed, engine.TxnExpired, engine.Fenced:
		return false
	}
	return true
}

// zombie: what a replaced writer does counts outside like any other write, unless
// somebody there knows of its replacement. A broker always does, as soon as the
// replacement has registered (facts 5.6); a store does if it checks tokens.
func (a *Audit) zombie(e *engine.Event, tk *auditTask) {
	if a.over {
		a.broke(e, "end", "%s after the run has ended", e.Kind)
	}
	replaced := tk.reborn > e.Zombie
	set := a.settingsOf(e.Task)
	switch e.Kind {
	case engine.ZombieWakes:
		if e.Zombie >= a.attempt {
			a.broke(e, "zombie", "%s of attempt %d wakes up as a zombie, although nothing has replaced it", a.name(e.Task), e.Zombie)
		}
		tk.fenced = false
		return
	case engine.Fenced:
		if e.Txn.IsZero() && e.Before >= e.After {
			a.broke(e, "fence", "token %d is refused where %d is the newest", e.Before, e.After)
		}
		if tk.fenced {
			a.broke(e, "fence", "the zombie of %s asks again after it was refused", a.name(e.Task))
		}
		tk.fenced = true
		return
	}
	if tk.fenced {
		a.broke(e, "fence", "the zombie of %s does %s after it was refused", a.name(e.Task), e.Kind)
	}
	switch e.Kind {
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.FileRenamed:
		a.zombieTxn(e, replaced && set.Kind == engine.SinkTransactional)
	case engine.SinkWrite, engine.DedupID, engine.DedupValue:
		if replaced && (set.Fencing || set.Kind == engine.SinkTransactional) {
			a.broke(e, "fence", "a write of attempt %d is applied although %s has started again", e.Zombie, a.name(e.Task))
		}
		if !e.Txn.IsZero() {
			a.findTxn(e.Txn).rows++
		} else if e.Kind != engine.DedupID && a.job.Settings.Strategy == "barriers" {
			a.stands(e)
		}
	}
}

// zombieTxn follows the transactions of a zombie. Promising asks the broker nothing.
func (a *Audit) zombieTxn(e *engine.Event, known bool) {
	x := a.findTxn(e.Txn)
	if known && e.Kind != engine.TxnPrecommit {
		a.broke(e, "fence", "%s of attempt %d with an old epoch", e.Kind, e.Zombie)
	}
	if a.job.Settings.Strategy == "barriers" && e.Kind == engine.TxnCommit && x.state != engine.TxnCommitted && (x.ckpt == 0 || x.ckpt > a.ckpts.sealed) {
		a.broke(e, "commit", "a zombie commits what checkpoint %d promised; the newest complete one is %d", x.ckpt, a.ckpts.sealed)
	}
	if e.Kind == engine.TxnPrecommit && x.ckpt == 0 {
		x.ckpt = e.Ckpt
	}
	x.state = engine.TxnState(e.After)
}

// settingsOf is what the task writes to; a task that writes nowhere has the zero value.
func (a *Audit) settingsOf(id engine.TaskID) engine.SinkSettings {
	if s := a.job.Plan.Tasks[id].Sink; s >= 0 {
		return a.job.Settings.Sinks[s]
	}
	return engine.SinkSettings{}
}
