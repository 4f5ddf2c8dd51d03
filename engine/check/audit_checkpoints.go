package check

import "effectivelyonce/engine"

// checkpoints is what is known of the checkpoints: one pending at most, the
// newest sealed one, and which numbers came to nothing.
type checkpoints struct {
	newest  int32 // the highest number given out
	pending int32
	taken   uint64 // bit per task, of the pending one
	stored  uint64
	acked   uint64
	offsets []int32 // task → offset noted by the source for the pending one

	sealed        int32
	sealedOffsets []int32
	failed        []int32 // expired or discarded
}

func (c *checkpoints) reset() {
	clear(c.offsets)
	clear(c.sealedOffsets)
	*c = checkpoints{offsets: c.offsets, sealedOffsets: c.sealedOffsets, failed: c.failed[:0]}
}

// gone reports whether the checkpoint was given up.
func (c *checkpoints) gone(n int32) bool {
	for _, f := range c.failed {
		if f == n {
			return true
		}
	}
	return false
}

func (a *Audit) checkpoint(e *engine.Event) {
	c := &a.ckpts
	var bit uint64
	if e.Task >= 0 {
		bit = 1 << e.Task
	}
	switch e.Kind {
	case engine.CheckpointTriggered:
		a.triggered(e)
	case engine.SnapshotTaken:
		a.pictured(e, bit)
	case engine.SnapshotStored:
		if e.Ckpt == c.pending {
			if c.taken&bit == 0 || c.stored&bit != 0 {
				a.broke(e, "durable", "%s stores a part of checkpoint %d that it has not taken, or has stored before", a.name(e.Task), e.Ckpt)
			}
			c.stored |= bit
			a.landed(e, a.task(e))
		} else if !c.gone(e.Ckpt) {
			a.broke(e, "durable", "%s stores a part of checkpoint %d while %d is pending", a.name(e.Task), e.Ckpt, c.pending)
		}
	case engine.CheckpointAcked:
		a.acked(e, bit)
	case engine.CheckpointComplete:
		a.completed(e)
	case engine.CheckpointNotified:
		if e.Ckpt > c.sealed {
			a.broke(e, "seal", "%s is told that checkpoint %d is complete; the newest complete one is %d", a.name(e.Task), e.Ckpt, c.sealed)
		}
	case engine.CheckpointExpired, engine.CheckpointDiscarded:
		if e.Ckpt != c.pending || e.Ckpt == 0 {
			a.broke(e, "seal", "checkpoint %d is given up while %d is pending", e.Ckpt, c.pending)
		}
		if n := ones(c.acked); e.Kind == engine.CheckpointExpired && e.Before != n {
			a.broke(e, "seal", "checkpoint %d expires with %d acknowledgements where %d are in", e.Ckpt, e.Before, n)
		}
		c.pending = 0
		c.failed = append(c.failed, e.Ckpt)
	}
}

// triggered: one checkpoint at a time, and numbers are never given out twice.
func (a *Audit) triggered(e *engine.Event) {
	c := &a.ckpts
	if c.pending != 0 {
		a.broke(e, "trigger", "checkpoint %d starts while %d is pending", e.Ckpt, c.pending)
	}
	if e.Ckpt <= c.newest {
		a.broke(e, "trigger", "checkpoint %d starts after %d", e.Ckpt, c.newest)
	}
	c.newest, c.pending = max(c.newest, e.Ckpt), e.Ckpt
	c.taken, c.stored, c.acked = 0, 0, 0
	clear(c.offsets)
}

// pictured: a snapshot is taken at its barrier, of everything before it and of
// nothing behind it.
func (a *Audit) pictured(e *engine.Event, bit uint64) {
	tk := a.task(e)
	if tk == nil {
		return
	}
	if tk.picture != e.Ckpt {
		a.broke(e, "picture", "%s copies its state for checkpoint %d away from its barrier", a.name(e.Task), e.Ckpt)
	}
	tk.picture = 0
	if !a.overtaken(e.Task) {
		tk.arrived, tk.ckpt = 0, 0
	}
	if e.Ckpt == a.ckpts.pending {
		a.ckpts.taken |= bit
	}
	if tk.counts != nil {
		tk.save(e.Ckpt)
	}
	for i := range a.txns {
		if x := &a.txns[i]; x.id.Task == e.Task && x.state == engine.TxnOpen && x.id.Attempt == a.attempt && x.rows > 0 {
			a.broke(e, "promise", "%s copies its state while %d rows before the barrier are not promised", a.name(e.Task), x.rows)
		}
	}
}

func (tk *auditTask) save(n int32) {
	if len(tk.saved) < cap(tk.saved) {
		tk.saved = tk.saved[:len(tk.saved)+1]
	} else {
		tk.saved = append(tk.saved, savedCounts{})
	}
	s := &tk.saved[len(tk.saved)-1]
	s.ckpt, s.counts = n, append(s.counts[:0], tk.counts...)
}

// restoreCounts puts back what was copied for the checkpoint; 0 is the empty state.
func (tk *auditTask) restoreCounts(n int32) {
	clear(tk.counts)
	for i := len(tk.saved) - 1; i >= 0 && n > 0; i-- {
		if tk.saved[i].ckpt == n {
			copy(tk.counts, tk.saved[i].counts)
			return
		}
	}
}

// acked: a part counts when it is durable, once, for its own checkpoint.
func (a *Audit) acked(e *engine.Event, bit uint64) {
	c := &a.ckpts
	switch {
	case e.Ckpt != c.pending:
		a.broke(e, "ack", "an acknowledgement for checkpoint %d counts while %d is pending", e.Ckpt, c.pending)
	case c.stored&bit == 0:
		a.broke(e, "durable", "%s acknowledges checkpoint %d before its part is stored", a.name(e.Task), e.Ckpt)
	case c.acked&bit != 0:
		a.broke(e, "ack", "%s acknowledges checkpoint %d twice", a.name(e.Task), e.Ckpt)
	}
	c.acked |= bit
	if n := ones(c.acked); e.After != n || e.Before != n-1 {
		a.broke(e, "ack", "%d acknowledgements told where %d are in", e.After, n)
	}
}

// completed: a checkpoint exists only when the last part is in.
func (a *Audit) completed(e *engine.Event) {
	c := &a.ckpts
	all := uint64(1)<<len(a.tasks) - 1
	if e.Ckpt != c.pending {
		a.broke(e, "seal", "checkpoint %d is sealed while %d is pending", e.Ckpt, c.pending)
	}
	if c.acked&c.stored != all || e.After != ones(all) {
		a.broke(e, "seal", "checkpoint %d is sealed with %d of %d parts stored and acknowledged", e.Ckpt, ones(c.acked&c.stored), len(a.tasks))
	}
	c.sealed, c.pending = e.Ckpt, 0
	copy(c.sealedOffsets, c.offsets)
}
