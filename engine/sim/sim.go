// Package sim runs a job on a virtual clock in one thread. It performs what the
// machines ask for, one effect at a time; each deed appends one event to the
// trace. The same job and faults give the same events on every machine.
//
// A Sim can be forked at any gap between two events, which is how every crash
// moment of a run is explored without running it from the start.
package sim

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/engine/world"
)

// ErrEventLimit is returned when a run needs more than engine.MaxEvents events.
// It is an error, never a verdict.
var ErrEventLimit = fmt.Errorf("the run needs more than %d events; make the input shorter, the interval longer or the horizon nearer", engine.MaxEvents)

// Sim is the state of a run at one gap.
type Sim struct {
	job      *engine.Job
	strategy machine.Strategy
	trace    *trace.Trace
	world    *world.World

	now   engine.Time
	seq   uint32
	queue []item // heap by time, then seq

	actors []actor // tasks, then the coordinator, then the supervisor
	coord  machine.Coordinator
	chans  []channel
	ready  []int16 // actors with effects to perform, first come first served
	in     machine.In
	out    machine.Out
	doing  engine.Event // the deed being performed

	zombies []zombie
	risen   []int16 // zombies with something to do, by slot
	acting  *zombie // who stands in its task's place right now, nil normally
	resting bool    // the job has come to rest; the run ends with its last zombie
	reads   []machine.LogPos
	jumped  []engine.Record

	attempt    int16
	restarts   int
	restarting bool    // the job has failed and will come back
	furthest   []int32 // partition → offset before which something was read by any attempt
	position   []int32 // partition → next offset of this attempt, -1 before it is known
	caughtUp   bool
	over       bool  // run.ended has happened
	acked      int64 // parts of the pending checkpoint that the coordinator has counted
	err        error

	plans   []faultPlan
	found   []int16 // watched faults whose moment was found
	strikes []int16 // faults to inject before anything else, by index

	outages outages
}

// actor is a process, seen from the scheduler.
type actor struct {
	task     machine.Task // nil for coordinator and supervisor
	alive    bool
	restored bool        // it has been told from where to go on
	loading  bool        // its state is under way to it
	busy     bool        // works on an element, or on reading one
	lane     int16       // the lane whose head it works on, if it is busy with one; else -1
	full     bool        // its next effect waits for space in a channel
	ends     uint64      // logs whose end the task was told, a bit each
	wakeAt   engine.Time // when the next record becomes available, if the task waits for one
	life     int32
	slow     int64 // its work takes this many times as long; 1 normally
	born     int16 // the attempt it was started in
	epoch    int16 // of its transactional producer
	token    int16 // of its start, see world.Register
	nap      nap
	effects  []machine.Effect
	pos      int
	wait     wait
	mail     []machine.In // messages that wait until the task is free
}

// channel is a bounded first-in first-out link.
type channel struct {
	queue   []queued
	records int // not counting barriers
	back    int // put back at the restore: they stand first
	last    engine.Time
	gen     int32
	linked  bool // the writer has connected since the reader came to life
}

type queued struct {
	elem    engine.Element
	arrived bool
	jumped  int16 // a barrier that jumps the lane: the records it has overtaken, -1 for other elements
	at      engine.Time
}

// New prepares a run of the job with the faults, which are resolved. The errors
// are those of Run for a moment that does not exist.
func New(job *engine.Job, faults []engine.Fault) (*Sim, error) {
	if len(faults) > engine.MaxFaults {
		return nil, fmt.Errorf("%d faults given; allowed: at most %d", len(faults), engine.MaxFaults)
	}
	own := append([]engine.Fault(nil), faults...)
	for i := range own {
		if err := own[i].Resolve(job); err != nil {
			return nil, err
		}
	}
	gaps, err := gapsBefore(job, own)
	if err != nil {
		return nil, err
	}
	return newSim(job, own, gaps), nil
}

// newSim is a run at gap 0. Gaps are those of faults before a named event, -1
// where it is still to be found.
func newSim(job *engine.Job, faults []engine.Fault, gaps []int32) *Sim {
	n := len(job.Plan.Tasks)
	s := &Sim{job: job, strategy: machine.New(job), trace: trace.New(job, faults), world: world.New(job),
		actors: make([]actor, n+2), chans: make([]channel, len(job.Plan.Channels)), furthest: make([]int32, len(job.Input.Parts)), position: make([]int32, len(job.Input.Parts))}
	for i := range s.actors {
		s.actors[i].slow = 1
	}
	s.actors[s.supervisor()].alive = true
	s.world.Own, s.world.Sinks = s.strategy.Durable(job), machine.Outsides(job)
	for i := range job.Conditions {
		s.plan(&job.Conditions[i], int16(i), true, -1)
	}
	for i := range faults {
		s.plan(&s.trace.Faults[i], int16(len(job.Conditions)+i), false, gaps[i])
	}
	s.start()
	return s
}

// Run performs a whole run. The error is an *engine.BadFault, an
// *engine.NeverStruck or ErrEventLimit; the trace is complete otherwise.
func Run(job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
	s, err := New(job, faults)
	if err != nil {
		return nil, err
	}
	for s.Step() {
	}
	if s.err != nil {
		return nil, s.err
	}
	if err := s.neverStruck(); err != nil {
		return nil, err
	}
	return s.trace, nil
}

// Trace is the run so far.
func (s *Sim) Trace() *trace.Trace { return s.trace }

// Err is what went wrong with the simulation itself, nil normally.
func (s *Sim) Err() error { return s.err }

// World is everything beyond the memory of the job's processes, at this gap.
func (s *Sim) World() *world.World { return s.world }

func (s *Sim) coordinator() int16 { return int16(len(s.actors) - 2) }
func (s *Sim) supervisor() int16  { return int16(len(s.actors) - 1) }

// Step performs the next deed, which appends one event. It returns false when
// nothing is left to happen.
func (s *Sim) Step() bool {
	for s.err == nil {
		if len(s.strikes) > 0 {
			s.strike()
			return true
		}
		if len(s.outages.foreign) > 0 {
			if s.foreignAbort() {
				return true
			}
			continue
		}
		if len(s.ready) > 0 {
			if s.advance(s.ready[0]) {
				return true
			}
			continue
		}
		if len(s.risen) > 0 {
			if s.haunt() {
				return true
			}
			continue
		}
		if s.over {
			return false
		}
		if len(s.queue) == 0 || s.queue[0].time > s.job.Settings.Horizon {
			s.now = s.job.Settings.Horizon
			s.endRun(s.atHorizon())
			continue
		}
		it := s.pop()
		s.now = it.time
		if s.happen(&it) {
			return true
		}
	}
	return false
}

// advance performs the actor's next effect. It reports whether an event was
// appended. An actor that has nothing left, or waits for space, leaves the list.
func (s *Sim) advance(id int16) bool {
	a := &s.actors[id]
	if a.pos == len(a.effects) {
		a.effects, a.pos = a.effects[:0], 0
		s.ready = s.ready[:copy(s.ready, s.ready[1:])]
		if int(id) < len(s.job.Plan.Tasks) {
			s.work(id)
		}
		return false
	}
	e := &a.effects[a.pos]
	if id == s.supervisor() {
		return s.performSupervisor(*e)
	}
	if e.IsPost() {
		a.pos++
		s.post(id, e)
		return false
	}
	return s.perform(id, e)
}

// tell lets a machine take one thing in and queues what it wants done.
func (s *Sim) tell(id int16, in *machine.In) {
	a := &s.actors[id]
	s.out.Effects = s.out.Effects[:0]
	in.Now = s.now
	if id == s.coordinator() {
		s.coord.Step(in, &s.out)
	} else {
		a.task.Step(in, &s.out)
	}
	a.effects = append(a.effects, s.out.Effects...)
	s.wake(id)
}

// wake puts an actor that has effects on the list of those to be performed.
func (s *Sim) wake(id int16) {
	a := &s.actors[id]
	if a.wait.held || a.pos == len(a.effects) && int(id) >= len(s.job.Plan.Tasks) || a.nap.on || s.acting != nil && id == s.acting.id {
		return
	}
	for _, r := range s.ready {
		if r == id {
			return
		}
	}
	s.ready = append(s.ready, id)
}

// deed records what is about to take hold.
func (s *Sim) deed(e *engine.Event) {
	e.T, e.Fault = s.now, -1
	s.append(e)
}

func (s *Sim) append(e *engine.Event) {
	if s.trace.Len() >= engine.MaxEvents {
		s.err = ErrEventLimit
		return
	}
	if s.acting != nil {
		e.Zombie = s.acting.born
	}
	s.after(s.trace.Append(*e))
}

// endRun makes the end of the run the next thing to happen.
func (s *Sim) endRun(why engine.Reason) {
	s.queue = s.queue[:0]
	s.ready = s.ready[:0]
	sup := &s.actors[s.supervisor()]
	sup.effects, sup.pos = append(sup.effects[:0], machine.Effect{Kind: doRunEnded, Reason: why}), 0
	s.wake(s.supervisor())
}
