package explore

import (
	"context"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// Point is one place of a survey: a target fails in the gap after an event.
type Point struct {
	Gap    int32 // the fault strikes after this event
	Target int   // index into Survey.Targets
}

// Survey tries single faults in any order that its caller finds useful, where
// Explore tries all of them in one go. It keeps its place between calls, so that
// points in ascending order cost one walk through the run. It is not safe for
// concurrent use.
type Survey struct {
	runner *runner
	walker *sim.Sim
	base   *trace.Trace
}

// NewSurvey prepares a survey of the job with the given faults, which belong to
// every run. Kinds are those of Options. It performs the run without any other
// fault; the errors are those of Explore.
func NewSurvey(job *engine.Job, faults []engine.Fault, kinds []string) (*Survey, error) {
	opt := &Options{Kinds: kinds, Depth: 1, Budget: -1}
	targets, err := targetsOf(job, opt)
	if err != nil {
		return nil, err
	}
	base, err := sim.Run(job, faults)
	if err != nil {
		return nil, err
	}
	return &Survey{runner: newRunner(context.Background(), job, faults, targets, opt), base: base}, nil
}

// Base is the run without the explored fault. Its gaps are 0 to its length.
func (s *Survey) Base() *trace.Trace { return s.base }

// Targets are what can fail, each a fault without its moment.
func (s *Survey) Targets() []string { return s.runner.result.Targets }

// Try performs the points one by one and tells of each. It stops when tell says
// false, when the context ends, and at the first run that cannot be finished.
// The cell is valid during the call.
func (s *Survey) Try(ctx context.Context, points []Point, tell func(*Cell) bool) error {
	r := s.runner
	r.ctx = ctx
	for _, p := range points {
		if err := s.walkTo(int(p.Gap)); err != nil {
			return err
		}
		r.cell = Cell{Gap: p.Gap, Target: p.Target, ThenTarget: -1, Outcomes: r.cell.Outcomes}
		if err := r.run(s.walker, r.targets[p.Target].at(p.Gap)); err != nil {
			return err
		}
		if !tell(&r.cell) {
			return nil
		}
	}
	return nil
}

// walkTo leaves the walker in the gap after event n. Behind it, it starts again.
func (s *Survey) walkTo(n int) error {
	r := s.runner
	if s.walker == nil || s.walker.Trace().Len() > n {
		w, err := sim.New(r.job, r.faults)
		if err != nil {
			return err
		}
		s.walker = w
		r.walk.Reset()
	}
	for s.walker.Trace().Len() < n && s.walker.Step() {
	}
	r.walk.Advance(s.walker.Trace(), s.walker.Trace().Len())
	return s.walker.Err()
}

// Worst is the outcome that gives the run its class: the first one of the worst
// class with the most rows concerned.
func (c *Cell) Worst() Outcome {
	var out Outcome
	for _, o := range c.Outcomes {
		if o.Class == c.Class && (out.Class == "" || o.rows() > out.rows()) {
			out = o
		}
	}
	return out
}

func (o *Outcome) rows() int32 { return o.Lost + o.Duplicated + o.Wrong + o.Pending }
