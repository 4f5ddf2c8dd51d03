package check

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Violation is a rule that a run broke. A fault-tolerant engine breaks none,
// whatever the faults: they are about what may follow what, not about outcomes.
type Violation struct {
	N    int32  // the event that broke it
	Rule string // its name, one word
	Why  string
}

// String is one line for people.
func (v Violation) String() string { return fmt.Sprintf("event %d, %s: %s", v.N, v.Rule, v.Why) }

// MaxViolations bounds the list of one run; what follows the first is often its echo.
const MaxViolations = 16

// Invariants checks all rules over a finished run and returns what it broke.
func Invariants(t *trace.Trace) []Violation {
	a := NewAudit(t.Job)
	for i := 1; i <= t.Len(); i++ {
		a.Apply(t, t.At(i))
	}
	return a.Close()
}

// Audit follows a run event by event and notes broken rules. It keeps its own
// picture of lanes, checkpoints, transactions and processes, made from events
// alone. Reset keeps the memory.
type Audit struct {
	job        *engine.Job
	violations []Violation

	n       int32
	now     engine.Time
	attempt int16
	failed  bool // something has failed since the attempt began
	begun   bool // the attempt's processes exist: the first of them is restored
	over    bool
	late    bool // a message may be late, and arrive when its sender is dead

	noStore    int  // outages of the checkpoint store
	noBroker   int  // and of the whole broker
	brokerDown bool // a sink may hold a record that it cannot write yet, which has left its lane
	coord      life
	tasks      []auditTask
	lanes      []lane
	ckpts      checkpoints
	txns       []promise
	rules      rules     // of strategies other than barriers
	tables     [][]int64 // per sink, for upsert: what stands in each cell
	truths     []*Truth  // per sink: places of units
	keyed      keyedRules
}

// life is where a process stands.
type life uint8

const (
	up     life = iota
	asleep      // stopped, and not yet restored by the attempt
	struck      // killed by a fault
)

// auditTask is what is known of one task.
type auditTask struct {
	life    life
	offset  int32           // sources: the next to read
	most    int32           // sources: the next to read after the furthest any attempt came
	rewind  bool            // sources: restored, and not yet told from where to read
	ended   bool            // sources: the log's end was seen in this attempt
	owed    []engine.ChanID // channels that the record in hand has still to go to
	rec     engine.RecordID // the record in hand
	total   int64           // what the counter made of it
	value   int64           // of the record in hand, where it is not the input's
	counts  []int64         // counters: key → records counted
	saved   []savedCounts   // counters: what was copied
	arrived uint64          // lanes whose barrier of ckpt is in
	ckpt    int32           // the checkpoint that is being aligned, 0 if none
	wrote   engine.RecordID // the last record that was offered to the outside
	again   engine.RecordID // the record whose answer was lost: it is offered again
	half    engine.RecordID // dedup with two writes: the record whose second write is still to come
	flight  []waiting       // overtaken: records before the line of ckpt that are not in the copied state
	jumped  []waiting       // those that the barrier just arrived has jumped
	flown   []flown         // by stored part: its records in flight
	back    []waiting       // restored: records in flight that are still to be put back
	paused  bool            // it stands still
	fenced  bool            // its zombie was refused
	reborn  int16           // the attempt that restored it last
	picture int32           // the checkpoint whose snapshot must be taken before anything else, 0 if none
}

type savedCounts struct {
	ckpt   int32
	counts []int64
}

// NewAudit is an audit before the first event of a run of this job.
func NewAudit(job *engine.Job) *Audit {
	a := &Audit{job: job, tasks: make([]auditTask, len(job.Plan.Tasks)), lanes: make([]lane, len(job.Plan.Channels))}
	for i := range job.Plan.Tasks {
		if job.Plan.Tasks[i].Kind == engine.OpCount {
			a.tasks[i].counts = make([]int64, len(job.Input.Keys))
		}
	}
	for i := range job.Settings.Sinks {
		t := NewTruth(job.Input, &job.Settings.Sinks[i])
		a.truths = append(a.truths, t)
		a.tables = append(a.tables, nil)
		if s := (outside{set: t.Sink}); s.table() {
			a.tables[i] = make([]int64, max(t.units, len(t.counts)))
		}
	}
	a.rules = rulesOf(job)
	a.keyed.init(job)
	a.ckpts.offsets = make([]int32, len(job.Plan.Tasks))
	a.ckpts.sealedOffsets = make([]int32, len(job.Plan.Tasks))
	a.Reset()
	return a
}

// Reset goes back to before the first event.
func (a *Audit) Reset() {
	a.violations, a.n, a.now, a.attempt, a.failed, a.begun, a.over, a.late, a.brokerDown, a.coord = nil, 0, 0, 1, false, true, false, false, false, up
	a.noStore, a.noBroker = 0, 0
	for i := range a.tasks {
		t := &a.tasks[i]
		clear(t.counts)
		*t = auditTask{owed: t.owed[:0], counts: t.counts, rec: engine.NoRecord, half: engine.NoRecord, wrote: engine.NoRecord, again: engine.NoRecord, saved: t.saved[:0],
			flight: t.flight[:0], jumped: t.jumped[:0], flown: t.flown[:0]}
	}
	for i := range a.lanes {
		a.lanes[i] = lane{queue: a.lanes[i].queue[:0]}
	}
	if a.rules != nil {
		a.rules.reset()
	}
	a.keyed.reset()
	a.ckpts.reset()
	a.txns = a.txns[:0]
	for i := range a.tables {
		for j := range a.tables[i] {
			a.tables[i][j] = engine.NoRow
			if a.truths[i].Sink.Kind != engine.SinkUpsert {
				a.tables[i][j] = 0 // a balance or a total that nothing was added to
			}
		}
	}
}

// Violations is what was broken so far, in order, at most MaxViolations.
func (a *Audit) Violations() []Violation { return a.violations }

// Close says that no event follows, and returns all that was broken.
func (a *Audit) Close() []Violation {
	if !a.over {
		a.broke(&engine.Event{N: a.n}, "end", "the run stops without an end")
	}
	return a.violations
}

func (a *Audit) broke(e *engine.Event, rule, format string, args ...any) {
	if len(a.violations) < MaxViolations {
		a.violations = append(a.violations, Violation{N: e.N, Rule: rule, Why: fmt.Sprintf(format, args...)})
	}
}

func (a *Audit) name(id engine.TaskID) string { return a.job.Plan.Name(id) }

// task is what is known of the event's task, nil if it is no task.
func (a *Audit) task(e *engine.Event) *auditTask {
	if e.Task < 0 || int(e.Task) >= len(a.tasks) {
		return nil
	}
	return &a.tasks[e.Task]
}

// Apply takes in the next event of run t.
func (a *Audit) Apply(t *trace.Trace, e *engine.Event) {
	if e.N != a.n+1 {
		a.broke(e, "number", "event %d follows event %d", e.N, a.n)
	}
	if e.T < a.now {
		a.broke(e, "time", "time goes back from %s to %s", a.now, e.T)
	}
	a.n, a.now = e.N, e.T
	a.keyed.apply(a, e)
	if e.Kind == engine.FaultEnded || e.Kind == engine.FaultInjected {
		a.quiet(t.FaultOf(e), e)
	}
	a.silent(e)
	if a.standsStill(t, e) {
		return
	}
	if a.job.Settings.Strategy != "barriers" {
		if e.Kind == engine.FaultInjected {
			a.loseDisks(t.FaultOf(e))
		}
		if !a.again(e) {
			a.foreign(e)
		}
		return
	}
	a.alive(e)
	switch e.Kind {
	case engine.SourceRead, engine.RecordSent, engine.RecordReceived, engine.RecordProcessed, engine.SinkWrite,
		engine.DedupID, engine.DedupValue, engine.EffectIgnored,
		engine.BarrierInjected, engine.BarrierArrived, engine.BarrierAligned, engine.ChannelFull,
		engine.ChannelBlocked, engine.ChannelUnblocked, engine.Fenced:
		if tk := a.task(e); tk != nil {
			a.flow(e, tk)
		}
	case engine.SnapshotTaken, engine.SnapshotStored, engine.CheckpointTriggered, engine.CheckpointAcked,
		engine.CheckpointComplete, engine.CheckpointNotified, engine.CheckpointExpired, engine.CheckpointDiscarded:
		a.checkpoint(e)
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired,
		engine.FileRenamed:
		a.transaction(e)
	default:
		a.lifeEvent(t, e)
	}
}
