package lab

import (
	"fmt"
	"slices"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// story is what is known of a run: the events as they came, and what happened to
// the processes, which no event tells.
type story struct {
	events []engine.Event
	held   []engine.Event // told, and not yet in their place: ordered by time
	left   int64          // events that were left out because there were too many
	every  int32          // the events of every so many-th record are kept; 0, 1: all
	last   engine.Time
	lines  []Line
	faults []engine.Fault
}

// Line is something that is no event of the run.
type Line struct {
	T    time.Duration
	Who  string
	Text string
	Loud bool
}

// keptEvents and keptLines bound what a lab remembers.
const (
	keptEvents = 20_000
	keptLines  = 400
)

// hold is how long an event waits for others that are older and have a longer way:
// each process tells its own in order, and all read the same clock. One that comes
// later still is put at the end.
const hold = 250 * time.Millisecond

// take holds an event until its turn.
func (s *story) take(e engine.Event) {
	i := len(s.held)
	for i > 0 && s.held[i-1].T > e.T {
		i--
	}
	s.held = slices.Insert(s.held, i, e)
}

// release puts the events in their place whose turn has come, and reports whether
// there were any.
func (s *story) release(now time.Duration) bool {
	n := 0
	for n < len(s.held) && s.held[n].T <= engine.Time((now-hold).Microseconds()) {
		s.put(s.held[n])
		n++
	}
	s.held = append(s.held[:0], s.held[n:]...)
	return n > 0
}

// put numbers an event. Beyond the bound only what is not about a single record is
// kept.
func (s *story) put(e engine.Event) {
	if len(s.events) >= keptEvents && (e.Rec != engine.NoRecord || len(s.events) >= 2*keptEvents) {
		s.left++
		return
	}
	e.N = int32(len(s.events) + 1)
	e.T = max(e.T, s.last)
	s.last = e.T
	s.events = append(s.events, e)
}

func (s *story) add(at time.Duration, who, text string, loud bool) {
	if n := len(s.lines); n > 0 && s.lines[n-1].Who == who && s.lines[n-1].Text == text {
		return
	}
	if len(s.lines) >= keptLines {
		s.lines = append(s.lines[:0], s.lines[len(s.lines)-keptLines/2:]...)
	}
	s.lines = append(s.lines, Line{T: at, Who: who, Text: text, Loud: loud})
}

func (l *Lab) since() time.Duration { return time.Since(l.began) }

// say adds a line to the story, and to the server's log.
func (l *Lab) say(who, text string, loud bool) {
	l.cfg.Log.Info("lab", "lab", l.ID, "who", who, "what", text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.story.add(l.since(), who, text, loud)
	l.touch()
}

func (l *Lab) saw(s *live.Seen) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.story.left += s.Left
	l.story.every = s.Every
	for i := range s.Events {
		l.mended(&s.Events[i])
		l.story.take(s.Events[i])
	}
}

// noted puts a state of the job or of a process into words.
func (l *Lab) noted(s *slot, n *note) {
	switch n.Kind {
	case noteTrouble:
		l.worry(ofDatabase, n.Why)
		l.say(s.name, n.Why, true)
		return
	case noteWell:
		l.mu.Lock()
		known := l.well(ofDatabase)
		l.mu.Unlock()
		if known {
			l.say(s.name, "the database is well again", true)
		}
		return
	case noteWords:
		l.say(s.name, n.Why, true)
		return
	}
	w := &n.What
	l.worryOf(w)
	name := orElse(l.Job.Plan.Name(w.Task), "the job")
	switch w.Kind {
	case live.NoticeWaiting:
		l.say(s.name, "waits for the workers of "+w.Why, false)
	case live.NoticeRunning:
		from := "from the beginning"
		if w.Ckpt != 0 {
			from = fmt.Sprintf("from checkpoint %d", w.Ckpt)
		}
		l.say(s.name, fmt.Sprintf("attempt %d starts %s", w.Attempt, from), true)
	case live.NoticeDeclined:
		l.say(s.name, fmt.Sprintf("checkpoint %d is given up, %s could not store its part: %s", w.Ckpt, name, w.Why), true)
	case live.NoticeFailed:
		l.say(s.name, fmt.Sprintf("attempt %d has failed at %s: %s. It restarts in %s", w.Attempt, name, orElse(w.Why, w.Reason.String()), w.Delay.Round(time.Millisecond)), true)
	case live.NoticeStore:
		l.say(s.name, "the checkpoint folder cannot be used: "+w.Why, true)
	case live.NoticeEnded:
		l.say(s.name, "the run is over: "+orElse(w.Why, w.Reason.String()), true)
	}
}

func (l *Lab) finished(d *done) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done = d
	l.touch()
}
