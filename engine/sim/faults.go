package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// faultPlan is a fault that has been given and how far its moment is.
type faultPlan struct {
	when      *engine.When
	index     int16
	gap       int32 // strike after this event; -1: not known by number
	seen      int   // matching events so far
	watch     bool  // only find the moment, do not strike
	condition bool
	struck    bool
	slows     bool // a slow fault that has struck and is not over
}

// plan lines a fault up. A fault before a named event is known by its gap, or
// watched for.
func (s *Sim) plan(f *engine.Fault, index int16, condition bool, gap int32) {
	p := faultPlan{when: &f.When, index: index, condition: condition, gap: gap}
	switch f.When.Form {
	case engine.AfterEvent:
		p.gap = f.When.N
	case engine.BeforeNamed:
		p.watch = gap < 0
	case engine.AtTime:
		if f.When.T > 0 {
			s.push(item{time: f.When.T, kind: itemFault, fault: index})
		} else {
			p.gap = 0
		}
	}
	if p.gap == 0 {
		s.strikes = append(s.strikes, index)
	}
	s.plans = append(s.plans, p)
}

// after counts matching events and lines up the faults that strike in the gap
// after e.
func (s *Sim) after(e *engine.Event) {
	for i := range s.plans {
		p := &s.plans[i]
		if p.struck {
			continue
		}
		hit := p.gap == e.N
		if p.gap < 0 && p.when.Form != engine.AtTime && p.when.Matches(s.job.Plan, e) {
			p.seen++
			hit = p.seen == p.when.K
		}
		if !hit {
			continue
		}
		p.struck = true
		if p.watch {
			s.found = append(s.found, p.index)
			continue
		}
		s.strikes = append(s.strikes, p.index)
	}
}

// gapsBefore finds, for every fault that strikes before a named event, the gap
// that is meant. A named moment is its gap and nothing else: the fault strikes
// there exactly as if it had been given by number. The earliest is found first,
// in the run without the others, because it may move them.
func gapsBefore(job *engine.Job, faults []engine.Fault) ([]int32, error) {
	gaps := make([]int32, len(faults))
	open := 0
	for i := range faults {
		gaps[i] = -1
		if faults[i].When.Form == engine.BeforeNamed {
			open++
		}
	}
	for open > 0 {
		s := newSim(job, faults, gaps)
		for len(s.found) == 0 && s.Step() {
		}
		if s.err != nil {
			return nil, s.err
		}
		if len(s.found) == 0 {
			return nil, s.neverStruck()
		}
		for _, index := range s.found {
			gaps[int(index)-len(job.Conditions)] = int32(s.trace.Len() - 1)
			open--
		}
	}
	return gaps, nil
}

// neverStruck is the error for the first fault whose moment did not come, nil if
// all struck.
func (s *Sim) neverStruck() error {
	for i := range s.plans {
		p := &s.plans[i]
		if !p.struck && !p.condition {
			f := s.fault(p.index)
			return &engine.NeverStruck{Fault: *f, Events: s.trace.Len(), End: s.now, Seen: p.seen}
		}
	}
	return nil
}

// Inject lets a fault strike in this gap: the next Step appends fault.injected.
// The fault is resolved by the caller; its moment is this gap.
func (s *Sim) Inject(f engine.Fault) {
	index := int16(len(s.job.Conditions)) + s.trace.AddFault(f)
	s.strikes = append(s.strikes, index)
}

func (s *Sim) fault(index int16) *engine.Fault {
	if n := len(s.job.Conditions); int(index) >= n {
		return &s.trace.Faults[int(index)-n]
	}
	return &s.job.Conditions[index]
}

// strike injects the first fault in line. Nothing of the job happens in between.
func (s *Sim) strike() {
	index := s.strikes[0]
	s.strikes = s.strikes[:copy(s.strikes, s.strikes[1:])]
	for i := range s.plans {
		if s.plans[i].index == index {
			s.plans[i].struck, s.plans[i].slows = true, s.fault(index).Kind == engine.Slow
		}
	}
	f := s.fault(index)
	target := f.TargetID()
	e := engine.Event{T: s.now, Kind: engine.FaultInjected, Task: target, Chan: engine.NoChan, Fault: index, Attempt: s.attempt, Rec: engine.NoRecord}
	s.append(&e)
	if s.over {
		return // the job has ended; there is nothing left to hit
	}
	switch f.Kind {
	case engine.CrashJob:
		running := !s.restarting
		s.killAll()
		if running {
			s.detectLater(s.supervisor(), 0)
		}
	case engine.Crash:
		id := s.actorOf(target)
		if s.actors[id].alive {
			s.kill(id)
			s.detectLater(id, s.job.Settings.CrashDetection)
		}
	case engine.CrashNode:
		s.crashNode(f.Node())
	case engine.Pause:
		s.pause(index)
	case engine.Slow:
		s.actors[s.actorOf(target)].slow = f.Factor
		if f.Length > 0 {
			s.push(item{time: s.now + f.Length, kind: itemFaultEnded, actor: s.actorOf(target), fault: index})
		}
	default:
		s.strikeQuiet(f, index)
	}
}

// crashNode kills the tasks of a node. What they had on its disk is gone.
func (s *Sim) crashNode(node int) {
	disks, _ := s.world.Own.(world.Disks)
	for i := range s.job.Plan.Tasks {
		if s.job.Plan.Tasks[i].Node != node {
			continue
		}
		if disks != nil {
			disks.LoseDisk(engine.TaskID(i))
		}
		if s.actors[i].alive {
			s.kill(int16(i))
			s.detectLater(int16(i), s.job.Settings.CrashDetection)
		}
	}
}

func (s *Sim) detectLater(id int16, after engine.Time) {
	s.push(item{time: s.now + after, kind: itemDetect, actor: id, life: s.actors[id].life})
}

func (s *Sim) actorOf(id engine.TaskID) int16 {
	if id == engine.CoordinatorID {
		return s.coordinator()
	}
	return int16(id)
}

// faultEnded is the end of a fault that lasts.
func (s *Sim) faultEnded(it *item) bool {
	f := s.fault(it.fault)
	e := engine.Event{Kind: engine.FaultEnded, Task: f.TargetID(), Chan: engine.NoChan, Attempt: s.attempt, Rec: engine.NoRecord}
	e.T, e.Fault = s.now, it.fault
	s.append(&e)
	if f.Kind != engine.Slow {
		s.quietEnded(f)
		return true
	}
	s.actors[it.actor].slow = 1
	for i := range s.plans { // another one may still hold
		p := &s.plans[i]
		if p.index == it.fault {
			p.slows = false
		}
		if o := s.fault(p.index); p.slows && s.actorOf(o.TargetID()) == it.actor {
			s.actors[it.actor].slow = o.Factor
		}
	}
	return true
}
