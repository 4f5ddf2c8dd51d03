package main

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

func courses(t *testing.T) *lessons.Catalogue {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return cat
}

func mustPlay(t *testing.T, cat *lessons.Catalogue, q lessons.Query) (*engine.Job, *trace.Trace) {
	t.Helper()
	job, faults, err := cat.Compile(q)
	if err != nil {
		t.Fatalf("%s %q: %v", q.Scenario, q.Set, err)
	}
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatalf("%s %q: %v", q.Scenario, q.Set, err)
	}
	return job, tr
}

func sameEvents(a, b *trace.Trace) int {
	for n := 1; n <= max(a.Len(), b.Len()); n++ {
		if n > a.Len() || n > b.Len() || *a.At(n) != *b.At(n) {
			return n
		}
	}
	return 0
}

// The sandbox can express every scenario of the content: all that a scenario file
// says fits into a link over the blank job, and the same job, run by run the same
// events, comes out of it.
func TestSandboxExpressesEveryScenario(t *testing.T) {
	cat := courses(t)
	for _, id := range cat.ScenarioIDs() {
		q, err := cat.FromBlank(id, "sandbox")
		if err != nil {
			t.Fatal(err)
		}
		job, want := mustPlay(t, cat, lessons.Query{Scenario: id, Faults: cat.Scenario(id).Script})
		own, got := mustPlay(t, cat, q)
		if a, b := job.Settings.Values(), own.Settings.Values(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: settings %v, from the blank job %v", id, a, b)
		}
		if !reflect.DeepEqual(job.Plan, own.Plan) || job.Input != own.Input || job.Seed != own.Seed {
			t.Errorf("%s: another plan, input or seed comes of %q", id, q.Set)
		}
		if n := sameEvents(want, got); n > 0 {
			t.Errorf("%s: event %d differs in the job of %q %q", id, n, q.Set, q.Faults)
		}
	}
}

// What a setting says of itself when it cannot act is true: any other value leaves
// every event of the scripted run as it was, or cannot be built.
func TestIdleSettingsDoNotAct(t *testing.T) {
	cat := courses(t)
	idle := map[string]bool{}
	for _, id := range cat.ScenarioIDs() {
		job, want := mustPlay(t, cat, lessons.Query{Scenario: id, Faults: cat.Scenario(id).Script})
		for _, d := range engine.SettingInfos() {
			for _, key := range idleKeys(&job.Settings, d) {
				idle[d.Key] = true
				for _, v := range others(d, job.Settings.Values()[key]) {
					q := lessons.Query{Scenario: id, Set: []string{key + "=" + v}, Faults: cat.Scenario(id).Script}
					again, faults, err := cat.Compile(q)
					if err != nil {
						continue
					}
					got, err := sim.Run(again, faults)
					if err != nil {
						t.Errorf("%s %s=%s: %v", id, key, v, err)
					} else if n := sameEvents(want, got); n > 0 {
						t.Errorf("%s: %s is said to be idle, but %s changes event %d", id, key, v, n)
					}
				}
			}
		}
	}
	if len(idle) < 25 {
		t.Errorf("only %d settings were ever idle: %v", len(idle), idle)
	}
}

// idleKeys are the full names under which a setting is idle in a job.
func idleKeys(set *engine.Settings, d engine.SettingInfo) (out []string) {
	if !d.PerSink {
		if set.Idle(d.Key, nil) != "" {
			out = append(out, d.Key)
		}
		return out
	}
	for i := range set.Sinks {
		if set.Idle(d.Key, &set.Sinks[i]) != "" {
			out = append(out, lessons.SinkKey(set, i, d.Key))
		}
	}
	return out
}

func others(d engine.SettingInfo, now string) []string {
	words := d.Words
	switch {
	case d.Key == "transactional.id.prefix":
		words = []string{"elsewhere"}
	case d.Key == "readers":
		words = []string{"read_uncommitted"}
	case strings.HasPrefix(d.Allowed, "a duration"):
		words = []string{"1s", "40ms"}
	case strings.HasPrefix(d.Allowed, "a whole number"):
		words = []string{"1", "2"}
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == now })
}

// A job written as a scenario file and read again is the same job: the same events come
// of it. The command line that the sandbox gives is another way to the same run.
func TestExportedScenariosAreTheSameJobs(t *testing.T) {
	cat := courses(t)
	for _, id := range cat.ScenarioIDs() {
		sc := cat.Scenario(id)
		job, want := mustPlay(t, cat, lessons.Query{Scenario: id, Faults: sc.Script})
		text, err := sc.ScenarioFile("own-job", job, sc.Script)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		own, again, problems := cat.ReadScenario("own-job.yaml", []byte(text))
		if len(problems) > 0 {
			t.Errorf("%s: %v\n%s", id, problems, text)
			continue
		}
		_, got := mustPlay(t, own, lessons.Query{Scenario: "own-job", Faults: again.Script})
		if n := sameEvents(want, got); n > 0 {
			t.Errorf("%s: event %d differs in the job of its file", id, n)
		}
	}
}
