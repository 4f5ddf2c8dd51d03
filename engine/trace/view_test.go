package trace_test

import (
	"reflect"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// The picture at event n is the same however one came there.
func TestViewFromScratchEqualsFoldedView(t *testing.T) {
	for name, tr := range runs(t) {
		v := trace.NewView(tr.Job, tr.Faults...)
		for n := 1; n <= tr.Len(); n++ {
			v.Apply(tr.At(n))
			v.Clean()
			if n%41 != 0 && n != tr.Len() {
				continue
			}
			w := trace.At(tr, n)
			w.Clean()
			if !reflect.DeepEqual(v, w) {
				t.Fatalf("%s: views at event %d differ", name, n)
			}
		}
	}
}

// What an event changes is marked: a group that is not dirty is as it was.
func TestDirtyFlagsCoverEveryChange(t *testing.T) {
	for name, tr := range runs(t) {
		v, before := trace.NewView(tr.Job, tr.Faults...), trace.NewView(tr.Job, tr.Faults...) // one event behind
		for n := 1; n <= tr.Len(); n++ {
			if n > 1 {
				before.Apply(tr.At(n - 1))
			}
			v.Clean()
			v.Apply(tr.At(n))
			d := v.Dirty()
			kind := tr.At(n).Kind
			for i := range v.Logs {
				clean(t, name, n, kind, "log", d.Logs[i], before.Logs[i], v.Logs[i])
			}
			for i := range v.Chans {
				clean(t, name, n, kind, "channel", d.Chans[i], before.Chans[i], v.Chans[i])
			}
			for i := range v.Outside {
				clean(t, name, n, kind, "outside", d.Outside[i], before.Outside[i], v.Outside[i])
			}
			for i := range v.Tasks {
				clean(t, name, n, kind, "state", d.States[i], before.Tasks[i].Counts, v.Tasks[i].Counts)
				clean(t, name, n, kind, "task", d.Tasks[i] || d.States[i], before.Tasks[i], v.Tasks[i])
			}
			clean(t, name, n, kind, "durable", d.Durable, before.Coordinator, v.Coordinator)
			clean(t, name, n, kind, "durable", d.Durable, before.Checkpoints, v.Checkpoints)
			clean(t, name, n, kind, "durable", d.Durable, before.Kept, v.Kept)
			clean(t, name, n, kind, "job", d.Job, before.Phase, v.Phase)
		}
	}
}

func clean(t *testing.T, name string, n int, k engine.Kind, group string, dirty bool, before, after any) {
	t.Helper()
	if !dirty && !reflect.DeepEqual(before, after) {
		t.Fatalf("%s: event %d (%s) changed a %s without marking it", name, n, k, group)
	}
}

// The numbers in the events say what the picture must show.
func TestViewAgreesWithCountsInEvents(t *testing.T) {
	for name, tr := range runs(t) {
		v := trace.NewView(tr.Job, tr.Faults...)
		for n := 1; n <= tr.Len(); n++ {
			e := tr.At(n)
			v.Apply(e)
			if got, want, ok := counted(v, e); ok && got != want {
				t.Fatalf("%s: event %d (%s): picture has %d, event says %d", name, n, e.Kind, got, want)
			}
			if e.Kind == engine.CheckpointComplete && !tr.Job.Settings.Unaligned {
				consistent(t, name, v)
			}
		}
	}
}

func counted(v *trace.View, e *engine.Event) (got, want int, ok bool) {
	switch e.Kind {
	case engine.RecordSent:
		if s := v.Tasks[v.Job.Plan.Channels[e.Chan].To].Status; s == trace.Crashed || s == trace.Restarted {
			return 0, 0, false // into the void
		}
		if v.Repartition(e.Chan) {
			return 0, 0, false // the event counts the log's entries
		}
		return records(v.Chans[e.Chan].Elems, false), int(e.After), true
	case engine.RecordReceived:
		return records(v.Chans[e.Chan].Elems, true), int(e.After), true
	case engine.CheckpointAcked:
		n := 0
		for _, p := range v.Pending().Parts {
			if p.Acked && p.Stored && p.Taken {
				n++
			}
		}
		return n, int(e.After), true
	case engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.TxnPrecommit:
		if e.Txn.Task < 0 {
			return 0, 0, false // of all tasks together: more than this sink's rows
		}
		o := &v.Outside[v.Job.Plan.Tasks[e.Txn.Task].Sink]
		n := 0
		for _, r := range o.Rows {
			if o.Txns[r.Txn].ID == e.Txn {
				n++
			}
		}
		return n, int(e.Value), true
	case engine.SourceRewound:
		p := v.Job.Plan.Tasks[e.Task].Part
		if v.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop {
			p = int(e.Value)
		}
		return int(v.Logs[p].Rewind.Off), int(e.After), true
	}
	return 0, 0, false
}

func records(els []trace.Elem, waiting bool) int {
	n := 0
	for _, el := range els {
		if el.Kind == engine.DataElement && (el.Waiting || !waiting) {
			n++
		}
	}
	return n
}

// consistent checks the newest complete checkpoint against the input: its counts
// are exactly the records before its offsets.
func consistent(t *testing.T, name string, v *trace.View) {
	t.Helper()
	c := v.RestartPoint()
	counters := false
	for i := range v.Job.Plan.Operators {
		counters = counters || v.Job.Plan.Operators[i].Kind == engine.OpCount
	}
	want := make([]int64, len(v.Job.Input.Keys))
	for p, off := range v.Offsets(c) {
		for _, d := range v.Job.Input.Parts[p][:off] {
			if counters {
				want[d.Key]++
			}
		}
	}
	if got := v.Counts(c); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: checkpoint %d holds %v, its offsets mean %v", name, c.No, got, want)
	}
}

// drifts are runs whose failure leaves totals that are too high.
var drifts = map[string]bool{"streams": true, "loop remote": true, "dedup value first": true}

// At the end of a run that came to rest nothing is under way, every reader of
// committed rows sees every row of a committed transaction, and tables hold the
// truth of the input.
func TestViewAtRest(t *testing.T) {
	for name, tr := range runs(t) {
		v := trace.At(tr, tr.Len())
		if v.Phase != trace.Ended {
			t.Errorf("%s: phase at the end is %s", name, v.Phase)
		}
		if v.Reason != engine.AtRest {
			continue
		}
		for c := range v.Chans {
			if n := len(v.Chans[c].Elems); n > 0 {
				t.Errorf("%s: channel %d still holds %d elements", name, c, n)
			}
		}
		for i := range v.Outside {
			o := &v.Outside[i]
			set := tr.Job.Settings.Sinks[i]
			if _, hidden := o.Visible(engine.ReadCommitted); hidden != 0 {
				t.Errorf("%s: %d rows hidden at rest", name, hidden)
			}
			seen := 0
			for r := range o.Rows {
				if o.Sees(r, engine.ReadCommitted) {
					seen++
				}
			}
			if n, _ := o.Visible(engine.ReadCommitted); !trace.IsTable(set.Kind) && n != seen {
				t.Errorf("%s: Visible says %d, Sees says %d", name, n, seen)
			}
			if trace.IsTable(set.Kind) && set.Output == engine.TotalOutput && !drifts[name] {
				tableHoldsTruth(t, name, tr.Job, o)
			}
		}
	}
}

func tableHoldsTruth(t *testing.T, name string, j *engine.Job, o *trace.Outside) {
	t.Helper()
	want := make([]int64, len(j.Input.Keys))
	for _, part := range j.Input.Parts {
		for _, d := range part {
			want[d.Key]++
		}
	}
	for _, c := range o.Cells {
		if c.Value != want[c.Key] {
			t.Errorf("%s: table says %s %d, truth is %d", name, j.Input.Keys[c.Key], c.Value, want[c.Key])
		}
		want[c.Key] = 0
	}
	for k, n := range want {
		if n != 0 {
			t.Errorf("%s: table has no row for %s", name, j.Input.Keys[k])
		}
	}
}
