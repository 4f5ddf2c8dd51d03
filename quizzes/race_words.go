package quizzes

import (
	"fmt"

	"effectivelyonce/engine"
)

// needs is what the lane has to do to be back, for who has not answered yet. With
// what the question says of the network and of the start, sum works its time out.
func (l *ranLane) needs() string {
	fetch, count := "nothing", "nothing"
	if n := l.run.Job().Settings.Bytes(l.fetched()); n > 0 {
		fetch = fmt.Sprintf("%d bytes", n)
	}
	if n := l.again(); n > 0 {
		count = fmt.Sprintf("%s, about %.0f ms each", readings(n), l.each().Millis())
	}
	return "To fetch: " + fetch + ". To count again: " + count + "."
}

// each is how long this lane takes to count a reading again, in whole milliseconds:
// some 5 where tasks work side by side, some 20 in a loop that reads, counts and
// writes one after the other.
func (l *ranLane) each() engine.Time {
	n := engine.Time(l.again())
	if n == 0 {
		return 0
	}
	ms := engine.Millisecond
	return (l.back.Replay/n + ms/2) / ms * ms
}

// sum is the time to be back that follows from the numbers that are shown before
// the answer. It leaves out what is small: to ask for a log or a table, and to
// promote a standby.
func (l *ranLane) sum() engine.Time {
	move := l.run.Job().Settings.Transfer(l.fetched())
	return l.back.Detect + l.back.Restart + move + engine.Time(l.again())*l.each()
}

// struck is the event before the fault, 0 where there is none.
func (l *ranLane) struck() int {
	t := l.run.Trace
	for n := 1; n <= t.Len(); n++ {
		if t.At(n).Kind == engine.FaultInjected {
			return n - 1
		}
	}
	return 0
}

func readings(n int) string {
	if n == 1 {
		return "1 reading"
	}
	return fmt.Sprintf("%d readings", n)
}
