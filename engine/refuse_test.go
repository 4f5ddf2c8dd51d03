package engine_test

import (
	"errors"
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// A combination that cannot be built names both settings, the reason in one
// sentence and a choice that can (curriculum 3.6, numbers 1, 2 and 10).
func TestCombinationsOfLoopBatchAndReplicatedThatCannotBeBuilt(t *testing.T) {
	for _, c := range []struct{ settings, both, why, nearest string }{
		{"strategy=batch topology=BATCH sink=transactional", "strategy=batch with sink=transactional", "A batch task has no position to resume from and publishes by renaming a finished file. Use files, or one of upsert, dedup.", "sink=files"},
		{"strategy=batch topology=BATCH sink=offset-with-output", "strategy=batch with sink=offset-with-output", "no position to resume from", "sink=files"},
		{"strategy=offset-commit topology=LOOP sink=files", "strategy=offset-commit with sink=files", "Nobody decides when a file is final. files needs batch, microbatch or barriers.", "sink=append"},
		{"strategy=offset-commit topology=LOOP state.recovery=changelog", "strategy=offset-commit with state.recovery=changelog", "no snapshots", "state.recovery=replay-input"},
		{"strategy=replicated sink=email", "strategy=replicated with sink=email", "Every one of the k+1 replicas would make the call. Let a procedure write a row and send from outside.", "sink=state"},
		{"strategy=replicated sink=state emit=at-count:3", "strategy=replicated with emit=at-count:3", "one row a key", "emit=every"},
		{"sink=state", "strategy=barriers with sink=state", "has to leave the engine", "sink=upsert"},
		{"strategy=offset-commit topology=J", "strategy=offset-commit with topology=J", "one process", "topology=LOOP"},
		{"strategy=batch topology=LOOP", "strategy=batch with topology=LOOP", "whole files", "topology=BATCH"},
		{"topology=LOOP", "topology=LOOP with strategy=barriers", "LOOP is one process", "strategy=offset-commit"},
		{"topology=BATCH", "topology=BATCH with strategy=barriers", "tried again one by one", "strategy=batch"},
	} {
		_, err := build(t, c.settings)
		var imp *engine.Impossible
		if !errors.As(err, &imp) {
			t.Errorf("%s: %v, want a refusal", c.settings, err)
			continue
		}
		if got := imp.Settings[0] + " with " + imp.Settings[1]; got != c.both || !strings.Contains(imp.Why, c.why) || imp.Nearest != c.nearest {
			t.Errorf("%s: %v", c.settings, err)
		}
		if _, err := build(t, c.settings+" "+imp.Nearest); err != nil {
			t.Errorf("%s: the nearest choice %s is refused too: %v", c.settings, imp.Nearest, err)
		}
	}
}

func TestFaultsOnWhatIsNotThere(t *testing.T) {
	for _, c := range []struct{ settings, fault, want string }{
		{"strategy=offset-commit topology=LOOP", "crash:coordinator@3", "strategy=offset-commit has no coordinator; allowed: loop/0"},
		{"strategy=replicated sink=state", "crash:coordinator@3", "has no coordinator; allowed: client/0, replica/0, replica/1"},
		{"strategy=replicated sink=state", "crash-node:node/2@3", `unknown node "node/2"; allowed: node/0, node/1`},
		{"strategy=replicated sink=state k=2", "crash-node:node/2@3", ""},
		{"", "crash-node:node/0@3", ""},
	} {
		job, err := build(t, c.settings)
		if err != nil {
			t.Fatal(err)
		}
		f, err := engine.ParseFault(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		if f.String() != c.fault {
			t.Errorf("%s is spelled %s", c.fault, f.String())
		}
		if err = f.Resolve(job); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %s: %v, want %q", c.settings, c.fault, err, c.want)
		}
	}
	if _, err := engine.ParseFault("crash-node@3"); err == nil || !strings.Contains(err.Error(), "a node like node/0") {
		t.Errorf("%v", err)
	}
}

// build is a job on one record with base settings and KEY=VALUE changes, the last
// of a key counting.
func build(t *testing.T, changes string) (*engine.Job, error) {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range strings.Fields(changes) {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	in := &engine.Input{Name: "one", Keys: []string{"a"}, Parts: [][]engine.Datum{{{Key: 0, Value: 1000}}}}
	return engine.NewJob("test", set, in, 1, nil)
}
