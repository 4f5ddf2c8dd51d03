package quizzes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// What a question about a run may draw, beside its numbers.
const (
	drawRecord = "record" // {id} and {key}
	drawRun    = "run"    // the seed of the run
)

// runDraws is how many runs are tried until one makes a question.
const runDraws = 40

// noQuestion is a draw that makes no question: another one may.
type noQuestion struct{ why string }

func (e *noQuestion) Error() string { return e.why }

func (q *Question) draws(what string) bool { return slices.Contains(q.Asks.Draw, what) }

// records are the records that {id} may be, in the order of the draw.
func (q *Question) records(seed uint64) []engine.RecordID {
	if !q.draws(drawRecord) {
		return []engine.RecordID{engine.NoRecord}
	}
	return shuffledRecords(q.Derived.Job.Input, seed)
}

// deriveFromRuns draws numbers and the seed of the run until they make a question:
// every event it speaks of happens, its conditions hold, and no slip is the answer.
func (q *Question) deriveFromRuns(eng Engine, seed uint64) error {
	blank := *q
	var last error
	for try := range runDraws {
		*q = blank
		q.Derived = &Derived{Record: engine.NoRecord}
		err := q.drawRun(eng, seed, try)
		if err == nil {
			return nil
		}
		var none *noQuestion
		var missing *Missing
		var never *engine.NeverStruck
		if !errors.As(err, &none) && !errors.As(err, &missing) && !errors.As(err, &never) {
			return err
		}
		if last = err; !q.draws(drawRun) && len(q.Asks.Vars) == 0 {
			return err // nothing else to try
		}
	}
	return fmt.Errorf("no question in %d draws: %w", runDraws, last)
}

func (q *Question) drawRun(eng Engine, seed uint64, try int) error {
	words, ok, err := q.drawVars(seed, try)
	if err != nil {
		return err
	}
	if !ok {
		return &noQuestion{"the conditions of where do not hold"}
	}
	for _, v := range q.Asks.Vars {
		q.Derived.Words = append(q.Derived.Words, "{"+v.Name+"}", Figure(words[v.Name]))
	}
	if q.draws(drawRun) {
		q.Asks.Seed = strconv.FormatUint(1+q.dice(seed, try, "seed")%runSeeds, 10)
	}
	fill := func(texts []string) []string {
		texts = slices.Clone(texts)
		for i := range texts {
			texts[i] = q.Fill(texts[i])
		}
		return texts
	}
	q.Asks.Set, q.Asks.Faults = fill(q.Asks.Set), fill(q.Asks.Faults)
	if err := q.deriveRun(eng, seed); err != nil {
		return err
	}
	if q.Kind == Numeric {
		if ok, err := q.resultHolds(q.Derived.Run); err != nil || !ok {
			return errors.Join(err, &noQuestion{"the conditions of result do not hold"})
		}
		q.Derived.Words = append(q.Derived.Words, "{answer}", Figure(q.Derived.Number))
	}
	return nil
}

// deriveEvents finds the right events. Where a record is drawn, those are tried in
// the order of the draw.
func (q *Question) deriveEvents() error {
	seed, err := strconv.ParseUint("0"+q.Asks.Seed, 10, 64)
	if err != nil {
		return err
	}
	var last error = &noQuestion{"the conditions of result do not hold"}
	for _, id := range q.records(seed) {
		q.Derived.Record, q.Derived.Set = id, nil
		if ok, err := q.resultHolds(q.Derived.Run); err != nil {
			return err
		} else if !ok {
			continue
		}
		if last = q.findEvents(); last == nil {
			return nil
		}
	}
	return last
}

func (q *Question) findEvents() error {
	for _, spec := range q.Asks.Events {
		set, err := q.Derived.Run.events(q.Fill(spec))
		if err != nil {
			return err
		}
		q.Derived.Set = append(q.Derived.Set, set...)
	}
	for _, s := range q.Slips { // a name that does not exist would never match, silently
		for _, spec := range s.Kinds {
			var missing *Missing
			if _, err := q.Derived.Run.events(q.Fill(spec)); err != nil && !errors.As(err, &missing) {
				return err
			}
		}
	}
	slices.Sort(q.Derived.Set)
	q.Derived.Set = slices.Compact(q.Derived.Set)
	if len(q.Derived.Set) == 0 {
		return &noQuestion{"no event is right"}
	}
	return nil
}

// events are the numbers of the events that a name means:
//
//	NAME [after NAME] [before NAME]
//
// A kind alone is all events of it; one with a task or a record, and no number
// behind it, is the first of them. With after or before it is all of them between
// those two.
func (r *Run) events(spec string) ([]int, error) {
	words := strings.Fields(spec)
	if len(words)%2 == 0 {
		return nil, fmt.Errorf("events %q; allowed: NAME, NAME after NAME, NAME before NAME, NAME after NAME before NAME", spec)
	}
	lo, hi := 0, r.Trace.Len()
	for i := 1; i+1 < len(words); i += 2 {
		e, err := r.Event(words[i+1])
		switch {
		case err != nil:
			return nil, err
		case words[i] == "after":
			lo = int(e.N)
		case words[i] == "before":
			hi = int(e.N) - 1
		default:
			return nil, fmt.Errorf("events %q: found %q; allowed: after, before", spec, words[i])
		}
	}
	kind, isKind := engine.ParseKind(words[0])
	if len(words) == 1 && !isKind {
		e, err := r.Event(words[0])
		if err != nil {
			return nil, err
		}
		return []int{int(e.N)}, nil
	}
	w := engine.When{}
	if !isKind {
		var err error
		if w, err = when(r.Job(), "after:"+words[0]); err != nil {
			return nil, err
		}
	}
	var out []int
	for n := lo + 1; n <= hi; n++ {
		if e := r.Trace.At(n); isKind && e.Kind == kind || !isKind && w.Matches(r.Job().Plan, e) {
			out = append(out, n)
		}
	}
	return out, nil
}
