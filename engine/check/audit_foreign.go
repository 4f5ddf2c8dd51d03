package check

import "effectivelyonce/engine"

// rules are those of one strategy other than barriers.
type rules interface {
	reset()
	apply(a *Audit, e *engine.Event)
}

// disks is offered by rules that know of something on the local disk of a task.
type disks interface {
	loseDisk(task engine.TaskID)
}

// loseDisks is what else goes with a node.
func (a *Audit) loseDisks(f *engine.Fault) {
	own, ok := a.rules.(disks)
	if !ok || f == nil || f.Kind != engine.CrashNode || a.over {
		return
	}
	for i := range a.job.Plan.Tasks {
		if a.job.Plan.Tasks[i].Node == f.Node() {
			own.loseDisk(engine.TaskID(i))
		}
	}
}

// rulesOf are the rules of the job's strategy beyond foreign's, nil if there are none.
func rulesOf(job *engine.Job) rules {
	switch job.Settings.Strategy {
	case "microbatch":
		return newBatchRules(job)
	case "kafka-streams":
		return newStreamRules(job)
	case "offset-commit":
		return &loopRules{newLedgers(job)}
	case "batch":
		return &fileRules{newLedgers(job)}
	case "replicated":
		return &copyRules{newLedgers(job)}
	case "dataflow":
		return newFlowRules(job)
	case "trident":
		return newStormRules(job)
	case "xa":
		return newVoteRules(job)
	}
	return nil
}

// foreign holds runs of strategies other than barriers to what is true of every
// run: nothing but faults follows the end, an attempt follows a failure, and
// attempts are numbered without gaps. A strategy's own rules stand in its own file.
func (a *Audit) foreign(e *engine.Event) {
	if a.over && e.Kind != engine.FaultInjected {
		a.broke(e, "end", "%s after the run has ended", e.Kind)
	}
	switch e.Kind {
	case engine.TaskFailed:
		a.failed = true
	case engine.RestartBegin:
		a.attempt = int16(e.After)
		if !a.failed {
			a.broke(e, "restart", "attempt %d begins although nothing has failed", e.After)
		}
		if e.After != e.Before+1 {
			a.broke(e, "restart", "attempt %d follows attempt %d", e.After, e.Before)
		}
	case engine.RunEnded:
		a.over = true
	}
	if a.rules != nil {
		a.rules.apply(a, e)
	}
}
