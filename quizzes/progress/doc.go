// Package progress is what a learner did, and the one interface behind which it
// is kept. It knows no database, no page and no question: ids in, ids out.
//
// A learner is a random number in a cookie. What is kept are lessons and steps
// seen, bets, answers and results of levels, with their times; nothing says who
// the learner is.
//
// Every save carries the identity of what it saves (a ticket for an answer, its
// place for the rest). So a save whose reply was lost can be sent again: it
// shows once in the store, however often it arrives.
//
//	entry.go   the entries and their bounds
//	store.go   the interface and its errors
//	review.go  which questions are due again, as a pure function
//	file.go    a history as a file: written, and read strictly
//	sqlstore   SQLite and PostgreSQL
package progress
