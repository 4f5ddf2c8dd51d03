package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// Status is what a task is doing.
type Status uint8

// Statuses of a task.
const (
	Running   Status = iota
	Aligning         // has a barrier on some inputs and waits for it on the others
	Crashed          // its process is dead, its memory is gone
	Restarted        // stopped with all others; waits to load the restart point
	Refused          // the outside system refused it at its start
	Finished         // the run came to rest
	Cancelled        // the run ended otherwise
)

var statusNames = [...]string{"running", "aligning", "crashed", "restoring", "refused", "finished", "stopped"}

// String is the status as the badge says it.
func (s Status) String() string { return statusNames[s] }

// Task is one task of the job.
type Task struct {
	Status   Status
	Aligning int32 // the checkpoint it aligns, 0: none
	Saved    int32 // the newest checkpoint it made its part of, or was restored from; 0: none
	Durable  bool  // that part lies on durable storage
	Heard    int32 // the newest checkpoint it was told to be complete
	Slow     int64 // factor of a running slow fault, 0: none
	Paused   bool  // it stands still: its memory and queue are there, nothing moves
	Ended    bool  // sources: the partition is read to its end

	Counts  []int64      // counters: by key, 0: the key is not in the state
	LastKey engine.KeyID // counters: the key counted last, -1: none

	Timed Timed // event time, and windows

	Hand   Hand
	Waits  engine.ChanID // the full channel it waits for, NoChan: none
	Open   engine.Txn    // sinks: the transaction it writes into
	Wrote  int           // sinks: rows written in this attempt
	Batch  []Elem        // sinks that write a batch at once: what they have gathered; loops: what is not both written (Waiting) and saved
	offset int32         // sources: what a snapshot taken now would hold
}

// Hand is the record that a task has read or processed and not handed on yet.
type Hand struct {
	Full bool
	Rec  Elem
	Left []engine.ChanID // outputs it still has to go to
}

// Chan is one channel: what was sent and is not processed yet, oldest first.
type Chan struct {
	Elems   []Elem
	done    []Elem // repartition logs: taken by the reader, not committed
	Arrived int32  // a barrier that its reader took and whose others are missing, 0: none
	Blocked bool
	Full    bool // its writer waits
}

// Elem is a record or a barrier on a channel.
type Elem struct {
	Kind    engine.ElementKind
	Ckpt    int32 // of a barrier
	Rec     engine.RecordID
	Key     engine.KeyID
	Value   int64       // as the input gave it
	Total   int64       // set by a counter, else 0
	Mark    engine.Time // of a watermark
	Attempt int16
	Txn     engine.Txn // repartition logs: it is there to be read when this commits
	Resent  bool       // sent once more, from what the sender had kept
	Row     bool       // a window's row: Value is its count
	Waiting bool       // in the reader's lane; else still travelling
}

func newTask(job *engine.Job, t *engine.Task) Task {
	s := Task{Waits: engine.NoChan, LastKey: -1, Timed: newTimed()}
	if Counts(t.Kind) {
		s.Counts = make([]int64, len(job.Input.Keys))
	}
	return s
}

// forget empties what only the process knew: state, what it held, its input lanes.
func (v *View) forget(id engine.TaskID) {
	t := &v.Tasks[id]
	clear(t.Counts)
	t.Timed = newTimed()
	t.Aligning, t.Saved, t.Durable, t.Heard = 0, 0, false, 0
	t.LastKey, t.Hand, t.Waits, t.Open, t.Batch = -1, Hand{}, engine.NoChan, engine.Txn{}, nil
	for _, c := range v.Job.Plan.Tasks[id].In {
		if v.Repartition(c) {
			continue // it lies at the broker
		}
		v.Chans[c] = Chan{}
		v.dirty.Chans[c] = true
	}
	v.dirty.Tasks[id], v.dirty.States[id] = true, true
}

func (v *View) applyRecord(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	t := &v.Tasks[e.Task]
	switch e.Kind {
	case engine.SourceRead:
		p := v.partOf(e)
		l := &v.Logs[p]
		l.Next = int32(e.After)
		l.Furthest = max(l.Furthest, l.Next)
		for len(l.first) < int(l.Next) {
			l.first = append(l.first, e.Attempt)
		}
		t.offset = l.Next
		v.dirty.Logs[p] = true
		if v.Job.Settings.Strategy == "batch" {
			t.Wrote++ // into the private file of its output
			v.dirty.Durable = true
			break
		}
		if v.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop && e.Rec.Off >= l.Refill {
			t.Batch = append(t.Batch, Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Attempt: e.Attempt})
		}
		v.take(e, 0)
	case engine.InputEnded:
		t.Ended = true
		for p := range v.Logs {
			if v.Job.Plan.Tasks[e.Task].Kind == engine.OpLoop || p == v.Job.Plan.Tasks[e.Task].Part {
				v.Logs[p].Ended, v.dirty.Logs[p] = true, true
			}
		}
	case engine.ChannelFull:
		t.Waits = e.Chan
		v.Chans[e.Chan].Full = true
		v.dirty.Chans[e.Chan] = true
	case engine.RecordSent:
		v.send(e)
	case engine.RecordReceived:
		v.receive(e)
	case engine.RecordProcessed:
		v.done(e)
		if v.operate(e) {
			break
		}
		total := int64(0)
		if t.Counts != nil {
			t.Counts[e.Key], t.LastKey, total = e.After, e.Key, e.After
			v.dirty.States[e.Task] = true
		}
		v.take(e, total)
	}
	v.touch(e.Task)
}

// take puts the event's record into its task's hand, with the channels it goes to.
func (v *View) take(e *engine.Event, total int64) {
	p := v.Job.Plan
	t := &v.Tasks[e.Task]
	t.Hand = Hand{Rec: Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Total: total, Attempt: e.Attempt}}
	for i := range p.Tasks[e.Task].Out {
		g := &p.Tasks[e.Task].Out[i]
		if v.Job.Plan.Tasks[e.Task].Kind == engine.OpReplica {
			break // it passes on before it runs
		}
		if v.Job.Settings.Strategy == "replicated" {
			t.Hand.Left = g.Chans[:0:0]
			break
		}
		if g.Emit == 0 || g.Emit == total {
			t.Hand.Left = append(t.Hand.Left, p.Target(g, e.Key))
		}
	}
	t.Hand.Full = len(t.Hand.Left) > 0
}

func (v *View) send(e *engine.Event) {
	t, c := &v.Tasks[e.Task], &v.Chans[e.Chan]
	el := Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Attempt: e.Attempt}
	if v.Repartition(e.Chan) {
		el.Waiting, el.Txn = true, e.Txn
	}
	handed := t.Hand.Full && t.Hand.Rec.Rec == e.Rec
	if handed {
		el.Total, el.Row = t.Hand.Rec.Total, t.Hand.Rec.Row
		t.Hand.Left = slices.DeleteFunc(t.Hand.Left, func(id engine.ChanID) bool { return id == e.Chan })
		t.Hand.Full = len(t.Hand.Left) > 0
	}
	el.Resent = v.Job.Settings.Strategy == "dataflow" && !handed
	c.Full = false
	if v.reached(e.Chan) {
		c.Elems = append(c.Elems, el)
	}
	if t.Waits == e.Chan {
		t.Waits = engine.NoChan
	}
	v.dirty.Chans[e.Chan] = true
}

// reached reports whether somebody is there to take what is put on a channel; what
// is sent to a dead process is gone.
func (v *View) reached(c engine.ChanID) bool {
	s := v.Tasks[v.Job.Plan.Channels[c].To].Status
	if v.Job.Settings.Strategy == "dataflow" && s == Restarted {
		return false // its sender sends it again
	}
	return v.Repartition(c) || s != Crashed
}

func (v *View) receive(e *engine.Event) {
	c := &v.Chans[e.Chan]
	for i := range c.Elems {
		el := &c.Elems[i]
		if !el.Waiting && el.Kind == engine.DataElement && el.Rec == e.Rec {
			el.Waiting = true
			v.dirty.Chans[e.Chan] = true
			return
		}
	}
	// Sent while nobody could take it in, and kept by its sender.
	c.Elems = append(c.Elems, Elem{Kind: engine.DataElement, Rec: e.Rec, Key: e.Key, Value: e.Value, Attempt: e.Attempt, Waiting: true})
	v.dirty.Chans[e.Chan] = true
}

// drop takes a record out of a channel: its reader is done with it.
func (v *View) drop(id engine.ChanID, rec engine.RecordID) bool {
	if id < 0 {
		return false
	}
	c := &v.Chans[id]
	i := slices.IndexFunc(c.Elems, func(el Elem) bool { return el.Kind == engine.DataElement && el.Rec == rec })
	if i < 0 {
		return false
	}
	c.Elems = slices.Delete(c.Elems, i, i+1)
	v.dirty.Chans[id] = true
	return true
}

// dropInput takes a record out of whichever input lane of the task holds it.
func (v *View) dropInput(id engine.TaskID, rec engine.RecordID) {
	for _, c := range v.Job.Plan.Tasks[id].In {
		if v.drop(c, rec) {
			return
		}
	}
}
