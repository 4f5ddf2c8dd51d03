package main

import (
	"context"
	"fmt"
	"io"

	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
)

func checkCommand(ctx context.Context, args []string, s Streams) (int, error) {
	rest, err := newFlags().parse(args)
	if err != nil {
		return 0, err
	}
	dir := ""
	switch len(rest) {
	case 0:
	case 1:
		dir = rest[0]
	default:
		return 0, usagef("found %d arguments; allowed: one folder", len(rest))
	}
	from, err := openContent(dir)
	if err != nil {
		return 0, err
	}
	cat, problems := lessons.Load(from.fs)
	if len(problems) == 0 { // what cannot be read cannot be run either
		problems = append(problems, cat.Prepare(sim.Run)...)
		problems = append(problems, cat.CheckQuestions(sim.Run)...)
		problems = append(problems, cat.CheckClaims(sim.Run, exploreAll(ctx))...)
	}
	for _, p := range from.place(problems) {
		if _, err := fmt.Fprintln(s.Out, p); err != nil {
			return 0, err
		}
	}
	if w := cat.WarnQuestions(); w != "" {
		_, _ = fmt.Fprintf(s.Err, "server check: warning: %s\n", w)
	}
	if len(problems) > 0 {
		_, _ = fmt.Fprintf(s.Err, "server check: %s in %s\n", count(len(problems), "problem"), from.name)
		return exitDiffer, nil
	}
	ready, questions := 0, 0
	for _, l := range cat.Lessons() {
		if !l.Coming {
			ready++
			questions += len(l.Quiz)
		}
	}
	_, _ = fmt.Fprintf(s.Out, "%s: %s, %s, %s. Every claim holds.\n", from.name, count(ready, "lesson"), count(questions, "question"), count(len(cat.ScenarioIDs()), "scenario"))
	return exitDone, nil
}

func checkHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server check [DIR]

Reads a content folder (without DIR the one in the program), lets the engine work
out every number, bet and question, and tests what scenarios and levels claim.
Problems are printed as file:line: what was found; what to do.
`)
}
