package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// IsTable reports whether an outside system of this kind holds one row for what
// is written to it again and again.
func IsTable(k engine.SinkKind) bool {
	return k == engine.SinkUpsert || k == engine.SinkDedup || k == engine.SinkPosition || k == engine.SinkState
}

// writes reports whether id is a task that writes to an outside system.
func (v *View) writes(id engine.TaskID) bool {
	return v.isTask(id) && v.Job.Plan.Tasks[id].Sink >= 0 && Writes(v.Job.Plan.Tasks[id].Kind)
}

// partOf is the partition of the record that was read.
func (v *View) partOf(e *engine.Event) int {
	if v.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop {
		return int(e.Rec.Part)
	}
	return v.Job.Plan.Tasks[e.Task].Part
}

// applyCommon is a transaction of all tasks together, or an effect that a stage
// ignored.
func (v *View) applyCommon(e *engine.Event) {
	if e.Kind == engine.EffectIgnored {
		if v.isTask(e.Task) && e.Rec != engine.NoRecord {
			v.dropInput(e.Task, e.Rec)
			v.touch(e.Task)
		}
		return
	}
	if e.Txn.IsZero() {
		return
	}
	for i := range v.Outside {
		if v.Job.Settings.Sinks[i].Kind != engine.SinkTransactional {
			continue
		}
		o := &v.Outside[i]
		switch e.Kind {
		case engine.TxnBegin:
			o.Txns = append(o.Txns, Txn{ID: e.Txn, State: engine.TxnOpen, First: -1})
		case engine.Fenced:
			o.txn(e.Txn).Refused++
		default:
			o.move(e)
		}
		v.dirty.Outside[i] = true
	}
	v.touchAll()
}

// effect is a write, one half of it, or one that the outside recognised.
func (v *View) effect(task engine.TaskID, o *Outside, e *engine.Event) {
	t := &v.Tasks[task]
	if e.Rec == engine.NoRecord {
		v.batch(t, o, e)
		return
	}
	v.dropInput(task, e.Rec)
	if t.Hand.Full && t.Hand.Rec.Rec == e.Rec {
		t.Hand = Hand{}
	}
	for i := range t.Batch {
		if t.Batch[i].Rec == e.Rec && e.Kind != engine.DedupID {
			t.Batch[i].Waiting = true
		}
	}
	defer v.tidy()
	o.halve(e)
	switch e.Kind {
	case engine.EffectIgnored:
		o.Ignored++
		return
	case engine.DedupID:
		o.remember(e)
		return
	}
	t.Wrote++
	o.write(e)
	if e.Kind == engine.SinkWrite {
		o.remember(e)
		if v.Job.Plan.Tasks[task].Kind == engine.OpLoop && o.At != nil { // where the loop would go on
			v.Logs[e.Rec.Part].Rewind = Cut{Ckpt: 1, Off: o.At[e.Rec.Part]}
			v.dirty.Logs[e.Rec.Part] = true
		}
	}
}

// tidy takes out of a loop what is written and saved.
func (v *View) tidy() {
	for i := range v.Tasks {
		if v.Job.Plan.Tasks[i].Kind == engine.OpLoop && len(v.Tasks[i].Batch) > 0 {
			v.Tasks[i].Batch = slices.DeleteFunc(v.Tasks[i].Batch, func(el Elem) bool {
				return el.Waiting && el.Rec.Off < v.Logs[el.Rec.Part].Rewind.Off
			})
			v.touch(engine.TaskID(i))
		}
	}
}

// publish puts a map task's final output before the task that reads it.
func (v *View) publish(id engine.TaskID, attempt int16) {
	part := v.Job.Plan.Tasks[id].Part
	for _, c := range v.Job.Plan.Tasks[id].Out[0].Chans {
		v.Chans[c].Elems = nil
		for off, d := range v.Job.Input.Parts[part] {
			v.Chans[c].Elems = append(v.Chans[c].Elems, Elem{Kind: engine.DataElement, Rec: engine.RecordID{Part: int16(part), Off: int32(off)},
				Key: d.Key, Value: d.Value, Attempt: attempt, Waiting: true})
		}
		v.dirty.Chans[c] = true
	}
}

// remember notes the id or position that went with a write.
func (o *Outside) remember(e *engine.Event) {
	if o.ids != nil && !o.ids[e.Rec] {
		o.ids[e.Rec] = true
		o.Known++
	}
	if o.At != nil {
		o.At[e.Rec.Part] = max(o.At[e.Rec.Part], e.Rec.Off+1)
	}
}

// batch is a whole batch in one write, or one that the outside had already.
func (v *View) batch(t *Task, o *Outside, e *engine.Event) {
	rows := t.Batch
	t.Batch = nil
	if e.Kind != engine.SinkWrite {
		return
	}
	for _, r := range rows {
		w := engine.Event{Rec: r.Rec, Key: r.Key, Attempt: r.Attempt, After: r.Total, N: e.N}
		if !o.total {
			w.After = r.Value
			if i, there := o.rowOf[RowID{Rec: engine.NoRecord, Key: r.Key}]; there {
				w.After += o.Cells[i].Value
			}
		}
		o.write(&w)
		t.Wrote++
	}
	if o.At != nil {
		copy(o.At, engine.UnpackPositions(e.Value, e.After, len(o.At)))
	}
}

// done takes a record out of its reader's lane. A repartition log keeps it until
// its position is committed; a sink that writes batches gathers it.
func (v *View) done(e *engine.Event) {
	t := &v.Tasks[e.Task]
	if e.Chan >= 0 && v.Repartition(e.Chan) {
		c := &v.Chans[e.Chan]
		if i := slices.IndexFunc(c.Elems, func(el Elem) bool { return el.Rec == e.Rec }); i >= 0 {
			c.done = append(slices.Clone(c.done), c.Elems[i])
		}
	}
	if v.Job.Plan.Tasks[e.Task].Kind == engine.OpSink && v.Job.Settings.Strategy == "microbatch" {
		t.Batch = append(slices.Clone(t.Batch), Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Total: e.After, Attempt: e.Attempt})
	}
	if !v.drop(e.Chan, e.Rec) {
		v.dropInput(e.Task, e.Rec)
	}
	if v.Job.Plan.Tasks[e.Task].Kind == engine.OpReplica {
		t.Counts[e.Key] = e.After
		v.showTable()
	}
}

// showTable draws the replicated table as a client sees it: the first copy that lives.
func (v *View) showTable() {
	for i := range v.Tasks {
		t := &v.Tasks[i]
		if v.Job.Plan.Tasks[i].Kind != engine.OpReplica || t.Status == Crashed || t.Status == Restarted {
			continue
		}
		for k, n := range t.Counts {
			for o := range v.Outside {
				id := RowID{Rec: engine.NoRecord, Key: engine.KeyID(k)}
				if at, there := v.Outside[o].rowOf[id]; there && v.Outside[o].Cells[at].Value == n || !there && n == 0 {
					continue
				}
				v.Outside[o].set(id, &engine.Event{Rec: engine.NoRecord, Key: engine.KeyID(k), Value: n})
				v.dirty.Outside[o] = true
			}
		}
		return
	}
}

// restoreKept gives a task the counts that the strategy kept for it.
func (v *View) restoreKept(e *engine.Event) {
	k, t := &v.Kept, &v.Tasks[e.Task]
	if t.Counts == nil {
		return
	}
	switch v.Job.Settings.Strategy {
	case "kafka-streams":
		if k.Wiped[e.Task] || v.Job.Settings.Guarantee == "exactly_once_v2" {
			copy(k.Store[e.Task], k.Sealed[e.Task])
			k.Wiped[e.Task] = false
		}
		v.dirty.Durable = true
		copy(t.Counts, k.Store[e.Task])
		v.putBack(e.Task)
	case "batch":
		for _, c := range v.Job.Plan.Tasks[e.Task].In {
			if from := v.Job.Plan.Channels[c].From; k.Published[from] >= 0 {
				v.publish(from, e.Attempt)
			}
		}
	case "dataflow":
		copy(t.Counts, k.Store[e.Task])
	case "microbatch":
		from, timed := k.Sealed[e.Task], &k.Panes[e.Task][0]
		if k.Entries[e.Task] != int(e.Ckpt) {
			from, timed = k.Changes[e.Task], &k.Panes[e.Task][1]
		}
		if e.Ckpt > 0 {
			copy(t.Counts, from)
			t.Timed = timed.saved()
		}
	case "xa":
		copy(t.Counts, k.Sealed[e.Task])
	case "offset-commit":
		if r := v.Job.Settings.StateRecovery; r == "remote" || r == "cdc" {
			copy(t.Counts, k.Store[e.Task])
		}
	}
}

// putBack is what a reader of repartition logs gets again: all behind the
// committed position.
func (v *View) putBack(id engine.TaskID) {
	for _, c := range v.Job.Plan.Tasks[id].In {
		ch := &v.Chans[c]
		ch.Elems = append(slices.Clone(ch.done), ch.Elems...)
		ch.done = nil
		v.dirty.Chans[c] = true
	}
}

// reinject puts a record that a barrier had overtaken back into its lane.
func (v *View) reinject(e *engine.Event) {
	c := &v.Chans[e.Chan]
	c.Elems = append(c.Elems, Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Attempt: e.Attempt, Waiting: true})
	v.dirty.Chans[e.Chan] = true
	v.touch(e.Task)
}
