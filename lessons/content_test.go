package lessons_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// exploreAll crashes every task and the whole job at every gap.
func exploreAll(job *engine.Job, faults []engine.Fault, kinds []string) (*lessons.Explored, error) {
	r, err := explore.Explore(context.Background(), job, faults, explore.Options{Kinds: kinds, Budget: -1})
	if err != nil {
		return nil, err
	}
	out := &lessons.Explored{Points: r.Points, Classes: r.Classes, Examples: map[check.Class]string{}}
	for c, e := range r.Examples {
		out.Examples[c] = e.Fault
	}
	for i := range r.Cells {
		for _, o := range r.Cells[i].Outcomes {
			if n := int(o.Duplicated); n > out.Duplicated {
				out.Duplicated, out.Worst = n, r.FaultOf(&r.Cells[i])
			}
		}
	}
	return out, nil
}

// remembered explores each job once: most of the changed contents below are the
// same in all but one place.
func remembered() lessons.ExploreFunc {
	known := map[string]*lessons.Explored{}
	return func(job *engine.Job, faults []engine.Fault, kinds []string) (*lessons.Explored, error) {
		key := fmt.Sprint(job.Scenario, job.Seed, job.Settings, job.Input, job.Conditions, faults, kinds)
		if r, ok := known[key]; ok {
			return r, nil
		}
		r, err := exploreAll(job, faults, kinds)
		known[key] = r
		return r, err
	}
}

func TestEveryClaimOfTheContentHolds(t *testing.T) {
	cat := catalogue(t)
	for _, p := range append(cat.Prepare(sim.Run), cat.CheckClaims(sim.Run, exploreAll)...) {
		t.Error(p)
	}
}

func TestTheCourse(t *testing.T) {
	cat := catalogue(t)
	if c, l := len(cat.Chapters()), len(cat.Lessons()); c != 7 || l != 22 {
		t.Errorf("%d chapters, %d lessons; want 7 and 22", c, l)
	}
	for i, l := range cat.Lessons() {
		if l.Number != i+1 {
			t.Errorf("%s is number %d, want %d", l.Slug, l.Number, i+1)
		}
	}
	for _, slug := range []string{"one-crash-two-charges", "alignment"} {
		l := cat.Lesson(slug)
		if l == nil || l.Coming || l.Level == nil || len(l.Quiz) < 4 || len(l.Simplified) == 0 || len(l.Facts) == 0 {
			t.Errorf("lesson %s is not complete: %+v", slug, l)
		}
	}
	seen := map[string]bool{}
	for _, id := range cat.ScenarioIDs() {
		seen[cat.Scenario(id).Settings.Topology] = true
	}
	for _, topology := range []string{"J", "J2", "K", "MAP", "LOOP", "BATCH"} {
		if !seen[topology] {
			t.Errorf("no scenario shows topology %s", topology)
		}
	}
}

// copyOf is the embedded content with one thing changed. Of the scenarios that
// belong to no lesson, and of the incidents, it holds the changed one only: the
// others would be tested again for each change.
func copyOf(t *testing.T, file, old, new string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := fs.WalkDir(content.FS, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || (path.Dir(p) == "scenarios" || path.Dir(p) == "incidents" || path.Dir(p) == "levels") && p != file {
			return err
		}
		data, err := fs.ReadFile(content.FS, p)
		out[p] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(out[file].Data), old, new, 1)
	if changed == string(out[file].Data) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	out[file].Data = []byte(changed)
	return out
}

// A checker that cannot fail checks nothing. Each change makes the content say
// something that is not so; each must be found, at its line.
func TestContentThatIsNotTrue(t *testing.T) {
	const (
		hook   = "lessons/one-crash-two-charges/scenarios/hook-charges.yaml"
		tour   = "lessons/alignment/scenarios/alignment-tour.yaml"
		crash  = "lessons/one-crash-two-charges/lesson.md"
		align  = "lessons/alignment/lesson.md"
		quiz   = "lessons/one-crash-two-charges/quiz.yaml"
		course = "course.yaml"
	)
	eachIsFound(t, map[string]untrue{
		"precondition":     {hook, "before fault.injected > 0", "before fault.injected > 5", `hook-charges.yaml:12: precondition "count sink.write after barrier.arrived~1@sink/0 before fault.injected > 5" does not hold: found 5 > 5`},
		"class":            {hook, "script: duplicated", "script: lost", `the scripted run is duplicated, the claim says lost`},
		"never":            {hook, "must: [exact, duplicated]", "must: [exact]", `all crashes: duplicated must never occur and does at `},
		"must":             {hook, "must: [exact, duplicated]", "must: [exact, duplicated, lost]", `all crashes: lost must occur and does not, in 850 points`},
		"another run":      {hook, "faults: [\"crash-job@before:checkpoint.complete~2\"], class: exact", "faults: [\"crash-job@before:checkpoint.complete~2\"], class: lost", `the run with sink=transactional, crash-job@before:checkpoint.complete~2 is exact, the claim says lost`},
		"one sink":         {tour, "table: exact", "table: duplicated", `the scripted run: table is exact, the claim says duplicated`},
		"right option":     {crash, "text: Every charge once\n", "text: Every charge once\n      right: true\n", `2 of 4 options are right`},
		"bet":              {crash, "holds: [class = duplicated, duplicated < records]", "holds: [class = duplicated, duplicated > records]", `option b is marked right, the engine disagrees (duplicated > records: found 5 > 16)`},
		"bet, wrong one":   {crash, "holds: [lost > 0]", "holds: [lost = 0]", `option c is marked wrong, the engine disagrees (everything it holds is true)`},
		"until":            {crash, "until: after:sink.write~3", "until: after:sink.write~33", `segment "money", until: "after:sink.write~33" does not occur in this run; 16 events match`},
		"crash elsewhere":  {crash, "fault: crash-job@before:checkpoint.complete~2", "fault: crash-job@before:checkpoint.complete~1", `segment "crash": the crash strikes after event 114, the segment ends at 163`},
		"number":           {crash, "{run lost} lost", "{run lots} lost", `{run lots}: expression "lots": found "lots"`},
		"key":              {align, "{chip a 8}?", "{chip z 8}?", `{chip z 8}: the input has no key "z"; allowed: a, b, c, d`},
		"term":             {align, "{term alignment}", "{term alignmet}", `{term alignmet}: the glossary has no term "alignmet"`},
		"form":             {align, "{barrier 3} into", "{barier 3} into", `{barier 3}: unknown form "barier"`},
		"HTML":             {align, "**blocks that input**", "<b>blocks that input</b>", `HTML in the text; write Markdown; HTML is not shown`},
		"level":            {crash, "crash-job@after:sink.write(P0:0)", "crash-job@after:source.read(P0:0)", `level, the best move does not win: class = duplicated: found exact = duplicated`},
		"decoy":            {align, "checkpoint.timeout=600ms", "checkpoint.timeout=6s", `level, decoys[2] wins, a decoy must not`},
		"repair":           {align, "checkpoint.timeout=5s", "checkpoint.timeout=410ms", `level, the best move does not win: stuck without any crash`},
		"moment":           {quiz, "duplicated of {id} > 0", "lost of {id} > 0", `no draw gives a set of right moments`},
		"words":            {crash, "We call this", "Each is processed exactly" + " once. We call this", `the words "processed exactly` + ` once"; name the effect and its boundary`},
		"slug":             {course, "slug: alignment", "slug: alignement", `lessons/alignment: the course does not name this lesson`},
		"choice":           {crash, "to: batch-retry", "to: batch-rtry", `choices[0]: no lesson "batch-rtry"`},
		"lesson scenario":  {crash, "scenario: hook-charges", "scenario: hook-charge", `unknown scenario "hook-charge"; allowed:`},
		"segment scenario": {align, "scenario: align-slow", "scenario: align-slw", `unknown scenario "align-slw"; allowed:`},
	})
}

// The same for what is claimed about whole crash maps and repair levels.
func TestMapsThatAreNotTrue(t *testing.T) {
	const (
		tuned  = "scenarios/repair-tuned.yaml"
		hop    = "scenarios/repair-last-hop.yaml"
		orders = "lessons/two-phase-commit/scenarios/orders-2pc.yaml"
		lab    = "lessons/checkpoint-interval/scenarios/interval-lab.yaml"
		doubt  = "lessons/atomic-commit/scenarios/xa-in-doubt.yaml"
	)
	eachIsFound(t, map[string]untrue{
		"map of settings": {orders, "read_uncommitted], must: [exact, duplicated]}", "read_uncommitted], must: [exact]}", `all crashes with isolation.level=read_uncommitted: duplicated must never occur and does at `},
		"map of a kind":   {doubt, "coordinator.log=off], must: [exact, stuck]}", "coordinator.log=off], must: [exact]}", `all crashes with coordinator.log=off, crash:coordinator: stuck must never occur and does at `},
		"solution":        {hop, "provider.dedup.window=60s], why: \"The same", "provider.dedup.window=400ms], why: \"The same", `the solution idempotency.key=from-input, provider.dedup.window=400ms does not meet the goal: duplicated at `},
		"start":           {hop, "idempotency.key: random, provider.dedup.window: 300ms", "idempotency.key: from-input", `the start meets the goal and must not`},
		"wrong decoy":     {hop, "[provider.dedup.window=60s], must", "[provider.dedup.window=60s, idempotency.key=from-input], must", `the decoy provider.dedup.window=60s, idempotency.key=from-input meets the goal and must not`},
		"decoy's class":   {hop, "[provider.dedup.window=60s], must: [duplicated]", "[provider.dedup.window=60s], must: [lost]", `the decoy provider.dedup.window=60s: lost must occur and does not, in `},
		"not refused":     {tuned, "set: [checkpoint.unaligned=on]", "set: [checkpoint.unaligned=off]", `the decoy checkpoint.unaligned=off can be built, the claim says it is refused`},
		"goal in numbers": {lab, "duplicated: 5}", "duplicated: 4}", `the solution checkpoint.interval=200ms does not meet the goal: 5 duplicated, at most 4 are allowed, for example crash`},
	})
}

// untrue is a change of the content and what the checker must say of it.
type untrue struct{ file, old, new, want string }

func eachIsFound(t *testing.T, changes map[string]untrue) {
	t.Helper()
	explore := remembered()
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			cat, problems := lessons.Load(copyOf(t, c.file, c.old, c.new))
			if len(problems) == 0 {
				problems = append(cat.Prepare(sim.Run), cat.CheckClaims(sim.Run, explore)...)
			}
			for _, p := range problems {
				if strings.Contains(p.String(), c.want) {
					return
				}
			}
			t.Errorf("found %v\nwant  %s", problems, c.want)
		})
	}
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?:;]["”’)*]*(\s|$)`)
	ends        = regexp.MustCompile(`</(p|li|t[dh])>`)
	tag         = regexp.MustCompile(`<[^>]*>`)
)

// Prose is short: no sentence has more than 25 words.
func TestSentencesAreShort(t *testing.T) {
	cat := catalogue(t)
	cat.Prepare(sim.Run)
	for _, l := range cat.Lessons() {
		texts := []string{l.Claim, string(l.Lead.HTML)}
		for _, s := range l.Segments {
			texts = append(texts, s.HTML)
			if s.Bet != nil {
				for _, o := range s.Bet.Options {
					texts = append(texts, string(o.Why.HTML))
				}
			}
		}
		for _, q := range l.Quiz {
			for _, x := range q.Texts() {
				texts = append(texts, string(x.HTML))
			}
		}
		for _, f := range l.Facts {
			texts = append(texts, string(f.Text.HTML))
		}
		for _, text := range texts {
			for _, sentence := range sentenceEnd.Split(tag.ReplaceAllString(ends.ReplaceAllString(text, ". "), " "), -1) {
				if n := len(strings.Fields(sentence)); n > 25 {
					t.Errorf("%s: %d words: %s", l.Slug, n, sentence)
				}
			}
		}
	}
}
