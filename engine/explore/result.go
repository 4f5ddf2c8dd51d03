package explore

import (
	"strconv"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// Result is what an exploration found. Its JSON is that of explore --format json.
type Result struct {
	Scenario      string                  `json:"scenario"`
	Settings      map[string]string       `json:"settings"`
	Kind          []string                `json:"kind"`
	Depth         int                     `json:"depth"`
	Points        int                     `json:"points"` // runs judged
	Of            int                     `json:"of"`     // runs there are; more than Points where the budget ended first
	Classes       map[check.Class]int     `json:"classes"`
	Examples      map[check.Class]Example `json:"examples"` // the run with the fewest events of each class
	RunsPerSecond int                     `json:"runs_per_second"`

	Planned  int      `json:"-"` // runs there are, of which a budget may have allowed the first Points
	Complete bool     `json:"-"` // all of them were done
	Gaps     int      `json:"-"` // of the run without the explored faults
	Targets  []string `json:"-"` // what fails, in the order of Cell.Target
	Columns  []Column `json:"-"` // sinks and readers, in the order of Cell.Outcomes
	Cells    []Cell   `json:"-"` // depth 1: gap after gap, target after target
	Broken   []Broken `json:"-"` // with Options.Audit: the first runs that broke a rule, fewest events first
	Breaches int      `json:"-"` // runs that broke a rule
}

// Column is one judged sink and reader. Its classes are of this column alone.
type Column struct {
	Sink, Reader string
	Classes      map[check.Class]int
	Rewound      int // runs in which a reader saw a total go down
}

// Example is one run of a class.
type Example struct {
	Fault  string `json:"fault"`          // as a URL spells it
	Then   string `json:"then,omitempty"` // depth 2: the second fault
	Events int    `json:"-"`              // the run has
}

// Cell is one run: who failed when, and what came of it.
type Cell struct {
	Gap        int32 // the fault strikes after this event
	Target     int   // index into Result.Targets
	ThenGap    int32 // depth 2
	ThenTarget int   // depth 2; -1 otherwise
	Class      check.Class
	Events     int
	Outcomes   []Outcome // by Result.Columns
}

// Outcome is one verdict without its lists.
type Outcome struct {
	Class                                               check.Class
	Lost, Duplicated, Wrong, Pending, Rewound, Observed int32
}

// Broken is a run that broke rules which every run must keep.
type Broken struct {
	Example
	Violations []check.Violation
}

func newResult(job *engine.Job, targets []target, opt *Options) *Result {
	r := &Result{Scenario: job.Scenario, Settings: job.Settings.Values(), Kind: opt.Kinds, Depth: opt.Depth,
		Classes: map[check.Class]int{}, Examples: map[check.Class]Example{}}
	for i := range targets {
		r.Targets = append(r.Targets, targets[i].name)
	}
	for _, v := range check.NewFold(job).Verdicts(false) {
		r.Columns = append(r.Columns, Column{Sink: v.Sink, Reader: v.Reader, Classes: map[check.Class]int{}})
	}
	return r
}

func (r *Result) measure(took time.Duration) {
	r.Of = max(r.Planned, r.Points)
	if took > 0 {
		r.RunsPerSecond = int(float64(r.Points) / took.Seconds())
	}
}

// add counts a run. Runs come in a fixed order, so that of several equally small
// examples the first one is kept.
func (r *Result) add(c *Cell, spell func() Example) {
	r.Points++
	r.Classes[c.Class]++
	if old, ok := r.Examples[c.Class]; !ok || c.Events < old.Events {
		r.Examples[c.Class] = spell()
	}
	for i := range c.Outcomes {
		o := &c.Outcomes[i]
		r.Columns[i].Classes[o.Class]++
		if o.Rewound > 0 {
			r.Columns[i].Rewound++
		}
	}
}

// FaultOf is a cell's fault as a URL spells it (depth 1).
func (r *Result) FaultOf(c *Cell) string {
	return r.Targets[c.Target] + "@" + strconv.Itoa(int(c.Gap))
}

// maxBroken is how many runs that broke rules are listed.
const maxBroken = 8

// breach lists a run that broke rules, the smallest first.
func (r *Result) breach(ex Example, vs []check.Violation) {
	r.Breaches++
	at := len(r.Broken)
	for at > 0 && ex.Events < r.Broken[at-1].Events {
		at--
	}
	if at == maxBroken {
		return
	}
	r.Broken = append(r.Broken, Broken{})
	copy(r.Broken[at+1:], r.Broken[at:])
	r.Broken[at] = Broken{Example: ex, Violations: append([]check.Violation(nil), vs...)}
	r.Broken = r.Broken[:min(len(r.Broken), maxBroken)]
}
