package sim

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// faultPlan is a fault that has been given and how far its moment is.
type faultPlan struct {
	when      *engine.When
	index     int16
	seen      int // matching events so far
	condition bool
	struck    bool
}

func (s *Sim) plan(f *engine.Fault, index int16, condition bool) {
	s.plans = append(s.plans, faultPlan{when: &f.When, index: index, condition: condition})
	switch f.When.Form {
	case engine.AtTime:
		if f.When.T == 0 {
			s.strikes = append(s.strikes, index)
			break
		}
		s.push(item{time: f.When.T, kind: itemFault, fault: index})
	case engine.AfterEvent:
		if f.When.N == 0 {
			s.strikes = append(s.strikes, index)
		}
	}
}

// before reports whether a fault is to strike in the gap before e, and lines it up.
func (s *Sim) before(e *engine.Event) bool {
	hit := false
	for i := range s.plans {
		p := &s.plans[i]
		if p.struck || p.when.Form != engine.BeforeNamed || p.seen+1 != p.when.K || !p.when.Matches(s.job.Plan, e) {
			continue
		}
		p.struck = true
		s.strikes = append(s.strikes, p.index)
		hit = true
	}
	return hit
}

// after counts matching events and lines up the faults that strike in the gap after e.
func (s *Sim) after(e *engine.Event) {
	for i := range s.plans {
		p := &s.plans[i]
		if p.struck {
			continue
		}
		switch p.when.Form {
		case engine.AfterEvent:
			if p.when.N == e.N {
				p.struck = true
				s.strikes = append(s.strikes, p.index)
			}
		case engine.BeforeNamed, engine.AfterNamed:
			if p.when.Matches(s.job.Plan, e) {
				p.seen++
				if p.when.Form == engine.AfterNamed && p.seen == p.when.K {
					p.struck = true
					s.strikes = append(s.strikes, p.index)
				}
			}
		}
	}
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
			s.plans[i].struck = true
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
	case engine.Slow:
		s.actors[s.actorOf(target)].slow = f.Factor
		if f.Length > 0 {
			s.push(item{time: s.now + f.Length, kind: itemFaultEnded, actor: s.actorOf(target), fault: index})
		}
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
	s.push(item{time: s.now + after, kind: itemDetect, actor: id})
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
	if s.before(&e) {
		return s.retry(it)
	}
	s.append(&e)
	s.actors[it.actor].slow = 1
	return true
}
