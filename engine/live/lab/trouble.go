package lab

import (
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// concern is something that goes wrong now, by what it concerns: a process, "the
// checkpoints", "the database". It stays until that is well again.
type concern struct{ of, text string }

const (
	ofCheckpoints = "the checkpoints"
	ofDatabase    = "the database"
)

// worry notes a trouble, in the place of an older one of the same.
func (l *Lab) worry(of, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles = append(without(l.troubles, of), concern{of, text})
	l.touch()
}

// well ends the trouble of something, and reports whether there was any. The caller
// holds the lock.
func (l *Lab) well(of string) bool {
	n := len(l.troubles)
	l.troubles = without(l.troubles, of)
	return len(l.troubles) < n
}

func without(list []concern, of string) []concern {
	return slices.DeleteFunc(list, func(t concern) bool { return t.of == of })
}

// killed reports whether a process ended because somebody sent it SIGKILL.
func killed(why string) bool { return strings.HasPrefix(why, "signal: killed") }

// worryOf takes trouble from what a process says of the job, and its end.
func (l *Lab) worryOf(n *live.Notice) {
	switch n.Kind {
	case live.NoticeDeclined, live.NoticeStore:
		l.worry(ofCheckpoints, n.Why)
	case live.NoticeRunning:
		l.mu.Lock()
		l.well("coordinator")
		l.well(ofDatabase) // a worker that was killed cannot say so; whoever still finds trouble does
		l.mu.Unlock()
	}
}

// mended takes the end of a trouble from an event. The caller holds the lock.
func (l *Lab) mended(e *engine.Event) {
	if e.Kind == engine.CheckpointComplete {
		l.well(ofCheckpoints)
	}
}
