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
	Open    Kind = "open"    // in the learner's own words, compared with a checklist

	// Templates: crash and run are drawn, the engine computes key, options and
	// explanations. What Derive returns is a Single.
	CrashClass  Kind = "crash-class"  // which verdict
	CrashCount  Kind = "crash-count"  // which number
	CrashOffset Kind = "crash-offset" // from which offset a partition goes on
	CrashRace   Kind = "crash-race"   // which of several jobs is back first, or last
)

// Kinds lists all kinds.
func Kinds() []string {
	return []string{string(Single), string(Multi), string(Order), string(Numeric), string(PickOne), string(PickEvt),
		string(Open), string(CrashClass), string(CrashCount), string(CrashOffset), string(CrashRace)}
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
	Lane  Lane   // crash-race: the job behind it

	Essential bool // open: an answer without this point is not right
}

// Lane is one job of a race: what runs, and the fault that strikes it.
type Lane struct {
	Scenario, Fault string
	At              int    // set by Derive: the event before the fault
	Needs           string // set by Derive: what it has to fetch and to count again, for who has not answered yet
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
	Also       []string // order: other right orders, ids with blanks between them
	Slips      []Slip
	Else       Text   // what is said to any other wrong answer
	Model      []Text // open: the model answer, in paragraphs
	Gaps       []Text // open: what answers usually leave out
	Asks       Asks
	Derived    *Derived // set by Derive; nil before
	File       string
	Line       int

	from *Question // what this one was derived from; nil for one as read
}

// Template is the kind as the file has it.
func (q *Question) Template() Kind {
	if q.from != nil {
		return q.from.Kind
	}
	return q.Kind
}

// Drawn reports whether Derive finds anything to work out.
func (q *Question) Drawn() bool {
	return q.Asks.Scenario != "" || len(q.Asks.Vars) > 0 || q.Template() == CrashRace
}

// Differs reports whether another seed asks something else, beyond the order of
// the options.
func (q *Question) Differs() bool {
	return len(q.Asks.Vars) > 0 || len(q.Asks.Draw) > 0 || q.Template().crashes() || q.Template() == CrashRace
}

func (k Kind) crashes() bool { return k == CrashClass || k == CrashCount || k == CrashOffset }

// Asks is the run a question is about, and what it asks of it.
type Asks struct {
	Scenario  string
	Set       []string
	Faults    []string
	Answer    string   // numeric: an expression
	Unit      string   // numeric
	Tolerance float64  // numeric, in percent
	Crash     string   // moment: the fault tried at each moment, crash-job or crash:TASK
	Result    []string // moment: what must hold of that run; of a drawn run, else
	Events    []string // event: the right ones
	Draw      []string // "record": {id} is a record drawn by the seed; "run": so is the seed of the run
	Seed      string   // of the run; "" is the scenario's
	Vars      []Var    // numbers drawn by the seed
	Where     []string // conditions on them
	Others    []string // templates: further scenarios to draw from
	Crashes   []string // templates: the faults to draw from
	From      Moment   // templates: the first moment of a crash; "" is Start
	Until     Moment   // templates: the last one; "" is End
	Even      bool     // crash-class: an exact and another verdict are drawn equally often, where the scenario has both
	Sink      string   // crash-class: whose verdict; "" is the worst
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
	Words   []string  // what was drawn: "{name}", value, "{name}", value…
	At      int       // templates: the moment of the crash
	Set     []int     // moment, event: all right choices, ascending
}
