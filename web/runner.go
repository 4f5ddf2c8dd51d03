package web

import (
	"context"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// Runner makes runs. It is handed in, so that this package knows no driver. Both
// methods are pure functions of their arguments and may be called concurrently.
type Runner interface {
	// Run performs a job to its end. It fails with *engine.BadFault or
	// *engine.NeverStruck for a fault that cannot be injected, and with other
	// errors only where a limit of the model is reached.
	Run(ctx context.Context, job *engine.Job, faults []engine.Fault) (*trace.Trace, error)
	// Explore adds every fault of the kinds asked for at every gap and counts the
	// classes. It stops early, and says so, when the context ends or the budget is
	// used up.
	Explore(ctx context.Context, job *engine.Job, faults []engine.Fault, ask Exploration) (*Explored, error)
	// Survey prepares single runs of an exploration, to be made in the order in
	// which a page wants them. The errors are those of Run, and one for a kind that
	// cannot be explored.
	Survey(job *engine.Job, faults []engine.Fault, kinds []string) (Survey, error)
}

// Survey makes the runs of one crash map: the same job, one more fault each. It is
// not safe for concurrent use.
type Survey interface {
	Base() *trace.Trace // the run without the further fault; its gaps are 0 to its length
	Targets() []string  // what can fail: faults without their moment
	// Try makes the runs of the points and tells of each, until tell says false or
	// the context ends. Points in ascending order of gaps cost least.
	Try(ctx context.Context, points []Point, tell func(Point, Tried) bool) error
}

// Point is one run of a crash map.
type Point struct {
	Gap    int32 // the fault strikes after this event
	Target int   // index into Survey.Targets
}

// Tried is what came of it: the run's class, and the counts of the verdict that
// gives the run its class (worstVerdict).
type Tried struct {
	Class                            check.Class
	Lost, Duplicated, Wrong, Pending int
	Rewound                          bool // some reader saw a total go down
	Events                           int  // the run has
}

// Exploration says which faults to try.
type Exploration struct {
	Kinds  []engine.FaultKind // nothing: crash and crash-job
	Depth  int                // 1 or 2 faults in one run
	Budget int                // the most runs to make
}

// Explored is what an exploration found; it is the answer of /api/explore and of
// the command line's explore --format json.
type Explored struct {
	Scenario      string             `json:"scenario"`
	Settings      map[string]string  `json:"settings"`
	Kind          []string           `json:"kind"`
	Depth         int                `json:"depth"`
	Points        int                `json:"points"`
	Of            int                `json:"of,omitempty"` // points there are, only where the budget ended first
	Classes       map[string]int     `json:"classes"`
	Examples      map[string]Example `json:"examples"`
	RunsPerSecond int                `json:"runs_per_second"`

	// Of one fault a run: rows that came more than once, in the worst run and on
	// average over all. Of several readers the one that saw most counts.
	WorstRepeats int     `json:"-"`
	MeanRepeats  float64 `json:"-"`
}

// Example is the smallest fault list that leads to a class.
type Example struct {
	Fault string `json:"fault"`          // as a URL spells it
	Then  string `json:"then,omitempty"` // depth 2: the second fault
}
