// Package web is the program's face: pages that a link can hold, fragments for
// the cards, and the JSON that scripts read. It compiles a URL to a job through
// the catalogue, has the run made by a Runner that is handed in (it imports no
// driver), folds the trace with package stage and draws it with templ.
//
//	server.go      Config, Server, the routes
//	params.go      what a URL may say, and how a URL is written
//	run.go         query → job → trace, through the gate and the cache
//	gate.go        fair turns, so that one greedy learner slows nobody else
//	cache.go       the last traces by their query
//	problem.go     every refusal: what was found, what is allowed, what to do
//	middleware.go  headers, limits, recovery from our own mistakes
//	inputs.go      own records: pasted, checked, kept
//	page.go        what every page with a run shows; drawing.go hands it to package stage
//	home, lesson, bare, glossary, errors: one file per page, with its .templ beside it
//	bet, ledger, level, quiz: parts of a lesson
//	predict, reveal, why, counter, inspect: the cards, all of them derived from the trace
//	sandbox*.go   a form for every setting, what becomes of the job, what it can promise
//	twin*.go      two runs on one clock and where they part
//	api.go         /api/run and /api/explore
//	stream.go      the socket
//	live*.go       jobs in real processes, by a Lab that is handed in
//
// The server keeps nothing of a run: a reload, a second tab and another replica
// get the same bytes from the same URL.
package web
