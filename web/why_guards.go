package web

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// guarded tells of runs in which a guard decides: a store that refuses what it
// knows or whoever was replaced, and those that write although they were. It is
// nil where the way back of the restart explains everything.
func (w *whyWriter) guarded(v *check.Verdict, sink int) []reason {
	k := &w.job.Settings.Sinks[sink]
	if out := w.sleeper(v, sink); out != nil {
		return out
	}
	switch {
	case v.Class == check.Lost:
		if out := w.takenOver(sink); out != nil {
			return out
		}
		return w.refusedLoss(v, k)
	case v.Class != check.Exact || w.rec == nil:
		return nil
	case k.Kind == engine.SinkPosition && w.job.Settings.Strategy == "offset-commit":
		w.point = 1
		return []reason{
			w.at(w.rec.Restore, fmt.Sprintf("The loop asked the table for its place, and went on behind it: %s.", goesOn(w.rec.Offsets))),
			w.at(w.rec.Restore, "Value and place are one write. So a record that is in the table cannot come again."),
		}
	case w.job.Settings.Strategy == "trident":
		return w.batchAgain()
	}
	return w.known(sink)
}

// goesOn says where reading goes on: "P0:5 and P1:4".
func goesOn(offsets []int) string {
	names := make([]string, len(offsets))
	for p, o := range offsets {
		names[p] = fmt.Sprintf("P%d:%d", p, o)
	}
	return listOf(names)
}

// sleeper: a worker that had been replaced woke up, and wrote or was refused.
func (w *whyWriter) sleeper(v *check.Verdict, sink int) []reason {
	woke := w.first(1, func(e *engine.Event) bool {
		return e.Kind == engine.ZombieWakes && w.job.Plan.Tasks[e.Task].Sink == sink
	})
	if woke == nil {
		return nil
	}
	name := w.job.Plan.Name(woke.Task)
	if no := w.first(int(woke.N), func(e *engine.Event) bool { return e.Kind == engine.Fenced && e.Task == woke.Task }); no != nil {
		if v.Class != check.Exact {
			return nil
		}
		text := fmt.Sprintf("%s woke up after it had been replaced, and wrote. It was refused: its number is older than that of its replacement.", name)
		w.point = 0
		return []reason{w.at(int(no.N), text)}
	}
	if v.Class != check.Lost {
		return nil
	}
	late := w.first(int(woke.N), func(e *engine.Event) bool {
		return e.Kind == engine.SinkWrite && e.Task == woke.Task && e.After < e.Before
	})
	if late == nil {
		return nil
	}
	w.point = 1
	return []reason{
		w.at(int(woke.N), fmt.Sprintf("%s woke up after it had been replaced. Its queue still held what it had not written.", name)),
		w.at(int(late.N), "It wrote them over newer ones. Nothing writes these keys again, so the old totals stay."),
	}
}

// takenOver: another job ended a promised transaction under the same name.
func (w *whyWriter) takenOver(sink int) []reason {
	e := w.find(1, sink, engine.TxnAbort, func(e *engine.Event) bool { return e.Value > 0 && w.secondJob(e) && w.checkpointOf(e.Txn) != nil })
	if e == nil {
		return nil
	}
	seal := w.checkpointOf(e.Txn)
	w.point = 0
	return []reason{
		w.at(int(e.N), fmt.Sprintf("A second job with the same prefix aborted transaction %d and its %s.", e.Txn.No, count(int(e.Value), "result", "results"))),
		w.at(int(seal.N), fmt.Sprintf("Checkpoint %d was sealed all the same: for the engine these results were done.", seal.Ckpt)),
	}
}

// secondJob reports whether the fault before an abort is a second job's start.
func (w *whyWriter) secondJob(abort *engine.Event) bool {
	for n := int(abort.N) - 1; n > 0; n-- {
		if e := w.t.At(n); e.Kind == engine.FaultInjected {
			f := w.t.FaultOf(e)
			return f != nil && f.Kind == engine.SecondJob
		}
	}
	return false
}

// refusedLoss: what a lost row's write was, and that a guard left it out.
func (w *whyWriter) refusedLoss(v *check.Verdict, k *engine.SinkSettings) []reason {
	for _, byKey := range []bool{false, true} {
		for _, ref := range v.LostRows {
			e := w.first(1, func(e *engine.Event) bool {
				switch {
				case e.Kind != engine.EffectIgnored:
					return false
				case e.Rec == engine.NoRecord, byKey && k.Output == engine.TotalOutput:
					return e.Key == ref.Key
				}
				return e.Rec == ref.ID
			})
			if e != nil {
				w.point = 0
				return []reason{w.at(int(e.N), trace.Sentence(w.t, e)), w.at(w.t.Len(), "What this write would have brought is not there, and nothing brings it again.")}
			}
		}
	}
	return nil
}

// batchAgain: a batch came again, and each row compared its number.
func (w *whyWriter) batchAgain() []reason {
	given := func(e *engine.Event) bool { return e.Kind == engine.OffsetLogWritten }
	log := w.first(w.rec.Restart, given)
	if log == nil {
		return nil
	}
	w.point = 0
	if w.first(1, func(e *engine.Event) bool { return given(e) && e.Ckpt == log.Ckpt }) == log {
		return []reason{w.at(int(log.N), "No batch was half done, so the restart went on with the next one.")}
	}
	text := map[string]string{
		"transactional": "Rows that had taken this batch in skipped it. The others took it in now.",
		"opaque":        "Rows that had taken this batch in went back to the value before it, and took it in anew. Nothing of its first attempt is left in them.",
	}[w.job.Settings.TridentState]
	if text == "" {
		return nil
	}
	w.point = 1
	return []reason{w.at(int(log.N), fmt.Sprintf("The restart gave out txid %d again.", log.Ckpt)), w.at(int(log.N), text)}
}

// first is the first event from n on that passes.
func (w *whyWriter) first(from int, ok func(*engine.Event) bool) *engine.Event {
	for n := max(1, from); n <= w.t.Len(); n++ {
		if e := w.t.At(n); ok(e) {
			return e
		}
	}
	return nil
}
