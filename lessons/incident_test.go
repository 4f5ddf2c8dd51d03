package lessons_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"effectivelyonce/content"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// Every incident is what its file says, before the change and after it.
func TestEveryIncidentComesOutAsTold(t *testing.T) {
	cat := catalogue(t)
	for _, p := range cat.CheckIncidents(sim.Run) {
		t.Error(p)
	}
	if n := len(cat.Incidents()); n < 11 {
		t.Errorf("%d incidents", n)
	}
	for _, in := range cat.Incidents() {
		if got := cat.Incident(in.Slug); got != in {
			t.Errorf("Incident(%q) is another one", in.Slug)
		}
		if cat.Lesson(in.Lesson) == nil {
			t.Errorf("%s: no lesson %q", in.File, in.Lesson)
		}
	}
	if cat.Incident("c99-nothing") != nil {
		t.Error("an incident that is not there was found")
	}
}

// withIncident is the content with one incident changed.
func withIncident(t *testing.T, name, old, with string) (*lessons.Catalogue, []lessons.Problem) {
	t.Helper()
	fsys := fstest.MapFS{}
	err := fs.WalkDir(content.FS, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(content.FS, p)
		fsys[p] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	file := fsys["incidents/"+name+".yaml"]
	if strings.Count(string(file.Data), old) < 1 {
		t.Fatalf("%s does not contain %q", name, old)
	}
	file.Data = []byte(strings.Replace(string(file.Data), old, with, 1))
	return lessons.Load(fsys)
}

// What an incident file gets wrong is named with its line, what was found and what
// is allowed, when it is read or when it is run.
func TestMistakesOfIncidentsAreNamed(t *testing.T) {
	const c28 = "c28-one-number-for-four-workers"
	for _, c := range []struct{ name, old, with, want string }{
		{"field", "cause: One", "couse: One", `unknown field "couse"`},
		{"slug", "slug: c28-one", "slug: c28-two", "make them equal"},
		{"case", "case: C28", "case: C29", "C and two digits"},
		{"scenario", "scenario: incident-c28", "scenario: incident-c288", `did you mean "incident-c28"`},
		{"setting", "flaw=commit-past-holes", "flaw=commit-past-hole", `did you mean "commit-past-holes"`},
		{"flaw", "set: [flaw=commit-past-holes]", "set: [flaw=no-final-checkpoint]", "flaw=no-final-checkpoint with strategy=offset-commit"},
		{"holes", "set: [flaw=commit-past-holes]", "set: [flaw=commit-past-holes, workers=1]", "no holes"},
		{"moment", "watch: before:fault.injected", "watch: before:fault.injectd", `did you mean "fault.injected"`},
		{"lesson", "lesson: idempotent-writes", "lesson: idempotent-write", `did you mean "idempotent-writes"`},
		{"class", "class: lost", "class: gone", "allowed: exact"},
		{"wrong class", "class: lost", "class: duplicated", "the run is lost, the claim says duplicated"},
		{"wrong count", "lost = 1, duplicated = 0, lost of", "lost = 2, duplicated = 0, lost of", "lost = 2\" does not hold"},
		{"no moment", "watch: before:fault.injected", "watch: before:fault.injected~3", "watch:"},
	} {
		cat, problems := withIncident(t, c28, c.old, c.with)
		if len(problems) == 0 {
			problems = cat.CheckIncidents(sim.Run)
		}
		found := false
		for _, p := range problems {
			found = found || strings.Contains(p.String(), c.want) && p.Line > 0 && strings.Contains(p.File, c28)
		}
		if !found {
			t.Errorf("%s: %v\nwant %q", c.name, problems, c.want)
		}
	}
}
