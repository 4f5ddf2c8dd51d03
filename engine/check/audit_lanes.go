package check

import "effectivelyonce/engine"

// lane is one channel with what was sent and not yet taken out by the reader.
type lane struct {
	back  int // put back at the restore: they stand first
	queue []waiting
	last  int32 // the newest barrier that arrived
}

type waiting struct {
	barrier  int32 // checkpoint number; 0: a record
	received bool
	lane     engine.ChanID
	rec      engine.RecordID
	attempt  int16
	total    int64
}

// records is how many records are on the channel, barriers not counted.
func (l *lane) records() int {
	n := 0
	for i := range l.queue {
		if l.queue[i].barrier == 0 {
			n++
		}
	}
	return n
}

func (l *lane) pop() { l.queue = l.queue[:copy(l.queue, l.queue[1:])] }

// holds reports whether the head of the lane is this record, received.
func (l *lane) holds(e *engine.Event) bool {
	return len(l.queue) > 0 && l.queue[0].barrier == 0 && l.queue[0].received &&
		l.queue[0].rec == e.Rec && l.queue[0].attempt == e.Attempt
}

// flow checks what moves through the job: records and barriers.
func (a *Audit) flow(e *engine.Event, tk *auditTask) {
	if tk.picture != 0 && e.Kind != engine.RecordReceived && e.Kind != engine.ChannelUnblocked {
		a.broke(e, "picture", "%s does %s between the barrier of checkpoint %d and its snapshot", a.name(e.Task), e.Kind, tk.picture)
		tk.picture = 0
	}
	if len(tk.back) > 0 && e.Kind != engine.RecordReceived {
		a.broke(e, "reinject", "%s does %s while %s of checkpoint %d is not put back", a.name(e.Task), e.Kind, tk.back[0].rec, a.ckpts.sealed)
		tk.back = tk.back[:0]
	}
	switch e.Kind {
	case engine.SourceRead:
		a.read(e, tk)
	case engine.RecordSent, engine.ChannelFull:
		a.send(e, tk)
	case engine.RecordReceived:
		a.receive(e)
	case engine.RecordProcessed:
		a.process(e, tk)
	case engine.SinkWrite, engine.DedupID, engine.DedupValue, engine.EffectIgnored:
		a.effect(e, tk)
	case engine.Fenced:
		if e.Rec != engine.NoRecord && !tk.repeated(e) {
			a.take(e, tk)
		}
		if e.Before == int64(engine.TxnOpen) || e.Before == int64(engine.TxnPrecommitted) {
			a.broke(e, "fence", "a request for a transaction that is %s was refused", engine.TxnState(e.Before))
		}
	case engine.BarrierInjected, engine.BarrierAligned:
		a.forward(e, tk)
	case engine.BarrierArrived:
		a.arrive(e, tk)
	case engine.ChannelBlocked, engine.ChannelUnblocked:
		a.block(e, tk)
	}
}

// read: offsets of a source are contiguous within an attempt.
func (a *Audit) read(e *engine.Event, tk *auditTask) {
	part := a.job.Plan.Tasks[e.Task].Part
	if int(e.Rec.Part) != part || e.Rec.Off != tk.offset || e.Before != int64(tk.offset) || e.After != int64(tk.offset)+1 {
		a.broke(e, "offset", "%s reads %s where offset %d is next", a.name(e.Task), e.Rec, tk.offset)
	}
	if tk.rewind {
		a.broke(e, "restore", "%s reads before it is told from where", a.name(e.Task))
	}
	if e.Attempt != a.attempt {
		a.broke(e, "attempt", "read in attempt %d under the number %d", a.attempt, e.Attempt)
	}
	tk.offset = e.Rec.Off + 1
	tk.most = max(tk.most, tk.offset)
	a.inHand(e, tk, 0)
}

// inHand notes a record that the task must send on before it does anything else.
func (a *Audit) inHand(e *engine.Event, tk *auditTask, total int64) {
	a.owesNothing(e, tk)
	tk.rec, tk.total, tk.owed = e.Rec, total, tk.owed[:0]
	spec := &a.job.Plan.Tasks[e.Task]
	for i := range spec.Out {
		g := &spec.Out[i]
		if g.Emit == 0 || g.Emit == total {
			tk.owed = append(tk.owed, a.job.Plan.Target(g, e.Key))
		}
	}
}

func (a *Audit) owesNothing(e *engine.Event, tk *auditTask) {
	if len(tk.owed) > 0 {
		a.broke(e, "overtake", "%s does %s before it has sent %s on", a.name(e.Task), e.Kind, tk.rec)
		tk.owed = tk.owed[:0]
	}
}

// send: a task sends what it has in hand, to every place it belongs, and never
// more than a channel holds.
func (a *Audit) send(e *engine.Event, tk *auditTask) {
	if len(tk.owed) == 0 || tk.owed[0] != e.Chan || tk.rec != e.Rec {
		a.broke(e, "send", "%s sends %s, which it has not in hand for that channel", a.name(e.Task), e.Rec)
		return
	}
	l := &a.lanes[e.Chan]
	capacity, n := a.job.Settings.ChannelCapacity, l.records()
	if e.Kind == engine.ChannelFull {
		if n < capacity {
			a.broke(e, "capacity", "channel told full with %d of %d records", n, capacity)
		}
		return
	}
	tk.owed = tk.owed[:copy(tk.owed, tk.owed[1:])]
	if a.tasks[a.job.Plan.Channels[e.Chan].To].life == struck {
		return // nobody is there to receive it
	}
	if n >= capacity {
		a.broke(e, "capacity", "%d records on a channel that holds %d", n+1, capacity)
	}
	l.queue = append(l.queue, waiting{lane: e.Chan, rec: e.Rec, attempt: e.Attempt, total: a.sentAs(e, tk)})
}

// receive: nothing arrives that was not sent, and records arrive in the order of sending.
func (a *Audit) receive(e *engine.Event) {
	l := &a.lanes[e.Chan]
	n := int64(0)
	for i := range l.queue {
		w := &l.queue[i]
		if w.barrier != 0 {
			continue
		}
		n++
		if w.received {
			continue
		}
		w.received = true
		if w.rec != e.Rec || w.attempt != e.Attempt {
			a.broke(e, "fifo", "%s receives %s where %s was sent first", a.name(e.Task), e.Rec, w.rec)
		}
		inHand := (a.brokerDown || a.tasks[e.Task].paused) && e.After == n-1 // it stands still with a record it has taken
		if e.After != n && !inHand {
			a.broke(e, "lane", "%d records wait in the lane, not %d", n, e.After)
		}
		return
	}
	a.broke(e, "fifo", "%s receives %s, which was not sent", a.name(e.Task), e.Rec)
}

// process: a record is taken from the head of a lane that is not held back, and a
// counter goes on from the total that it has.
func (a *Audit) process(e *engine.Event, tk *auditTask) {
	if e.Chan < 0 || !a.lanes[e.Chan].holds(e) {
		a.broke(e, "fifo", "%s processes %s, which is not at the head of the lane", a.name(e.Task), e.Rec)
	} else {
		tk.value = a.lanes[e.Chan].queue[0].total
		a.leaves(e, tk, &a.lanes[e.Chan])
	}
	if a.keyed.takes(a, e, tk) {
		return
	}
	total := int64(0)
	if tk.counts != nil {
		if e.Before != tk.counts[e.Key] || e.After != e.Before+1 {
			a.broke(e, "count", "%s counts from %d to %d where %d was counted", a.name(e.Task), e.Before, e.After, tk.counts[e.Key])
		}
		tk.counts[e.Key], total = e.After, e.After
	}
	a.inHand(e, tk, total)
}

// leaves takes the head out of a lane. Where barriers are aligned, nothing is taken
// from a channel between its barrier and the barriers of the others.
func (a *Audit) leaves(e *engine.Event, tk *auditTask, l *lane) {
	w := l.queue[0]
	l.pop()
	a.flies(e, tk, &w)
	if bit := uint64(1) << a.job.Plan.Channels[w.lane].ToIndex; tk.arrived&bit != 0 && a.holdsBack(e.Task) {
		a.broke(e, "align", "%s takes %s from a channel whose barrier %d is already in", a.name(e.Task), e.Rec, tk.ckpt)
	}
}

// take: a sink writes what is at the head of one of its lanes.
func (a *Audit) take(e *engine.Event, tk *auditTask) {
	if tk.half != engine.NoRecord {
		a.broke(e, "dedup", "%s takes %s while the second write of %s is to come", a.name(e.Task), e.Rec, tk.half)
		tk.half = engine.NoRecord
	}
	for _, c := range a.job.Plan.Tasks[e.Task].In {
		l := &a.lanes[c]
		if !l.holds(e) {
			continue
		}
		tk.total = l.queue[0].total
		a.leaves(e, tk, l)
		return
	}
	a.broke(e, "fifo", "%s writes %s, which is not at the head of a lane", a.name(e.Task), e.Rec)
}

// half: a dedup store that cannot write id and value together gets one write after
// the other, both of the same record and nothing in between.
func (a *Audit) half(e *engine.Event, tk *auditTask) {
	idFirst := a.job.Settings.Sinks[a.job.Plan.Tasks[e.Task].Sink].DedupWrite == "id-first"
	if idFirst == (e.Kind == engine.DedupID) {
		a.take(e, tk)
		tk.half = e.Rec
	} else {
		if tk.half != e.Rec {
			a.broke(e, "dedup", "%s does the second write of %s after the first of %q", a.name(e.Task), e.Rec, tk.half)
		}
		tk.half = engine.NoRecord
	}
	if e.Kind == engine.DedupValue {
		a.wrote(e)
	}
}

// forward: a barrier goes onto all outputs, behind everything sent before.
func (a *Audit) forward(e *engine.Event, tk *auditTask) {
	a.owesNothing(e, tk)
	if e.Kind == engine.BarrierInjected {
		if e.After != int64(tk.offset) {
			a.broke(e, "offset", "%s notes offset %d where it stands at %d", a.name(e.Task), e.After, tk.offset)
		}
		a.ckpts.offsets[e.Task] = int32(e.After)
	} else if all := ones(1<<len(a.job.Plan.Tasks[e.Task].In) - 1); !a.mayForward(e, tk, all) {
		a.broke(e, "align", "%s forwards barrier %d with %d of %d in", a.name(e.Task), e.Ckpt, ones(tk.arrived), all)
	}
	tk.picture = e.Ckpt
	spec := &a.job.Plan.Tasks[e.Task]
	for i := range spec.Out {
		for _, c := range spec.Out[i].Chans {
			if a.tasks[a.job.Plan.Channels[c].To].life != struck {
				a.lanes[c].queue = append(a.lanes[c].queue, waiting{barrier: e.Ckpt})
			}
		}
	}
}

// arrive: barriers come out of a lane behind the records sent before them, and
// their numbers grow.
func (a *Audit) arrive(e *engine.Event, tk *auditTask) {
	a.owesNothing(e, tk)
	l := &a.lanes[e.Chan]
	if a.job.Overtakes(e.Chan) {
		a.jumps(e, tk, l)
	} else if len(l.queue) == 0 || l.queue[0].barrier != e.Ckpt {
		a.broke(e, "overtake", "barrier %d reaches %s but is not at the head of the lane", e.Ckpt, a.name(e.Task))
	} else {
		l.pop()
	}
	if e.Ckpt <= l.last {
		a.broke(e, "order", "barrier %d arrives after barrier %d on the same channel", e.Ckpt, l.last)
	}
	l.last = e.Ckpt
	if e.Before == e.After { // of a checkpoint that was given up
		if !a.ckpts.gone(e.Ckpt) {
			a.broke(e, "align", "%s ignores barrier %d, which nobody has given up", a.name(e.Task), e.Ckpt)
		}
		return
	}
	if tk.ckpt != e.Ckpt {
		tk.ckpt, tk.arrived = e.Ckpt, 0
		tk.flight = append(tk.flight[:0], tk.jumped...)
	} else {
		tk.flight = append(tk.flight, tk.jumped...)
	}
	tk.arrived |= 1 << a.job.Plan.Channels[e.Chan].ToIndex
	if n := ones(tk.arrived); e.After != n || e.Before != n-1 {
		a.broke(e, "align", "%s tells %d barriers in where %d are", a.name(e.Task), e.After, n)
	}
}

func (a *Audit) block(e *engine.Event, tk *auditTask) {
	bit := uint64(1) << a.job.Plan.Channels[e.Chan].ToIndex
	if e.Kind == engine.ChannelUnblocked {
		tk.arrived &^= bit
		return
	}
	if tk.ckpt != e.Ckpt || tk.arrived&bit == 0 || !a.holdsBack(e.Task) {
		a.broke(e, "align", "%s holds a channel back whose barrier %d is not in", a.name(e.Task), e.Ckpt)
	}
}

func ones(bits uint64) int64 {
	n := int64(0)
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}
