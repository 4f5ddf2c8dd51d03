package explore_test

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

func mustExplore(t *testing.T, job *engine.Job, opt explore.Options, faults ...engine.Fault) *explore.Result {
	t.Helper()
	r, err := explore.Explore(context.Background(), job, faults, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEveryGapAndTargetIsTriedOnce(t *testing.T) {
	job := reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1)
	gaps := mustRun(t, job).Len() + 1
	streamed := 0
	r := mustExplore(t, job, explore.Options{OnCell: func(*explore.Cell) { streamed++ }})
	want := []string{"crash:source/0", "crash:source/1", "crash:count/0", "crash:sink/0", "crash-job"}
	if !slices.Equal(r.Targets, want) || r.Points != gaps*5 || r.Planned != r.Points || !r.Complete || r.Gaps != gaps || streamed != r.Points {
		t.Errorf("targets %v, %d of %d points, %d gaps, %d cells told", r.Targets, r.Points, r.Planned, r.Gaps, streamed)
	}
	for i, c := range r.Cells {
		if int(c.Gap) != i/5 || c.Target != i%5 || c.ThenTarget != -1 || len(c.Outcomes) != 1 {
			t.Fatalf("cell %d is %+v", i, c)
		}
	}
}

// A cell is the verdict of the run that its fault leads to.
func TestCellsAndExamplesAreTheRunsTheyName(t *testing.T) {
	job := reference(t, shape{engine.SinkTransactional, engine.TotalOutput}, 3)
	r := mustExplore(t, job, explore.Options{})
	smallest := map[check.Class]int{}
	for i, c := range r.Cells {
		if n, ok := smallest[c.Class]; !ok || c.Events < n {
			smallest[c.Class] = c.Events
		}
		if i%7 != 0 {
			continue
		}
		spec := explore.Example{Fault: r.Targets[c.Target] + "@" + (engine.When{N: c.Gap}).String()}
		run := mustRun(t, job, mustFault(t, job, spec.Fault))
		vs := check.Judge(run)
		if check.WorstOf(vs) != c.Class || run.Len() != c.Events {
			t.Errorf("%s: %s with %d events, the cell says %s with %d", spec.Fault, check.WorstOf(vs), run.Len(), c.Class, c.Events)
		}
		for j, v := range vs {
			got := []int32{c.Outcomes[j].Lost, c.Outcomes[j].Duplicated, c.Outcomes[j].Wrong, c.Outcomes[j].Pending, c.Outcomes[j].Rewound, c.Outcomes[j].Observed}
			if want := []int32{int32(v.Lost), int32(v.Duplicated), int32(v.Wrong), int32(v.Pending), int32(v.Rewound), int32(v.Observed)}; !slices.Equal(got, want) {
				t.Errorf("%s, %s: %v, want %v", spec.Fault, v.Reader, got, want)
			}
		}
	}
	for class, ex := range r.Examples {
		run := mustRun(t, job, mustFault(t, job, ex.Fault))
		if check.WorstOf(check.Judge(run)) != class || run.Len() != smallest[class] {
			t.Errorf("example of %s: %+v is %s with %d events; the smallest has %d", class, ex, check.WorstOf(check.Judge(run)), run.Len(), smallest[class])
		}
	}
}

func TestResultJSON(t *testing.T) {
	job := reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1)
	now := time.Unix(0, 0)
	r := mustExplore(t, job, explore.Options{Kinds: []string{"crash-job"}, Now: func() time.Time { now = now.Add(time.Second); return now }})
	js, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(js, &got); err != nil {
		t.Fatal(err)
	}
	keys := []string{}
	for k := range got {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	if want := []string{"classes", "depth", "examples", "kind", "points", "runs_per_second", "scenario", "settings"}; !slices.Equal(keys, want) {
		t.Errorf("keys %v", keys)
	}
	if ex := got["examples"].(map[string]any)["duplicated"]; !reflect.DeepEqual(ex, map[string]any{"fault": r.Examples[check.Duplicated].Fault}) {
		t.Errorf("example %v", ex)
	}
	if !strings.HasPrefix(r.Examples[check.Duplicated].Fault, "crash-job@") || got["runs_per_second"] != float64(r.Points) || got["depth"] != 1.0 {
		t.Errorf("%s", js)
	}
}

func TestFaultsGivenBelongToEveryRun(t *testing.T) {
	job := reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 1)
	slow := mustFault(t, job, "slow:count/0:x4@0s")
	r := mustExplore(t, job, explore.Options{}, slow)
	if want := mustRun(t, job, slow).Len() + 1; r.Gaps != want || r.Gaps == mustRun(t, job).Len()+1 {
		t.Errorf("%d gaps, want those of the slowed run, %d", r.Gaps, want)
	}
	never := mustFault(t, job, "crash-job@after:checkpoint.complete~99")
	var ns *engine.NeverStruck
	if _, err := explore.Explore(context.Background(), job, []engine.Fault{never}, explore.Options{}); !errors.As(err, &ns) {
		t.Errorf("a fault that strikes nowhere: %v", err)
	}
}

func TestBudgetAndContextEndAnExploration(t *testing.T) {
	job := reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1)
	r := mustExplore(t, job, explore.Options{Budget: 17})
	if r.Points != 17 || r.Complete || r.Planned != r.Gaps*5 {
		t.Errorf("%d of %d points, complete: %v", r.Points, r.Planned, r.Complete)
	}
	r = mustExplore(t, job, explore.Options{Kinds: []string{"crash-job"}, Depth: 2, Budget: 5})
	if r.Points != 5 || r.Complete || r.Planned < 10000 {
		t.Errorf("%d of %d pairs, complete: %v", r.Points, r.Planned, r.Complete)
	}
	ctx, stop := context.WithCancel(context.Background())
	n := 0
	r, err := explore.Explore(ctx, job, nil, explore.Options{OnCell: func(*explore.Cell) {
		if n++; n == 9 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || r.Points != 9 {
		t.Errorf("%d points, then %v", r.Points, err)
	}
}

func TestPairsAreCountedAndTriedOnce(t *testing.T) {
	job := reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 1, func(s *engine.Settings) { s.Topology = "MAP" })
	seen := map[[2]int32]bool{}
	r := mustExplore(t, job, explore.Options{Kinds: []string{"crash-job"}, Depth: 2, Budget: 3000, OnCell: func(c *explore.Cell) {
		if at := [2]int32{c.Gap, c.ThenGap}; seen[at] || c.ThenGap <= c.Gap || c.ThenTarget != 0 {
			t.Errorf("pair %+v", *c)
		} else {
			seen[at] = true
		}
	}})
	if len(seen) != 3000 || len(r.Cells) != 0 {
		t.Errorf("%d pairs, %d cells kept", len(seen), len(r.Cells))
	}
}

func TestSampleIsDrawnFromItsSeed(t *testing.T) {
	job := reference(t, shape{engine.SinkTransactional, engine.EventOutput}, 1)
	draw := func(seed uint64) (pairs []explore.Example, recovering int) {
		mustExplore(t, job, explore.Options{Kinds: []string{"crash"}, Depth: 2, Sample: 400, Seed: seed, OnCell: func(c *explore.Cell) {
			pairs = append(pairs, explore.Example{Events: int(c.Gap)*1000000 + int(c.ThenGap)*100 + c.Target*10 + c.ThenTarget})
			if c.ThenGap <= c.Gap+25 {
				recovering++
			}
		}})
		return pairs, recovering
	}
	a, early := draw(1)
	b, _ := draw(1)
	c, _ := draw(2)
	if !slices.Equal(a, b) || slices.Equal(a, c) || len(a) != 400 {
		t.Errorf("%d pairs; the same seed must draw the same pairs, another seed others", len(a))
	}
	if early < 50 {
		t.Errorf("only %d of 400 second faults strike soon after the first", early)
	}
}

func TestOptionsThatCannotBeExplored(t *testing.T) {
	job := reference(t, shape{engine.SinkAppend, engine.EventOutput}, 1)
	for _, opt := range []explore.Options{
		{Kinds: []string{"slow:count/0:x2"}}, {Kinds: []string{"crash:cuont/0"}}, {Kinds: []string{"crash-jbo"}},
		{Kinds: []string{"crash-job@5"}}, {Kinds: []string{""}}, {Depth: 3}, {Depth: -1},
	} {
		if r, err := explore.Explore(context.Background(), job, nil, opt); err == nil || r != nil {
			t.Errorf("%+v was explored", opt)
		}
	}
}
