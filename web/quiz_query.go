package web

import (
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// queryOfQuestion is the run that a question is about.
func queryOfQuestion(q *quizzes.Question) lessons.Query {
	return lessons.QueryOf(q)
}
