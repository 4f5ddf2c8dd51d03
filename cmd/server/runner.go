package main

import (
	"context"
	"errors"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

// runner is the simulator as package web wants it. It holds no state.
type runner struct{}

// Run performs a job to its end.
func (runner) Run(_ context.Context, job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
	return sim.Run(job, faults)
}

// Explore adds every fault asked for at every gap. An exploration that the
// context ends returns what it has.
func (runner) Explore(ctx context.Context, job *engine.Job, faults []engine.Fault, ask web.Exploration) (*web.Explored, error) {
	opt := explore.Options{Depth: ask.Depth, Budget: ask.Budget, Now: time.Now}
	for _, k := range ask.Kinds {
		opt.Kinds = append(opt.Kinds, string(k))
	}
	r, err := explore.Explore(ctx, job, faults, opt)
	if r == nil || err != nil && !errors.Is(err, ctx.Err()) {
		return nil, err
	}
	return explored(r), nil
}

// Survey prepares the runs of a crash map.
func (runner) Survey(job *engine.Job, faults []engine.Fault, kinds []string) (web.Survey, error) {
	s, err := explore.NewSurvey(job, faults, kinds)
	if err != nil {
		return nil, err
	}
	return survey{s}, nil
}

// survey speaks of its runs in the words of package web.
type survey struct{ *explore.Survey }

func (s survey) Try(ctx context.Context, points []web.Point, tell func(web.Point, web.Tried) bool) error {
	at := make([]explore.Point, len(points))
	for i, p := range points {
		at[i] = explore.Point(p)
	}
	return s.Survey.Try(ctx, at, func(c *explore.Cell) bool {
		w := c.Worst()
		out := web.Tried{Class: c.Class, Lost: int(w.Lost), Duplicated: int(w.Duplicated), Wrong: int(w.Wrong), Pending: int(w.Pending), Events: c.Events}
		for _, o := range c.Outcomes {
			out.Rewound = out.Rewound || o.Rewound > 0
		}
		return tell(web.Point{Gap: c.Gap, Target: c.Target}, out)
	})
}

// explored is a result in the words that scripts read.
func explored(r *explore.Result) *web.Explored {
	out := &web.Explored{Scenario: r.Scenario, Settings: r.Settings, Kind: r.Kind, Depth: r.Depth, Points: r.Points, Of: r.Of,
		Classes: map[string]int{}, Examples: map[string]web.Example{}, RunsPerSecond: r.RunsPerSecond}
	for c, n := range r.Classes {
		out.Classes[string(c)] = n
	}
	for c, e := range r.Examples {
		out.Examples[string(c)] = web.Example{Fault: e.Fault, Then: e.Then}
	}
	all := 0
	for i := range r.Cells {
		most := 0
		for _, o := range r.Cells[i].Outcomes {
			most = max(most, int(o.Duplicated))
		}
		all += most
		out.WorstRepeats = max(out.WorstRepeats, most)
	}
	if len(r.Cells) > 0 {
		out.MeanRepeats = float64(all) / float64(len(r.Cells))
	}
	return out
}

// exploreAll is what claims ask for: every single crash.
func exploreAll(ctx context.Context) lessons.ExploreFunc {
	return func(job *engine.Job, faults []engine.Fault, kinds []string) (*lessons.Explored, error) {
		r, err := explore.Explore(ctx, job, faults, explore.Options{Kinds: kinds, Budget: -1})
		if err != nil {
			return nil, err
		}
		out := &lessons.Explored{Points: r.Points, Classes: r.Classes, Examples: map[check.Class]string{}}
		for c, e := range r.Examples {
			out.Examples[c] = e.Fault
		}
		for i := range r.Cells {
			for _, o := range r.Cells[i].Outcomes {
				if n := int(o.Duplicated); n > out.Duplicated {
					out.Duplicated, out.Worst = n, r.FaultOf(&r.Cells[i])
				}
			}
		}
		return out, nil
	}
}
