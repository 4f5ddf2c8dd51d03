package web

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// recovery is one way back from a crash, as event numbers.
type recovery struct {
	Crash   int // fault.injected
	Restart int // restart.begin
	Restore int // the first restore.done
	Rewound int // the first source.rewound
	Caught  int // replay.caught-up; 0: the run ended or failed before
	Ckpt    int32
	Offsets []int // by partition, where reading goes on
	Lost    []int // by partition, how far reading had come
}

// recoveryAfter is the recovery that follows a crash, nil when the job does not
// restart after it.
func recoveryAfter(t *trace.Trace, crash int) *recovery {
	parts := len(t.Job.Input.Parts)
	rec := &recovery{Crash: crash, Offsets: make([]int, parts), Lost: make([]int, parts)}
	for n := crash + 1; n <= t.Len(); n++ {
		e := t.At(n)
		switch e.Kind {
		case engine.RestartBegin:
			if rec.Restart > 0 {
				return rec // it was struck again before it had caught up
			}
			rec.Restart = n
		case engine.RestoreDone:
			if rec.Restore == 0 {
				rec.Restore = n
			}
			rec.Ckpt = e.Ckpt
		case engine.SourceRewound:
			if rec.Rewound == 0 {
				rec.Rewound = n
			}
			p := t.Job.Plan.Tasks[e.Task].Part
			if t.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop { // it reads all partitions
				p = int(e.Value)
			}
			rec.Offsets[p], rec.Lost[p] = int(e.After), int(e.Before)
		case engine.ReplayCaughtUp:
			rec.Caught = n
			return rec
		}
	}
	if rec.Restart == 0 {
		return nil
	}
	return rec
}

// lastFault is the number of the last fault of the run that struck; one that
// killed something goes before the others. It is 0 when there is none.
func lastFault(r *run) int {
	if n := lastCrash(r); n > 0 {
		return n
	}
	for i := len(r.Struck) - 1; i >= 0; i-- {
		if n := r.Struck[i]; n > 0 {
			return n
		}
	}
	return 0
}

// lastCrash is the number of the last fault of the run that killed something, 0
// when nothing did.
func lastCrash(r *run) int {
	for n := r.Last(); n > 0; n-- {
		e := r.Trace.At(n)
		if e.Kind != engine.FaultInjected || int(e.Fault) < len(r.Job.Conditions) {
			continue
		}
		if f := r.Trace.FaultOf(e); f != nil && f.Kind.Kills() {
			return n
		}
	}
	return 0
}

// repeat is a row that was written a second time for the same reason.
type repeat struct {
	First, Again int // events
	Rec          engine.RecordID
	Key          engine.KeyID
}

// repeats finds the rows of a sink that were written again, in the order of their
// repetition. What came of the transactions is not looked at.
func repeats(t *trace.Trace, sink int) []repeat {
	type id struct {
		rec engine.RecordID
		key engine.KeyID
	}
	first := map[id]int{}
	var out []repeat
	for n := 1; n <= t.Len(); n++ {
		e := t.At(n)
		if e.Kind != engine.SinkWrite && e.Kind != engine.DedupValue || t.Job.Plan.Tasks[e.Task].Sink != sink {
			continue
		}
		k := id{e.Rec, e.Key}
		if t.Job.Settings.Sinks[sink].EmitAt > 0 {
			k.rec = engine.NoRecord
		}
		if f, ok := first[k]; ok {
			out = append(out, repeat{First: f, Again: n, Rec: e.Rec, Key: e.Key})
			continue
		}
		first[k] = n
	}
	return out
}
