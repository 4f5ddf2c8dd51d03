// Package check is the oracle. It says what the outside world should hold, what
// it does hold as each reader sees it, and whether a run kept the rules that
// every run must keep. It knows nouns and traces only: it calls no machine, no
// strategy and no scheduler, so that it cannot share their mistakes.
//
//	truth.go       what should be outside: a fold of the input alone
//	fold.go        what is outside after each event, and what it is made of
//	verdict.go     the two compared: Judge, Verdict, Class
//	ledger.go      the story of one input record
//	invariants.go  rules that hold in every run, whatever its faults
package check
