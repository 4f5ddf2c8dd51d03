package explore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// promise is one cell of the guarantee matrix: classes with "!" must occur at
// some crash point, those without may, all others never. "r" allows totals to be
// seen going back.
type promise struct {
	shape
	reader string
	cell   string
}

// aligned is the row "barriers exactly_once, aligned" of both parts of the
// matrix. exact occurs everywhere.
var aligned = []promise{
	{shape{engine.SinkAppend, engine.EventOutput}, check.AnyReader, "e d!"},
	{shape{engine.SinkUpsert, engine.EventOutput}, check.AnyReader, "e"},
	{shape{engine.SinkTransactional, engine.EventOutput}, check.ReadCommitted, "e"},
	{shape{engine.SinkTransactional, engine.EventOutput}, check.ReadUncommitted, "e d!"},
	{shape{engine.SinkEmail, engine.EventOutput}, check.AnyReader, "e d!"},
	{shape{engine.SinkAppend, engine.TotalOutput}, check.AnyReader, "e d!"},
	{shape{engine.SinkUpsert, engine.TotalOutput}, check.AnyReader, "e r"},
	{shape{engine.SinkTransactional, engine.TotalOutput}, check.ReadCommitted, "e"},
	{shape{engine.SinkTransactional, engine.TotalOutput}, check.ReadUncommitted, "e d!"},
	{shape{engine.SinkEmail, engine.TotalOutput}, check.AnyReader, "e d!"},
}

// holds compares what an exploration found in one column with the cell. What
// must occur is asked of the first seed only.
func (p *promise) holds(c *explore.Column, musts bool) error {
	letters := map[check.Class]string{check.Exact: "e", check.Duplicated: "d", check.Lost: "l", check.Mixed: "m", check.Wrong: "w", check.Stuck: "s"}
	words := strings.Fields(strings.Replace(p.cell, "e", "e!", 1))
	for _, class := range check.Classes() {
		n, must, may := c.Classes[class], false, false
		for _, w := range words {
			must = must || w == letters[class]+"!"
			may = may || strings.TrimSuffix(w, "!") == letters[class]
		}
		if n > 0 && !may {
			return fmt.Errorf("%d runs are %s, which must never occur", n, class)
		}
		if n == 0 && must && musts {
			return fmt.Errorf("no run is %s, which must occur", class)
		}
	}
	if c.Rewound > 0 && !strings.Contains(p.cell, "r") {
		return fmt.Errorf("%d runs show a total going back", c.Rewound)
	}
	return nil
}

// checkAligned explores every cell of the row for one seed and reports what differs,
// with the smallest example.
func checkAligned(t *testing.T, seed uint64, kinds []string, change ...func(*engine.Settings)) (runs int) {
	t.Helper()
	done := map[shape]*explore.Result{}
	for _, p := range aligned {
		if done[p.shape] == nil {
			job := tryReference(p.shape, seed, change...)
			if job == nil {
				continue // a shape that cannot be built with this topology
			}
			r, err := explore.Explore(context.Background(), job, nil, explore.Options{Kinds: kinds, Budget: -1, Audit: true})
			if err != nil {
				t.Fatal(err)
			}
			done[p.shape] = r
			runs += r.Points
			for _, b := range r.Broken {
				t.Errorf("seed %d, %s %s, %s: %v", seed, p.kind, p.out, b.Fault, b.Violations)
			}
		}
		r := done[p.shape]
		for i := range r.Columns {
			if c := &r.Columns[i]; c.Reader == p.reader {
				if err := p.holds(c, seed == 1); err != nil {
					t.Errorf("seed %d, %s %s read %s: %v; examples: %v", seed, p.kind, p.out, p.reader, err, r.Examples)
				}
			}
		}
	}
	return runs
}

// The coordinator is not in the matrix; its death costs no more than the job's.
func TestMatrixAlignedRowWithCoordinatorCrashes(t *testing.T) {
	checkAligned(t, 1, []string{"crash:coordinator", "crash-job"})
}

// The larger topologies promise the same, with and without backpressure.
func TestOtherTopologiesKeepTheirPromises(t *testing.T) {
	for _, c := range []struct {
		name   string
		kinds  []string
		change func(*engine.Settings)
	}{
		{"J2", nil, func(s *engine.Settings) { s.Topology = "J2" }},
		{"K", nil, func(s *engine.Settings) { s.Topology = "K" }},
		{"MAP", nil, func(s *engine.Settings) { s.Topology = "MAP" }},
		{"four of each", []string{"crash-job", "crash:count/1"}, func(s *engine.Settings) {
			s.Topology = "K"
			s.Parallelism = map[string]int{"count": 4, "sink": 4, "enrich": 4}
		}},
		{"backpressure", nil, func(s *engine.Settings) {
			s.Backlog, s.ChannelCapacity, s.CheckpointInterval = true, 1, 40*engine.Millisecond
		}},
	} {
		t.Run(c.name, func(t *testing.T) { checkAligned(t, 1, c.kinds, c.change) })
	}
}

// only leaves the sink one reader, so that there is one column.
func only(reader string) func(*engine.Settings) {
	return func(s *engine.Settings) {
		if reader != check.AnyReader {
			s.Sinks[0].Readers = []engine.Isolation{engine.Isolation(reader)}
		}
	}
}

// soak picks the size of a test: the small one keeps it alive in every run of
// the tests, the full one is that of "make soak".
func soak(small, full int) int {
	if soaking {
		return full
	}
	return small
}

func TestSoakMatrixOverSeeds(t *testing.T) {
	seeds, runs := soak(4, 200), 0
	for seed := range seeds {
		runs += checkAligned(t, uint64(seed+1), nil)
	}
	t.Logf("%d seeds, %d runs", seeds, runs)
}

func TestSoakPairsOfJobCrashes(t *testing.T) {
	for _, out := range []engine.Output{engine.EventOutput, engine.TotalOutput} {
		job := reference(t, shape{engine.SinkTransactional, out}, 1, only(check.ReadCommitted))
		r, err := explore.Explore(context.Background(), job, nil,
			explore.Options{Kinds: []string{"crash-job"}, Depth: 2, Budget: soak(2000, 1<<30), Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		allExact(t, r)
	}
}

func TestSoakSampledPairsOfTaskCrashes(t *testing.T) {
	for _, out := range []engine.Output{engine.EventOutput, engine.TotalOutput} {
		job := reference(t, shape{engine.SinkTransactional, out}, 1, only(check.ReadCommitted))
		r, err := explore.Explore(context.Background(), job, nil,
			explore.Options{Kinds: []string{"crash"}, Depth: 2, Budget: -1, Sample: soak(2000, 100000), Seed: 1, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		allExact(t, r)
	}
}

func allExact(t *testing.T, r *explore.Result) {
	t.Helper()
	if r.Classes[check.Exact] != r.Points || r.Points == 0 {
		t.Errorf("%d runs: %v; examples: %v", r.Points, r.Classes, r.Examples)
	}
	for _, b := range r.Broken {
		t.Errorf("%s, then %s: %v", b.Fault, b.Then, b.Violations)
	}
	t.Logf("%s: %d runs", strings.Join(r.Kind, ","), r.Points)
}
