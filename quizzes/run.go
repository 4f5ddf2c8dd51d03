package quizzes

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// RunFunc plays a job with faults to its end. Its errors are those of the
// simulator: *engine.BadFault, *engine.NeverStruck, or the event limit.
type RunFunc func(*engine.Job, []engine.Fault) (*trace.Trace, error)

// Run is a run that has ended, with its verdicts.
type Run struct {
	Trace    *trace.Trace
	Verdicts []check.Verdict
}

// Play runs a job and judges it.
func Play(run RunFunc, job *engine.Job, faults []engine.Fault) (*Run, error) {
	t, err := run(job, faults)
	if err != nil {
		return nil, err
	}
	return &Run{Trace: t, Verdicts: check.Judge(t)}, nil
}

// Job is the job that ran.
func (r *Run) Job() *engine.Job { return r.Trace.Job }

// Class is the worst class of the declared readers.
func (r *Run) Class() check.Class { return check.WorstOf(r.Verdicts) }
