package lessons

import (
	"fmt"

	"effectivelyonce/quizzes"
)

// Question is a question of any lesson, and its lesson; nil when there is none
// with this id.
func (c *Catalogue) Question(id string) (*quizzes.Question, *Lesson) {
	for _, l := range c.lessons {
		for _, q := range l.Quiz {
			if q.ID == id {
				return q, l
			}
		}
	}
	return nil, nil
}

// Ask works out a question anew for a seed, with its texts. It changes nothing in
// the catalogue. A question about which nothing is drawn comes back as it is.
func (c *Catalogue) Ask(run quizzes.RunFunc, q *quizzes.Question, seed uint64) (*quizzes.Question, error) {
	if !q.Differs() {
		return q, nil
	}
	p := &preparer{cat: c, run: run, runs: map[string]*played{}, seen: map[string]bool{}}
	out := p.question(q, seed)
	if len(p.problems) > 0 {
		return q, fmt.Errorf("question %s, seed %d: %s", q.ID, seed, p.problems[0])
	}
	return out, nil
}

// QueryOf is the run that a question is about.
func QueryOf(q *quizzes.Question) Query {
	return Query{Scenario: q.Asks.Scenario, Seed: q.Asks.Seed, Set: q.Asks.Set, Faults: q.Asks.Faults}
}

// question works out a question for a seed and renders its texts. Where the
// engine does not agree, the question comes back as it was.
func (p *preparer) question(q *quizzes.Question, seed uint64) *quizzes.Question {
	f := p.forms(nil, "")
	if p.run != nil && q.Drawn() {
		d, err := q.Derive(p.cat.Engine(p.run), seed)
		if err != nil {
			p.bad(q.File, q.Line, err.Error(), "")
			return q
		}
		q, f.draw = d, d
		if r := d.Derived.Run; r != nil {
			f.in, f.run, f.query = r.Job().Input, r, QueryOf(d)
		}
	}
	if p.run == nil && len(q.Asks.Draw) > 0 {
		f.draw = q
	}
	for _, t := range q.Texts() {
		p.text(t, f)
	}
	return q
}
