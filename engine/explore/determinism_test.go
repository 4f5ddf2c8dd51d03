package explore_test

import (
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

func mustRun(t *testing.T, job *engine.Job, faults ...engine.Fault) *trace.Trace {
	t.Helper()
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func mustFault(t testing.TB, job *engine.Job, spec string) engine.Fault {
	t.Helper()
	f, err := engine.ParseFault(spec)
	if err == nil {
		err = f.Resolve(job)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// differ is the first event at which two runs differ, 0 if they are the same.
func differ(a, b *trace.Trace) int {
	for n := 1; n <= min(a.Len(), b.Len()); n++ {
		if *a.At(n) != *b.At(n) {
			return n
		}
	}
	if a.Len() != b.Len() {
		return min(a.Len(), b.Len()) + 1
	}
	return 0
}

func targetsOf(job *engine.Job) []string {
	out := []string{"crash-job", "crash:coordinator"}
	for _, n := range job.Plan.TaskNames() {
		out = append(out, "crash:"+n)
	}
	return out
}

// jobsToCompare are jobs whose runs go through all parts of the engine.
func jobsToCompare(t *testing.T) map[string]*engine.Job {
	return map[string]*engine.Job{
		"J": reference(t, shape{engine.SinkTransactional, engine.TotalOutput}, 1),
		"K with backpressure": reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 2, func(s *engine.Settings) {
			s.Topology, s.Backlog, s.ChannelCapacity, s.CheckpointInterval = "K", true, 2, 50*engine.Millisecond
		}),
	}
}

func TestTheSameRunTwice(t *testing.T) {
	for name, job := range jobsToCompare(t) {
		for _, spec := range targetsOf(job) {
			f := mustFault(t, job, spec+"@57")
			if n := differ(mustRun(t, job, f), mustRun(t, job, f)); n != 0 {
				t.Errorf("%s, %s: the second run differs at event %d", name, f, n)
			}
		}
	}
}

// A run forked at a gap is the run that had the fault from the start, event by
// event, for every gap and target, also when the fork's memory was used before.
func TestForkedRunEqualsRunFromTheStart(t *testing.T) {
	for name, job := range jobsToCompare(t) {
		walker, err := sim.New(job, nil)
		if err != nil {
			t.Fatal(err)
		}
		var fork sim.Sim
		for {
			gap := walker.Trace().Len()
			for _, spec := range targetsOf(job) {
				f := mustFault(t, job, fmt.Sprintf("%s@%d", spec, gap))
				walker.Fork(&fork)
				fork.Inject(f)
				for fork.Step() {
				}
				if n := differ(fork.Trace(), mustRun(t, job, f)); n != 0 {
					t.Fatalf("%s, %s: the fork differs at event %d", name, f, n)
				}
			}
			if !walker.Step() {
				break
			}
		}
	}
}

// before:EVENT and after:EVENT name gaps: the fault strikes behind the same
// events as under the gap's number. A gap can last in virtual time: after: strikes
// at its beginning like the number, so the whole run is the same; before: strikes
// at its end. The second fault of a run is named, so that recovery is covered.
func TestNamedMomentIsItsGap(t *testing.T) {
	for name, job := range jobsToCompare(t) {
		first := mustFault(t, job, "crash:count/0@after:checkpoint.complete")
		whole := mustRun(t, job, first)
		seen := map[engine.Kind]int{}
		for n := 1; n <= whole.Len(); n++ {
			kind := whole.At(n).Kind
			seen[kind]++
			if kind == engine.FaultInjected {
				continue // a fault that names a fault is not a moment of the run
			}
			for _, spec := range []string{"crash-job", "crash:sink/0", "crash:source/1"} {
				after := mustFault(t, job, fmt.Sprintf("%s@after:%s~%d", spec, kind, seen[kind]))
				number := mustFault(t, job, fmt.Sprintf("%s@%d", spec, n))
				if at := differ(mustRun(t, job, first, after), mustRun(t, job, first, number)); at != 0 {
					t.Errorf("%s: %s and %s differ at event %d", name, after, number, at)
				}
				before := mustFault(t, job, fmt.Sprintf("%s@before:%s~%d", spec, kind, seen[kind]))
				gap := mustFault(t, job, fmt.Sprintf("%s@%d", spec, n-1))
				if at := differ(mustRun(t, job, first, before), mustRun(t, job, first, gap)); at != 0 {
					t.Errorf("%s: %s and %s differ at event %d", name, before, gap, at)
				}
			}
		}
	}
}
