package explore_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutant is one mistake in the engine: a text that occurs once in a file, and
// what stands there instead.
type mutant struct {
	name string // what the broken engine does
	file string // below engine/
	old  string
	new  string
	jobs string // what the probe tries, "" for aligned barriers; see testdata/probe
	// interleaving says that the mistake needs several events in a certain order
	// to show: in three of four runs, nearly all of them with a crash, the outside
	// is exact.
	interleaving bool
}

// finding is one way in which the probe saw a run go wrong.
type finding struct {
	Job, Class, Rule, Fault, Why string
	Events                       int
}

func (f finding) String() string {
	what := "class " + f.Class
	if f.Rule != "" {
		what = "rule " + f.Rule + ", " + f.Why
	}
	if f.Fault == "" {
		f.Fault = "no fault"
	}
	return fmt.Sprintf("%s: %s, %d events: %s", f.Job, f.Fault, f.Events, what)
}

// report is what the probe prints.
type report struct {
	Runs, Wrong int
	Findings    []finding
	Trouble     []string
}

// probe builds the probe with the mutant in place and runs it.
func probe(t *testing.T, m *mutant, jobs string) report {
	return probeWith(t, "./testdata/probe", m, jobs)
}

// probeWith does so with another program that explores and reports.
func probeWith(t *testing.T, program string, m *mutant, what ...string) (r report) {
	t.Helper()
	dir := t.TempDir()
	build := []string{"build", "-o", filepath.Join(dir, "probe"), "-ldflags=-s -w"}
	if m != nil {
		build = append(build, "-overlay", m.overlay(t, dir))
	}
	if out, err := exec.Command("go", append(build, program)...).CombinedOutput(); err != nil {
		t.Fatalf("the mutant does not build: %v\n%s", err, out)
	}
	out, err := exec.Command(filepath.Join(dir, "probe"), what...).Output()
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(out)).Decode(&r)
	}
	if err != nil || r.Runs == 0 && m == nil {
		t.Fatalf("the probe says nothing: %v", err)
	}
	slices.SortStableFunc(r.Findings, func(a, b finding) int { return cmp.Compare(a.Events, b.Events) })
	return r
}

// overlay writes the changed file and the list that makes the compiler take it.
func (m *mutant) overlay(t *testing.T, dir string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", m.file))
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), m.old); n != 1 {
		t.Fatalf("the text to change occurs %d times in %s:\n%s", n, m.file, m.old)
	}
	changed, list := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	js, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err == nil {
		err = os.WriteFile(changed, []byte(strings.Replace(string(src), m.old, m.new, 1)), 0o600)
	}
	if err == nil {
		err = os.WriteFile(list, js, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Without a mistake the probe finds nothing; otherwise its findings prove nothing.
func TestProbeFindsNothingInTheEngine(t *testing.T) {
	tried := map[string]bool{}
	for _, m := range allMutants() {
		if tried[m.jobs] {
			continue
		}
		tried[m.jobs] = true
		if r := probe(t, nil, m.jobs); len(r.Findings)+len(r.Trouble) > 0 {
			t.Errorf("%s: findings %v, trouble %v", m.jobs, r.Findings, r.Trouble)
		}
	}
}

// allMutants are those of all strategies.
func allMutants() []mutant {
	return slices.Concat(mutants, cutMutants, microbatchMutants, streamMutants, zombieMutants)
}

func TestMutantsAreCaught(t *testing.T) {
	hard := 0
	for _, m := range allMutants() {
		if m.interleaving {
			hard++
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := probe(t, &m, m.jobs)
			if len(r.Findings) == 0 {
				t.Fatalf("nobody noticed; trouble: %v", r.Trouble)
			}
			t.Logf("smallest counterexample: %s", r.Findings[0])
			if i := slices.IndexFunc(r.Findings, func(f finding) bool { return f.Class != "" }); i > 0 {
				t.Logf("smallest seen outside: %s", r.Findings[i])
			}
			t.Logf("outside wrong in %d of %d runs", r.Wrong, r.Runs)
			if m.interleaving && 4*r.Wrong > r.Runs {
				t.Errorf("it shows too often to need a particular interleaving")
			}
		})
	}
	if len(allMutants()) < 12 || hard < 5 {
		t.Errorf("%d mutants, %d of which need an interleaving", len(allMutants()), hard)
	}
}
