package explore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// errBudget ends an exploration that has used up its runs.
var errBudget = errors.New("budget used up")

// runner holds the memory that all runs of an exploration share: one walker that
// is forked, and one fork that runs.
type runner struct {
	ctx     context.Context
	job     *engine.Job
	faults  []engine.Fault
	targets []target
	opt     *Options
	result  *Result
	budget  int

	fork  sim.Sim
	walk  *check.Fold // the outside world at the gap where the walker stands
	judge *check.Fold
	audit *check.Audit
	cell  Cell
}

func newRunner(ctx context.Context, job *engine.Job, faults []engine.Fault, targets []target, opt *Options) *runner {
	r := &runner{ctx: ctx, job: job, faults: faults, targets: targets, opt: opt, result: newResult(job, targets, opt),
		budget: opt.Budget, walk: check.NewFold(job), judge: check.NewFold(job)}
	if r.budget == 0 {
		r.budget = DefaultBudget
	}
	if opt.Audit {
		r.audit = check.NewAudit(job)
	}
	r.cell.Outcomes = make([]Outcome, len(r.result.Columns))
	return r
}

func (r *runner) time() time.Time {
	if r.opt.Now == nil {
		return time.Time{}
	}
	return r.opt.Now()
}

// singles tries every target at every gap of the run without them.
func (r *runner) singles() error {
	r.result.Planned = r.result.Gaps * len(r.targets)
	walker, err := sim.New(r.job, r.faults)
	if err != nil {
		return err
	}
	r.walk.Reset()
	for {
		gap := walker.Trace().Len()
		r.walk.Advance(walker.Trace(), gap)
		for i := range r.targets {
			r.cell = Cell{Gap: int32(gap), Target: i, ThenTarget: -1, Outcomes: r.cell.Outcomes}
			if err := r.try(walker, r.targets[i].at(int32(gap))); err != nil {
				return err
			}
		}
		if !walker.Step() {
			return walker.Err()
		}
	}
}

// try performs one run within the budget and counts it. The caller has filled in
// the cell's place.
func (r *runner) try(walker *sim.Sim, f engine.Fault) error {
	if r.budget == r.result.Points {
		return errBudget
	}
	if err := r.run(walker, f); err != nil {
		return err
	}
	r.note()
	return nil
}

// run forks the walker, lets the fault strike, runs to the end and judges.
func (r *runner) run(walker *sim.Sim, f engine.Fault) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	walker.Fork(&r.fork)
	r.fork.Inject(f)
	for r.fork.Step() {
	}
	if err := r.fork.Err(); err != nil {
		ex := r.spell()
		return fmt.Errorf("with %s %s: %w", ex.Fault, ex.Then, err)
	}
	t := r.fork.Trace()
	r.judge.CopyFrom(r.walk)
	r.judge.Advance(t, t.Len())
	c := &r.cell
	c.Class, c.Events = "", t.Len()
	for i, v := range r.judge.Verdicts(true) {
		c.Outcomes[i] = Outcome{Class: v.Class, Lost: int32(v.Lost), Duplicated: int32(v.Duplicated), Wrong: int32(v.Wrong),
			Pending: int32(v.Pending), Rewound: int32(v.Rewound), Observed: int32(v.Observed)}
		c.Class = check.Worst(c.Class, v.Class)
	}
	return nil
}

// note reports the run that was just judged.
func (r *runner) note() {
	r.result.add(&r.cell, r.spell)
	if r.audit != nil {
		t := r.fork.Trace()
		r.audit.Reset()
		for i := 1; i <= t.Len(); i++ {
			r.audit.Apply(t, t.At(i))
		}
		if vs := r.audit.Close(); len(vs) > 0 {
			r.result.breach(r.spell(), vs)
		}
	}
	if r.opt.OnCell != nil {
		r.opt.OnCell(&r.cell)
	}
	if r.opt.Depth == 1 {
		kept := r.cell
		kept.Outcomes = append([]Outcome(nil), r.cell.Outcomes...)
		r.result.Cells = append(r.result.Cells, kept)
	}
}

// spell writes the cell's faults as a URL spells them.
func (r *runner) spell() Example {
	ex := Example{Fault: r.targets[r.cell.Target].at(r.cell.Gap).String(), Events: r.cell.Events}
	if r.cell.ThenTarget >= 0 {
		ex.Then = r.targets[r.cell.ThenTarget].at(r.cell.ThenGap).String()
	}
	return ex
}
