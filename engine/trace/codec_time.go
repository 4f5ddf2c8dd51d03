package trace

import "effectivelyonce/engine"

// time prints what an event says about event time, in words like 400ms.
func (j *jsonLine) time(t *Trace, e *engine.Event) {
	switch {
	case e.Kind == engine.Watermark:
		j.str("watermark", Clock(e.Value))
		j.str("before", Clock(e.Before))
		j.str("after", Clock(e.After))
	case e.Kind == engine.WindowFired:
		j.str("end", Clock(e.Value))
	case e.Kind == engine.RecordJoined,
		e.Kind == engine.RecordProcessed && t.Job.Settings.Lookup != engine.LookupOff && t.Job.Plan.Tasks[e.Task].Kind == engine.OpForward:
		j.raw("before", []byte(engine.FormatNumber(e.Before)))
		j.raw("after", []byte(engine.FormatNumber(e.After)))
	}
}
