package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

const incidentsDoc = "../../docs/incidents.md"

// incidentsText is docs/incidents.md as the content and the engine give it.
func incidentsText(t *testing.T, cat *lessons.Catalogue) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("# Incidents\n\nReal incidents, told in own words, with the commands that show them before the change and after it. Every command\n" +
		"exits with 0 if the run is what is expected and with 1 if not. The same runs are at `/incidents` of a running server.\n\n" +
		"This page is written by `go test ./cmd/server -run IncidentCommands -rewrite`. TestIncidentCommands there runs every command and compares\n" +
		"every outcome; TestEveryIncidentComesOutAsTold in `lessons` holds what is named behind it.\n")
	for _, in := range cat.Incidents() {
		fmt.Fprintf(&b, "\n## %s %s\n\n%s\n\n- System: %s, %s\n- Reported in: %s\n- Why: %s\n- To learn: %s\n", in.Case, in.Title, in.Line, in.System, in.Version,
			strings.Join(in.Sources, "; "), in.Cause, in.Learn)
		if in.Differs != "" {
			fmt.Fprintf(&b, "- Simplified: %s\n", in.Differs)
		}
		for i, runs := range [][]*lessons.IncidentRun{in.Before, in.After} {
			for _, r := range runs {
				fmt.Fprintf(&b, "\n%s: %s\n\n    %s\n\n%s\n", [2]string{"Before", "After"}[i], r.What, r.Command(), outcomeText(t, cat, r))
			}
		}
	}
	return b.String()
}

func outcomeText(t *testing.T, cat *lessons.Catalogue, r *lessons.IncidentRun) string {
	t.Helper()
	job, faults, err := cat.Compile(r.Query)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range check.Judge(tr) {
		out = append(out, fmt.Sprintf("%s (%s): %s, %d of %d observed, %d lost, %d duplicated", v.Sink, v.Reader, v.Class, v.Observed, v.Expected, v.Lost, v.Duplicated))
	}
	text := "Outcome: " + strings.Join(out, "; ") + "."
	var held []string
	for _, h := range r.Expect.Holds {
		held = append(held, "`"+h.Expr.String()+"`")
	}
	if len(held) > 0 {
		text += "\nHeld: " + strings.Join(held, ", ") + "."
	}
	return text
}

// The page of commands is what the content says, and each command does what it says.
func TestIncidentCommands(t *testing.T) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(lessons.Problems(problems))
	}
	want := incidentsText(t, cat)
	if *rewrite {
		if err := os.WriteFile(incidentsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(incidentsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/incidents.md is not what the incidents give; write it with -rewrite")
	}
	commands := 0
	for line := range strings.SplitSeq(string(got), "\n") {
		words, ok := strings.CutPrefix(line, "    server ")
		if !ok {
			continue
		}
		commands++
		var out, errs bytes.Buffer
		args := strings.Fields(strings.ReplaceAll(words, "'", ""))
		if code := Main(context.Background(), args, Streams{Out: &out, Err: &errs}); code != 0 {
			t.Errorf("%s\nexit %d: %s", line, code, errs.String())
		}
		args[len(args)-1] = map[bool]string{true: "lost", false: "exact"}[args[len(args)-1] == "exact"]
		if code := Main(context.Background(), args, Streams{Out: &out, Err: &errs}); code == 0 {
			t.Errorf("%s, with another class expected, does not fail", line)
		}
	}
	if commands < 22 {
		t.Errorf("%d commands", commands)
	}
}
