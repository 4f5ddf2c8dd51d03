package trace

import (
	"strconv"

	"effectivelyonce/engine"
)

func (j *jsonLine) record(t *Trace, e *engine.Event) {
	if e.Rec == engine.NoRecord {
		return
	}
	j.str("record", e.Rec.String())
	j.str("key", t.Job.Input.Keys[e.Key])
	switch e.Kind {
	case engine.EffectIgnored, engine.WindowFired: // nothing was written, or the window's end
		return
	case engine.SinkWrite, engine.DedupID, engine.DedupValue:
		if k := sinkOf(t.Job, e.Task); k != nil && k.Output == engine.TotalOutput {
			j.num("value", e.Value)
			return
		} else if k != nil && (k.Kind == engine.SinkDedup || k.Kind == engine.SinkPosition) {
			j.raw("value", []byte(engine.FormatNumber(e.Value)))
			return
		}
	}
	if len(t.Job.Input.Words) > 0 {
		j.str("value", t.Job.Input.FormatValue(e.Value))
		return
	}
	j.raw("value", []byte(engine.FormatNumber(e.Value)))
}

// batch prints what an event says about a whole batch, or a key of it, instead of
// a record, and returns what else it carries.
func (j *jsonLine) batch(t *Trace, e *engine.Event) payload {
	switch {
	case e.Kind == engine.SinkWrite:
		j.num("rows", e.Before)
		return hasCkpt | hasPositions
	case e.Kind == engine.StateWrite:
		j.str("key", t.Job.Input.Keys[e.Key])
		j.num("adds", e.Value)
		return hasCkpt
	case e.Kind == engine.EffectIgnored && t.Job.Settings.Strategy == "trident":
		j.str("key", t.Job.Input.Keys[e.Key])
	}
	return 0
}

// positions prints one position a partition.
func (j *jsonLine) positions(t *Trace, e *engine.Event) {
	b := []byte{'['}
	for p, at := range engine.UnpackPositions(e.Value, e.After, len(t.Job.Input.Parts)) {
		if p > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(at), 10)
	}
	j.raw("positions", append(b, ']'))
}

// keeps reports whether the event tells what stood there before and what stands
// there now: counters, tables and stores do.
func keeps(t *Trace, e *engine.Event) bool {
	switch e.Kind {
	case engine.RecordProcessed:
		k := t.Job.Plan.Tasks[e.Task].Kind
		return k == engine.OpCount || k == engine.OpLoop || k == engine.OpReduce || k == engine.OpReplica
	case engine.DedupValue:
		return true
	case engine.SinkWrite:
		k := sinkOf(t.Job, e.Task)
		return k != nil && (k.Kind == engine.SinkUpsert || k.Kind == engine.SinkDedup || k.Kind == engine.SinkPosition)
	}
	return false
}

func (j *jsonLine) change(t *Trace, e *engine.Event, has payload) {
	if has&hasStates != 0 {
		if has&hasBefore != 0 {
			j.str("before", engine.TxnState(e.Before).String())
		}
		if has&hasAfter != 0 {
			j.str("after", engine.TxnState(e.After).String())
		}
		return
	}
	kept := keeps(t, e)
	if k := sinkOf(t.Job, e.Task); kept && e.Kind != engine.RecordProcessed && k != nil && k.Output == engine.EventOutput {
		j.row(t, e)
		return
	}
	if kept && e.Kind == engine.RecordProcessed {
		op := t.Job.Plan.Tasks[e.Task].Kind
		j.raw("before", []byte(Held(t.Job, op, e.Before)))
		j.raw("after", []byte(Held(t.Job, op, e.After)))
		return
	}
	if kept && e.Before == engine.NoRow {
		j.raw("before", []byte("null"))
	} else if kept || has&hasBefore != 0 {
		j.num("before", e.Before)
	}
	if kept || has&hasAfter != 0 {
		j.num("after", e.After)
	}
}

// row prints what an upsert of an amount found and left.
func (j *jsonLine) row(t *Trace, e *engine.Event) {
	k := sinkOf(t.Job, e.Task)
	balance := k != nil && (k.Kind == engine.SinkDedup || k.Kind == engine.SinkPosition)
	one := func(name string, v int64) {
		switch {
		case v == engine.NoRow && name == "before":
			j.raw(name, []byte("null"))
		case len(t.Job.Input.Words) > 0 && !balance:
			j.str(name, t.Job.Input.FormatValue(v))
		default:
			j.raw(name, []byte(engine.FormatNumber(v)))
		}
	}
	one("before", e.Before)
	one("after", e.After)
}
