package quizzes

import (
	"errors"
	"fmt"

	"effectivelyonce/engine"
)

// Moment is a place in a run, written like the moment of a fault: before:EVENT,
// after:EVENT, an event number, a duration; or "start", or "end".
type Moment string

// Start and End of a run.
const (
	Start Moment = "start"
	End   Moment = "end"
)

// when parses a moment with the grammar of faults and looks its names up.
func when(job *engine.Job, m string) (engine.When, error) {
	f, err := engine.ParseFault("crash-job@" + m)
	if err == nil {
		err = f.Resolve(job)
	}
	var bad *engine.BadFault
	if errors.As(err, &bad) {
		return f.When, fmt.Errorf("moment %q: %s", m, bad.Why)
	}
	return f.When, err
}

// CheckMoment reports whether m is spelled rightly and its names exist in the job.
func CheckMoment(job *engine.Job, m Moment) error {
	if m == Start || m == End {
		return nil
	}
	_, err := when(job, string(m))
	return err
}

// At is the gap that a moment means in this run: the number of the event before it.
func (r *Run) At(m Moment) (int, error) {
	switch m {
	case Start:
		return 0, nil
	case End:
		return r.Trace.Len(), nil
	}
	w, err := when(r.Job(), string(m))
	if err != nil {
		return 0, err
	}
	switch w.Form {
	case engine.AfterEvent:
		if int(w.N) > r.Trace.Len() {
			return 0, fmt.Errorf("moment %q: this run has events 0 to %d", m, r.Trace.Len())
		}
		return int(w.N), nil
	case engine.AtTime:
		n := 0
		for n < r.Trace.Len() && r.Trace.At(n+1).T <= w.T {
			n++
		}
		return n, nil
	}
	e, err := r.find(&w, string(m))
	if err != nil {
		return 0, err
	}
	if w.Form == engine.BeforeNamed {
		return int(e.N) - 1, nil
	}
	return int(e.N), nil
}

// Event is the event that a name like barrier.aligned~1@count/0 means.
func (r *Run) Event(name string) (*engine.Event, error) {
	w, err := when(r.Job(), "after:"+name)
	if err != nil {
		return nil, err
	}
	return r.find(&w, name)
}

func (r *Run) find(w *engine.When, name string) (*engine.Event, error) {
	seen := 0
	for n := 1; n <= r.Trace.Len(); n++ {
		e := r.Trace.At(n)
		if !w.Matches(r.Job().Plan, e) {
			continue
		}
		if seen++; seen == w.K {
			return e, nil
		}
	}
	return nil, &Missing{What: fmt.Sprintf("%q does not occur in this run; %d events match", name, seen)}
}
