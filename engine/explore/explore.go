// Package explore tries every fault at every gap of a run and says what comes of
// each. It walks once through the run without the fault, forks the simulator at
// every gap, injects the fault there, lets the fork run to its end, and judges it.
//
//	explore.go   Explore: what is tried, in which order
//	runner.go    one run: fork, inject, finish, judge
//	pairs.go     two faults: all pairs, or a sample of them
//	survey.go    single points in the order in which somebody wants to see them
//	result.go    what is reported
package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
)

// DefaultBudget is how many runs an exploration performs when Options name none.
const DefaultBudget = 20000

// Options say what to try. The zero value tries every task and the whole job at
// every gap, one fault a run.
type Options struct {
	Kinds  []string // crash (every task), crash:TARGET, crash-job, crash-node (every node), crash-node:NODE, pause (every task, three lengths), pause:TASK, pause:TASK:D, lose-response (every task that writes), storage-down:D, …; nil: crash and crash-job
	Depth  int      // 1 or 2 faults a run; 0 is 1
	Budget int      // runs at most; 0: DefaultBudget, negative: no bound
	Sample int      // depth 2: this many pairs drawn at random instead of all; 0: all
	Seed   uint64   // of the sample
	Audit  bool     // also check the invariants of every run

	OnCell func(*Cell)      // told of each run when it is judged; the cell is valid during the call
	Now    func() time.Time // a clock for RunsPerSecond; nil: it stays 0
}

// Explore runs the job with each fault at each gap, on top of the given faults,
// which belong to every run. The errors of sim.Run are returned as they are; a
// run that cannot be finished is an error that names its faults. When the context
// ends, what was done so far is returned together with its error.
//
// It works in the calling goroutine.
func Explore(ctx context.Context, job *engine.Job, faults []engine.Fault, opt Options) (*Result, error) {
	targets, err := targetsOf(job, &opt)
	if err != nil {
		return nil, err
	}
	if opt.Depth == 0 {
		opt.Depth = 1
	}
	if opt.Depth != 1 && opt.Depth != 2 {
		return nil, fmt.Errorf("depth %d: allowed: 1 or 2", opt.Depth)
	}
	if len(faults)+opt.Depth > engine.MaxFaults {
		return nil, fmt.Errorf("%d faults given; allowed here: at most %d", len(faults), engine.MaxFaults-opt.Depth)
	}
	base, err := sim.Run(job, faults)
	if err != nil {
		return nil, err
	}
	r := newRunner(ctx, job, faults, targets, &opt)
	r.result.Gaps = base.Len() + 1
	started := r.time()
	switch {
	case opt.Depth == 1:
		err = r.singles()
	case opt.Sample > 0:
		err = r.sample()
	default:
		err = r.pairs()
	}
	r.result.measure(r.time().Sub(started))
	if errors.Is(err, errBudget) {
		err = nil
	} else if err == nil {
		r.result.Complete = true
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return r.result, err
}

// target is one thing that can be made to fail.
type target struct {
	name  string // a fault without its moment
	fault engine.Fault
}

// at is the target's fault in the gap after event n.
func (t *target) at(n int32) engine.Fault {
	f := t.fault
	f.When = engine.When{Form: engine.AfterEvent, N: n, Rec: engine.NoRecord, K: 1}
	return f
}

// namesOf spells out a kind without a target: every task, every node.
func namesOf(job *engine.Job, kind string) []string {
	if kind == string(engine.Pause) || strings.HasPrefix(kind, string(engine.Pause)+":") {
		return pausesOf(job, kind)
	}
	var out []string
	switch kind {
	case string(engine.Crash):
		for _, t := range job.Plan.TaskNames() {
			out = append(out, kind+":"+t)
		}
	case string(engine.CrashNode):
		for n := range job.Plan.Nodes() {
			out = append(out, fmt.Sprintf("%s:node/%d", kind, n))
		}
	case string(engine.LoseResponse):
		for i := range job.Plan.Tasks {
			if t := &job.Plan.Tasks[i]; t.Sink >= 0 {
				out = append(out, kind+":"+t.Name)
			}
		}
	default:
		out = append(out, kind)
	}
	return out
}

// Kinds are the faults that can be explored.
func Kinds() []string {
	return slices.DeleteFunc(engine.FaultKinds(), func(k string) bool { return k == string(engine.Slow) })
}

func targetsOf(job *engine.Job, opt *Options) ([]target, error) {
	if len(opt.Kinds) == 0 {
		opt.Kinds = []string{string(engine.Crash), string(engine.CrashJob)}
	}
	var out []target
	for _, k := range opt.Kinds {
		for _, n := range namesOf(job, k) {
			f, err := engine.ParseFault(n + "@0")
			if err == nil && !slices.Contains(Kinds(), string(f.Kind)) || strings.Contains(k, "@") {
				err = fmt.Errorf("kind %q cannot be explored; allowed: %s, each also with a target, like crash:coordinator", k, strings.Join(Kinds(), ", "))
			}
			if err == nil {
				err = f.Resolve(job)
			}
			if err != nil {
				return nil, err
			}
			out = append(out, target{name: n, fault: f})
		}
	}
	return out, nil
}
