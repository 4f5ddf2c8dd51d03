// Package trace holds the numbered events of a run and what can be folded from
// them: the picture at any event (View), the sentence of an event, and the
// lines that scripts read.
package trace

import "effectivelyonce/engine"

// Trace is the complete record of one run: event n is the n-th performed effect.
// A trace forked from another shares its first events with it.
type Trace struct {
	Job    *engine.Job
	Faults []engine.Fault
	base   []engine.Event // shared with the run this one was forked from; never written
	tail   []engine.Event
}

// New is an empty trace of a job. The faults are those given to the run, resolved.
func New(job *engine.Job, faults []engine.Fault) *Trace {
	return &Trace{Job: job, Faults: faults, tail: make([]engine.Event, 0, eventsPerRecord*job.Input.Len()+64)}
}

// eventsPerRecord is what a record leads to on the way through a usual plan, its
// share of barriers included; a trace reserves that much.
const eventsPerRecord = 12

// Len is the number of events.
func (t *Trace) Len() int { return len(t.base) + len(t.tail) }

// At is event n, 1 ≤ n ≤ Len. The caller must not change it.
func (t *Trace) At(n int) *engine.Event {
	if n <= len(t.base) {
		return &t.base[n-1]
	}
	return &t.tail[n-1-len(t.base)]
}

// Append numbers e and adds it.
func (t *Trace) Append(e engine.Event) *engine.Event {
	e.N = int32(t.Len() + 1)
	t.tail = append(t.tail, e)
	return &t.tail[len(t.tail)-1]
}

// Fork is a trace that starts with all events of t so far and goes its own way.
// Only a trace that was not itself forked may be forked again without a copy;
// others are flattened first.
func (t *Trace) Fork(into *Trace) {
	into.Job = t.Job
	into.Faults = append(into.Faults[:0], t.Faults...)
	into.tail = into.tail[:0]
	if len(t.base) == 0 {
		into.base = t.tail[:len(t.tail):len(t.tail)]
		return
	}
	flat := make([]engine.Event, 0, t.Len())
	into.base = append(append(flat, t.base...), t.tail...)
}

// AddFault adds a fault that a fork brings in, and returns its index.
func (t *Trace) AddFault(f engine.Fault) int16 {
	t.Faults = append(t.Faults, f)
	return int16(len(t.Faults) - 1)
}

// FaultOf is the fault that a FaultInjected or FaultEnded event speaks of. Faults
// of the job's conditions come before those of the run.
func (t *Trace) FaultOf(e *engine.Event) *engine.Fault {
	if e.Fault < 0 {
		return nil
	}
	if n := len(t.Job.Conditions); int(e.Fault) < n {
		return &t.Job.Conditions[e.Fault]
	}
	return &t.Faults[int(e.Fault)-len(t.Job.Conditions)]
}
