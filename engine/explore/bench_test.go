package explore_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
)

// sixty is the job of the performance goals: 60 records, 6 tasks, 3 checkpoints.
func sixty(t testing.TB) *engine.Job {
	t.Helper()
	in := &engine.Input{Name: "sixty", Parts: make([][]engine.Datum, 2)}
	for k := range 12 {
		in.Keys = append(in.Keys, fmt.Sprintf("key-%d", k))
	}
	for i := range 60 {
		in.Parts[i%2] = append(in.Parts[i%2], engine.Datum{Key: engine.KeyID(i * 7 % 12), Value: int64(i) * engine.ValueScale})
	}
	set := engine.BaseSettings()
	sink := engine.BaseSink("sink")
	sink.Kind, sink.Output = engine.SinkTransactional, engine.TotalOutput
	set.Sinks, set.Topology, set.Gap = []engine.SinkSettings{sink}, "J2", 25*engine.Millisecond
	job, err := engine.NewJob("sixty", set, in, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func TestJobOfTheGoalHasItsSize(t *testing.T) {
	job := sixty(t)
	tr, err := sim.Run(job, nil)
	if err != nil {
		t.Fatal(err)
	}
	complete := 0
	for n := 1; n <= tr.Len(); n++ {
		if tr.At(n).Kind == engine.CheckpointComplete {
			complete++
		}
	}
	if job.Input.Len() != 60 || len(job.Plan.Tasks) != 6 || complete != 3 {
		t.Errorf("%d records, %d tasks, %d checkpoints; the goal is about 60, 6 and 3", job.Input.Len(), len(job.Plan.Tasks), complete)
	}
}

// BenchmarkExplore is a whole crash map: every gap, every task and the job; each
// run is forked at its gap, crashed, recovered, finished and judged.
func BenchmarkExplore(b *testing.B) {
	job := sixty(b)
	runs, events := 0, 0
	count := explore.Options{Budget: -1, OnCell: func(c *explore.Cell) {
		runs++
		events += c.Events - int(c.Gap)
	}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		r, err := explore.Explore(context.Background(), job, nil, count)
		if err != nil || r.Classes[check.Exact] != r.Points {
			b.Fatal(r.Classes, err)
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(runs)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(events)/float64(runs), "events/run")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(events), "allocs/event")
}

// BenchmarkRun is one run from its start, with one crash.
func BenchmarkRun(b *testing.B) {
	job := sixty(b)
	f, err := engine.ParseFault("crash-job@300")
	if err != nil {
		b.Fatal(err)
	}
	events := 0
	for b.Loop() {
		t, err := sim.Run(job, []engine.Fault{f})
		if err != nil {
			b.Fatal(err)
		}
		events += t.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
	b.ReportMetric(float64(events)/float64(b.N), "events/run")
}

// BenchmarkJudge is the verdict of one finished run.
func BenchmarkJudge(b *testing.B) {
	job := sixty(b)
	t, err := sim.Run(job, nil)
	if err != nil {
		b.Fatal(err)
	}
	f := check.NewFold(job)
	b.ReportAllocs()
	for b.Loop() {
		f.Reset()
		f.Advance(t, t.Len())
		f.Verdicts(true)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.Len()), "ns/event")
}
