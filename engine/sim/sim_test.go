package sim

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

var shapes = []string{"topology=J", "topology=J2", "topology=K", "topology=MAP"}

func equal(t *testing.T, what string, a, b *trace.Trace) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%s: %d events, want %d", what, b.Len(), a.Len())
	}
	for n := 1; n <= a.Len(); n++ {
		x, y := *a.At(n), *b.At(n)
		if x != y {
			t.Fatalf("%s: event %d differs:\n%+v\n%+v", what, n, x, y)
		}
	}
}

func TestSameRunTwiceIsTheSame(t *testing.T) {
	for _, shape := range shapes {
		for seed := range uint64(5) {
			j := job(t, seed, shape, "sink=transactional")
			first := run(t, j, "crash-job@60")
			procs := runtime.GOMAXPROCS(1)
			second := run(t, job(t, seed, shape, "sink=transactional"), "crash-job@60")
			runtime.GOMAXPROCS(procs)
			equal(t, shape, first, second)
		}
	}
}

func TestSeedsDiffer(t *testing.T) {
	a, b := run(t, job(t, 1)), run(t, job(t, 2))
	if a.Len() != b.Len() {
		return
	}
	for n := 1; n <= a.Len(); n++ {
		if *a.At(n) != *b.At(n) {
			return
		}
	}
	t.Fatal("seeds 1 and 2 give the same events")
}

// TestForkEqualsRunFromStart compares, for every gap, a fork with an injected
// crash against a run that is given the same crash by its number.
func TestForkEqualsRunFromStart(t *testing.T) {
	for _, shape := range shapes {
		j := job(t, 1, shape, "sink=transactional")
		s, err := New(j, nil)
		if err != nil {
			t.Fatal(err)
		}
		fork := &Sim{}
		for gap := 0; ; gap++ {
			for _, target := range []string{"crash-job", "crash:sink/0", "crash:coordinator", "slow:source/0:x9:1s"} {
				f := faults(t, target+"@"+itoa(gap))[0]
				if err := f.Resolve(j); err != nil {
					t.Fatal(err)
				}
				s.Fork(fork)
				fork.Inject(f)
				for fork.Step() {
				}
				equal(t, shape+" "+f.String(), run(t, j, f.String()), fork.Trace())
			}
			if !s.Step() {
				break
			}
		}
	}
}

func itoa(n int) string {
	return engine.When{Form: engine.AfterEvent, N: int32(n), Rec: engine.NoRecord}.String()
}

func TestEveryFormOfMomentStrikesWhereItSays(t *testing.T) {
	j := job(t, 1, "topology=K", "sink=transactional")
	clean := run(t, j)
	find := func(k engine.Kind, nth int, task, sender string) int32 {
		for n := 1; n <= clean.Len(); n++ {
			e := clean.At(n)
			if e.Kind != k || task != "" && j.Plan.Name(e.Task) != task ||
				sender != "" && j.Plan.Name(j.Plan.Channels[e.Chan].From) != sender {
				continue
			}
			if nth--; nth == 0 {
				return e.N
			}
		}
		t.Fatalf("no such event %s", k)
		return 0
	}
	cases := []struct {
		spec string
		gap  int32 // the fault must be event gap+1
	}{
		{"crash-job@0", 0},
		{"crash-job@17", 17},
		{"crash-job@before:checkpoint.complete", find(engine.CheckpointComplete, 1, "", "") - 1},
		{"crash-job@after:checkpoint.complete~2", find(engine.CheckpointComplete, 2, "", "")},
		{"crash:count/0@after:barrier.arrived(enrich/1)@count/0", find(engine.BarrierArrived, 1, "count/0", "enrich/1")},
		{"crash:count/0@before:barrier.arrived(enrich/0)#2@count/0", find(engine.BarrierArrived, 2, "count/0", "enrich/0") - 1},
		{"crash:enrich/0@after:source.read(P1:3)", func() int32 {
			for n := 1; n <= clean.Len(); n++ {
				if e := clean.At(n); e.Kind == engine.SourceRead && e.Rec == (engine.RecordID{Part: 1, Off: 3}) {
					return e.N
				}
			}
			return -1
		}()},
		{"crash:coordinator@before:txn.commit@sink/0", find(engine.TxnCommit, 1, "sink/0", "") - 1},
	}
	for _, c := range cases {
		tr := run(t, j, c.spec)
		if e := tr.At(int(c.gap) + 1); e.Kind != engine.FaultInjected {
			t.Errorf("%s: event %d is %s, want fault.injected", c.spec, e.N, e.Kind)
		}
		for n := 1; n <= int(c.gap); n++ {
			if *tr.At(n) != *clean.At(n) {
				t.Errorf("%s: event %d before the fault differs from the clean run", c.spec, n)
			}
		}
	}
	tr := run(t, j, "crash-job@250ms")
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Kind == engine.FaultInjected && e.T != 250*engine.Millisecond {
			t.Errorf("fault at %s, want 250ms", e.T)
		}
	}
}

func TestMomentThatDoesNotExistIsAnError(t *testing.T) {
	j := job(t, 1)
	for _, spec := range []string{"crash-job@9000", "crash-job@after:txn.commit", "crash-job@before:checkpoint.complete~99", "crash-job@20s"} {
		_, err := Run(j, faults(t, spec))
		var never *engine.NeverStruck
		if !errors.As(err, &never) {
			t.Errorf("%s: got %v, want NeverStruck", spec, err)
		}
	}
	if _, err := Run(j, faults(t, "crash:cuont/0@5")); err == nil {
		t.Error("an unknown task was accepted")
	}
}

// A coordinator keeps the tasks that have acknowledged as bits of one word.
func TestTooManyTasksAreRefused(t *testing.T) {
	in := &engine.Input{Keys: []string{"a"}}
	for range engine.MaxPartitions {
		in.Parts = append(in.Parts, []engine.Datum{{Value: engine.ValueScale}})
	}
	set := engine.BaseSettings()
	if err := set.Set("parallelism", "4"); err != nil {
		t.Fatal(err)
	}
	for i := range 53 { // several sinks have one task each
		set.Sinks = append(set.Sinks, engine.BaseSink("s"+itoa(i)))
	}
	if _, err := engine.NewJob("test", set, in, 1, nil); err == nil || !strings.Contains(err.Error(), "65 tasks; allowed: at most 64") {
		t.Errorf("65 tasks: %v", err)
	}
	set.Sinks = set.Sinks[:52]
	j, err := engine.NewJob("test", set, in, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tr := run(t, j); last(tr).Reason != engine.AtRest {
		t.Errorf("64 tasks end %s", last(tr).Reason)
	}
}
