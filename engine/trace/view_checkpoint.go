package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// CheckpointState is where a checkpoint stands, by what it awaits.
type CheckpointState uint8

// States of a checkpoint.
const (
	InProgress CheckpointState = iota // acknowledgements
	Complete                          // nothing: it is durable and can be restarted from
	Discarded                         // nothing: its parts are deleted
	Expired                           // nothing: it took longer than checkpoint.timeout
)

// Checkpoint is one checkpoint with its parts as they lie on durable storage.
type Checkpoint struct {
	No        int32
	State     CheckpointState
	Triggered int32 // the event
	Closed    int32 // the event that completed, discarded or expired it, 0: none yet
	In        int   // acknowledgements in
	Parts     []Part
}

// Part is what one task puts into a checkpoint.
type Part struct {
	Taken, Stored, Acked bool
	Offset               int32   // sources
	Counts               []int64 // counters, by key
	Changed              int64   // counters, increments: entries in it
	InFlight             int64   // records that the barrier overtook
	Timed                Timed
}

// RestartPoint is the newest complete checkpoint, nil if there is none yet.
func (v *View) RestartPoint() *Checkpoint {
	if v.Coordinator.Restart < 0 {
		return nil
	}
	return &v.Checkpoints[v.Coordinator.Restart]
}

// Pending is the checkpoint in progress, nil if there is none.
func (v *View) Pending() *Checkpoint {
	if v.Coordinator.Pending < 0 {
		return nil
	}
	return &v.Checkpoints[v.Coordinator.Pending]
}

// Checkpoint finds one by its number, nil if it was never triggered.
func (v *View) Checkpoint(no int32) *Checkpoint {
	for i := len(v.Checkpoints) - 1; i >= 0; i-- {
		if v.Checkpoints[i].No == no {
			return &v.Checkpoints[i]
		}
	}
	return nil
}

// Offsets are the offsets that a checkpoint holds, by partition.
func (v *View) Offsets(c *Checkpoint) []int32 {
	out := make([]int32, len(v.Logs))
	for i := range v.Tasks {
		if t := &v.Job.Plan.Tasks[i]; t.Kind == engine.OpSource {
			out[t.Part] = c.Parts[i].Offset
		}
	}
	return out
}

// Counts are the counts that a checkpoint holds, by key; 0: the key is not in it.
func (v *View) Counts(c *Checkpoint) []int64 {
	out := make([]int64, len(v.Job.Input.Keys))
	for i := range c.Parts {
		for k, n := range c.Parts[i].Counts {
			out[k] += n
		}
	}
	return out
}

func (v *View) applyCheckpoint(e *engine.Event) {
	v.dirty.Durable = true
	if e.Kind == engine.CheckpointTriggered {
		v.Checkpoints = append(v.Checkpoints, Checkpoint{No: e.Ckpt, Triggered: e.N, Parts: make([]Part, len(v.Tasks))})
		v.Coordinator.Pending = len(v.Checkpoints) - 1
		v.touchAll()
		return
	}
	c := v.Checkpoint(e.Ckpt)
	if c == nil {
		return
	}
	switch e.Kind {
	case engine.SnapshotTaken, engine.SnapshotStored, engine.CheckpointAcked, engine.CheckpointNotified:
		if v.isTask(e.Task) {
			v.applyPart(e, c)
		}
	case engine.CheckpointComplete:
		v.close(c, Complete, e.N)
		v.Coordinator.Restart = slices.IndexFunc(v.Checkpoints, func(o Checkpoint) bool { return o.No == c.No })
		for p, off := range v.Offsets(c) {
			v.Logs[p].Rewind = Cut{Ckpt: c.No, Off: off}
			v.dirty.Logs[p] = true
		}
	case engine.CheckpointExpired:
		v.close(c, Expired, e.N)
	case engine.CheckpointDiscarded:
		v.close(c, Discarded, e.N)
	}
}

func (v *View) applyPart(e *engine.Event, c *Checkpoint) {
	t, p := &v.Tasks[e.Task], &c.Parts[e.Task]
	switch e.Kind {
	case engine.SnapshotTaken:
		p.Taken, p.Offset, p.Counts, p.Timed = true, t.offset, slices.Clone(t.Counts), t.Timed.saved()
		p.Changed = e.Before
		if v.Job.Plan.Tasks[e.Task].Kind == engine.OpSource {
			p.Offset = int32(e.After)
		}
		t.Saved, t.Durable = e.Ckpt, false
	case engine.SnapshotStored:
		p.Stored = true
		if v.Job.Settings.Strategy == "barriers" {
			p.InFlight = e.Value
		}
		t.Durable = t.Durable || t.Saved == e.Ckpt
	case engine.CheckpointAcked:
		p.Acked = true
		c.In = int(e.After)
	case engine.CheckpointNotified:
		t.Heard = e.Ckpt
	}
	v.touch(e.Task)
}

// close ends a checkpoint. A barrier of one that will never be complete no longer
// marks a place in the logs.
func (v *View) close(c *Checkpoint, as CheckpointState, n int32) {
	c.State, c.Closed = as, n
	if p := v.Pending(); p != nil && p.No == c.No {
		v.Coordinator.Pending = -1
	}
	for i := range v.Logs {
		if as != Complete && v.Logs[i].Barrier.Ckpt == c.No {
			v.Logs[i].Barrier = Cut{}
			v.dirty.Logs[i] = true
		}
	}
	v.touchAll()
}

func (v *View) touchAll() {
	for i := range v.dirty.Tasks {
		v.dirty.Tasks[i] = true
	}
}
