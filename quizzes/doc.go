// Package quizzes asks questions about runs and grades the answers. Nothing here
// knows a lesson: questions are data, and whatever can be computed is computed by
// the engine, through a RunFunc that the program hands in.
//
//	run.go       a finished run with its verdicts
//	moment.go    named moments and events looked up in a run
//	ask.go       the small language in which content asks about a run
//	question.go  what a question is
//	read.go      quiz.yaml, read strictly
//	derive.go    answers worked out from runs
//	grade.go     a reply compared with the answer, every option explained
package quizzes
