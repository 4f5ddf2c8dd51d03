package quizzes

import (
	"effectivelyonce/engine"
	"effectivelyonce/lessons/prose"
)

// Kind is how a question is answered.
type Kind string

// Kinds of questions.
const (
	Single  Kind = "single"  // one option is right
	Multi   Kind = "multi"   // all that apply
	Order   Kind = "order"   // the options in their right order
	Numeric Kind = "numeric" // a number, computed from the run
	PickOne Kind = "moment"  // a moment of a run: after event N, as on the crash map
	PickEvt Kind = "event"   // an event of a run
)

// Kinds lists all kinds.
func Kinds() []string {
	return []string{string(Single), string(Multi), string(Order), string(Numeric), string(PickOne), string(PickEvt)}
}

// Text is a sentence of content: as written, and rendered.
type Text struct {
	prose.Source
	HTML prose.Markup
}

// Option is one choice. Every option carries its explanation, which is shown
// whether or not it was chosen.
type Option struct {
	ID    string // a, b, c… in the order of the file
	Text  Text
	Right bool
	Why   Text
	Holds string // an expression; where given, the engine decides whether the option is right
}

// Slip is a wrong answer with a cause that can be named.
type Slip struct {
	Value string   // numeric: an expression
	Order []string // order: these two options the wrong way round
	Until Moment   // moment: everything before this moment
	Kinds []string // event: events of these kinds, or named events
	Why   Text
}

// Question is one question of a lesson. It is immutable once prepared.
type Question struct {
	ID         string
	Difficulty string // easy, medium, hard
	Kind       Kind
	Stem       Text
	Options    []Option // single, multi; order: in the right order
	Right      Text     // numeric, order, moment, event: the explanation of the right answer
	Slips      []Slip
	Else       Text // what is said to any other wrong answer
	Asks       Asks
	Derived    *Derived // set by Derive; nil before
	File       string
	Line       int
}

// Asks is the run a question is about, and what it asks of it.
type Asks struct {
	Scenario  string
	Set       []string
	Faults    []string
	Answer    string   // numeric: an expression
	Unit      string   // numeric
	Tolerance float64  // numeric, in percent
	Crash     string   // moment: the fault tried at each moment, crash-job or crash:TASK
	Result    []string // moment: what must hold of that run
	Events    []string // event: the right ones
	Draw      string   // "record": {id} is a record drawn by the seed
}

// Derived is what the engine found for one seed.
type Derived struct {
	Job     *engine.Job
	Faults  []engine.Fault
	Run     *Run
	Last    int             // moments are 0…Last, events 1…Last
	Record  engine.RecordID // drawn, or engine.NoRecord
	Number  float64
	Slips   []float64 // numeric: values of the slips
	Regions []int     // moment: the moment before which each slip's region ends
	Set     []int     // moment, event: all right choices, ascending
}
