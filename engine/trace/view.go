package trace

import "effectivelyonce/engine"

// Phase is what the job as a whole is doing.
type Phase uint8

// Phases of a job, by what a reader of the picture should expect next.
const (
	Working   Phase = iota // records flow
	Down                   // a process is dead; the failure is not answered yet
	Restoring              // all tasks are stopped and load what the restart point holds
	Replaying              // working again, on records that were read before
	Ended
)

var phaseNames = [...]string{"running", "down", "restoring", "replaying", "ended"}

// String is the phase's word on the timeline.
func (p Phase) String() string { return phaseNames[p] }

// View is the picture of a run after an event: a fold of the trace, one Apply an
// event. It follows what events say and decides nothing; in the picture of a
// crash everything that lay in the dead process is gone, and everything durable
// or outside is still there. A View is not safe for concurrent use.
type View struct {
	Job     *engine.Job
	Faults  []engine.Fault // of the run; see FaultOf
	N       int32          // the last event applied, 0 before the first
	T       engine.Time
	Attempt int16 // of the job, from 1
	Phase   Phase
	Reason  engine.Reason // why the run ended; NoReason before

	Logs        []Log        // by partition
	Tasks       []Task       // by engine.TaskID
	Chans       []Chan       // by engine.ChanID
	Coordinator Coordinator  // and everything on durable storage
	Checkpoints []Checkpoint // every one ever triggered, in order
	Outside     []Outside    // by sink, in the order of Settings.Sinks
	Outages     Outages      // what does not answer
	Zombies     []Zombie     // processes that were replaced while they stood still, in that order
	Kept        Kept         // what a strategy without checkpoints keeps outside its processes

	restored int // tasks that came back in this attempt
	dirty    Dirty
}

// Log is one partition of the input as its source stands in it.
type Log struct {
	Next     int32 // the next offset to be read
	Furthest int32 // the highest Next so far, attempts that died included
	Barrier  Cut   // the newest barrier put into the flow; Ckpt 0: none
	Rewind   Cut   // where a restart would go on; Ckpt 0: at the beginning
	Refill   int32 // loops: what is read again before it fills counts and is not sent; it lay behind the saved position
	Ended    bool  // read to its end in this attempt
	first    []int16
}

// Again reports whether an earlier attempt had read the record already: what this
// one carries is a repeat.
func (v *View) Again(rec engine.RecordID, attempt int16) bool {
	if rec.Part < 0 {
		return false
	}
	first := v.Logs[rec.Part].first
	return int(rec.Off) < len(first) && first[rec.Off] < attempt
}

// Cut is the place of a checkpoint in a partition: before offset Off.
type Cut struct {
	Ckpt, Off int32
}

// Coordinator is the process that triggers and seals checkpoints.
type Coordinator struct {
	Down bool
	// Restart is the index in View.Checkpoints of the newest complete one, -1: none.
	Restart int
	// Pending is the index of the one in progress, -1: none.
	Pending int
}

// Dirty tells which groups of the picture changed since Clean.
type Dirty struct {
	Logs, Tasks, States, Chans, Outside []bool
	Durable                             bool // checkpoints and the coordinator
	Job                                 bool // phase, attempt
}

// NewView is the picture before the first event. Faults are those of the run;
// without them a slow task is taken for a crash.
func NewView(job *engine.Job, faults ...engine.Fault) *View {
	p := job.Plan
	v := &View{Job: job, Faults: faults, Attempt: 1,
		Logs: make([]Log, len(job.Input.Parts)), Tasks: make([]Task, len(p.Tasks)),
		Chans: make([]Chan, len(p.Channels)), Outside: make([]Outside, len(job.Settings.Sinks)),
		Coordinator: Coordinator{Restart: -1, Pending: -1}}
	v.Kept = newKept(job)
	for i := range v.Tasks {
		v.Tasks[i] = newTask(job, &p.Tasks[i])
	}
	for i := range v.Outside {
		v.Outside[i] = newOutside(job, i)
	}
	v.dirty = Dirty{Logs: make([]bool, len(v.Logs)), Tasks: make([]bool, len(v.Tasks)),
		States: make([]bool, len(v.Tasks)), Chans: make([]bool, len(v.Chans)), Outside: make([]bool, len(v.Outside))}
	v.soil()
	return v
}

// At is the picture of t after event n, folded from the start.
func At(t *Trace, n int) *View {
	v := NewView(t.Job, t.Faults...)
	for i := 1; i <= n; i++ {
		v.Apply(t.At(i))
	}
	return v
}

// Dirty is what changed since the last Clean; everything, at first.
func (v *View) Dirty() *Dirty { return &v.dirty }

// Clean forgets what changed.
func (v *View) Clean() { v.setAll(false) }

// soil marks everything: after a crash of the job or a restart nothing is as it was.
func (v *View) soil() { v.setAll(true) }

func (v *View) setAll(to bool) {
	for _, s := range [][]bool{v.dirty.Logs, v.dirty.Tasks, v.dirty.States, v.dirty.Chans, v.dirty.Outside} {
		for i := range s {
			s[i] = to
		}
	}
	v.dirty.Durable, v.dirty.Job = to, to
}

// FaultOf is the fault that a FaultInjected or FaultEnded event speaks of, nil
// when it is not known.
func (v *View) FaultOf(e *engine.Event) *engine.Fault {
	t := Trace{Job: v.Job, Faults: v.Faults}
	return t.faultOf(e)
}

// AddFault makes a fault known that the run was given after the View was made.
func (v *View) AddFault(f engine.Fault) { v.Faults = append(v.Faults, f) }

// Apply folds one event. Events must come in order, without gaps.
func (v *View) Apply(e *engine.Event) {
	v.tick(e.T)
	v.N, v.T = e.N, e.T
	if e.Zombie != 0 {
		v.haunt(e)
		return
	}
	v.keep(e)
	switch e.Kind {
	case engine.SourceRead, engine.RecordSent, engine.RecordReceived, engine.RecordProcessed, engine.ChannelFull, engine.InputEnded:
		v.applyRecord(e)
	case engine.BarrierInjected, engine.BarrierArrived, engine.BarrierAligned, engine.ChannelBlocked, engine.ChannelUnblocked:
		v.applyBarrier(e)
	case engine.CheckpointTriggered, engine.SnapshotTaken, engine.SnapshotStored, engine.CheckpointAcked,
		engine.CheckpointComplete, engine.CheckpointNotified, engine.CheckpointExpired, engine.CheckpointDiscarded:
		v.applyCheckpoint(e)
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.Fenced, engine.SinkWrite,
		engine.DedupID, engine.DedupValue, engine.EffectIgnored, engine.FileRenamed:
		v.applyOutside(e)
	case engine.Watermark, engine.WindowFired, engine.RecordJoined:
		v.applyTime(e)
	case engine.InflightReinjected:
		v.reinject(e)
	case engine.FaultInjected, engine.FaultEnded, engine.TaskFailed, engine.StartRefused, engine.RestartBegin,
		engine.RestoreDone, engine.SourceRewound, engine.ReplayCaughtUp, engine.RunEnded:
		v.applyRecovery(e)
	}
}

// isTask reports whether id names a task of the plan.
func (v *View) isTask(id engine.TaskID) bool { return id >= 0 && int(id) < len(v.Tasks) }

func (v *View) touch(id engine.TaskID) {
	if v.isTask(id) {
		v.dirty.Tasks[id] = true
	}
}
