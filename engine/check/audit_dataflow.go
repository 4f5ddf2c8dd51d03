package check

import "effectivelyonce/engine"

// flowRules: what stages promise each other. With strong production nothing is
// sent that is not stored; an id is stored once, and what has an id is not done
// again; state and positions go on from what is stored; and the job rests when
// everything has been taken in to the last stage.
type flowRules struct {
	stored [][]bool  // task × record: a state.write of it has happened
	counts [][]int64 // task × key; nil unless a counter
	at     []int64   // task: the stored position of a source
}

func newFlowRules(job *engine.Job) *flowRules {
	f := &flowRules{stored: make([][]bool, len(job.Plan.Tasks)), counts: make([][]int64, len(job.Plan.Tasks)), at: make([]int64, len(job.Plan.Tasks))}
	for i := range job.Plan.Tasks {
		f.stored[i] = make([]bool, job.Input.Len())
		if job.Plan.Tasks[i].Kind == engine.OpCount {
			f.counts[i] = make([]int64, len(job.Input.Keys))
		}
	}
	return f
}

func (f *flowRules) reset() {
	clear(f.at)
	for i := range f.stored {
		clear(f.stored[i])
		clear(f.counts[i])
	}
}

func (f *flowRules) apply(a *Audit, e *engine.Event) {
	if e.Kind == engine.RunEnded && e.Reason == engine.AtRest {
		f.rest(a, e)
	}
	if e.Task < 0 {
		return
	}
	spec, once := &a.job.Plan.Tasks[e.Task], a.job.Settings.DataflowMode == "exactly_once"
	switch e.Kind {
	case engine.StateWrite:
		f.stores(a, e, spec, once)
	case engine.SourceRewound:
		if e.After != f.at[e.Task] {
			a.broke(e, "restore", "%s goes on at %d; %d is stored", spec.Name, e.After, f.at[e.Task])
		}
	case engine.RecordSent:
		if weak := once && a.job.Settings.Production == "weak"; !weak && !f.stored[e.Task][a.row(e)] {
			a.broke(e, "strong", "%s sends %s before it is stored", spec.Name, e.Rec)
		}
	case engine.SinkWrite, engine.DedupID, engine.DedupValue, engine.RecordProcessed:
		if once && f.stored[e.Task][a.row(e)] {
			a.broke(e, "id", "%s does %s of %s, whose id it has stored", spec.Name, e.Kind, e.Rec)
		}
	case engine.EffectIgnored:
		if spec.Kind != engine.OpSink && !f.stored[e.Task][a.row(e)] {
			a.broke(e, "id", "%s drops %s, whose id it has not stored", spec.Name, e.Rec)
		}
	}
}

// stores: one write for one record, on top of what is stored.
func (f *flowRules) stores(a *Audit, e *engine.Event, spec *engine.Task, once bool) {
	switch {
	case spec.Kind == engine.OpSource:
		if e.Before != f.at[e.Task] || e.After != e.Before+1 || int64(e.Rec.Off) != e.Before {
			a.broke(e, "offset", "%s stores position %d for %s behind %d", spec.Name, e.After, e.Rec, f.at[e.Task])
		}
		f.at[e.Task] = e.After
	case spec.Kind == engine.OpCount:
		if n := f.counts[e.Task][e.Key]; e.Before != n || e.After != n+1 {
			a.broke(e, "count", "%s stores a count from %d to %d where %d is stored", spec.Name, e.Before, e.After, n)
		}
		f.counts[e.Task][e.Key] = e.After
	}
	if once && f.stored[e.Task][a.row(e)] {
		a.broke(e, "id", "%s stores the id of %s again", spec.Name, e.Rec)
	}
	f.stored[e.Task][a.row(e)] = true
}

// rest: every column of stages has stored every record that comes to it. Sinks do
// not store without ids, and get less where rows are filtered.
func (f *flowRules) rest(a *Audit, e *engine.Event) {
	for i := range a.job.Plan.Operators {
		op := &a.job.Plan.Operators[i]
		if op.Kind == engine.OpSink && (a.job.Settings.DataflowMode != "exactly_once" || a.job.Settings.Sinks[op.Sink].EmitAt > 0) {
			continue
		}
		n := 0
		for t := range op.Parallelism {
			for _, s := range f.stored[int(op.First)+t] {
				if s {
					n++
				}
			}
		}
		if n != a.job.Input.Len() {
			a.broke(e, "rest", "%s has stored %d of %d records", op.Name, n, a.job.Input.Len())
		}
	}
}
