package lessons

import (
	"time"

	"effectivelyonce/lessons/prose"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

// Problem is one thing in a content file that must be put right.
type Problem = strict.Problem

// Problems is a list of them as one error, a line each.
type Problems = strict.Error

// MaxFile is how many bytes a content file may have.
const MaxFile = strict.MaxFile

// Text is a sentence of content, as written and rendered.
type Text = quizzes.Text

// Chapter is a row of the course map.
type Chapter struct {
	Number  int
	Title   string
	Line    string // one plain sentence
	Lessons []*Lesson
}

// Lesson is one lesson in course order. One without a folder has only what
// course.yaml says and is Coming.
type Lesson struct {
	Slug    string
	Title   string
	Claim   string
	Number  int // 1… through the whole course
	Chapter int // number of the chapter
	Minutes int // at least 1
	Takes   time.Duration
	Coming  bool

	Lead        Text // first paragraph
	Scenario    string
	Segments    []*Segment
	Outcomes    []Text // what the learner can do afterwards
	Level       *Level
	Quiz        []*quizzes.Question
	Simplified  []Text
	Facts       []Fact
	Older       []Text // "older books say"
	Next        string // slug of the lesson that goes on from here; "" is the next in order
	Bounds      string // the boundary that the lesson's guarantees speak of
	Choices     []Choice
	ScenarioIDs []string // of the lesson's folder

	file string
	line int
}

// Choice is one way on from a lesson's end.
type Choice struct {
	Label string
	To    string // a path of this site, or a slug of a lesson
}

// Segment is one step of a lesson: some prose, and the stretch of a run it plays.
type Segment struct {
	ID       string
	Title    string
	HTML     string // trusted: made from Markdown without raw HTML
	Scenario string // "" is the lesson's
	Set      []string
	Faults   []string
	From     quizzes.Moment // where it starts to play; "" is where the segment before it stopped
	Until    quizzes.Moment
	Watch    []string // regions to outline
	Do       string   // label of the primary button
	Bet      *Bet
	Crash    *CrashPrompt
	Reveal   bool // ends with the verdict: predicted against happened
	Ledger   string
	Free     bool // the learner may crash anywhere
	Beats    []Beat

	// Worked out by Prepare.
	StartEvent int    // the event number that From means; -1 without From
	UntilEvent int    // the event number that Until means in the segment's run
	LastEvent  int    // of that run
	LedgerID   string // the record whose ledger the step shows, P0:3; "" none
	Plots      []*Plot

	body Source
	at   map[string]int // field → line
}

// Source is a text with its place in a file.
type Source = prose.Source

// Beat is a paragraph that belongs to one moment of the segment's run.
type Beat struct {
	Moment quizzes.Moment
	Watch  []string
	Event  int // worked out by Prepare
}

// CrashPrompt asks the learner to press one crash button.
type CrashPrompt struct {
	Fault string // the fault that the button adds
	Auto  int    // seconds after which it is pressed for the learner; 0 never
	Label string
	Text  Text // shown beside the button
	Event int  // where it strikes; worked out by Prepare
}

// Bet is one question with one right option, asked before the answer is played.
// Its confidence and the one-line reason belong to the page.
type Bet struct {
	Question Text
	Options  []BetOption
}

// BetOption is one answer, with why it tempts, or why it is right.
type BetOption struct {
	ID    string // a, b, c…
	Text  Text
	Right bool
	Why   Text
	Holds []string // expressions that are true of the run exactly if the option is right
}

// Level is a small task that the engine judges.
type Level struct {
	Slug     string // of its page: the lesson's, or the name of the capstone's file
	Code     string // A1…, R1… of a capstone; "" for the level of a lesson
	Lesson   string // slug of the lesson that it belongs to, or that prepares for it
	Kind     string // adversary: find a crash; repair: change settings
	Title    string
	Task     Text
	Goal     string // the win condition in one line
	Scenario string
	Set      []string
	Budget   int         // faults of an adversary, settings changed by a repair
	Kinds    []string    // faults that count; nothing: crash, crash-job and, for an adversary, crash-node
	Seconds  int         // a hint how long it takes; 0 none
	Keys     []string    // repair: settings that may be changed
	Win      []string    // expressions over the learner's run; of a repair: without a crash
	All      []string    // repair: the only classes allowed over the crash map
	Repeats  int         // repair: rows that one run may show too often; -1: any number
	Best     LevelMove   // the best known solution
	Also     []LevelMove // other solutions
	Decoys   []LevelMove // tempting moves that fail
	Locked   []LevelLock // settings that may not be touched, and why
	Hints    []Text      // where to look, which mechanism, the move

	file   string
	line   int
	places map[string]int // field → line
}

// LevelMove is one try: faults for an adversary, settings for a repair.
type LevelMove struct {
	Faults  []string
	Set     []string
	Refused bool // a decoy that cannot be built
	Why     Text
	line    int
}

// LevelLock is a setting that stays as it is.
type LevelLock struct{ Key, Why string }

// Fact is a statement about a real system.
type Fact struct {
	ID        string // of the fact sheet: F 3.5
	Product   string
	Version   string
	Text      Text
	Secondary bool // known from secondary sources only
}
