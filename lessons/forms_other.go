package lessons

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"effectivelyonce/engine/check"
)

// elsewhere is a number of another run: {run EXPR in SCENARIO KEY=VALUE… FAULT…}.
// Without a fault it is the scripted run of that scenario.
func (f *forms) elsewhere(expr string, words []string) (string, error) {
	if f.play == nil || len(words) == 0 {
		return "", fmt.Errorf("%q: write {run EXPR in SCENARIO}, with settings and faults behind it, in a text of a lesson", expr)
	}
	q := Query{Scenario: words[0]}
	for _, w := range words[1:] {
		if strings.Contains(w, "@") {
			q.Faults = append(q.Faults, w)
		} else {
			q.Set = append(q.Set, w)
		}
	}
	if sc := f.cat.scenarios[q.Scenario]; sc != nil && q.Faults == nil {
		q.Faults = sc.Script
	}
	r, err := f.play(q)
	if err != nil {
		return "", err
	}
	s, err := (&forms{run: r.run}).ask(expr)
	return html.EscapeString(s), err
}

// classNames are the words that a sentence has for a class.
var classNames = map[check.Class]string{check.Exact: "exact", check.Duplicated: "twice", check.Lost: "lost", check.Mixed: "mixed", check.Wrong: "wrong", check.Stuck: "stuck"}

// worst is the worst that any crash does: {worst SCENARIO KEY=VALUE…}. The word is
// that of the scenario's claim about all its crashes with these settings, which
// "server check" explores.
func (f *forms) worst(arg string) (string, error) {
	words := strings.Fields(arg)
	if len(words) == 0 {
		return "", fmt.Errorf("write {worst SCENARIO KEY=VALUE…}")
	}
	sc, err := f.cat.find(words[0])
	if err != nil {
		return "", err
	}
	for _, a := range sc.Claims.All {
		if len(a.Faults)+len(a.Kinds) == 0 && slices.Equal(a.Set, words[1:]) {
			out := check.Exact
			for _, c := range slices.Concat(a.Must, a.May) {
				out = check.Worst(out, c)
			}
			return classNames[out], nil
		}
	}
	return "", fmt.Errorf("scenario %s claims nothing about all crashes with %q; add it to claims, all, as {set: […], must: […]}", words[0], strings.Join(words[1:], " "))
}
