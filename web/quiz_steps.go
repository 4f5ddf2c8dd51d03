package web

import (
	"fmt"
	"strings"

	"effectivelyonce/quizzes"
)

// shownStretches is how many stretches of right numbers a page names.
const shownStretches = 6

// stretch is the numbers From to To, all of them right.
type stretch struct{ From, To int }

// stretchesOf joins neighbours of an ascending set.
func stretchesOf(set []int) []stretch {
	var out []stretch
	for _, n := range set {
		if k := len(out) - 1; k >= 0 && out[k].To == n-1 {
			out[k].To = n
			continue
		}
		out = append(out, stretch{n, n})
	}
	return out
}

func (s stretch) String() string {
	switch s.To - s.From {
	case 0:
		return itoa(s.From)
	case 1:
		return fmt.Sprintf("%d or %d", s.From, s.To)
	}
	return fmt.Sprintf("%d to %d", s.From, s.To)
}

// rightSet names all right numbers, neighbours as one.
func rightSet(set []int) string {
	all := stretchesOf(set)
	var out []string
	for _, s := range all[:min(len(all), shownStretches)] {
		out = append(out, s.String())
	}
	if len(all) > shownStretches {
		out = append(out, "…")
	}
	if len(all) == 1 {
		return "it is " + out[0]
	}
	return "it is one of " + strings.Join(out, ", ")
}

// oneStep says that right neighbours are right for one reason, so that who chose one
// of them does not wonder about the other; "" where the right one that the page
// speaks of has no right neighbour, and before the answer.
func (v *quizView) oneStep() string {
	if v.Grade == nil || v.Question.Kind != quizzes.PickOne && v.Question.Kind != quizzes.PickEvt {
		return ""
	}
	n := v.rightMoment()
	for _, s := range stretchesOf(v.Grade.Set) {
		switch {
		case n < s.From || n > s.To || s.From == s.To:
		case v.Question.Kind == quizzes.PickEvt && !v.together(s):
		case s.To == s.From+1:
			return fmt.Sprintf("%d and %d are one step: either is right.", s.From, s.To)
		default:
			return fmt.Sprintf("%d to %d are one stretch: each of them is right.", s.From, s.To)
		}
	}
	return ""
}

// together reports that the events are parts of one thing that one task does, such as
// to note an offset, to send a barrier, and to copy its state. Two of a kind are not:
// a task that counts two records does two things.
func (v *quizView) together(s stretch) bool {
	d := v.Question.Derived
	if d == nil || d.Run == nil || s.To > d.Run.Trace.Len() {
		return false
	}
	t := d.Run.Trace
	for n := s.From + 1; n <= s.To; n++ {
		if a, b := t.At(n-1), t.At(n); a.Task != b.Task || a.Kind == b.Kind {
			return false
		}
	}
	return true
}
