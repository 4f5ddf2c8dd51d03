package check

import "effectivelyonce/engine"

// fileRules: a map task publishes once and after the end of its file; the reduce
// task starts when all have, and takes their records in one fixed order; its file
// becomes final once, with everything in it.
type fileRules struct{ ledgers }

func (l *fileRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.SourceRead:
		l.reads(a, e)
	case engine.SourceRewound:
		l.at[e.Value] = int32(e.After)
	case engine.MapDone:
		part := a.job.Plan.Tasks[e.Task].Part
		if int(l.at[part]) != len(a.job.Input.Parts[part]) || e.Value != int64(l.at[part]) {
			a.broke(e, "publish", "%s publishes %d records after %d", a.name(e.Task), e.Value, l.at[part])
		}
		if l.done&(1<<part) != 0 {
			a.broke(e, "publish", "%s publishes a second time", a.name(e.Task))
		}
		l.done |= 1 << part
	case engine.RestoreDone:
		if a.job.Plan.Tasks[e.Task].Kind == engine.OpReduce {
			l.next = 0
			clear(l.counts)
		}
	case engine.RecordProcessed:
		l.reduces(a, e)
	case engine.FileRenamed:
		if l.renamed || int(l.next) != len(l.out) {
			a.broke(e, "publish", "%s publishes with %d of %d records, %v published before", a.name(e.Task), l.next, len(l.out), l.renamed)
		}
		l.renamed = true
	case engine.RunEnded:
		files := a.job.Settings.Sinks[0].Kind == engine.SinkFiles
		if e.Reason == engine.AtRest && (int(l.next) != len(l.out) && !l.renamed || files && !l.renamed) {
			a.broke(e, "rest", "the batch ends with %d of %d records reduced", l.next, len(l.out))
		}
	}
}

func (l *fileRules) reduces(a *Audit, e *engine.Event) {
	if l.done != 1<<len(l.at)-1 {
		a.broke(e, "publish", "%s starts before every map output is final", a.name(e.Task))
	}
	if a.row(e) != l.next {
		a.broke(e, "order", "%s takes %s at place %d", a.name(e.Task), e.Rec, l.next)
	}
	l.next++
	if e.Before != l.counts[e.Key] || e.After != e.Before+1 {
		a.broke(e, "count", "%s counts from %d to %d where %d was counted", a.name(e.Task), e.Before, e.After, l.counts[e.Key])
	}
	l.counts[e.Key] = e.After
}
