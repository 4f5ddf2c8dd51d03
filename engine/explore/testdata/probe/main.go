// Probe explores a few small jobs whose every run must be exact and keep every
// invariant, and prints the smallest run that is not or does not, as JSON. The
// mutation tests build it with one line of the engine changed.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
)

// finding is one way in which a run was not what it must be.
type finding struct {
	Job    string `json:"job"`
	Class  string `json:"class,omitempty"` // a forbidden class
	Rule   string `json:"rule,omitempty"`  // or a broken rule
	Fault  string `json:"fault"`           // "" without any fault
	Events int    `json:"events"`
	Why    string `json:"why,omitempty"`
}

type report struct {
	Runs     int       `json:"runs"`
	Wrong    int       `json:"wrong"` // runs of a forbidden class
	Findings []finding `json:"findings"`
	Trouble  []string  `json:"trouble"` // runs that could not be finished
}

func main() {
	var out report
	tried, kinds := jobs(), []string{"crash", "crash-job", "crash:coordinator"}
	if len(os.Args) > 1 && os.Args[1] != "" {
		tried = jobsOf(os.Args[1])
		if os.Args[1] == "zombie" {
			kinds = []string{"pause:sink/0"}
		}
	}
	for _, j := range tried {
		out.probe(j, kinds)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		panic(err)
	}
}

func (r *report) probe(job *engine.Job, kinds []string) {
	defer func() {
		if p := recover(); p != nil {
			r.Trouble = append(r.Trouble, fmt.Sprintf("%s: panic: %v", job.Scenario, p))
		}
	}()
	base, err := sim.Run(job, nil)
	if err != nil {
		r.Trouble = append(r.Trouble, fmt.Sprintf("%s: %v", job.Scenario, err))
		return
	}
	r.Runs++
	if c := check.WorstOf(check.Judge(base)); c != check.Exact {
		r.Findings = append(r.Findings, finding{Job: job.Scenario, Class: string(c), Events: base.Len()})
	}
	if vs := check.Invariants(base); len(vs) > 0 {
		r.Findings = append(r.Findings, finding{Job: job.Scenario, Rule: vs[0].Rule, Events: base.Len(), Why: vs[0].String()})
	}
	res, err := explore.Explore(context.Background(), job, nil,
		explore.Options{Kinds: kinds, Budget: -1, Audit: true})
	if err != nil {
		r.Trouble = append(r.Trouble, fmt.Sprintf("%s: %v", job.Scenario, err))
		return
	}
	r.Runs += res.Points
	r.Wrong += res.Points - res.Classes[check.Exact]
	for c, ex := range res.Examples {
		if c != check.Exact {
			r.Findings = append(r.Findings, finding{Job: job.Scenario, Class: string(c), Fault: ex.Fault, Events: ex.Events})
		}
	}
	for _, b := range res.Broken {
		v := b.Violations[0]
		r.Findings = append(r.Findings, finding{Job: job.Scenario, Rule: v.Rule, Fault: b.Fault, Events: b.Events, Why: v.String()})
	}
}

// jobs are small jobs that promise exact whatever fails once. Between them they
// align skewed inputs, wait for space, and give checkpoints up.
func jobs() []*engine.Job {
	const ms = engine.Millisecond
	return []*engine.Job{
		job("two-phase", engine.SinkTransactional, engine.TotalOutput, log(8, 8), nil),
		job("totals", engine.SinkUpsert, engine.TotalOutput, log(8, 8), nil),
		job("uneven", engine.SinkTransactional, engine.EventOutput, log(12, 4), nil),
		job("skewed", engine.SinkTransactional, engine.EventOutput, log(8, 8), func(s *engine.Settings) {
			s.Topology, s.Gap, s.CheckpointInterval = "K", 40*ms, 150*ms
		}, "slow:enrich/1:x20@0s"),
		job("full", engine.SinkUpsert, engine.TotalOutput, log(8, 8), func(s *engine.Settings) {
			s.Backlog, s.ChannelCapacity, s.CheckpointInterval = true, 1, 60*ms
		}),
		job("late", engine.SinkTransactional, engine.EventOutput, log(8, 8), func(s *engine.Settings) {
			s.Topology, s.Gap, s.CheckpointInterval, s.CheckpointTimeout, s.TolerableFailures = "K", 40*ms, 100*ms, 130*ms, 100
		}, "slow:enrich/1:x15:500ms@0s"),
	}
}

func job(name string, kind engine.SinkKind, out engine.Output, in *engine.Input, change func(*engine.Settings), conditions ...string) *engine.Job {
	set := engine.BaseSettings()
	sink := engine.BaseSink("sink")
	sink.Kind, sink.Output = kind, out
	set.Sinks = []engine.SinkSettings{sink}
	if change != nil {
		change(&set)
	}
	var always []engine.Fault
	for _, c := range conditions {
		f, err := engine.ParseFault(c)
		if err != nil {
			panic(err)
		}
		always = append(always, f)
	}
	j, err := engine.NewJob(name, set, in, 1, always)
	if err != nil {
		panic(err)
	}
	return j
}

// log is two partitions of these sizes, 16 records together, over five keys.
func log(p0, p1 int) *engine.Input {
	in := &engine.Input{Name: "log", Keys: []string{"ana", "ben", "cleo", "dan", "eve"}, Parts: make([][]engine.Datum, 2)}
	for i, k := range []engine.KeyID{0, 1, 0, 2, 1, 0, 2, 1, 3, 0, 4, 1, 3, 4, 0, 2}[:p0+p1] {
		p := 0
		if i >= p0 {
			p = 1
		}
		in.Parts[p] = append(in.Parts[p], engine.Datum{Key: k, Value: int64(i+1) * engine.ValueScale})
	}
	return in
}
