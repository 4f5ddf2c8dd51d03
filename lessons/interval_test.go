package lessons_test

import (
	"fmt"
	"math"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// measuredRun plays a scenario and reads its economics.
func measuredRun(t *testing.T, cat *lessons.Catalogue, q lessons.Query) (*engine.Job, *check.Economics) {
	t.Helper()
	job, faults, err := cat.Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatal(err)
	}
	return job, check.Measure(tr)
}

func within(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s: measured %.3g, the formula says %.3g", what, got, want)
	}
}

// What runs measure is what facts 13 say: the share of time that checkpoints take is
// C/T, a row is hidden for T/2 + D on average, and for T + D at most.
func TestCheckpointsCostAndDelayAsTheFormulaSays(t *testing.T) {
	cat := catalogue(t)
	cost := 0.0
	var lanes []*check.Economics
	intervals := []float64{100, 200, 300, 450, 600, 900}
	for _, T := range intervals {
		_, x := measuredRun(t, cat, lessons.Query{Scenario: "interval-long", Set: []string{fmt.Sprintf("checkpoint.interval=%gms", T)}})
		lanes = append(lanes, x)
		cost += x.Cost().Millis() / float64(len(intervals))
		if n := int(x.Span.Millis() / T); x.Sealed < n-4 || x.Sealed > n+1 {
			t.Errorf("T = %g ms: %d checkpoints in %s", T, x.Sealed, x.Span)
		}
		if len(x.Delays) != 500 || len(x.Recoveries) != 0 {
			t.Errorf("T = %g ms: %d delays, %d recoveries", T, len(x.Delays), len(x.Recoveries))
		}
		const commit = 30 // notice and commit, in ms
		d := check.Summary(x.Delays)
		mean, _ := check.VisibleDelay(T, x.Duration.Mean().Millis()+commit)
		_, most := check.VisibleDelay(T, x.Duration.Max.Millis()+1.25*commit)
		within(t, fmt.Sprintf("T = %g ms, mean delay", T), d.Mean().Millis(), mean, .04)
		if d.Max.Millis() > most || d.Max.Millis() < .9*most {
			t.Errorf("T = %g ms: the longest delay is %s, the bound %.0f ms", T, d.Max, most)
		}
	}
	for i, x := range lanes {
		within(t, fmt.Sprintf("T = %g ms, share", intervals[i]), x.Share(), cost/intervals[i], .25)
	}
}

// A crash at every gap repeats at append no more than the writes of one interval and
// one checkpoint, and close to that at its worst (invariant of curriculum L20).
func TestRepeatsAreBoundByIntervalAndDuration(t *testing.T) {
	cat := catalogue(t)
	for T, want := range map[float64]int{900: 16, 300: 6, 200: 4, 100: 4} {
		q := lessons.Query{Scenario: "interval-lab", Set: []string{fmt.Sprintf("checkpoint.interval=%gms", T)}}
		job, x := measuredRun(t, cat, q)
		found, err := exploreAll(job, nil, []string{"crash-job"})
		if err != nil {
			t.Fatal(err)
		}
		perMS := float64(len(job.Input.Parts)) / job.Settings.Gap.Millis()
		if bound := math.Ceil(perMS * (T + x.Duration.Max.Millis())); found.Duplicated != want || float64(found.Duplicated) > bound {
			t.Errorf("T = %g ms: at worst %d repeats, want %d and at most %.0f", T, found.Duplicated, want, bound)
		}
	}
}

// A job is back in the present after downtime and (age + downtime)·ρ/(1−ρ), and
// without headroom it is not.
func TestCatchUpGrowsWithTheLoad(t *testing.T) {
	cat := catalogue(t)
	for gap, share := range map[int]float64{27: .12, 20: .06, 16: .08} {
		job, x := measuredRun(t, cat, lessons.Query{Scenario: "interval-long", Set: []string{fmt.Sprintf("gap=%dms", gap)}, Faults: []string{"crash:count/0@1s"}})
		if len(x.Recoveries) != 1 {
			t.Fatalf("gap %d ms: %d recoveries", gap, len(x.Recoveries))
		}
		r := x.Recoveries[0]
		if r.Detect != job.Settings.CrashDetection || r.Restart != job.Settings.RestartDelay {
			t.Errorf("gap %d ms: detected after %s, back after %s", gap, r.Detect, r.Restart)
		}
		rho := float64(len(job.Input.Parts)) * float64(job.Settings.Costs.Operator) / float64(job.Settings.Gap)
		_, want, ok := check.CatchUp(rho, 1, r.Age.Millis(), r.Down().Millis())
		if !ok || r.CatchUp < 0 {
			t.Fatalf("gap %d ms: no catch-up", gap)
		}
		within(t, fmt.Sprintf("load %.2f, catch-up", rho), r.CatchUp.Millis(), want, share)
	}
	_, x := measuredRun(t, cat, lessons.Query{Scenario: "interval-long", Set: []string{"gap=9ms"}, Faults: []string{"crash:count/0@1s"}})
	if len(x.Recoveries) == 1 && x.Recoveries[0].CatchUp >= 0 && x.Recoveries[0].CatchUp.Millis() < 2000 {
		t.Errorf("a job without headroom caught up after %s", x.Recoveries[0].CatchUp)
	}
}
