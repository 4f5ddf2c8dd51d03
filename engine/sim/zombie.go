package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// zombie is a process that was replaced while it stood still. It has its memory,
// the effects it had not yet performed, and what had reached its queue. Its
// connections to the tasks that live are cut and what it says to the coordinator
// is ignored, so that it can hurt only the world outside and what is durable; there
// it shows the epoch and the token that it was started with.
//
// It ends when its queue is empty, when somebody refuses it, or when it has to
// send to a task and finds that the connection is gone.
type zombie struct {
	actor
	id    int16
	lanes [][]queued // by input: what had arrived
	up    bool       // it has woken up
	owed  int        // commit requests under way
	gone  bool
}

// bury moves what a process is into a slot beside the living ones.
func (s *Sim) bury(id int16) {
	a := &s.actors[id]
	z := zombie{actor: *a, id: id}
	for _, c := range s.taskOf(id).In {
		var lane []queued
		for _, q := range s.chans[c].queue {
			if q.arrived {
				lane = append(lane, q)
			}
		}
		z.lanes = append(z.lanes, lane)
	}
	z.nap.held = nil // work begun is begun anew; uploads of a part and timers concern nobody any more
	a.task, a.effects, a.mail, a.nap = nil, nil, nil, nap{}
	s.zombies = append(s.zombies, z)
	s.push(item{time: z.nap.until, kind: itemZombie, actor: int16(len(s.zombies) - 1)})
}

func (s *Sim) taskOf(id int16) *engine.Task { return &s.job.Plan.Tasks[id] }

// zombieDue wakes a zombie, or ends its work on an element.
func (s *Sim) zombieDue(it *item) bool {
	z := &s.zombies[it.actor]
	switch {
	case z.gone:
	case !it.txn.IsZero():
		return s.zombieCommit(it)
	case !z.up:
		z.up, z.nap.on, z.busy, z.full = true, false, false, false // what it was busy with is the head of its queue
		e := engine.Event{T: s.now, Kind: engine.ZombieWakes, Task: engine.TaskID(z.id), Chan: engine.NoChan, Attempt: s.attempt,
			Rec: engine.NoRecord, Fault: z.nap.fault, Zombie: z.born}
		for _, lane := range z.lanes {
			e.Value += int64(len(lane))
		}
		s.append(&e)
		s.risen = append(s.risen, it.actor)
		return true
	default:
		z.busy = false
		s.feed(z, int(it.lane))
		s.risen = append(s.risen, it.actor)
	}
	return false
}

// possess lets a zombie stand in its task's place while f runs: what it asks for is
// asked as the living would ask.
func (s *Sim) possess(z *zombie, f func() bool) bool {
	living := s.actors[z.id]
	s.actors[z.id], s.acting = z.actor, z
	done := f()
	z.actor, s.actors[z.id], s.acting = s.actors[z.id], living, nil
	if done {
		if t := s.trace; t.At(t.Len()).Kind == engine.Fenced {
			s.lay(z) // it has been told
		}
		for i := range s.job.Plan.Tasks { // a log may have grown
			s.work(int16(i))
		}
	}
	return done
}

// haunt performs the next effect of the first zombie in line. It reports whether an
// event was appended.
func (s *Sim) haunt() bool {
	i := s.risen[0]
	z := &s.zombies[i]
	for !z.gone {
		if z.pos < len(z.effects) {
			if s.possess(z, func() bool { return s.zombieEffect(z, i) }) {
				return true
			}
			continue
		}
		z.effects, z.pos = z.effects[:0], 0
		if !s.zombieNext(z, i) {
			break
		}
	}
	s.risen = s.risen[:copy(s.risen, s.risen[1:])]
	if !z.gone && !z.busy && z.owed == 0 {
		s.lay(z)
	}
	return false
}

// zombieEffect performs what reaches the world, drops what reaches nobody, and ends
// a zombie that finds itself cut off. Work that only the zombie itself could see
// leaves no event, except that it gathers what it will write at once.
func (s *Sim) zombieEffect(z *zombie, slot int16) bool {
	a := &s.actors[z.id]
	e := &a.effects[a.pos]
	switch e.Kind {
	case machine.DoWrite, machine.DoOp, machine.DoBegin, machine.DoPrecommit, machine.DoCommit, machine.DoAbort:
		return s.perform(z.id, e)
	case machine.DoProcess:
		if s.gathers(z.id) {
			return s.perform(z.id, e)
		}
	case machine.DoSend, machine.DoInject, machine.DoFail, machine.DoEndRun, machine.DoRefuse:
		s.lay(z)
	case machine.DoAlign:
		if len(s.taskOf(z.id).Out) > 0 {
			s.lay(z)
		}
	case machine.PostCommit:
		at := s.now + s.cost(s.job.Settings.Costs.Commit, costCommit, int(z.id), 0, engine.NoRecord, int(e.Txn.No))
		s.push(item{time: at, kind: itemZombie, actor: slot, txn: e.Txn})
		z.owed++
	}
	a.pos++
	return false
}

// gathers reports whether a task writes a whole batch in one write: what it takes in
// before tells what that write brings.
func (s *Sim) gathers(id int16) bool {
	sink := s.taskOf(id).Sink
	return s.job.Settings.Strategy == "microbatch" && sink >= 0 && s.job.Settings.Sinks[sink].Kind == engine.SinkPosition
}

// zombieNext gives a zombie its next thing to do, in the order in which a living
// task would take it: its messages, then its queue.
func (s *Sim) zombieNext(z *zombie, slot int16) bool {
	if z.busy {
		return false
	}
	if len(z.mail) > 0 {
		s.in = z.mail[0]
		z.mail = z.mail[:copy(z.mail, z.mail[1:])]
		s.hear(z)
		return true
	}
	lane := -1
	for i, q := range z.lanes {
		if len(q) > 0 && !z.task.Blocked(i) && (lane < 0 || q[0].at < z.lanes[lane][0].at) {
			lane = i
		}
	}
	if lane < 0 {
		return false
	}
	if z.lanes[lane][0].elem.Kind == engine.BarrierElement {
		s.feed(z, lane)
		return true
	}
	r := &z.lanes[lane][0].elem.Record
	d := s.cost(s.job.Settings.Costs.Write*engine.Time(z.slow), costWork, int(z.id), lane, r.ID, int(r.Attempt))
	s.push(item{time: s.now + d, kind: itemZombie, actor: slot, lane: int16(lane)})
	z.busy = true
	return false
}

// feed hands the head of a lane to the zombie's machine.
func (s *Sim) feed(z *zombie, lane int) {
	s.in = machine.In{Kind: machine.InElement, Lane: lane, Element: z.lanes[lane][0].elem}
	z.lanes[lane] = z.lanes[lane][1:]
	s.hear(z)
}

func (s *Sim) hear(z *zombie) {
	s.possess(z, func() bool {
		s.actors[z.id].busy = false
		s.tell(z.id, &s.in)
		return false
	})
}

// zombieCommit is a commit request of a zombie that reaches the broker.
func (s *Sim) zombieCommit(it *item) bool {
	z := &s.zombies[it.actor]
	z.owed--
	s.possess(z, func() bool {
		own := *it
		own.actor = z.id
		return s.commit(&own)
	})
	s.risen = append(s.risen, it.actor)
	return true
}

// lay ends a zombie. The end of the run may have waited for it.
func (s *Sim) lay(z *zombie) {
	z.gone = true
	if !s.resting {
		return
	}
	for i := range s.zombies {
		if !s.zombies[i].gone {
			return
		}
	}
	s.resting = false
	s.supervise(machine.Effect{Kind: doRunEnded, Reason: engine.AtRest})
}

// stale reports whether the writer of a task is not the one that the broker knows
// as its newest: a producer's epoch grows with each InitProducerId (facts 5.6, 5.7).
func (s *Sim) stale(id int16) bool {
	t, set := s.topic(id)
	return set.Kind == engine.SinkTransactional && t.Epoch(engine.TaskID(id)) != s.actors[id].epoch
}

func (z *zombie) forkFrom(src *zombie) {
	lanes := z.lanes
	task := z.actor
	*z = *src
	z.actor = task
	z.actor.forkFrom(&src.actor)
	for len(lanes) < len(src.lanes) {
		lanes = append(lanes, nil)
	}
	z.lanes = lanes[:len(src.lanes)]
	for i := range src.lanes {
		z.lanes[i] = append(z.lanes[i][:0], src.lanes[i]...)
	}
}
