package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/lessons"
)

func exploreCommand(ctx context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	sel := selectionFlags(f)
	kind, depth, format := f.text("kind", ""), f.text("depth", "1"), f.text("format", "text")
	rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	name, err := scenarioOf(rest)
	if err == nil {
		err = oneOf("format", format.value, "text", "json")
	}
	if err == nil {
		err = oneOf("depth", depth.value, "1", "2")
	}
	if err != nil {
		return 0, err
	}
	cat, id, err := catalogueFor(name)
	if err != nil {
		return 0, err
	}
	q := sel.query(id)
	job, faults, err := cat.Compile(q)
	if err != nil {
		return 0, err
	}
	opt := explore.Options{Depth: int(depth.value[0] - '0'), Now: time.Now}
	if kind.given {
		if opt.Kinds, err = kindsOf(kind.value); err != nil {
			return 0, err
		}
	}
	r, err := explore.Explore(ctx, job, faults, opt)
	if r == nil {
		return 0, err
	}
	if format.value == "json" {
		return exitDone, writeJSON(s.Out, r)
	}
	e := exploration{r: r, scenario: cat.Scenario(id), query: q, fromFile: isFile(name), stopped: err != nil}
	return exitDone, e.writeText(s.Out)
}

// kindsOf reads --kind: a list of kinds of faults, with or without a target.
func kindsOf(v string) ([]string, error) {
	var out []string
	for _, k := range strings.Split(v, ",") {
		k = strings.TrimSpace(k)
		head, _, _ := strings.Cut(k, ":")
		if err := oneOf("kind", head, explore.Kinds()...); err != nil {
			return nil, err
		}
		out = append(out, k)
	}
	return out, nil
}

// exploration is a result, ready to be printed for people.
type exploration struct {
	r        *explore.Result
	scenario *lessons.Scenario
	query    lessons.Query
	fromFile bool
	stopped  bool
}

func (e *exploration) writeText(w io.Writer) error {
	r := e.r
	what := strings.Join(r.Targets, ", ")
	_, err := fmt.Fprintf(w, "%s: %s\n\nTried %s, after every one of %d events and before the first.\n%s\n\n",
		r.Scenario, e.scenario.Title, what, r.Gaps-1, e.coverage())
	if err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	_, _ = fmt.Fprintf(w, "%-10s  %8s  %7s  smallest example\n", "Class", "runs", "share")
	for _, c := range check.Classes() {
		if n := r.Classes[c]; n > 0 {
			_, _ = fmt.Fprintf(w, "%-10s  %8d  %6.1f%%  %s\n", c, n, 100*float64(n)/float64(r.Points), spell(r.Examples[c]))
		}
	}
	if len(r.Columns) > 1 {
		e.writeColumns(w)
	}
	_, _ = fmt.Fprintln(w)
	for _, c := range check.Classes() {
		ex, ok := r.Examples[c]
		if link := e.link(ex); ok && c != check.Exact && link != "" {
			_, _ = fmt.Fprintf(w, "Watch %s: %s\n", c, link)
		}
	}
	return nil
}

// coverage says how much of what there is was done.
func (e *exploration) coverage() string {
	r := e.r
	switch {
	case r.Complete:
		return fmt.Sprintf("All %d runs done, %d a second.", r.Points, r.RunsPerSecond)
	case r.Planned > 0:
		return fmt.Sprintf("The first %d of %d runs done, %d a second.", r.Points, r.Planned, r.RunsPerSecond)
	case e.stopped:
		return fmt.Sprintf("Stopped after %d runs, %d a second.", r.Points, r.RunsPerSecond)
	}
	return fmt.Sprintf("The first %d runs done, %d a second; there are more.", r.Points, r.RunsPerSecond)
}

func spell(ex explore.Example) string {
	if ex.Then == "" {
		return ex.Fault
	}
	return ex.Fault + ", then " + ex.Then
}

// writeColumns says it for each outside system.
func (e *exploration) writeColumns(w io.Writer) {
	_, _ = fmt.Fprintln(w)
	for _, col := range e.r.Columns {
		var parts []string
		for _, c := range check.Classes() {
			if n := col.Classes[c]; n > 0 {
				parts = append(parts, fmt.Sprintf("%s %d", c, n))
			}
		}
		name := col.Sink
		if col.Reader != "any" {
			name += ", " + col.Reader
		}
		_, _ = fmt.Fprintf(w, "%s: %s\n", name, strings.Join(parts, ", "))
	}
}

func (e *exploration) link(ex explore.Example) string {
	if e.fromFile || ex.Fault == "" {
		return ""
	}
	q := e.query
	q.Faults = append(append([]string(nil), q.Faults...), ex.Fault)
	if ex.Then != "" {
		q.Faults = append(q.Faults, ex.Then)
	}
	return "http://localhost:8080/run?" + q.Encode()
}

func exploreHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server explore SCENARIO [--set KEY=VALUE]… [--seed N] [--fault SPEC]… [--kind crash,crash-job,…]
                        [--depth 1|2] [--format text|json]

Crashes everything at every moment, one run each, and counts what comes of it.

  --fault   belongs to every run, for example slow:enrich/1:x20@0s
  --kind    crash (every task), crash:TASK, crash:coordinator, crash-job, crash-node (every node), crash-node:NODE,
            pause (every task, each unnoticed, waking while the replacement starts, and long after), pause:TASK, pause:TASK:D,
            lose-response (every task that writes), storage-down:D, broker-down:PARTITION:D, late:MESSAGE:D, second-job
            (crash,crash-job)
  --depth   how many crashes a run (1)

The rest is as in server run.
`)
}
