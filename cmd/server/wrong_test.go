package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// wrongClaims is one statement of a content folder after the other, made wrong: in
// each kind of file at least the name of something, and whatever it claims of a run.
var wrongClaims = []struct{ file, old, new, want string }{
	{"course.yaml", "lessons: [toast, jam]", "lessons: [toast, jelly]", `:9: field paths[0]: path before-work: no lesson "jelly"; allowed: toast, jam`},
	{"course.yaml", "lessons: [toast, jam]", "lessons: [jam, toast]", `:9: field paths[0]: path before-work: toast comes before the lesson in front of it; keep the order`},
	{"course.yaml", "slug: toast", "slug: toaster", `lessons/toast: the course does not name this lesson; add its slug`},
	{"course.yaml", "takes: 90s", "takes: soon", `:6: field chapters[0].lessons[0].takes: found "soon"; allowed: a time like 30s`},
	{"glossary.yaml", "id: slice,", "id: piece,", `lessons/toast/lesson.md:3: {term slice}: the glossary has no term "slice"; allowed: piece`},
	{"glossary.yaml", "text: A piece of bread.", "txet: A piece of bread.", `:1: unknown field "txet" in [0]; allowed: id, word, glyph, text, forms; did you mean "text"?`},
	{"inputs/bread-4.yaml", "name: bread-4", "name: bread-4\nexpect: {records: 5}", `:2: field expect: expects 5 records, the file has 4; correct one of them`},
	{"inputs/bread-4.yaml", "rye 1, wheat 1", "rye 1, wheat one", `:3: `},
	{"scenarios/oven.yaml", "script: exact", "script: duplicated", `:6: the scripted run is exact, the claim says duplicated; retune`},
	{"scenarios/oven.yaml", "lost = 0", "lost = 1", `:7: claim "lost = 1" does not hold: found 0 = 1; retune`},
	{"scenarios/oven.yaml", "must: [exact]", "must: [exact, lost]", `:7: all crashes: lost must occur and does not, in`},
	{"scenarios/oven.yaml", "sink: upsert", "sink: append", `:6: the scripted run is duplicated, the claim says exact; retune`},
	{"scenarios/oven.yaml", "input: bread-4", "input: bread-5", `:4: `},
	{"lessons/toast/scenarios/toaster.yaml", "must: [exact, duplicated]", "must: [exact]", `:7: all crashes: duplicated must never occur and does at`},
	{"lessons/toast/lesson.md", "holds: [observed = 4]", "holds: [observed = 8]", `:36: segment "again": option a is marked wrong, the engine disagrees (everything it holds is true); correct the option`},
	{"lessons/toast/lesson.md", "right: true, holds: [observed > 4]", "right: true, holds: [observed > 9]", `:37: segment "again": option b is marked right, the engine disagrees (observed > 9: found 8 > 9); correct the option`},
	{"lessons/toast/lesson.md", "{run count sink.write}", "{run count sink.writes}", `:24: {run count sink.writes}: moment "after:sink.writes": `},
	{"lessons/toast/lesson.md", "{chip rye 0}", "{chip corn 0}", `:24: {chip corn 0}: the input has no key "corn"; allowed: rye`},
	{"lessons/toast/lesson.md", "until: after:sink.write~2", "until: after:sink.write~12", `:19: segment "plate", until: `},
	{"lessons/toast/lesson.md", "{event sink.write(P0:0)~2|", "{event sink.write(P0:0)~3|", `:41: {event sink.write(P0:0)~3}: `},
	{"lessons/toast/lesson.md", "ledger: duplicated first", "ledger: lost first", `:32: segment "again", ledger: no record is lost; correct it`},
	{"lessons/toast/lesson.md", ":::beat after:sink.write(P0:0)~2", ":::beat after:sink.write(P0:0)~5", `:40: beat: `},
	{"lessons/toast/lesson.md", "scenario: toaster", "scenario: toster", `:1: unknown scenario "toster"; allowed: oven, toaster; did you mean "toaster"?`},
	{"lessons/toast/lesson.md", "to: toast}", "to: bread}", `:1: choices[0]: no lesson "bread"; write a slug`},
	{"lessons/toast/lesson.md", "after:sink.write(P0:0)\"]", "before:sink.write(P0:0)\"]", `level, the best move does not win: `},
	{"lessons/toast/quiz.yaml", "answer: observed", "answer: observes", `:1: question q1: expression "observes"`},
	{"lessons/toast/quiz.yaml", "holds: duplicated = 0", "holds: duplicated = 4", `:8: question q2`},
	{"lessons/toast/quiz.yaml", "holds: duplicated > 0", "holds: duplicated > 9", `:8: question q2`},
	{"lessons/toast/quiz.yaml", "scenario: toaster", "scenario: toaste", `:1: question q1: unknown scenario "toaste"; allowed: oven, toaster`},
	{"levels/burn-spelt.yaml", "@after:sink.write(P1:1)", "@before:sink.write(P0:0)", `:12: level, the best move does not win: `},
	{"levels/burn-spelt.yaml", "@before:sink.write(P0:0)", "@after:sink.write(P1:1)", `:15: level, decoys[0] wins, a decoy must not; retune`},
	{"levels/burn-spelt.yaml", "win: [duplicated of spelt > 0]", "win: [lost = 0]", `:12: level, doing nothing wins, a decoy must not; retune`},
	{"levels/burn-spelt.yaml", "lesson: toast", "lesson: tost", `:3: `},
	{"incidents/c01-burnt.yaml", "class: duplicated", "class: lost", `:11: the run is duplicated, the claim says lost; retune`},
	{"incidents/c01-burnt.yaml", "holds: [lost = 0]", "holds: [lost = 2]", `:14: claim "lost = 2" does not hold: found 0 = 2; retune`},
	{"incidents/c01-burnt.yaml", "watch: before:fault.injected", "watch: before:fault.injected~2", `:11: watch: `},
	{"incidents/c01-burnt.yaml", "lesson: toast", "lesson: toasts", `:23: field lesson: found "toasts"; allowed: toast, jam`},
}

// Whatever a content folder says that is not so, `server check` names the file and
// the line, what it found and what to do, and ends with status 1.
func TestAWrongClaimInEachKindOfFileIsReported(t *testing.T) {
	complete := regexp.MustCompile(`^\S+:\d+: \S.*[^;\s]; \S.*$`)
	kinds := map[string]bool{}
	for _, c := range wrongClaims {
		kinds[kindOf(c.file)] = true
		dir := copied(t, os.DirFS("../../lessons/testdata/course"), c.file, c.old, c.new)
		status, out, _ := server(t, "check", dir)
		found, want := false, c.want
		if strings.HasPrefix(want, ":") {
			want = c.file + want
		}
		for _, line := range strings.Split(strings.TrimSpace(strings.ReplaceAll(out, dir+string(filepath.Separator), "")), "\n") {
			found = found || strings.Contains(filepath.ToSlash(line), want)
			if !complete.MatchString(line) && !strings.Contains(line, "the course does not name this lesson") { // a folder has no line
				t.Errorf("%s, %q: a problem without place or advice: %s", c.file, c.new, line)
			}
		}
		if status != exitDiffer || !found {
			t.Errorf("%s, %q: status %d\nfound %s\nwant  %s", c.file, c.new, status, out, want)
		}
	}
	for _, k := range []string{"course.yaml", "glossary.yaml", "inputs", "scenarios", "levels", "incidents", "lesson.md", "quiz.yaml"} {
		if !kinds[k] {
			t.Errorf("no wrong claim in %s", k)
		}
	}
}

func kindOf(file string) string {
	dir, name := filepath.Split(file)
	if name == "lesson.md" || name == "quiz.yaml" || dir == "" {
		return name
	}
	return filepath.Base(dir)
}

// No file of whatever kind says that a record is handled one single time, and none
// holds a text that is still to be written.
func TestWordsThatNoFileMayHold(t *testing.T) {
	const course = "../../lessons/testdata/course"
	done := map[string]bool{}
	for _, c := range wrongClaims {
		if done[c.file] {
			continue
		}
		done[c.file] = true
		for _, words := range []string{"processed exactly" + " once", "TO" + "DO"} {
			dir := copied(t, os.DirFS(course), c.file, c.old, c.old+" # "+words)
			if status, out, _ := server(t, "check", dir); status != exitDiffer || !strings.Contains(out, filepath.FromSlash(c.file)+":") {
				t.Errorf("%s with %q: status %d, %s", c.file, words, status, out)
			}
		}
	}
}
