package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// Pane is one key's part of a window that is open.
type Pane struct {
	Key   engine.KeyID
	End   engine.Time
	Count int64
	Fired int64 // records in it when it fired last, 0: it has not
}

// Timed is what a task knows of event time.
type Timed struct {
	Mark  engine.Time // event time here; a source: the watermark it sent last
	Panes []Pane      // windows, by end and key
	Late  int         // records dropped as late in this attempt (Flink 2.x: numLateRecordsDropped)
}

func newTimed() Timed { return Timed{Mark: engine.NoTime} }

// saved is the copy that goes into a snapshot.
func (t *Timed) saved() Timed { return Timed{Mark: t.Mark, Panes: slices.Clone(t.Panes)} }

// applyTime folds watermarks and what they bring about.
func (v *View) applyTime(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	t := &v.Tasks[e.Task]
	switch e.Kind {
	case engine.Watermark:
		v.passTime(e)
	case engine.WindowFired:
		if i := t.Timed.find(e.Key, engine.Time(e.Value)); i >= 0 {
			t.Timed.Panes[i].Fired = e.After
		}
		t.Timed.close(v.Job)
		v.sumPanes(e.Task)
		v.takeRow(e, e.After*engine.ValueScale)
	case engine.RecordJoined:
		v.takeRow(e, e.After)
	}
	v.dirty.States[e.Task] = true
	v.touch(e.Task)
}

// takeRow puts what an operator made into its task's hand.
func (v *View) takeRow(e *engine.Event, value int64) {
	row := *e
	row.Value = value
	v.take(&row, 0)
	v.Tasks[e.Task].Hand.Rec.Row = e.Kind == engine.WindowFired
}

func (v *View) passTime(e *engine.Event) {
	t := &v.Tasks[e.Task]
	t.Timed.Mark = engine.Time(e.After)
	if v.Job.Settings.Strategy == "microbatch" {
		return // it comes with the messages of a batch
	}
	if e.Chan != engine.NoChan {
		c := &v.Chans[e.Chan]
		i := slices.IndexFunc(c.Elems, func(el Elem) bool { return el.Kind == engine.WatermarkElement && el.Mark == engine.Time(e.Value) })
		if i >= 0 {
			c.Elems = slices.Delete(slices.Clone(c.Elems), i, i+1)
		}
		v.dirty.Chans[e.Chan] = true
	}
	if e.After <= e.Before {
		return
	}
	for _, g := range v.Job.Plan.Tasks[e.Task].Out {
		for _, c := range g.Chans {
			if v.Job.Plan.Tasks[v.Job.Plan.Channels[c].To].Kind == engine.OpSink || !v.reached(c) {
				continue
			}
			v.Chans[c].Elems = append(v.Chans[c].Elems, Elem{Kind: engine.WatermarkElement, Mark: engine.Time(e.After), Rec: engine.NoRecord})
			v.dirty.Chans[c] = true
		}
	}
}

func (t *Timed) find(key engine.KeyID, end engine.Time) int {
	return slices.IndexFunc(t.Panes, func(p Pane) bool { return p.Key == key && p.End == end })
}

// close drops the windows that have fired and that no record can reach any more.
func (t *Timed) close(job *engine.Job) {
	kept := make([]Pane, 0, len(t.Panes))
	for _, p := range t.Panes {
		if p.Fired == 0 || p.End+job.Settings.AllowedLateness > t.Mark {
			kept = append(kept, p)
		}
	}
	t.Panes = kept
}

// operate folds what a step other than the counter did with a record. It reports
// whether that is all.
func (v *View) operate(e *engine.Event) bool {
	t, set := &v.Tasks[e.Task], &v.Job.Settings
	counter := v.Job.Plan.Tasks[e.Task].Kind == engine.OpCount
	switch {
	case !counter && (set.Lookup == engine.LookupOff || v.Job.Plan.Tasks[e.Task].Kind != engine.OpForward):
		return false
	case !counter, set.Operator == engine.OperatorJoin && e.Reason == engine.NoReason:
		v.takeRow(e, e.After)
	case set.Operator == engine.OperatorDedup:
		t.Counts[e.Key], t.LastKey = e.After, e.Key
		v.take(e, e.After)
	case e.Reason == engine.TableChange:
		t.Counts[e.Key], t.LastKey = e.After, e.Key
	case e.Reason == engine.LateRecord:
		t.Timed.Late++
	case set.Operator == engine.OperatorWindow:
		v.intoPane(e)
	case set.Operator == engine.OperatorCount:
		return false
	}
	v.dirty.States[e.Task] = true
	return true
}

func (v *View) intoPane(e *engine.Event) {
	t := &v.Tasks[e.Task]
	end := v.Job.Settings.WindowEnd(v.Job.EventTime(e.Rec))
	i := t.Timed.find(e.Key, end)
	if i < 0 {
		i = 0
		for i < len(t.Timed.Panes) && (t.Timed.Panes[i].End < end || t.Timed.Panes[i].End == end && t.Timed.Panes[i].Key < e.Key) {
			i++
		}
		t.Timed.Panes = slices.Insert(slices.Clone(t.Timed.Panes), i, Pane{Key: e.Key, End: end})
	}
	t.Timed.Panes[i].Count = e.After
	t.LastKey = e.Key
	v.sumPanes(e.Task)
}

// sumPanes keeps, by key, the records in open windows: what a checkpoint's disc and
// the node's table show of them.
func (v *View) sumPanes(id engine.TaskID) {
	t := &v.Tasks[id]
	clear(t.Counts)
	for _, p := range t.Timed.Panes {
		t.Counts[p.Key] += p.Count
	}
}
