package lessons_test

import (
	"context"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

// levelFolder is the content with one capstone and the scenarios, and neither
// lessons nor incidents, with one text changed.
func levelFolder(t *testing.T, level, old, new string) fs.FS {
	t.Helper()
	out := fstest.MapFS{"course.yaml": {Data: []byte("title: T\nchapters:\n  - title: C\n    line: L.\n    lessons:\n" +
		"      - {slug: position-with-output, title: A, takes: 1m, claim: C.}\n      - {slug: one-crash-two-charges, title: B, takes: 1m, claim: C.}\n")}}
	err := fs.WalkDir(content.FS, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(content.FS, p)
		switch base := path.Base(p); {
		case path.Dir(p) == "inputs", p == level:
			out[p] = &fstest.MapFile{Data: data}
		case base == "repair-nothing-twice.yaml", base == "hook-charges.yaml":
			out["scenarios/"+base] = &fstest.MapFile{Data: []byte(strings.Split(string(data), "claims:")[0])}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(out[level].Data), old, new, 1)
	if old != "" && changed == string(out[level].Data) {
		t.Fatalf("%s does not hold %q", level, old)
	}
	out[level].Data = []byte(changed)
	return out
}

func levelProblems(t *testing.T, fsys fs.FS) string {
	t.Helper()
	cat, problems := lessons.Load(fsys)
	if len(problems) == 0 {
		problems = append(cat.Prepare(sim.Run), cat.CheckClaims(sim.Run, exploreSingle)...)
	}
	return lessons.Problems(problems).Error()
}

func exploreSingle(job *engine.Job, faults []engine.Fault, kinds []string) (*lessons.Explored, error) {
	r, err := explore.Explore(context.Background(), job, faults, explore.Options{Kinds: kinds, Budget: -1})
	if err != nil {
		return nil, err
	}
	return &lessons.Explored{Points: r.Points, Classes: r.Classes}, nil
}

// Whatever a capstone says that is not so is reported with file and line, and the
// file as it is has nothing to report.
func TestCapstonesThatAreNotTrue(t *testing.T) {
	const (
		r1 = "levels/nothing-lost-nothing-twice.yaml"
		a1 = "levels/charge-ana-twice.yaml"
	)
	for name, c := range map[string]struct{ file, old, new, want string }{
		"repair as it is":    {file: r1},
		"adversary as it is": {file: a1},
		"best":               {r1, "set: [sink=offset-with-output]", "set: [commit.every=1]", `nothing-lost-nothing-twice.yaml:14: level, the best move does not win: lost at`},
		"decoy":              {r1, "set: [commit=after]", "set: [sink=offset-with-output]", `level, decoys[0] wins, a decoy must not`},
		"budget":             {r1, "set: [sink=offset-with-output]", "set: [sink=offset-with-output, commit=after]", `level, the best move does not win: That is 2 changes (sink, commit) and the budget is 1.`},
		"another setting":    {r1, "keys: [sink, commit, commit.every]", "keys: [commit]", `level, the best move does not win: sink is not among the settings of this level: commit.`},
		"locked":             {r1, "hints:", "locked: {sink: It stays.}\nhints:", `level, the best move does not win: sink is locked. It stays.`},
		"refused":            {r1, "set: [commit=after]", "set: [commit=after]\n    refused: true", `level, decoys[0] can be built, the file says it is refused`},
		"start wins":         {r1, "all: [exact]", "all: [exact, lost]", `level, doing nothing wins, a decoy must not`},
		"unknown setting":    {r1, "commit.every]", "comit.every]", `nothing-lost-nothing-twice.yaml:11: level: unknown setting "comit.every"`},
		"faults":             {a1, "kind: adversary", "kind: adversary\nkinds: [pause]", `A fault of the kind crash-job does not count here. Allowed: pause.`},
		"also":               {a1, "before:checkpoint.complete~2", "after:checkpoint.complete~2", `level, also[0] does not win: class = duplicated: found exact`},
		"win":                {a1, "duplicated of ana > 0", "duplicated of ana > many", `charge-ana-twice.yaml:12: level: `},
		"code":               {a1, "code: A1", "code: R1", `code "R1"`},
		"slug":               {a1, "slug: charge-ana-twice", "slug: charge-ana", `slug "charge-ana"; the file's name says "charge-ana-twice"`},
		"lesson":             {a1, "lesson: one-crash-two-charges", "lesson: one-crash-two-charge", `lesson "one-crash-two-charge"`},
		"scenario":           {a1, "scenario: hook-charges", "scenario: hook-charge", `level: `},
		"hints":              {a1, "  - What is repeated after a restart?\n", "", `2 hints`},
		"field":              {a1, "goal:", "gaol:", `unknown field "gaol"`},
	} {
		t.Run(name, func(t *testing.T) {
			found := levelProblems(t, levelFolder(t, c.file, c.old, c.new))
			if c.want == "" && found != "" || !strings.Contains(found, c.want) {
				t.Errorf("found\n%s\nwant %s", found, c.want)
			}
		})
	}
}

// The course has all twelve capstones, in order, and a level a lesson.
func TestCapstonesAreComplete(t *testing.T) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(lessons.Problems(problems))
	}
	var codes []string
	ready := 0
	for _, lv := range cat.Levels() {
		if lv.Code != "" {
			codes = append(codes, lv.Code)
		}
		if cat.Level(lv.Slug) != lv {
			t.Errorf("level %s is not found by its slug", lv.Slug)
		}
	}
	for _, l := range cat.Lessons() {
		if !l.Coming {
			ready++
		}
	}
	if got := strings.Join(codes, " "); got != "A1 A2 A3 A4 A5 A6 R1 R2 R3 R4 R5 R6" {
		t.Errorf("capstones %s", got)
	}
	if got := len(cat.Levels()); got != ready+12 {
		t.Errorf("%d levels, %d lessons are ready", got, ready)
	}
}
