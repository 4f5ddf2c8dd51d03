package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// start brings a new attempt of the job to life: fresh machines, and a
// coordinator that restores the tasks from the newest completed checkpoint.
func (s *Sim) start() {
	s.attempt++
	s.restarting = false
	s.caughtUp = s.attempt == 1
	for i := range s.job.Plan.Tasks {
		a := &s.actors[i]
		a.task = s.strategy.Task(s.job, engine.TaskID(i))
		a.alive = true
	}
	s.actors[s.coordinator()].alive = true
	s.coord = s.strategy.Coordinator(s.job)
	s.in = machine.In{Kind: machine.InStart, Ckpt: s.world.Store.Sealed(), Next: s.world.Store.Counter() + 1, Attempt: s.attempt}
	s.tell(s.coordinator(), &s.in)
}

// restore hands a task its part of the checkpoint and what the broker says about
// transactions that nobody has ended.
func (s *Sim) restore(id int16, n int32) {
	if !s.actors[id].alive {
		return // it was struck at the very start
	}
	spec := &s.job.Plan.Tasks[id]
	s.in = machine.In{Kind: machine.InRestore, Ckpt: n, Next: s.world.Store.Counter() + 1, Attempt: s.attempt,
		Snapshot: s.world.Store.Restore(engine.TaskID(id))}
	if spec.Kind == engine.OpSource {
		s.in.Offset = s.furthest[spec.Part]
	}
	if spec.Kind == engine.OpSink && s.job.Settings.Sinks[spec.Sink].Kind == engine.SinkTransactional {
		s.in.Epoch, s.in.Lingering = s.world.Topics[spec.Sink].Init(engine.TaskID(id))
	}
	s.tell(id, &s.in)
}

// kill ends a process: its memory, the effects it had not yet performed, the
// messages it has under way and the elements in its lanes are gone.
func (s *Sim) kill(id int16) {
	a := &s.actors[id]
	a.alive, a.busy, a.full, a.atEnd, a.wakeAt = false, false, false, false, 0
	a.life++
	a.effects, a.pos, a.mail = a.effects[:0], 0, a.mail[:0]
	s.leave(id)
	if int(id) >= len(s.job.Plan.Tasks) {
		return
	}
	for _, c := range s.job.Plan.Tasks[id].In {
		ch := &s.chans[c]
		ch.queue, ch.records, ch.last = ch.queue[:0], 0, 0
		ch.gen++
		s.release(c)
	}
}

func (s *Sim) killAll() {
	for id := range s.actors[:s.supervisor()] {
		s.kill(int16(id))
	}
}

// detect is the moment at which a process is found dead, unless the job has been
// stopped since for another reason.
func (s *Sim) detect(it *item) {
	if s.restarting || s.over || s.actors[it.actor].life != it.life {
		return
	}
	who := engine.TaskID(it.actor)
	switch it.actor {
	case s.coordinator():
		who = engine.CoordinatorID
	case s.supervisor():
		who = engine.JobID
	}
	s.supervise(machine.Effect{Kind: doFailed, Task: who, Reason: engine.Crashed})
	s.fail()
}

// Deeds of the supervisor, which never dies: it stands for what watches over a
// job's processes (a cluster manager).
const (
	doFailed machine.EffectKind = iota + 200
	doDiscard
	doRestart
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
	if s.world.Store.Pending() != 0 {
		s.supervise(machine.Effect{Kind: doDiscard, Ckpt: s.world.Store.Pending(), Before: s.acked})
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
	for i := range s.job.Plan.Tasks {
		t := &s.job.Plan.Tasks[i]
		if t.Kind != engine.OpSource {
			continue
		}
		if a := &s.actors[i]; !a.alive || a.task.Offset() < s.furthest[t.Part] {
			return
		}
	}
	s.caughtUp = true
	s.supervise(machine.Effect{Kind: doCaughtUp})
}

var supervisorKinds = map[machine.EffectKind]engine.Kind{
	doFailed: engine.TaskFailed, doDiscard: engine.CheckpointDiscarded, doRestart: engine.RestartBegin,
	doCaughtUp: engine.ReplayCaughtUp, doRunEnded: engine.RunEnded,
}

// performSupervisor carries out a deed of the supervisor.
func (s *Sim) performSupervisor(e machine.Effect) bool {
	ev := engine.Event{Kind: supervisorKinds[e.Kind], Task: engine.JobID, Chan: engine.NoChan, Rec: engine.NoRecord,
		Attempt: s.attempt, Reason: e.Reason, Ckpt: e.Ckpt, Before: e.Before, After: e.After}
	if e.Kind == doFailed {
		ev.Task = e.Task
	}
	s.deed(&ev)
	s.actors[s.supervisor()].pos++
	switch e.Kind {
	case doDiscard:
		s.world.Store.Discard()
	case doRestart:
		s.restarts++
		s.killAll()
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
