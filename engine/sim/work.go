package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// work gives a task that is free its next thing to do: a message first, then the
// log or the element that has waited longest on a lane that is not held back.
func (s *Sim) work(id int16) {
	a := &s.actors[id]
	if !a.alive || a.busy || a.loading || a.pos < len(a.effects) || a.nap.on || s.acting != nil {
		return
	}
	if len(a.mail) > 0 {
		s.in = a.mail[0]
		a.mail = a.mail[:copy(a.mail, a.mail[1:])]
		s.tell(id, &s.in)
		return
	}
	spec := &s.job.Plan.Tasks[id]
	lane := s.nextLane(a, spec)
	if lane < 0 {
		s.workLogs(id, spec)
		return
	}
	elem := s.chans[spec.In[lane]].queue[0].elem
	if elem.Kind != engine.DataElement {
		s.in = machine.In{Kind: machine.InElement, Lane: lane, Element: elem, Overtaken: s.overtaken(spec.In[lane])}
		s.tell(id, &s.in)
		s.take(spec.In[lane])
		return
	}
	a.busy, a.lane = true, int16(lane)
	base := s.job.Settings.Costs.Operator
	if spec.Kind == engine.OpSink {
		base = s.job.Settings.Costs.Write
	}
	base += s.job.Settings.StateLatency(spec.Kind)
	r := &elem.Record
	d := s.cost(base*engine.Time(a.slow), costWork, int(id), lane, r.ID, int(r.Attempt))
	s.push(item{time: s.now + d, kind: itemDone, actor: id, life: a.life, lane: int16(lane)})
}

// workLogs starts reading the record that has been available longest in the logs
// the task wants to read, or waits until one is available.
func (s *Sim) workLogs(id int16, spec *engine.Task) {
	a := &s.actors[id]
	s.reads = a.task.Reads(s.reads[:0])
	best, bestAt, bestRank := -1, engine.Time(0), engine.Time(0)
	for i, p := range s.reads {
		at, state := s.available(p)
		if state == logEnd && a.ends&(1<<p.Log) == 0 {
			a.ends |= 1 << p.Log
			s.in = machine.In{Kind: machine.InLogEnd, Log: p.Log}
			s.tell(id, &s.in)
			return
		}
		if rank := s.rank(id, spec, p, at); state == logHas && (best < 0 || rank < bestRank) {
			best, bestAt, bestRank = i, at, rank
		}
	}
	if best < 0 {
		return
	}
	if bestAt > s.now {
		if a.wakeAt != bestAt {
			a.wakeAt = bestAt
			s.push(item{time: bestAt, kind: itemWake, actor: id, life: a.life})
		}
		return
	}
	a.busy, a.lane = true, -1
	p := s.reads[best]
	rid := engine.RecordID{Part: int16(p.Log), Off: p.Offset}
	d := s.cost(s.readCost(spec)*engine.Time(a.slow), costRead, int(id), 0, rid, int(s.attempt))
	s.push(item{time: s.now + d, kind: itemRead, actor: id, life: a.life, lane: int16(p.Log), ckpt: p.Offset})
}

// rank orders the records a task could read: the one that has been available
// longest is first. A loop polls whichever fetch came back first, so among records
// that are all there its order depends on the seed and the attempt: a replay may
// interleave the partitions differently (curriculum 1.4).
func (s *Sim) rank(id int16, spec *engine.Task, p machine.LogPos, at engine.Time) engine.Time {
	if spec.Kind != engine.OpLoop || at > s.now {
		return at
	}
	const spread = engine.Second
	return s.cost(spread, costFetch, int(id), p.Log, engine.RecordID{Part: int16(p.Log), Off: p.Offset}, int(s.attempt)) - 2*spread
}

// readCost is what a task pays for a record it reads from a log: a loop does all
// its work with it.
func (s *Sim) readCost(spec *engine.Task) engine.Time {
	c := &s.job.Settings.Costs
	switch spec.Kind {
	case engine.OpSource:
		return c.Read
	case engine.OpLoop:
		return c.Read + c.Operator + c.Write + s.job.Settings.StateLatency(spec.Kind)
	}
	return c.Operator
}

type logState uint8

const (
	logWaits logState = iota // nothing there yet, and nobody knows when
	logHas                   // a record, at once or at a known time
	logEnd                   // an input partition that is read to its end
)

// available tells when the record at a position can be read.
func (s *Sim) available(p machine.LogPos) (engine.Time, logState) {
	if p.Log >= machine.Repartition {
		if s.unreadable(p.Log) {
			return 0, logWaits
		}
		if _, ok := s.world.Own.(world.Log).Entry(p.Log-machine.Repartition, p.Offset); ok {
			return s.now, logHas
		}
		return 0, logWaits
	}
	if int(p.Offset) >= len(s.job.Input.Parts[p.Log]) {
		return 0, logEnd
	}
	if s.unreadable(p.Log) {
		return 0, logWaits
	}
	return s.job.Settings.Available(p.Log, int(p.Offset)), logHas
}

// nextLane is the lane whose head has waited longest, -1 if there is none to take.
// A barrier that has jumped its lane comes before everything.
func (s *Sim) nextLane(a *actor, spec *engine.Task) int {
	best := -1
	var bestAt engine.Time
	for lane, c := range spec.In {
		ch := &s.chans[c]
		if len(ch.queue) == 0 || !ch.queue[0].arrived || a.task.Blocked(lane) {
			continue
		}
		if ch.queue[0].jumped >= 0 {
			return lane
		}
		if best < 0 || ch.queue[0].at < bestAt {
			best, bestAt = lane, ch.queue[0].at
		}
	}
	return best
}

// read ends a task's work on the next record of a log.
func (s *Sim) read(it *item) {
	a := &s.actors[it.actor]
	a.busy = false
	log, off := int(it.lane), it.ckpt
	s.in = machine.In{Kind: machine.InRead, Log: log}
	if log >= machine.Repartition {
		r, ok := s.world.Own.(world.Log).Entry(log-machine.Repartition, off)
		if !ok { // it was taken back while the task was busy with it
			s.work(it.actor)
			return
		}
		s.in.Record = r
	} else {
		d := s.job.Input.Parts[log][off]
		s.in.Record = engine.Record{ID: engine.RecordID{Part: int16(log), Off: off}, Attempt: s.attempt, Key: d.Key, Value: d.Value}
	}
	s.tell(it.actor, &s.in)
}

// done ends a task's work on the head of a lane and hands it to the machine.
func (s *Sim) done(it *item) {
	a := &s.actors[it.actor]
	a.busy = false
	c := s.job.Plan.Tasks[it.actor].In[it.lane]
	elem := s.chans[c].queue[0].elem
	s.in = machine.In{Kind: machine.InElement, Lane: int(it.lane), Element: elem}
	s.tell(it.actor, &s.in)
	s.take(c) // after: the writer that waits for space goes on behind the reader's deeds
}

// take removes a channel's head and lets a writer that waits for space go on.
func (s *Sim) take(c engine.ChanID) {
	ch := &s.chans[c]
	if ch.queue[0].elem.Kind == engine.DataElement {
		ch.records--
	}
	ch.queue = ch.queue[:copy(ch.queue, ch.queue[1:])]
	s.release(c)
}

func (s *Sim) release(c engine.ChanID) {
	w := int16(s.job.Plan.Channels[c].From)
	a := &s.actors[w]
	if a.full && a.pos < len(a.effects) && a.effects[a.pos].Chan == c {
		s.wake(w)
	}
}

// enqueue puts an element on its way to the reader; elements do not overtake.
func (s *Sim) enqueue(c engine.ChanID, elem engine.Element) {
	ch := &s.chans[c]
	spec := &s.job.Plan.Channels[c]
	if !s.actors[spec.To].alive {
		return // into the void: nobody is there to receive it
	}
	rid, n := elem.Record.ID, int(elem.Record.Attempt)
	if elem.Kind == engine.WatermarkElement {
		rid, n = engine.RecordID{Part: -4, Off: int32(elem.Mark / engine.Millisecond)}, int(s.attempt)
	} else if elem.Kind == engine.BarrierElement {
		rid, n = engine.RecordID{Part: -2, Off: elem.Checkpoint}, 0
	} else {
		ch.records++
	}
	at := max(s.now+s.cost(s.job.Settings.Costs.Hop, costHop, int(spec.From), int(c), rid, n), ch.last)
	ch.last = at
	ch.queue = append(ch.queue, queued{elem: elem, at: at, jumped: -1})
	s.push(item{time: at, kind: itemArrive, chan_: c, life: ch.gen})
}

// broadcast puts a barrier on all outputs of a task.
func (s *Sim) broadcast(id int16, n int32) {
	spec := &s.job.Plan.Tasks[id]
	for i := range spec.Out {
		for _, c := range spec.Out[i].Chans {
			s.enqueue(c, engine.Element{Kind: engine.BarrierElement, Checkpoint: n})
		}
	}
}

// arrive lets the first element that is under way reach the reader's lane.
func (s *Sim) arrive(it *item) bool {
	ch := &s.chans[it.chan_]
	if ch.gen != it.life {
		return false
	}
	q := (*queued)(nil)
	waiting := 1
	for i := range ch.queue {
		if !ch.queue[i].arrived {
			q = &ch.queue[i]
			break
		}
		if ch.queue[i].elem.Kind == engine.DataElement {
			waiting++
		}
	}
	reader := s.job.Plan.Channels[it.chan_].To
	if q.elem.Kind == engine.DataElement {
		r := &q.elem.Record
		e := engine.Event{Kind: engine.RecordReceived, Task: reader, Chan: it.chan_, Rec: r.ID, Key: r.Key, Value: r.Value,
			Attempt: r.Attempt, After: int64(waiting)}
		s.deed(&e)
	}
	record := q.elem.Kind == engine.DataElement
	q.arrived = true
	if q.elem.Kind == engine.BarrierElement && s.job.Overtakes(it.chan_) {
		s.jump(it.chan_)
	}
	s.work(int16(reader))
	return record
}
