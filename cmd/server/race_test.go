package main

import (
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// back is how the scripted run of a scenario came back, with other settings.
func back(t *testing.T, id string, set ...string) trace.Recovery {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	q := lessons.Query{Scenario: id, Set: set}
	q.Faults = append(q.Faults, cat.Scenario(id).Script...)
	r, err := play(cat, q)
	if err != nil {
		t.Fatal(err)
	}
	got, crashed := trace.RecoveryOf(r.trace)
	if !crashed || !got.Back {
		t.Fatalf("%s: crashed %v, %s", id, crashed, got.String())
	}
	return got
}

// The lanes of the race come back in this order. It holds for the sizes of these
// scenarios; other sizes give another order (facts 12.2).
func TestRaceToTheOldState(t *testing.T) {
	last := engine.Time(0)
	for _, id := range []string{"race-copy", "race-remote", "race-standby", "race-replay", "race-cdc", "race-snapshot", "race-changelog", "race-increments"} {
		r := back(t, id)
		t.Logf("%-16s %s %s", id, r.String(), r.Price.String())
		if r.Total() <= last {
			t.Errorf("%s is back after %s, not after the lane before it", id, r.Total())
		}
		last = r.Total()
	}
}

// What is paid before anything goes wrong.
func TestWhatTheLanesPay(t *testing.T) {
	perRecord := func(id string, set ...string) float64 {
		p := back(t, id, set...).Price
		return float64(p.Bytes) / float64(p.Records)
	}
	if a, b := perRecord("race-changelog"), perRecord("race-standby"); b != 2*a {
		t.Errorf("a standby reads every change once more: %v bytes a record without, %v with", a, b)
	}
	if got := back(t, "race-replay").Price; got.Bytes != 0 || got.Waited != 0 {
		t.Errorf("reading the input again costs nothing in normal times; found %s", got.String())
	}
	if got := back(t, "race-remote").Price; got.Waited == 0 {
		t.Errorf("every look into a remote store is waited for; found %s", got.String())
	}
	light := []string{"state.key.bytes=100", "checkpoint.interval=40ms"}
	if a, b := perRecord("race-snapshot", light...), perRecord("race-increments", light...); b >= a {
		t.Errorf("with short intervals increments are smaller: %v bytes a record in full, %v in increments", a, b)
	}
}

// State that weighs more comes back later, unless nothing has to be fetched.
func TestSizeDrivesSomeLanes(t *testing.T) {
	const half = "state.key.bytes=30000"
	for id, grows := range map[string]bool{"race-snapshot": true, "race-increments": true, "race-changelog": true, "race-cdc": true,
		"race-copy": false, "race-remote": false, "race-replay": false} {
		if a, b := back(t, id, half), back(t, id); (b.Restore > a.Restore) != grows {
			t.Errorf("%s: state back in %s, and with twice the size in %s", id, a.Restore, b.Restore)
		}
	}
}
