package quizzes

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// again is what a run did a second time after its drawn crash.
type again struct {
	read    int // records that a source had read before
	counted int // records that had been counted before
	waited  int // records that were counted after the crash, and not read after it: they lay between two tasks
	aborts  []*engine.Event
	ignored int      // effects that were recognised
	from    []string // where sources went on, in words
}

// again measures the run behind the moment of the crash.
func (w verdictWords) again() again {
	var a again
	t := w.run.Trace
	read, counted := [2]map[engine.RecordID]bool{{}, {}}, [2]map[engine.RecordID]bool{{}, {}}
	for n := 1; n <= t.Len(); n++ {
		e, after := t.At(n), 0
		if n > w.q.Derived.At {
			after = 1
		}
		switch {
		case e.Kind == engine.SourceRead:
			read[after][e.Rec] = true
		case e.Kind == engine.RecordProcessed && atCounter(t, e):
			counted[after][e.Rec] = true
		case after == 0:
		case e.Kind == engine.TxnAbort:
			a.aborts = append(a.aborts, e)
		case e.Kind == engine.EffectIgnored:
			a.ignored++
		case e.Kind == engine.SourceRewound:
			a.from = append(a.from, fmt.Sprintf("%s at offset %d", t.Job.Plan.Name(e.Task), e.After))
		}
	}
	for id := range read[0] {
		if read[1][id] {
			a.read++
		}
	}
	for id := range counted[1] {
		if counted[0][id] {
			a.counted++
		}
		if read[0][id] && !read[1][id] {
			a.waited++
		}
	}
	return a
}

// repeats says how an exact run came by it: what was read and counted again, and
// why the first time does not show.
func (w verdictWords) repeats() string {
	a := w.again()
	var s []string
	for _, e := range a.aborts {
		_, said, _ := strings.Cut(trace.Sentence(w.run.Trace, e), "aborted ")
		s = append(s, said)
	}
	aborted := strings.TrimSuffix(strings.Join(s, " "), ".")
	if aborted != "" {
		aborted = "The restart aborted " + aborted + ": rows, store changes and offsets go together. "
	}
	switch {
	case a.counted == 0 && a.read == 0:
		return aborted + "Nothing was read or counted twice."
	case a.counted == 0:
		return aborted + was(a.read) + " read again, and had not been counted before the crash."
	}
	out := aborted + was(a.counted) + " counted again"
	switch {
	case a.ignored > 0:
		return out + fmt.Sprintf(", and %d repeated effects were recognised.", a.ignored)
	case aborted != "":
		return out + ", on a store without them."
	}
	return out + ", on a state that did not hold them."
}

func was(n int) string {
	if n == 1 {
		return "1 record was"
	}
	return fmt.Sprintf("%d records were", n)
}

// wentOn says why nothing is missing: where the sources went on, and what came
// again from between the tasks without being read. "" if no source went on.
func (w verdictWords) wentOn() string {
	a := w.again()
	if len(a.from) == 0 {
		return ""
	}
	out := "After the restart the sources read on: " + strings.Join(a.from, ", ") + "."
	if a.waited == 0 {
		return out + " All from there on is counted then."
	}
	place := "were in flight"
	if w.run.Job().Settings.Strategy == "kafka-streams" {
		place = "lay in the repartition log"
	}
	return out + fmt.Sprintf(" %d from before %s, and were counted without being read again.", a.waited, place)
}
