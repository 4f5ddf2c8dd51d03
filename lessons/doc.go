// Package lessons reads the content folder: the course, lessons, scenarios,
// inputs and the glossary. Everything a learner reads is a file there, and a
// folder of files is a lesson: no text in Go names one.
//
//	catalogue.go  Load: everything, cross-checked, with a Problem for each thing to put right
//	course.go     course.yaml, the only place that holds order
//	lesson.go     what a lesson is
//	frontmatter.go, segment.go  how lesson.md is read
//	scenario.go   scenario files, read strictly
//	input.go      input sets of the content folder
//	own.go        records that a user brings: NDJSON or CSV
//	param.go      own records as a URL parameter
//	compile.go    scenario + settings + input + seed + faults → a job
//	prepare.go    numbers, links and answers, worked out by the engine
//	claims.go     what scenarios promise, tested
//
// The engine is handed in as functions; this package runs no simulator itself.
package lessons
