package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// start brings a new attempt of the job to life: fresh machines, and a
// coordinator that restores the tasks from what is durable. Processes that are not
// part of the job and live are left alone.
func (s *Sim) start() {
	s.attempt++
	s.restarting = false
	s.caughtUp = s.attempt == 1
	s.forgetPositions()
	for i := range s.job.Plan.Tasks {
		s.create(int16(i))
	}
	own := !s.strategy.InJob(engine.CoordinatorID)
	if !s.actors[s.coordinator()].alive {
		s.startCoordinator(own)
		if !own {
			return
		}
	}
	for i := range s.job.Plan.Tasks {
		s.restore(int16(i), s.recoveryPoint(), false)
	}
	if s.attempt > 1 {
		s.in = machine.In{Kind: machine.InRejoined, Attempt: s.attempt}
		s.tell(s.coordinator(), &s.in)
	}
}

// forgetPositions is what the job knows about its sources at the start of an
// attempt: nothing, except of those that are no part of it and live.
func (s *Sim) forgetPositions() {
	keep := uint64(0)
	for i := range s.job.Plan.Tasks {
		if t := &s.job.Plan.Tasks[i]; t.Kind == engine.OpSource && s.actors[i].alive {
			keep |= 1 << t.Part
		}
	}
	for p := range s.position {
		if keep&(1<<p) == 0 {
			s.position[p] = -1
		}
	}
}

func (s *Sim) create(id int16) {
	a := &s.actors[id]
	if a.alive {
		return
	}
	a.task = s.strategy.Task(s.job, engine.TaskID(id))
	a.alive = true
}

func (s *Sim) startCoordinator(alone bool) {
	s.actors[s.coordinator()].alive = true
	s.coord = s.strategy.Coordinator(s.job)
	s.in = machine.In{Kind: machine.InStart, Ckpt: s.recoveryPoint(), Next: s.world.Store.Counter() + 1, Attempt: s.attempt, World: s.world, Alone: alone}
	s.tell(s.coordinator(), &s.in)
}

// startAlone brings a process back that restarts without the others.
func (s *Sim) startAlone(id int16) {
	if s.actors[id].alive || s.restarting || s.over {
		return
	}
	s.attempt++
	if id == s.coordinator() {
		s.startCoordinator(s.restored())
		return
	}
	s.create(id)
	s.restore(id, s.recoveryPoint(), true)
}

// restored reports whether the tasks have been brought to life: a coordinator that
// dies at once leaves that to the next one.
func (s *Sim) restored() bool {
	for i := range s.job.Plan.Tasks {
		if a := &s.actors[i]; a.alive && !a.restored {
			return false
		}
	}
	return true
}

// restore hands a task its part of the checkpoint and what the broker says about
// transactions that nobody has ended.
func (s *Sim) restore(id int16, n int32, alone bool) {
	if a := &s.actors[id]; !a.alive || a.restored {
		return // it was struck at the very start, or is no part of what restarts
	}
	s.actors[id].restored = true
	if part := s.part(id, n); !s.fetch(id, n, alone, &part) {
		s.revive(id, n, s.world.Store.Counter()+1, alone, &part)
	}
}

// revive lets a task whose part is there go on from it.
func (s *Sim) revive(id int16, n, next int32, alone bool, part *world.Snapshot) {
	spec := &s.job.Plan.Tasks[id]
	s.world.Now = s.now
	s.in = machine.In{Kind: machine.InRestore, Ckpt: n, Next: next, Attempt: s.attempt,
		Snapshot: *part, World: s.world, Alone: alone}
	if spec.Kind == engine.OpSource {
		s.in.Offset = s.furthest[spec.Part]
	}
	if spec.Sink >= 0 && s.hasTxns(spec.Sink) {
		s.in.Epoch, s.in.Lingering = s.register(spec.Sink, engine.TaskID(id))
	}
	s.token(id)
	s.tell(id, &s.in)
}

func (s *Sim) hasTxns(sink int) bool {
	k := s.job.Settings.Sinks[sink].Kind
	return k == engine.SinkTransactional || k == engine.SinkFiles
}

// kill ends a process: its memory, the effects it had not yet performed, the
// messages it has under way and the elements in its lanes are gone.
func (s *Sim) kill(id int16) {
	a := &s.actors[id]
	a.alive, a.busy, a.full, a.restored, a.loading, a.ends, a.wakeAt = false, false, false, false, false, 0, 0
	a.life++
	a.effects, a.pos, a.mail, a.wait = a.effects[:0], 0, a.mail[:0], wait{}
	a.nap = nap{held: a.nap.held[:0]}
	s.leave(id)
	if int(id) >= len(s.job.Plan.Tasks) {
		return
	}
	for _, c := range s.job.Plan.Tasks[id].In {
		ch := &s.chans[c]
		ch.queue, ch.records, ch.back, ch.last = ch.queue[:0], 0, 0, 0
		ch.gen++
		ch.linked = false
		s.release(c)
	}
}

// killAll ends every process that belongs to the job.
func (s *Sim) killAll() {
	for id := range s.actors[:s.supervisor()] {
		if s.strategy.InJob(s.idOf(int16(id))) {
			s.kill(int16(id))
		}
	}
}

// idOf is the id that events use for an actor.
func (s *Sim) idOf(id int16) engine.TaskID {
	switch id {
	case s.coordinator():
		return engine.CoordinatorID
	case s.supervisor():
		return engine.JobID
	}
	return engine.TaskID(id)
}

// detect is the moment at which a process is found dead, unless it or the job has
// been stopped since for another reason.
func (s *Sim) detect(it *item) {
	if s.actors[it.actor].life == it.life {
		s.findDead(it, engine.Crashed)
	}
}

// findDead lets the supervisor act on a process that is dead, or thought to be.
func (s *Sim) findDead(it *item, why engine.Reason) {
	if s.over || s.restarting && s.strategy.InJob(s.idOf(it.actor)) {
		return
	}
	s.supervise(machine.Effect{Kind: machine.DoFail, Task: s.idOf(it.actor), Reason: why})
	scope := machine.WholeJob
	if it.actor != s.supervisor() {
		scope = s.strategy.Scope(s.idOf(it.actor))
	}
	switch scope {
	case machine.SingleTask:
		s.failAlone(it.actor)
	case machine.StaysAway:
		s.lost(it.actor)
	default:
		s.fail()
	}
}

// lost tells the coordinator of a process that the others go on without.
func (s *Sim) lost(id int16) {
	if s.actors[s.coordinator()].alive {
		s.in = machine.In{Kind: machine.InLost, Task: s.idOf(id)}
		s.tell(s.coordinator(), &s.in)
	}
}

// failAlone lets one process come back while the others go on.
func (s *Sim) failAlone(id int16) {
	if s.restarts == engine.MaxRestarts {
		s.supervise(machine.Effect{Kind: doRunEnded, Reason: engine.RestartsExhausted})
		return
	}
	s.supervise(machine.Effect{Kind: doRestartAlone, Task: s.idOf(id), Before: int64(s.attempt), After: int64(s.attempt + 1)})
}

// Deeds of the supervisor, which never dies: it stands for what watches over a
// job's processes (a cluster manager).
const (
	doRestart machine.EffectKind = iota + 200
	doRestartAlone
	doCaughtUp
	doRunEnded
)

func (s *Sim) supervise(e machine.Effect) {
	sup := &s.actors[s.supervisor()]
	sup.effects = append(sup.effects, e)
	s.wake(s.supervisor())
}

// fail makes the job as a whole fail: what is pending is discarded, every process
// is stopped, and the job comes back after restart.delay. With keyed exchanges
// between its tasks a job is one region and restarts as a whole (facts 3.5).
func (s *Sim) fail() {
	if s.restarting || s.over {
		return
	}
	s.restarting = true
	s.out.Effects = s.out.Effects[:0]
	s.strategy.Failed(s.world, &s.out)
	for _, e := range s.out.Effects {
		if e.Kind == machine.DoDiscard {
			e.Before = s.acked
		}
		s.supervise(e)
	}
	if s.restarts == engine.MaxRestarts {
		s.supervise(machine.Effect{Kind: doRunEnded, Reason: engine.RestartsExhausted})
		return
	}
	s.supervise(machine.Effect{Kind: doRestart, Before: int64(s.attempt), After: int64(s.attempt + 1)})
}

// checkCaughtUp notes when every source is again where it was before the crash.
func (s *Sim) checkCaughtUp() {
	if s.caughtUp {
		return
	}
	for p, at := range s.position {
		if at < s.furthest[p] {
			return
		}
	}
	s.caughtUp = true
	s.supervise(machine.Effect{Kind: doCaughtUp})
}

// performSupervisor carries out a deed of the supervisor.
func (s *Sim) performSupervisor(e machine.Effect) bool {
	ev := s.event(s.supervisor(), &e)
	switch e.Kind {
	case machine.DoFail:
		ev.Task = e.Task
	case doRestart:
		ev.Kind = engine.RestartBegin
	case doRestartAlone:
		ev.Kind, ev.Task = engine.RestartBegin, e.Task
	case doCaughtUp:
		ev.Kind = engine.ReplayCaughtUp
	case doRunEnded:
		ev.Kind = engine.RunEnded
	}
	s.deed(&ev)
	s.actors[s.supervisor()].pos++
	switch e.Kind {
	case machine.DoDiscard:
		s.world.Store.Discard()
	case doRestartAlone:
		s.restarts++
		s.stop(s.actorOf(e.Task))
		s.push(item{time: s.now + s.job.Settings.RestartDelay, kind: itemRestart, actor: s.actorOf(e.Task)})
	case doRestart:
		s.restarts++
		s.resting = false
		s.stopAll()
		s.push(item{time: s.now + s.job.Settings.RestartDelay, kind: itemStart})
	case doRunEnded:
		s.end()
	}
	return true
}

// end is what run.ended leaves: nothing runs and nothing is due.
func (s *Sim) end() {
	s.over = true
	s.queue = s.queue[:0]
	s.killAll()
}
