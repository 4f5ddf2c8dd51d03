package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/lessons"
)

var rewrite = flag.Bool("rewrite", false, "write the golden transcripts again")

func scenarios(t *testing.T) []*lessons.Scenario {
	t.Helper()
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var out []*lessons.Scenario
	for _, id := range cat.ScenarioIDs() {
		out = append(out, cat.Scenario(id))
	}
	return out
}

func scripted(sc *lessons.Scenario, format string) []string {
	args := []string{"run", sc.ID, "--format", format}
	for _, f := range sc.Script {
		args = append(args, "--fault", f)
	}
	return args
}

// Each scenario's scripted run is kept as people read it. A change of a transcript
// is a change of the engine that a reviewer must want; see -rewrite.
func TestTranscripts(t *testing.T) {
	for _, sc := range scenarios(t) {
		status, got, errs := server(t, scripted(sc, "text")...)
		if status != exitDone {
			t.Errorf("%s: status %d, %s", sc.ID, status, errs)
			continue
		}
		got = abridged(got)
		file := filepath.Join("testdata", "transcripts", sc.ID+".txt")
		if *rewrite {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if line, a, b := firstDifference(got, string(want)); line > 0 {
			t.Errorf("%s differs from %s at line %d:\nfound %s\nwant  %s\ngo test ./cmd/server -run TestTranscripts -rewrite writes it again", sc.ID, file, line, a, b)
		}
	}
}

// abridged is a transcript as it is kept: of a very long one both ends, and a sum
// over all of it.
func abridged(text string) string {
	lines := strings.SplitAfter(text, "\n")
	const most, ends = 3000, 150
	if len(lines) <= most {
		return text
	}
	return strings.Join(lines[:ends], "") + fmt.Sprintf("… %d lines, SHA-256 of all %x\n", len(lines)-2*ends, sha256.Sum256([]byte(text))) +
		strings.Join(lines[len(lines)-ends:], "")
}

func firstDifference(a, b string) (line int, inA, inB string) {
	for line = 1; a != "" || b != ""; line++ {
		inA, a = cutLine(a)
		inB, b = cutLine(b)
		if inA != inB {
			return line, inA, inB
		}
	}
	return 0, "", ""
}

func cutLine(s string) (line, rest string) {
	for i := range len(s) {
		if s[i] == '\n' {
			return s[:i+1], s[i+1:]
		}
	}
	return s, ""
}

// A run is a pure function of what it is given: twice, and with one processor or
// two, every byte is the same.
func TestTheSameRunGivesTheSameBytes(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	for _, sc := range scenarios(t) {
		var first string
		for i, procs := range []int{1, 2, 2} {
			runtime.GOMAXPROCS(procs)
			_, out, errs := server(t, scripted(sc, "ndjson")...)
			switch {
			case errs != "":
				t.Fatal(errs)
			case i == 0:
				first = out
			case out != first:
				line, a, b := firstDifference(out, first)
				t.Errorf("%s, %d processors: line %d\nfound %s\nfirst %s", sc.ID, procs, line, a, b)
			}
		}
	}
}
