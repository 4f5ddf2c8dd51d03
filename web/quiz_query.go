package web

import (
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// queryOfQuestion is the run that a question is about.
func queryOfQuestion(q *quizzes.Question) lessons.Query {
	return lessons.Query{Scenario: q.Asks.Scenario, Set: q.Asks.Set, Faults: q.Asks.Faults}
}
