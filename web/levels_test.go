package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// tryURL is a level's page with a move, as its form or its crash button makes it:
// for an adversary, at the end of the run.
func tryURL(t *testing.T, cat *lessons.Catalogue, lv *lessons.Level, m lessons.LevelMove) string {
	t.Helper()
	v := url.Values{"scenario": {lv.Scenario}, "set": append(append([]string{}, lv.Set...), m.Set...), "fault": m.Faults}
	if lv.Kind == "adversary" {
		job, faults, err := cat.Compile(lessons.Query{Scenario: lv.Scenario, Set: v["set"], Faults: m.Faults})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := sim.Run(job, faults)
		if err != nil {
			t.Fatal(err)
		}
		v.Set("at", strconv.Itoa(tr.Len()))
	}
	return "/levels/" + lv.Slug + "?" + v.Encode()
}

// Every capstone's page wins with the moves that are known to win, and with no
// decoy; where a repair fails it leads to the first run that shows why.
func TestLevelPages(t *testing.T) {
	s := newServer(t)
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(lessons.Problems(problems))
	}
	list := body(t, get(t, s, "/levels"))
	for _, lv := range cat.Levels() {
		if !strings.Contains(list, `href="/levels/`+lv.Slug+`"`) {
			t.Errorf("the index does not lead to %s", lv.Slug)
		}
		if lv.Code == "" {
			continue
		}
		if page := body(t, get(t, s, "/levels/"+lv.Slug)); strings.Contains(page, "level-result") || !strings.Contains(page, lv.Goal) {
			t.Errorf("%s: the first visit is judged, or does not say the goal", lv.Slug)
		}
		for _, m := range append([]lessons.LevelMove{lv.Best}, lv.Also...) {
			if page := body(t, get(t, s, tryURL(t, cat, lv, m))); !strings.Contains(page, "level-result won") || !strings.Contains(page, "Your score:") {
				t.Errorf("%s: %v%v does not win", lv.Slug, m.Set, m.Faults)
			}
		}
		for _, m := range lv.Decoys {
			r := get(t, s, tryURL(t, cat, lv, m))
			page := body(t, r)
			switch {
			case m.Refused:
				if r.StatusCode != http.StatusBadRequest {
					t.Errorf("%s: %v answers %d", lv.Slug, m.Set, r.StatusCode)
				}
			case strings.Contains(page, "level-result won") || !strings.Contains(page, "level-result"):
				t.Errorf("%s: the decoy %v%v wins or is not judged", lv.Slug, m.Set, m.Faults)
			case lv.Kind == "repair" && !strings.Contains(page, ">Watch it<"):
				t.Errorf("%s: the decoy %v leads to no run", lv.Slug, m.Set)
			}
		}
	}
}

// What does not count is said, whatever it leads to.
func TestLevelRefusesMoves(t *testing.T) {
	s := newServer(t)
	const r1 = "/levels/nothing-lost-nothing-twice?scenario=repair-nothing-twice"
	for at, want := range map[string]string{
		r1 + "&set=sink=offset-with-output&set=commit=after":                                     "That is 2 changes (sink, commit) and the budget is 1.",
		r1 + "&set=strategy=barriers&set=topology=J":                                             "strategy is not among the settings of this level",
		r1 + "&set=sink=offset-with-output&seed=2":                                               "its own records and its own seed",
		"/levels/ledger-over-night?scenario=repair-ledger&set=restart.delay=100ms":               "restart.delay is locked. Nobody is awake at night.",
		"/levels/ledger-over-night?scenario=repair-ledger&seg=hint-2":                            "Hint: which mechanism",
		"/levels/ledger-over-night?scenario=repair-ledger&seg=hint-4":                            "hint-1 to hint-3",
		"/levels/ledger-over-night?scenario=hook-charges":                                        "repair-ledger",
		"/levels/ledger-over-nite":                                                               "ledger-over-night",
		r1 + "&seg=hint-1&set=sink=offset-with-output":                                           "With 1 hint.",
		"/levels/back-from-the-dead?scenario=zombie&set=fencing=off&fault=crash:sink/0@20&at=20": "budget 1 pause",
	} {
		if page := body(t, get(t, s, at)); !strings.Contains(page, want) {
			t.Errorf("%s does not say %q", at, want)
		}
	}
}

// The form of a repair, sent without scripts, leads to a short address that is judged.
func TestRepairForm(t *testing.T) {
	s := newServer(t)
	r := get(t, s, "/levels/nothing-lost-nothing-twice?seg=level&scenario=repair-nothing-twice&set.sink=offset-with-output&set.commit=before&set.commit.every=3")
	to := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || strings.Count(to, "set=") != 1 {
		t.Fatalf("%d %s", r.StatusCode, to)
	}
	if page := body(t, get(t, s, strings.TrimSuffix(to, "#result"))); !strings.Contains(page, "level-result won") {
		t.Error("the solution does not win")
	}
}
