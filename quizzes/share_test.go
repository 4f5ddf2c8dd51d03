package quizzes_test

import (
	"strings"
	"testing"

	"effectivelyonce/quizzes"
)

// Four fifths of a checklist is right, unless an essential point is missing; less is
// a share, and not one half of everything.
func TestSharesOfOpenQuestions(t *testing.T) {
	q := oneQuestion(t, strings.Replace(openText, "[first, second, third]", `["! first", second, third, fourth, fifth]`, 1))
	if q.Options[0].Text.Text != "first" || !q.Options[0].Essential || q.Options[1].Essential {
		t.Errorf("read as %+v", q.Options[0])
	}
	for ticked, want := range map[string]struct {
		outcome string
		share   float64
	}{"a b c d e": {"right", 1}, "a b c d": {"right", 0.8}, "b c d e": {"partly", 0.8}, "a b c": {"partly", 0.6}, "a": {"partly", 0.2}, "": {"missed", 0}} {
		g, err := q.Grade(quizzes.Reply{Options: strings.Fields(ticked)})
		if err != nil || g.Outcome() != want.outcome || g.Share() != want.share || g.Of != 5 {
			t.Errorf("%q: %v, %+v", ticked, err, g)
		}
	}
}

// A number may carry the unit that the page itself writes behind it.
func TestANumberWithItsUnit(t *testing.T) {
	q := oneQuestion(t, "- id: timed\n  kind: numeric\n  ask: How long?\n  vars: {T: 5..6 by 1}\n  answer: 560\n  exact: true\n  unit: s\n  right: Yes.\n  else: No.\n")
	d, err := q.Derive(engineOf(t), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"560", "560 s", " 560s ", "560,0 s"} {
		if g, err := d.Grade(quizzes.Reply{Number: s}); err != nil || !g.Right {
			t.Errorf("%q: %v", s, err)
		}
	}
	if _, err := d.Grade(quizzes.Reply{Number: "560 m"}); err == nil {
		t.Error("another unit is taken")
	}
}
