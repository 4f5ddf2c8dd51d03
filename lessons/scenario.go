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
	All    []MapClaim             // the first is of the scenario as it stands
	Runs   []RunClaim             // other runs of the scenario
	Repair *Repair                // nil: no level starts here
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

// MapClaim says which classes occur when processes of the job are crashed at
// every moment, one at a time.
type MapClaim struct {
	Set    []string      // beside the scenario's settings
	Faults []string      // belong to every run
	Kinds  []string      // what is crashed, as explore spells it; nil: every task, and the whole job
	Must   []check.Class // occurs somewhere
	May    []check.Class // is permitted; everything else never occurs
	Line   int
}

// Repair is a repair level of a scenario: what must be true of the whole crash
// map after settings were changed, what reaches that, and what does not.
type Repair struct {
	Goal      Goal
	Start     []string // settings that the level starts from, beside the scenario's
	Kinds     []string // what is crashed; nil: every task, and the whole job
	Solutions []RepairMove
	Decoys    []RepairMove
	Line      int
}

// Goal is a condition on a crash map.
type Goal struct {
	Classes    []check.Class // that may occur
	Duplicated int           // repeats that one run may show; -1: any number
	Holds      []Claim       // of the run without a crash
}

// RepairMove is a change of settings, tried over the whole crash map.
type RepairMove struct {
	Set     []string
	Must    []check.Class // classes that still occur; of decoys
	Refused bool          // the job cannot be built
	Why     string
	Line    int
}
