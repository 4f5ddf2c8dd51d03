package lessons

import (
	"slices"

	"effectivelyonce/engine/check"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

func readClaims(v strict.Value) Claims {
	m := v.Map("pre", "clean", "script", "sinks", "holds", "all", "runs")
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
		a := f.Map("must", "may")
		c.All = &AllCrashes{Line: f.Line(), Must: readClasses(a, "must"), May: readClasses(a, "may")}
		if len(c.All.Must) == 0 {
			f.Bad("must is empty", "name the classes that occur, exact among them")
		}
	}
	return c
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
