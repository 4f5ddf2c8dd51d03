package lessons

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// all compares the classes over every single crash with must and may.
func (k *claims) all(sc *Scenario, a *MapClaim) {
	what := "all crashes"
	if more := slices.Concat(a.Set, a.Faults, a.Kinds); len(more) > 0 {
		what += " with " + strings.Join(more, ", ")
	}
	found, err := k.crashMap(Query{Scenario: sc.ID, Set: a.Set, Faults: a.Faults}, a.Kinds)
	if err != nil {
		k.bad(sc.File, a.Line, what+": "+err.Error(), "")
		return
	}
	k.must(sc, a.Line, what, found, a.Must)
	for _, c := range check.Classes() {
		if found.Classes[c] > 0 && !slices.Contains(a.Must, c) && !slices.Contains(a.May, c) {
			k.bad(sc.File, a.Line, fmt.Sprintf("%s: %s must never occur and does at %d of %d points, for example %s", what, c, found.Classes[c], found.Points, found.Examples[c]), retune)
		}
	}
}

func (k *claims) must(sc *Scenario, line int, what string, found *Explored, must []check.Class) {
	for _, m := range must {
		if found.Classes[m] == 0 {
			k.bad(sc.File, line, fmt.Sprintf("%s: %s must occur and does not, in %d points", what, m, found.Points), retune)
		}
	}
}

func (k *claims) crashMap(q Query, kinds []string) (*Explored, error) {
	job, faults, err := k.cat.Compile(q)
	if err != nil {
		return nil, err
	}
	return k.explore(job, faults, kinds)
}

// repair tries a level's start, which must not meet its goal, its solutions, which
// must, and its decoys, which must not.
func (k *claims) repair(sc *Scenario, r *Repair) {
	k.move(sc, r, &RepairMove{Line: r.Line}, "the start", false)
	for i := range r.Solutions {
		m := &r.Solutions[i]
		k.move(sc, r, m, "the solution "+strings.Join(m.Set, ", "), true)
	}
	for i := range r.Decoys {
		m := &r.Decoys[i]
		k.move(sc, r, m, "the decoy "+strings.Join(m.Set, ", "), false)
	}
}

func (k *claims) move(sc *Scenario, r *Repair, m *RepairMove, what string, want bool) {
	found, err := k.crashMap(Query{Scenario: sc.ID, Set: slices.Concat(r.Start, m.Set)}, r.Kinds)
	var impossible *engine.Impossible
	refused := errors.As(err, &impossible)
	switch {
	case refused && m.Refused:
		return
	case err != nil:
		k.bad(sc.File, m.Line, what+": "+err.Error(), "")
		return
	case m.Refused:
		k.bad(sc.File, m.Line, what+" can be built, the claim says it is refused", retune)
		return
	}
	k.must(sc, m.Line, what, found, m.Must)
	met, why := r.Goal.Met(found)
	if met {
		met, why, err = k.goalHolds(Query{Scenario: sc.ID, Set: slices.Concat(r.Start, m.Set)}, r.Goal.Holds)
	}
	switch {
	case err != nil:
		k.bad(sc.File, m.Line, what+": "+err.Error(), "")
	case !met && want:
		k.bad(sc.File, m.Line, what+" does not meet the goal: "+why, retune)
	case met && !want:
		k.bad(sc.File, m.Line, what+" meets the goal and must not", retune)
	}
}

// goalHolds looks at the run without a crash.
func (k *claims) goalHolds(q Query, list []Claim) (met bool, why string, err error) {
	if len(list) == 0 {
		return true, "", nil
	}
	r, err := k.play(q)
	if err != nil {
		return false, "", err
	}
	for _, c := range list {
		ok, err := c.Expr.True(r)
		if err != nil || !ok {
			return false, fmt.Sprintf("%s without a crash: %s", c.Expr, c.Expr.Found(r)), err
		}
	}
	return true, "", nil
}

// Met reports whether a crash map meets the goal, and if not, where it fails first.
func (g *Goal) Met(found *Explored) (met bool, why string) {
	for _, c := range check.Classes() {
		if found.Classes[c] > 0 && !slices.Contains(g.Classes, c) {
			return false, fmt.Sprintf("%s at %d of %d points, for example %s", c, found.Classes[c], found.Points, found.Examples[c])
		}
	}
	if g.Duplicated >= 0 && found.Duplicated > g.Duplicated {
		return false, fmt.Sprintf("%d duplicated, at most %d are allowed, for example %s", found.Duplicated, g.Duplicated, found.Worst)
	}
	return true, ""
}
