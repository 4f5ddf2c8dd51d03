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
	for _, lv := range c.Levels() {
		k.level(lv)
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
	k.problems = append(k.problems, Problem{File: file, Line: line, What: what, Do: advice(what, do)})
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
