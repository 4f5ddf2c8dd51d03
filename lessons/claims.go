package lessons

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/quizzes"
)

// Explored is what an exploration of single crashes found: every task and the
// whole job, at every gap.
type Explored struct {
	Points   int
	Classes  map[check.Class]int
	Examples map[check.Class]string // the smallest fault that leads to the class

	Duplicated int    // most rows that one run showed too often to one reader
	Worst      string // the first fault that leads to that many
}

// ExploreFunc adds every single crash of the kinds at every gap to the faults
// given. Without kinds it crashes every task and the whole job.
type ExploreFunc func(job *engine.Job, faults []engine.Fault, kinds []string) (*Explored, error)

// CheckClaims runs everything that scenarios and levels promise and reports what
// the engine does not keep. It takes some seconds: each "all" is thousands of runs.
func (c *Catalogue) CheckClaims(run quizzes.RunFunc, explore ExploreFunc) []Problem {
	k := &claims{cat: c, run: run, explore: explore}
	for _, id := range c.order {
		k.scenario(c.scenarios[id])
	}
	for _, in := range c.incidents {
		k.incident(in)
	}
	for _, l := range c.lessons {
		if l.Level != nil {
			k.level(l)
		}
	}
	return k.problems
}

type claims struct {
	cat      *Catalogue
	run      quizzes.RunFunc
	explore  ExploreFunc
	problems []Problem
}

func (k *claims) bad(file string, line int, what, do string) {
	k.problems = append(k.problems, Problem{File: file, Line: line, What: what, Do: do})
}

const retune = "retune the scenario, or correct the claim if the engine is right"

func (k *claims) play(q Query) (*quizzes.Run, error) {
	job, faults, err := k.cat.Compile(q)
	if err != nil {
		return nil, err
	}
	return quizzes.Play(k.run, job, faults)
}

func (k *claims) scenario(sc *Scenario) {
	c := &sc.Claims
	if clean, err := k.play(Query{Scenario: sc.ID}); err != nil {
		k.bad(sc.File, 1, "the run without faults: "+err.Error(), "")
	} else if c.Clean != "" && clean.Class() != c.Clean {
		k.bad(sc.File, 1, fmt.Sprintf("the run without faults is %s, the claim says %s", clean.Class(), c.Clean), retune)
	}
	r, err := k.play(Query{Scenario: sc.ID, Faults: sc.Script})
	if err != nil {
		k.bad(sc.File, sc.lines["script"], "the scripted run: "+err.Error(), "")
		return
	}
	pre := len(k.problems)
	k.exprs(sc, r, c.Pre, "precondition")
	if len(k.problems) > pre {
		return // what follows would not mean what it says
	}
	k.verdicts(sc, r, sc.lines["script"], "the scripted run", c.Script, c.Sinks, c.Holds)
	for _, rc := range c.Runs {
		what := "the run with " + strings.Join(append(slices.Clone(rc.Set), rc.Faults...), ", ")
		r, err := k.play(Query{Scenario: sc.ID, Set: rc.Set, Faults: rc.Faults})
		if err != nil {
			k.bad(sc.File, rc.Line, what+": "+err.Error(), "")
			continue
		}
		k.verdicts(sc, r, rc.Line, what, rc.Class, rc.Sinks, rc.Holds)
	}
	for i := range c.All {
		k.all(sc, &c.All[i])
	}
	if c.Repair != nil {
		k.repair(sc, c.Repair)
	}
}

func (k *claims) exprs(sc *Scenario, r *quizzes.Run, list []Claim, what string) {
	for _, c := range list {
		ok, err := c.Expr.True(r)
		switch {
		case err != nil:
			k.bad(sc.File, c.Line, fmt.Sprintf("%s %q: %s", what, c.Expr, err), "")
		case !ok:
			k.bad(sc.File, c.Line, fmt.Sprintf("%s %q does not hold: %s", what, c.Expr, c.Expr.Found(r)), retune)
		}
	}
}

func (k *claims) verdicts(sc *Scenario, r *quizzes.Run, line int, what string, class check.Class, sinks map[string]check.Class, holds []Claim) {
	if class != "" && r.Class() != class {
		k.bad(sc.File, line, fmt.Sprintf("%s is %s, the claim says %s", what, r.Class(), class), retune)
	}
	for _, name := range slices.Sorted(maps.Keys(sinks)) {
		v, err := r.Ask(name + ".class")
		switch {
		case err != nil:
			k.bad(sc.File, line, fmt.Sprintf("%s: %s", what, err), "")
		case v.Text != string(sinks[name]):
			k.bad(sc.File, line, fmt.Sprintf("%s: %s is %s, the claim says %s", what, name, v.Text, sinks[name]), retune)
		}
	}
	k.exprs(sc, r, holds, "claim")
}

func (k *claims) level(l *Lesson) {
	lv := l.Level
	try := func(m LevelMove, what string, want bool) {
		won, why, err := k.won(l, m)
		switch {
		case err != nil:
			k.bad(l.file, m.line, fmt.Sprintf("level, %s: %s", what, err), "")
		case won != want && want:
			k.bad(l.file, m.line, fmt.Sprintf("level, %s does not win: %s", what, why), retune)
		case won != want:
			k.bad(l.file, m.line, fmt.Sprintf("level, %s wins, a decoy must not", what), retune)
		}
	}
	try(LevelMove{line: lv.places["best"]}, "doing nothing", false)
	try(lv.Best, "the best move", true)
	for i, m := range lv.Also {
		try(m, fmt.Sprintf("also[%d]", i), true)
	}
	for i, m := range lv.Decoys {
		try(m, fmt.Sprintf("decoys[%d]", i), false)
	}
}

// won reports whether a move wins the lesson's level: an adversary's by its one
// run, a repair by the whole crash map.
func (k *claims) won(l *Lesson, m LevelMove) (won bool, why string, err error) {
	q := l.levelQuery()
	q.Set = append(slices.Clone(q.Set), m.Set...)
	q.Faults = m.Faults
	job, faults, err := k.cat.Compile(q)
	if err != nil {
		return false, "", err
	}
	r, err := quizzes.Play(k.run, job, faults)
	if err != nil {
		return false, "", err
	}
	if l.Level.Kind == "adversary" {
		return l.Level.WonBy(r)
	}
	if !slices.Contains(l.Level.All, string(r.Class())) {
		return false, fmt.Sprintf("%s without any crash", r.Class()), nil // the map need not be drawn
	}
	if won, why, err := l.Level.WonBy(r); err != nil || !won {
		return won, why, err
	}
	found, err := k.explore(job, faults, nil)
	if err != nil {
		return false, "", err
	}
	won, why = l.Level.Repaired(found)
	return won, why, nil
}

// WonBy reports whether a run wins an adversary level, or meets what a repair
// demands of the run without a crash, and if not, why.
func (lv *Level) WonBy(r *quizzes.Run) (won bool, why string, err error) {
	for _, w := range lv.Win {
		ok, found, err := holds(r, w)
		if err != nil || !ok {
			return false, w + ": " + found, err
		}
	}
	return true, "", nil
}

// Repaired reports whether a crash map wins a repair level, and if not, where it
// fails first.
func (lv *Level) Repaired(found *Explored) (won bool, why string) {
	for _, c := range check.Classes() {
		if found.Classes[c] > 0 && !slices.Contains(lv.All, string(c)) {
			return false, fmt.Sprintf("%s at %d of %d points, for example %s", c, found.Classes[c], found.Points, found.Examples[c])
		}
	}
	if lv.Repeats >= 0 && found.Duplicated > lv.Repeats {
		return false, fmt.Sprintf("%d duplicated, at most %d are allowed, for example %s", found.Duplicated, lv.Repeats, found.Worst)
	}
	return true, ""
}
