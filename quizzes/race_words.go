package quizzes

import (
	"fmt"

	"effectivelyonce/engine"
)

// doneWords say how far the lanes were when they were struck, so that who reads a
// race outside of its lesson can work it out: {counted} readings, as one number or
// as "6 to 14", and {keys}, the most keys that a lane had counted.
func doneWords(lanes []ranLane) []string {
	least, keys := lanes[0].done()
	most := least
	for i := range lanes[1:] {
		n, k := lanes[i+1].done()
		least, most, keys = min(least, n), max(most, n), max(keys, k)
	}
	counted := fmt.Sprint(least)
	if most > least {
		counted = fmt.Sprintf("%d to %d", least, most)
	}
	return []string{"{counted}", counted, "{keys}", fmt.Sprint(keys)}
}

// done is how many records the lane had counted before the fault, and of how many keys.
func (l *ranLane) done() (counted, keys int) {
	t, of := l.run.Trace, map[engine.KeyID]bool{}
	for i := 1; i <= t.Len() && t.At(i).Kind != engine.FaultInjected; i++ {
		if e := t.At(i); e.Kind == engine.RecordProcessed && atCounter(t, e) {
			counted++
			of[e.Key] = true
		}
	}
	return counted, len(of)
}
