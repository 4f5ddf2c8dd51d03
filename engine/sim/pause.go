package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// nap is a process standing still. Nothing of it is lost, nothing of it moves on.
// What is already under way to others, or to a broker, arrives; what would happen
// inside the process waits.
type nap struct {
	on    bool
	until engine.Time
	fault int16
	held  []item // work, uploads and timers that came due meanwhile
}

// pause puts a task to sleep. A second pause can only make the sleep longer.
func (s *Sim) pause(index int16) {
	f := s.fault(index)
	a := &s.actors[s.actorOf(f.TargetID())]
	if !a.alive {
		return
	}
	id := s.actorOf(f.TargetID())
	if until := s.now + f.Length; !a.nap.on || until > a.nap.until {
		a.nap.until, a.nap.fault = until, index
		s.push(item{time: until, kind: itemAwake, actor: id, life: a.life})
	}
	a.nap.on = true
	s.leave(id)
	s.push(item{time: s.now + s.job.Settings.PauseDetection, kind: itemMissed, actor: id, life: a.life, fault: index})
}

// missed is the moment at which a task that has shown no sign of life since its
// pause began is thought dead. A task that has woken up is not, nor is one that
// wakes in this very moment.
func (s *Sim) missed(it *item) {
	a := &s.actors[it.actor]
	if a.life == it.life && a.nap.on && a.nap.until > s.now {
		s.findDead(it, engine.ThoughtDead)
	}
}

// awake lets a task that nobody has replaced go on where it stood.
func (s *Sim) awake(it *item) bool {
	a := &s.actors[it.actor]
	if a.life != it.life || !a.nap.on || a.nap.until > s.now {
		return false
	}
	e := engine.Event{T: s.now, Kind: engine.FaultEnded, Task: engine.TaskID(it.actor), Chan: engine.NoChan,
		Attempt: s.attempt, Rec: engine.NoRecord, Fault: a.nap.fault}
	s.append(&e)
	a.nap.on = false
	for i := range a.nap.held {
		h := a.nap.held[i]
		h.time = s.now
		s.push(h)
	}
	a.nap.held = a.nap.held[:0]
	s.wake(it.actor)
	return true
}

// holds keeps back what would happen inside a process that stands still.
func (s *Sim) holds(it *item) bool {
	a := &s.actors[it.actor]
	if !a.nap.on || it.kind == itemCommit || it.kind == itemMessage && it.to != it.actor {
		return false
	}
	a.nap.held = append(a.nap.held, *it)
	return true
}

// stop ends a process on behalf of the supervisor. One that stands still does not
// hear it: it will go on as a zombie.
func (s *Sim) stop(id int16) {
	if s.actors[id].alive && s.actors[id].nap.on && !s.over {
		s.bury(id)
	}
	s.kill(id)
}

// stopAll is stop for every process that belongs to the job.
func (s *Sim) stopAll() {
	for id := range s.actors[:s.supervisor()] {
		if s.strategy.InJob(s.idOf(int16(id))) {
			s.stop(int16(id))
		}
	}
}

// token is what a process that comes to life will show to whoever checks it.
func (s *Sim) token(id int16) {
	a := &s.actors[id]
	a.born, a.epoch, a.token = s.attempt, s.in.Epoch, s.world.Register(engine.TaskID(id))
}

// asks tells the world who asks next.
func (s *Sim) asks(id int16) {
	s.world.Now, s.world.Asker, s.world.Token = s.now, s.idOf(id), s.actors[id].token
}

// restsLater holds the end of the run back until the last zombie has done what it
// still can: before that, nobody can say what the outside got.
func (s *Sim) restsLater(id int16, e *machine.Effect) bool {
	for i := range s.zombies {
		if !s.zombies[i].gone {
			s.resting = true
			s.actors[id].pos++
			return true
		}
	}
	return false
}

// atHorizon is why the run ends when its time is up: by then the job itself may
// have come to rest, while a zombie would sleep on.
func (s *Sim) atHorizon() engine.Reason {
	if s.resting {
		return engine.AtRest
	}
	return engine.HorizonReached
}
