package lessons

import (
	"slices"

	"effectivelyonce/engine/check"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

func readClaims(v strict.Value) Claims {
	m := v.Map("pre", "clean", "script", "sinks", "holds", "all", "runs", "goal", "start", "kinds", "solutions", "decoys")
	c := Claims{Pre: readExprs(m, "pre"), Holds: readExprs(m, "holds"), Clean: check.Exact}
	if f, ok := m.Get("clean"); ok {
		c.Clean = readClass(f)
	}
	if f, ok := m.Get("script"); ok {
		c.Script = readClass(f)
	}
	c.Sinks = readSinkClasses(m)
	for _, f := range m.List("runs") {
		r := f.Map("set", "faults", "class", "sinks", "holds")
		run := RunClaim{Set: r.Texts("set"), Faults: r.Texts("faults"), Sinks: readSinkClasses(r), Holds: readExprs(r, "holds"), Line: f.Line()}
		if v, ok := r.Get("class"); ok {
			run.Class = readClass(v)
		}
		c.Runs = append(c.Runs, run)
	}
	if f, ok := m.Get("all"); ok {
		list := []strict.Value{f}
		if !f.IsMap() {
			list = f.List()
		}
		for _, v := range list {
			c.All = append(c.All, readMapClaim(v))
		}
	}
	c.Repair = readRepair(m)
	return c
}

func readMapClaim(v strict.Value) MapClaim {
	m := v.Map("set", "faults", "kinds", "must", "may")
	a := MapClaim{Line: v.Line(), Set: m.Texts("set"), Faults: m.Texts("faults"), Kinds: m.Texts("kinds"),
		Must: readClasses(m, "must"), May: readClasses(m, "may")}
	if len(a.Must) == 0 {
		v.Bad("must is empty", "name the classes that occur, exact among them")
	}
	return a
}

// readRepair reads the fields of a repair level; nil when there are none.
func readRepair(m strict.Map) *Repair {
	first, ok := m.Get("solutions")
	if !ok {
		for _, field := range []string{"goal", "start", "kinds", "decoys"} {
			if v, ok := m.Get(field); ok {
				v.Bad(field+" without solutions", "name at least one solution")
			}
		}
		return nil
	}
	r := &Repair{Line: first.Line(), Start: m.Texts("start"), Kinds: m.Texts("kinds"),
		Goal: Goal{Classes: []check.Class{check.Exact}, Duplicated: -1}}
	if f, ok := m.Get("goal"); ok {
		g := f.Map("classes", "duplicated", "holds")
		if _, ok := g.Get("classes"); ok {
			r.Goal.Classes = readClasses(g, "classes")
		}
		r.Goal.Duplicated = int(g.Int("duplicated", -1, 0, 1<<20))
		r.Goal.Holds = readExprs(g, "holds")
	}
	r.Solutions, r.Decoys = readMoves(m, "solutions"), readMoves(m, "decoys")
	if len(r.Solutions) == 0 {
		first.Bad("solutions is empty", "name at least one solution")
	}
	return r
}

func readMoves(m strict.Map, field string) []RepairMove {
	var out []RepairMove
	for _, v := range m.List(field) {
		d := v.Map("set", "must", "refused", "why")
		out = append(out, RepairMove{Set: d.Texts("set"), Must: readClasses(d, "must"), Refused: d.Bool("refused"), Why: d.Text("why"), Line: v.Line()})
	}
	return out
}

func readSinkClasses(m strict.Map) map[string]check.Class {
	f, ok := m.Get("sinks")
	if !ok {
		return nil
	}
	out := map[string]check.Class{}
	for _, p := range f.Pairs() {
		out[p.Key] = readClass(p.Value)
	}
	return out
}

func readClass(v strict.Value) check.Class { return check.Class(v.OneOf(classWords()...)) }

func readClasses(m strict.Map, field string) []check.Class {
	var out []check.Class
	for _, v := range m.List(field) {
		out = append(out, readClass(v))
	}
	return out
}

func classWords() []string {
	var out []string
	for _, c := range check.Classes() {
		out = append(out, string(c))
	}
	slices.Reverse(out) // exact first
	return out
}

// readExprs reads a list of comparisons.
func readExprs(m strict.Map, field string) []Claim {
	var out []Claim
	for _, v := range m.List(field) {
		e, err := quizzes.ParseExpr(v.Text())
		if err != nil {
			v.Bad(err.Error(), "")
			continue
		}
		out = append(out, Claim{Expr: e, Line: v.Line()})
	}
	return out
}
