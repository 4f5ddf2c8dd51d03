package explore

import (
	"math/rand/v2"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// pairs tries, for every first fault at every gap, every second fault at every
// later gap of the run with the first. The last gap lies behind the end, where
// the second one hits nothing, so that the runs with one fault are among them.
func (r *runner) pairs() error {
	var err error
	if r.result.Planned, err = r.countPairs(); err != nil {
		return err
	}
	for gap := range r.result.Gaps {
		for i := range r.targets {
			if err := r.second(int32(gap), i, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// countPairs is how many pairs there are: it runs every first fault to its end.
func (r *runner) countPairs() (int, error) {
	walker, err := sim.New(r.job, r.faults)
	if err != nil {
		return 0, err
	}
	n := 0
	for {
		gap := walker.Trace().Len()
		for i := range r.targets {
			walker.Fork(&r.fork)
			r.fork.Inject(r.targets[i].at(int32(gap)))
			for r.fork.Step() {
			}
			n += (r.fork.Trace().Len() - gap) * len(r.targets)
		}
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		if !walker.Step() {
			return n, walker.Err()
		}
	}
}

// then is a second fault, in the gap after an event.
type then struct {
	gap    int32
	target int
}

// second walks through the run with the first fault. It tries all second faults,
// or those that the function picks from the run; they come back sorted by gap.
func (r *runner) second(gap int32, first int, pick func(*trace.Trace) []then) error {
	faults := append(slices.Clip(r.faults), r.targets[first].at(gap))
	walker, err := sim.New(r.job, faults)
	if err != nil {
		return err
	}
	var picked []then
	if pick != nil {
		whole, err := sim.Run(r.job, faults)
		if err != nil {
			return err
		}
		picked = pick(whole)
	}
	for walker.Trace().Len() <= int(gap) && walker.Step() {
	}
	r.walk.Reset()
	for {
		at := walker.Trace().Len()
		r.walk.Advance(walker.Trace(), at)
		for i := 0; pick == nil && i < len(r.targets); i++ {
			if err := r.pair(walker, gap, first, then{int32(at), i}); err != nil {
				return err
			}
		}
		for len(picked) > 0 && int(picked[0].gap) == at {
			if err := r.pair(walker, gap, first, picked[0]); err != nil {
				return err
			}
			picked = picked[1:]
		}
		if pick != nil && len(picked) == 0 || !walker.Step() {
			return walker.Err()
		}
	}
}

func (r *runner) pair(walker *sim.Sim, gap int32, first int, t then) error {
	r.cell = Cell{Gap: gap, Target: first, ThenGap: t.gap, ThenTarget: t.target, Outcomes: r.cell.Outcomes}
	return r.try(walker, r.targets[t.target].at(t.gap))
}

// sample draws pairs: a first fault anywhere, then a second one. Every other pair
// has its second fault during the recovery from the first, which would be hit
// too seldom otherwise.
func (r *runner) sample() error {
	r.result.Planned = r.opt.Sample
	random := rand.New(rand.NewPCG(r.opt.Seed, 2))
	draws := make([]int, r.result.Gaps*len(r.targets))
	for range r.opt.Sample {
		draws[random.IntN(len(draws))]++
	}
	for at, n := range draws {
		if n == 0 {
			continue
		}
		gap, first := int32(at/len(r.targets)), at%len(r.targets)
		err := r.second(gap, first, func(t *trace.Trace) []then {
			return r.draw(random, t, gap, n)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// draw picks n second faults of the run t, whose first fault struck after event gap.
func (r *runner) draw(random *rand.Rand, t *trace.Trace, gap int32, n int) []then {
	out := make([]then, n)
	recovered := recoveredAt(t, gap)
	for i := range out {
		until := t.Len()
		if i%2 == 1 {
			until = recovered
		}
		out[i] = then{gap: gap + 1 + int32(random.IntN(until-int(gap))), target: random.IntN(len(r.targets))}
	}
	slices.SortFunc(out, func(a, b then) int { return int(a.gap-b.gap)*len(r.targets) + a.target - b.target })
	return out
}

// recoveredAt is the event with which the job is where it was when the fault
// struck, or the end of the run where it never is.
func recoveredAt(t *trace.Trace, gap int32) int {
	for n := int(gap) + 1; n <= t.Len(); n++ {
		if t.At(n).Kind == engine.ReplayCaughtUp {
			return n
		}
	}
	return t.Len()
}
