package lessons

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/quizzes"
)

// DefaultPace is how many real milliseconds one virtual millisecond takes at 1×.
const DefaultPace = 12

// Scenario is a job with its input and its claims. It is immutable.
type Scenario struct {
	ID       string
	Title    string
	Story    string // one sentence
	Log      string // what the input log is called on the stage
	Lesson   string // slug of the lesson in whose folder it lies; "" none
	File     string
	Settings engine.Settings // base settings with the scenario's differences
	Input    *engine.Input
	Seed     uint64
	Pace     float64 // real ms per virtual ms at 1×

	Conditions []string // always apply
	Script     []string // the faults of its lesson and tests; a run has only those given to it
	Claims     Claims

	lines map[string]int
}

// Claims are what a scenario promises at its seed. All of them are tested.
type Claims struct {
	Pre    []Claim // about the scripted run: facts without which the rest would not mean anything
	Clean  check.Class
	Script check.Class
	Sinks  map[string]check.Class // of the scripted run, by SINK or SINK[READER]
	Holds  []Claim                // of the scripted run
	All    *AllCrashes
	Runs   []RunClaim // other runs of the scenario
}

// RunClaim is what a run with these settings and faults comes to.
type RunClaim struct {
	Set    []string
	Faults []string
	Class  check.Class // "" says nothing
	Sinks  map[string]check.Class
	Holds  []Claim
	Line   int
}

// Claim is an expression that must be true.
type Claim struct {
	Expr quizzes.Expr
	Line int
}

// AllCrashes says which classes occur when every process of the job is crashed
// at every moment, one at a time.
type AllCrashes struct {
	Must []check.Class // occurs somewhere
	May  []check.Class // is permitted; everything else never occurs
	Line int
}
