package trace

import (
	"fmt"

	"effectivelyonce/engine"
)

// Recovery is how long a run took to be back after its first crash, in virtual
// time, and what its way to get state back had cost until then (facts 12). Lanes
// of one race are compared by it.
type Recovery struct {
	Struck  engine.Time // when the fault hit
	Detect  engine.Time // until somebody noticed
	Restart engine.Time // until new processes stood
	Restore engine.Time // until every task had its state: fetched, read from a log, or copied
	Replay  engine.Time // until what had been counted before was counted again and every source was where it had been
	Back    bool        // all of that has happened within the run
	Price   Price
}

// Price is what was paid in normal times, before the fault, or all the run long
// where there is none.
type Price struct {
	Records int         // records that were counted
	Entries int64       // entries of state that went over the network
	Bytes   int64       // the same in virtual bytes
	Waited  engine.Time // for a store that is not with the task
}

// Total is the time from the fault to being back.
func (r *Recovery) Total() engine.Time { return r.Detect + r.Restart + r.Restore + r.Replay }

// String is the recovery in one line, times in milliseconds.
func (r *Recovery) String() string {
	if !r.Back {
		return "Recovery: not back when the run ended."
	}
	return fmt.Sprintf("Recovery: %.1f ms from the fault until all was as before: noticed %.1f, restarted %.1f, state back %.1f, replay %.1f.",
		r.Total().Millis(), r.Detect.Millis(), r.Restart.Millis(), r.Restore.Millis(), r.Replay.Millis())
}

// String is the price in one line.
func (p *Price) String() string {
	s := fmt.Sprintf("Price in normal times: %s of state copied, %d virtual bytes, for %s.", count(p.Entries, "entry", "entries"), p.Bytes, count(int64(p.Records), "record", "records"))
	if p.Waited > 0 {
		s += fmt.Sprintf(" Waited %.1f ms for the store.", p.Waited.Millis())
	}
	return s
}

// RecoveryOf folds the run; false if no process died in it.
func RecoveryOf(t *Trace) (Recovery, bool) {
	f := NewRecoveryFold(t)
	for n := 1; n <= t.Len(); n++ {
		f.Apply(t.At(n))
	}
	return f.Recovery()
}

// NewRecoveryFold begins before the first event. Of t it reads the job and the
// faults only, so its events may still be to come.
func NewRecoveryFold(t *Trace) *RecoveryFold {
	return &RecoveryFold{t: t, counted: map[engine.RecordID]bool{}}
}

// Recovery is what RecoveryOf says of the events so far.
func (f RecoveryFold) Recovery() (Recovery, bool) {
	f.r.Price.Bytes = f.t.Job.Settings.Bytes(f.r.Price.Entries)
	if !f.struck {
		return f.r, false
	}
	f.r.Detect = f.failed - f.r.Struck
	if !f.restarts { // the others went on: they are back when somebody is answered again
		f.up, f.restored, f.caught = f.failed, f.failed, f.answered
		f.r.Back = f.answered > 0
	}
	f.restored = max(f.restored, f.up)
	f.r.Restart, f.r.Restore = f.up-f.failed, f.restored-f.up
	f.r.Replay = max(f.caught, f.again, f.restored) - f.restored
	return f.r, true
}

// RecoveryFold folds a run, event by event, into the moments of its first recovery.
type RecoveryFold struct {
	t        *Trace
	r        Recovery
	counted  map[engine.RecordID]bool // before the fault
	struck   bool
	restarts bool
	failed   engine.Time // noticed
	up       engine.Time // new processes stand
	restored engine.Time // the last task had its state
	caught   engine.Time // every source was where it had been
	again    engine.Time // the last record that had been counted was counted again
	answered engine.Time // replicated: the first answer to a client after the failure
	over     bool
}

// Apply takes the next event, in order and without gaps.
func (f *RecoveryFold) Apply(e *engine.Event) {
	if f.over {
		return
	}
	switch e.Kind {
	case engine.FaultInjected:
		if k := f.t.FaultOf(e); !f.struck && k != nil && k.Kind != engine.Slow && int(e.Fault) >= len(f.t.Job.Conditions) {
			f.struck, f.r.Struck = true, e.T
		}
	case engine.TaskFailed:
		if f.struck && f.failed == 0 {
			f.failed = e.T
		}
	case engine.RestartBegin:
		if f.r.Back {
			f.over = true
			return
		}
		f.restarts = f.struck
		f.up = e.T + f.t.Job.Settings.RestartDelay
	case engine.RestoreDone:
		f.restored = e.T
	case engine.ReplayCaughtUp:
		f.caught, f.r.Back = e.T, f.struck
	case engine.SinkAck:
		if f.failed > 0 && f.answered == 0 {
			f.answered = e.T
		}
	case engine.RecordProcessed:
		f.count(e)
	default:
		f.pay(e)
	}
}

// count notes records that were counted, and counted again.
func (f *RecoveryFold) count(e *engine.Event) {
	if !Counts(f.t.Job.Plan.Tasks[e.Task].Kind) {
		return
	}
	if f.struck {
		if f.counted[e.Rec] {
			f.again = e.T
		}
		return
	}
	if !f.counted[e.Rec] {
		f.r.Price.Records++
		f.counted[e.Rec] = true
	}
	f.r.Price.Waited += f.t.Job.Settings.StateLatency(f.t.Job.Plan.Tasks[e.Task].Kind)
}

// pay notes state that goes over the network.
func (f *RecoveryFold) pay(e *engine.Event) {
	p, set := &f.r.Price.Entries, &f.t.Job.Settings
	if f.struck || e.Task < 0 {
		return
	}
	kind := f.t.Job.Plan.Tasks[e.Task].Kind
	switch how := set.Recovery(); {
	case e.Kind == engine.SnapshotTaken && Counts(kind) && how == "snapshot-incremental":
		*p += e.Before
	case e.Kind == engine.SnapshotTaken && Counts(kind) && how == "snapshot":
		*p += e.After
	case e.Kind == engine.ChangelogAppend:
		*p += int64(1 + set.State.Standbys)
	case e.Kind == engine.StateWrite && how == "remote":
		*p++
	case e.Kind == engine.SinkWrite && (how == "remote" || how == "cdc") && set.Strategy == "offset-commit" && set.Sinks[0].Kind == engine.SinkPosition:
		*p++
	case e.Kind == engine.RecordSent && kind == engine.OpReplica, e.Kind == engine.CommandLogged:
		*p++
	}
}
