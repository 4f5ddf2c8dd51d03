package lab

import (
	"fmt"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live/proc"
)

// Process is a process of a lab as it stands now.
type Process struct {
	Name    string // broker, coordinator, node/0
	PID     int    // 0: there is none at this moment
	State   proc.State
	Ready   bool // it serves
	Starts  int
	Why     string // how the one before ended, while there is none that serves
	Earlier int    // process id of a frozen one that was replaced; 0: none
	Haunts  proc.State
	Safe    bool // the lab never kills it
}

// Status is what is known of a lab at a moment.
type Status struct {
	Processes []Process
	Since     time.Duration
	Rate      float64 // records a second; 0: as fast as it goes
	Fed, All  int     // records
	Left      int64   // events that were not kept
	Every     int32   // of the records' events those of every so many-th are shown; 1: all
	Events    int
	Cut       time.Duration // the workers do not reach the broker for so long
	Silent    time.Duration // the broker has not answered for so long; 0: it does
	Verdicts  []check.Verdict
	ReadAt    time.Duration
	ReadWhy   string // why the readers could not read since
	Done      bool   // the job has ended
	AtRest    bool
	DoneWhy   string
	Why       string   // the lab has ended
	Troubles  []string // what goes wrong now
	Lines     []Line
}

// Status takes a picture. changed is closed when there is something new.
func (l *Lab) Status() (s Status, changed <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s = Status{Since: l.since(), Rate: l.rate, All: l.Spec.Records, Left: l.story.left, Every: max(1, l.story.every), Events: len(l.story.events),
		Cut: max(0, time.Until(l.cutUntil)), Verdicts: l.verdicts.list, ReadAt: l.verdicts.at, ReadWhy: l.verdicts.why, Why: l.why,
		Lines: append([]Line(nil), l.story.lines...)}
	if !l.silent.IsZero() {
		s.Silent = time.Since(l.silent)
	}
	for _, t := range l.troubles {
		s.Troubles = append(s.Troubles, t.of+": "+t.text)
	}
	for _, n := range l.fed {
		s.Fed += int(n)
	}
	for _, at := range l.slots {
		p := Process{Name: at.name, Ready: at.ready, Starts: at.life, Why: at.why, Safe: at.role == roleBroker}
		if at.p != nil {
			p.PID, p.State = at.p.PID, proc.Look(at.p.PID)
		}
		if at.earlier != nil {
			p.Earlier, p.Haunts = at.earlier.PID, proc.Look(at.earlier.PID)
		}
		s.Processes = append(s.Processes, p)
	}
	if l.done != nil {
		s.Done, s.AtRest, s.DoneWhy = true, l.done.AtRest, l.done.Why
	}
	return s, l.changed
}

// Events are those after number n, and the faults that they speak of.
func (l *Lab) Events(n int) ([]engine.Event, []engine.Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.story.events[min(n, len(l.story.events)):len(l.story.events):len(l.story.events)], l.story.faults[:len(l.story.faults):len(l.story.faults)]
}

// Kill sends SIGKILL to a process, by the id that the page showed: one that has been
// replaced since is not meant.
func (l *Lab) Kill(pid int) error {
	s, p, err := l.find(pid)
	if err != nil {
		return err
	}
	if s.role == roleBroker {
		return fmt.Errorf("process %d is the broker, which the lab never kills: it is the outside world", pid)
	}
	l.mu.Lock()
	l.strike(s, p)
	l.mu.Unlock()
	if err := p.Kill(); err != nil {
		return err
	}
	l.say(s.name, fmt.Sprintf("process %d was sent SIGKILL", pid), true)
	return nil
}

// strike shows on the stage what a kill takes along.
func (l *Lab) strike(s *slot, p *proc.Process) {
	if s.p != p || l.setup.Loop { // a loop tells no events: nothing would show that it comes back
		return
	}
	f := engine.Fault{Kind: engine.CrashNode, Target: s.name, When: engine.When{Form: engine.AfterEvent, N: int32(len(l.story.events))}}
	task := engine.JobID
	if s.role == roleCoordinator {
		f.Kind, task = engine.Crash, engine.CoordinatorID
	}
	if f.Resolve(l.Job) != nil {
		return
	}
	l.story.faults = append(l.story.faults, f)
	l.story.take(engine.Event{Kind: engine.FaultInjected, Task: task, Chan: engine.NoChan, Rec: engine.NoRecord, Fault: int16(len(l.story.faults) - 1),
		T: engine.Time(l.since().Microseconds())})
}

// Freeze sends SIGSTOP, Thaw SIGCONT.
func (l *Lab) Freeze(pid int) error {
	s, p, err := l.find(pid)
	if err != nil {
		return err
	}
	if s.role == roleBroker {
		return fmt.Errorf("process %d is the broker, which the lab does not freeze; cut it off instead", pid)
	}
	if err := p.Freeze(); err != nil {
		return err
	}
	l.say(s.name, fmt.Sprintf("process %d was sent SIGSTOP: it is frozen", pid), true)
	return nil
}

// Thaw lets a frozen process go on.
func (l *Lab) Thaw(pid int) error {
	s, p, err := l.find(pid)
	if err != nil {
		return err
	}
	if err := p.Thaw(); err != nil {
		return err
	}
	l.say(s.name, fmt.Sprintf("process %d was sent SIGCONT: it goes on", pid), true)
	return nil
}

func (l *Lab) find(pid int) (*slot, *proc.Process, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.slots {
		for _, p := range []*proc.Process{s.p, s.earlier} {
			if p != nil && p.PID == pid {
				return s, p, nil
			}
		}
	}
	return nil, nil, fmt.Errorf("process %d is no process of this lab any more", pid)
}

// MostCut bounds how long the broker is cut off.
const MostCut = time.Minute

// CutBroker keeps all workers from the broker for a while. Their connections end, and
// new ones are refused. The feeder and the independent readers still reach it.
func (l *Lab) CutBroker(d time.Duration) error {
	if d <= 0 || d > MostCut {
		return fmt.Errorf("found %s; allowed: up to %s", d, MostCut)
	}
	l.mu.Lock()
	l.cutUntil = time.Now().Add(d)
	for _, s := range l.slots {
		if s.role == roleWorker && s.p != nil {
			l.tell(s.p, frameCut, d.String())
		}
	}
	l.mu.Unlock()
	l.say("broker", fmt.Sprintf("the workers do not reach the broker for %s", d), true)
	return nil
}

// MostRate bounds the rate that can be set, in records a second.
const MostRate = 20_000

// SetRate says how many records a second are fed; 0: as fast as it goes.
func (l *Lab) SetRate(r float64) error {
	if r < 0 || r > MostRate {
		return fmt.Errorf("found %v records a second; allowed: 0 to %d", r, MostRate)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate = r
	l.touch()
	return nil
}
