package check

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// WhyState explains, as of event n, why a task's count of a key is higher than
// the number of its records that have been read: by the first record that is in
// it twice. It is nil where the count is not too high, or no single record is the
// reason.
func WhyState(t *trace.Trace, task engine.TaskID, key engine.KeyID, n int) *Chain {
	if !tooHigh(t, task, key, n) {
		return nil
	}
	set := &engine.SinkSettings{Name: t.Job.Plan.Name(task), Kind: engine.SinkState, Output: engine.TotalOutput,
		Title: fmt.Sprintf("state of %s", t.Job.Plan.Name(task))}
	for _, id := range recordsOf(t.Job.Input, key) {
		w := &chainWriter{t: t, until: n, job: t.Job, set: set, v: &Verdict{Sink: set.Name, Reader: AnyReader, sink: -1},
			c: &Chain{Class: Duplicated, Sink: set.Name, Reader: AnyReader, Key: key, Records: []engine.RecordID{id}}}
		w.record(LedgerAt(t, id, n), false)
		w.c.Links = slices.DeleteFunc(w.c.Links, func(l ChainLink) bool { return int(l.N) > n })
		if w.c.Effects() > 1 {
			w.close()
			return w.c
		}
	}
	return nil
}

// tooHigh compares the task's last count of the key with what was read of it.
func tooHigh(t *trace.Trace, task engine.TaskID, key engine.KeyID, n int) bool {
	read, total := map[engine.RecordID]bool{}, int64(0)
	for i := 1; i <= n; i++ {
		e := t.At(i)
		if e.Key != key || e.Rec == engine.NoRecord {
			continue
		}
		switch {
		case e.Kind == engine.SourceRead:
			read[e.Rec] = true
		case e.Kind == engine.RecordProcessed && e.Task == task && e.After == e.Before+1:
			total = e.After
		}
	}
	return total > int64(len(read))
}

func recordsOf(in *engine.Input, key engine.KeyID) []engine.RecordID {
	var out []engine.RecordID
	for p, part := range in.Parts {
		for o := range part {
			if part[o].Key == key {
				out = append(out, engine.RecordID{Part: int16(p), Off: int32(o)})
			}
		}
	}
	return out
}
