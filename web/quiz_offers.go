package web

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/quizzes"
)

// An offer is one event, or the moment after it, that an answer may be.
type offer struct {
	N    int
	Text string
}

// Bounds of what is offered.
const (
	offers      = 9    // at most
	rightOffers = 2    // of them right, at most
	rareShare   = 0.08 // of a run: where the right set is smaller, a guess is hopeless
)

// offer narrows a question whose right set is a small part of the run to a few
// events: right ones, those that a slip names, and others, spread by the seed. Who
// guesses then has a chance, and who knows need not search a list of hundreds.
func (l *quizLine) offer(v *quizView) {
	d := v.Question.Derived
	if float64(len(d.Set)) >= rareShare*float64(d.Last) {
		return
	}
	take := shuffledNumbers(d.Set, v.Seed)
	take = take[:min(len(take), rightOffers)]
	for _, slip := range v.Question.SlipSets() {
		for _, n := range shuffledNumbers(slip, v.Seed) {
			if !slices.Contains(d.Set, n) && !slices.Contains(take, n) {
				take = append(take, n)
				break
			}
		}
	}
	for i := 1; i <= 2; i++ { // near misses: what lies right before and right behind the right ones
		for _, n := range []int{d.Set[0] - i, d.Set[len(d.Set)-1] + i} {
			if n > 0 && n <= d.Last && len(take) < offers-1 && !slices.Contains(take, n) && !slices.Contains(d.Set, n) {
				take = append(take, n)
			}
		}
	}
	all := make([]int, d.Last)
	for i := range all {
		all[i] = i + 1
	}
	for _, n := range shuffledNumbers(all, v.Seed) {
		if len(take) >= offers {
			break
		}
		if !slices.Contains(d.Set, n) && !slices.Contains(take, n) {
			take = append(take, n)
		}
	}
	take = take[:min(len(take), offers)]
	slices.Sort(take)
	t := d.Run.Trace
	for _, n := range take {
		l.Offers = append(l.Offers, offer{n, quizzes.Told(t, n)})
	}
}

// shuffledNumbers are the numbers in an order that the seed fixes.
func shuffledNumbers(ns []int, seed uint64) []int {
	rank := func(n int) uint64 { return interviewDice(seed, fmt.Sprintf("offer %d", n)) }
	out := slices.Clone(ns)
	slices.SortFunc(out, func(a, b int) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
	return out
}

// offerWords says what is listed.
func offerWords(v *quizView) string {
	if v.Question.Kind == quizzes.PickOne {
		return "Right after at least one of these events a crash does that. Moments that are not listed may be right too. Write the number of the event before it."
	}
	return "It is one of these events. Write its number."
}

// eventsSummary says what the long list holds.
func eventsSummary(v *quizView) string {
	n := len(v.Line.Events)
	if n < v.Question.Derived.Run.Trace.Len() {
		return fmt.Sprintf("All %d events up to the crash, in words", n)
	}
	return fmt.Sprintf("All %d events in words", n)
}

// eventSaid is what happened at an event of the question's run, for who chose it.
func eventSaid(v *quizView, n int) string {
	d := v.Question.Derived
	if d == nil || d.Run == nil || n < 1 || n > d.Run.Trace.Len() {
		return ""
	}
	t := d.Run.Trace
	return fmt.Sprintf("event %d: %s", n, quizzes.Told(t, n))
}

// chosenWords names the event that was chosen and, where that was wrong, a right one.
// Of an order they name the first step that stands in another's place.
func chosenWords(v *quizView) []string {
	if v.Question.Kind == quizzes.Order && v.Grade != nil && !v.Grade.Right {
		return v.outOfPlace()
	}
	if v.Question.Kind != quizzes.PickEvt && v.Question.Kind != quizzes.PickOne || v.Grade == nil {
		return nil
	}
	var out []string
	if n, ok := eventOf(v.Answer); ok {
		if s := v.placeSaid(n); s != "" {
			out = append(out, "You chose "+s)
		}
	}
	if !v.Grade.Right && len(v.Grade.Set) > 0 {
		if s := v.placeSaid(v.rightMoment()); s != "" {
			out = append(out, "Right would be "+s)
		}
	}
	return out
}

// placeSaid is an event, or the moment after it, in words.
func (v *quizView) placeSaid(n int) string {
	s := eventSaid(v, n)
	if v.Question.Kind == quizzes.PickOne && s != "" {
		return "the moment after " + s
	}
	return s
}

// outOfPlace compares a wrong order with the right one that it follows longest.
func (v *quizView) outOfPlace() []string {
	at, want := -1, ""
	for _, key := range append([]string{v.Grade.Key}, v.Question.Also...) {
		ids := strings.Fields(key)
		n := 0
		for n < len(ids) && n < len(v.Given) && ids[n] == v.Given[n] {
			n++
		}
		if n > at && n < len(ids) {
			at, want = n, ids[n]
		}
	}
	if at < 0 || at >= len(v.Given) {
		return nil
	}
	return []string{fmt.Sprintf("Place %d: you had “%s”. There belongs “%s”.", at+1, v.optionText(v.Given[at]), v.optionText(want))}
}

func (v *quizView) optionText(id string) string {
	for _, o := range v.Question.Options {
		if o.ID == id {
			return o.Text.Text
		}
	}
	return id
}
