package lessons

import (
	"cmp"
	"fmt"

	"effectivelyonce/quizzes"
)

// checkedSeeds is how many seeds a check derives each drawn question with.
const checkedSeeds = 4

// WarnQuestions says what is no mistake of one question and yet tells the answer: in
// more than half of them the right option is the longest. "" is nothing to say.
func (c *Catalogue) WarnQuestions() string {
	var all []*quizzes.Question
	for _, l := range c.lessons {
		all = append(all, l.Quiz...)
	}
	if n, of := quizzes.LongRights(all); 2*n > of {
		return fmt.Sprintf("the right option is the longest in %d of %d questions with one right option; shorten some, so that length tells nothing", n, of)
	}
	return ""
}

// CheckQuestions is the check of whoever writes questions: no two ask the same,
// options differ and do not point at each other, and what is drawn works with
// several seeds and comes out the same when it is drawn again. Call it after
// Prepare.
func (c *Catalogue) CheckQuestions(run quizzes.RunFunc) []Problem {
	var out []Problem
	var all []*quizzes.Question
	for _, l := range c.lessons {
		out = append(out, quizzes.CheckAuthor(l.Quiz)...)
		all = append(all, l.Quiz...)
	}
	if len(out) == 0 { // within one lesson they have been reported
		out = append(out, quizzes.SameQuestions(all)...)
	}
	for _, q := range all {
		if !q.Differs() {
			continue
		}
		for seed := uint64(2); seed < 2+checkedSeeds; seed++ {
			a, errA := c.Ask(run, q, seed)
			b, errB := c.Ask(run, q, seed)
			if errA != nil || errB != nil {
				out = append(out, Problem{File: q.File, Line: q.Line, What: cmp.Or(errA, errB).Error(), Do: "widen what is drawn, or correct the formula"})
				break
			}
			if a.Key() != b.Key() {
				out = append(out, Problem{File: q.File, Line: q.Line, What: fmt.Sprintf("question %s, seed %d: the key is %s once and %s then", q.ID, seed, a.Key(), b.Key()), Do: "the same seed must ask the same"})
			}
			if q.Kind == quizzes.PickOne { // a crash at every moment, one seed is enough here
				break
			}
		}
	}
	return out
}
