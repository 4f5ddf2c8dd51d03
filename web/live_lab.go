package web

import (
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// Lab starts jobs in real processes. It is handed in, so that this package knows
// neither processes nor Kafka. Its methods may be called concurrently.
type Lab interface {
	Setups() []LiveSetup
	// Start starts a run. Errors are sentences for people.
	Start(setup string, records int, rate float64) (id string, err error)
	// Run finds a run by its id, nil if there is none (any more).
	Run(id string) LiveRun
	Bounds() LiveBounds
}

// LiveBounds is what a lab takes at most from this machine.
type LiveBounds struct {
	Labs, Records int
	Rate          float64
	Life, Idle    time.Duration
	Kafka         string // "" embedded, else the brokers
}

// LiveSetup is a combination that can be started.
type LiveSetup struct{ ID, Title, Story string }

// LiveRun is a job that runs in processes of its own. Processes are named by their id
// as the page showed it: one that has been replaced since is not meant.
type LiveRun interface {
	Job() *engine.Job // with the input that the feeder brings
	Status() (s LiveStatus, changed <-chan struct{})
	// Events are those after number n, in the order in which they were told, and all
	// faults that they speak of.
	Events(n int) ([]engine.Event, []engine.Fault)
	Kill(pid int) error
	Freeze(pid int) error
	Thaw(pid int) error
	CutBroker(d time.Duration) error
	SetRate(recordsPerSecond float64) error
	Close()
	Ended() <-chan struct{} // closed when nothing of it is left
}

// LiveProcess is one process of a run.
type LiveProcess struct {
	Name   string // broker, coordinator, node/0
	PID    int    // 0: there is none at this moment
	State  string // running, frozen, gone
	Ready  bool   // it serves
	Starts int
	Old    int    // id of a frozen one that was replaced; 0: none
	OldIs  string // its state
	Safe   bool   // the lab never kills it
}

// LiveLine is something that happened to a process, or that one said.
type LiveLine struct {
	T         time.Duration
	Who, Text string
	Loud      bool
}

// LiveStatus is what is known of a run at a moment.
type LiveStatus struct {
	Processes []LiveProcess
	Since     time.Duration
	Rate      float64 // records a second; 0: as fast as it goes
	Fed, All  int
	Left      int64 // events that were left out because there were too many
	Every     int32 // the events of every so many-th record are shown; 1: of all
	Events    int
	Cut       time.Duration // for so long the workers do not reach the broker
	Silent    time.Duration // the broker has not answered for so long; 0: it does
	Verdicts  []check.Verdict
	ReadAt    time.Duration // when the readers read; 0: not yet
	ReadWhy   string        // why they could not since
	Done      bool          // the job has ended
	DoneWhy   string
	Why       string   // the run was closed
	Troubles  []string // what goes wrong now
	Lines     []LiveLine
}
