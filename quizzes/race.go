package quizzes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// A race asks which of several jobs has its state back first, or last, after the
// same kind of crash. The author names the lanes, each with its scenario and fault;
// which of them run, the numbers in their settings, the seed of the runs and
// "first" or "last" are drawn. The key is the longest or shortest recovery that the
// engine measured (trace.RecoveryOf, facts 12), and every explanation shows it.

const (
	raceLanes  = 4    // lanes of one question
	leastLanes = 3    // lanes that a file must name
	raceMargin = 0.08 // by how much the key is ahead of the next lane, as a share of its time
)

func (q *Question) checkRace(bad func(what, do string)) {
	if q.Kind != CrashRace {
		for _, o := range q.Options {
			if o.Lane != (Lane{}) {
				bad("an option has scenario or crash", "only options of a crash-race have them")
				return
			}
		}
		return
	}
	if len(q.Options) < leastLanes {
		bad(fmt.Sprintf("%d lanes", len(q.Options)), "allowed: 3 or more options, each with scenario and crash")
	}
	for _, o := range q.Options {
		if o.Lane.Scenario == "" || o.Lane.Fault == "" || o.Right || o.Holds != "" {
			bad("a lane needs scenario and crash, and neither right nor holds", "the engine finds out which is right")
			return
		}
	}
}

// ranLane is a lane that has run.
type ranLane struct {
	option Option
	run    *Run
	fault  []engine.Fault
	back   trace.Recovery
}

// deriveRace draws races until one lane is clearly ahead of the others, or behind.
func (q *Question) deriveRace(eng Engine, seed uint64) error {
	blank := *q
	var last error
	for try := range crashDraws {
		*q = blank
		q.Derived = &Derived{Record: engine.NoRecord}
		ok, err := q.drawRace(eng, seed, try)
		var missing *Missing
		var never *engine.NeverStruck
		var fault *engine.BadFault
		if errors.As(err, &missing) || errors.As(err, &never) || errors.As(err, &fault) {
			last = err // a lane has no such moment with this seed
			continue
		}
		if err != nil || ok {
			return err
		}
	}
	if last != nil {
		return fmt.Errorf("no question in %d draws: %w", crashDraws, last)
	}
	return fmt.Errorf("no question in %d draws; let the lanes differ by more", crashDraws)
}

func (q *Question) drawRace(eng Engine, seed uint64, try int) (bool, error) {
	words, ok, err := q.drawVars(seed, try)
	if err != nil || !ok {
		return false, err
	}
	for _, v := range q.Asks.Vars {
		q.Derived.Words = append(q.Derived.Words, "{"+v.Name+"}", Figure(words[v.Name]))
	}
	q.Asks.Seed = strconv.FormatUint(1+q.dice(seed, try, "seed")%runSeeds, 10)
	q.Asks.Set = slices.Clone(q.Asks.Set)
	for i, s := range q.Asks.Set {
		q.Asks.Set[i] = q.Fill(s)
	}
	var lanes []ranLane
	for _, i := range q.drawLanes(seed, try) {
		l, err := q.runLane(eng, q.Options[i])
		if err != nil || !l.back.Back {
			return false, err
		}
		lanes = append(lanes, l)
	}
	first := q.dice(seed, try, "which")%2 == 0
	key, clear := winner(lanes, first, (*ranLane).total)
	byHand, clearly := winner(lanes, first, (*ranLane).sum)
	if !clear || !clearly || key != byHand {
		return false, nil
	}
	q.raceOptions(lanes, key, first)
	return true, nil
}

// drawLanes are the options that run, in the order of the file.
func (q *Question) drawLanes(seed uint64, try int) []int {
	all := make([]int, len(q.Options))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(a, b int) int {
		if q.dice(seed, try, "lane "+strconv.Itoa(a)) < q.dice(seed, try, "lane "+strconv.Itoa(b)) {
			return -1
		}
		return 1
	})
	all = all[:min(len(all), raceLanes)]
	slices.Sort(all)
	return all
}

func (q *Question) runLane(eng Engine, o Option) (ranLane, error) {
	o.Lane.Fault = q.Fill(o.Lane.Fault)
	l := ranLane{option: o}
	job, faults, err := eng.Compile(o.Lane.Scenario, q.Asks.Seed, q.Asks.Set, []string{o.Lane.Fault})
	if err != nil {
		return l, err
	}
	l.fault = faults
	if l.run, err = Play(eng.Run, job, faults); err != nil {
		return l, err
	}
	l.back, _ = trace.RecoveryOf(l.run.Trace)
	return l, nil
}

func (l *ranLane) total() engine.Time { return l.back.Total() }

// winner is the lane that is back first or last by some time of it, and whether it
// is so clearly. A race counts only if the measured time and the one that a reader
// can work out agree.
func winner(lanes []ranLane, first bool, time func(*ranLane) engine.Time) (key int, clear bool) {
	ahead := func(a, b engine.Time) bool { return a < b == first && a != b }
	for i := range lanes {
		if ahead(time(&lanes[i]), time(&lanes[key])) {
			key = i
		}
	}
	best := time(&lanes[key])
	for i := range lanes {
		gap := time(&lanes[i]) - best
		if i != key && float64(max(gap, -gap)) < raceMargin*float64(best) {
			return key, false
		}
	}
	return key, true
}

// raceOptions makes a choice of the lanes that ran. The run that proves the answer
// is the one of the key.
func (q *Question) raceOptions(lanes []ranLane, key int, first bool) {
	which := "last"
	if first {
		which = "first"
	}
	q.Options = nil
	for i, l := range lanes {
		o := l.option
		o.Right = i == key
		o.Lane.At, o.Lane.Needs = l.struck(), l.needs()
		o.Why.Text += " " + l.measured()
		q.Options = append(q.Options, o)
	}
	d, k := q.Derived, lanes[key]
	d.Job, d.Faults, d.Run, d.Last = k.run.Job(), k.fault, k.run, k.run.Trace.Len()
	d.At, d.Number = k.struck(), k.back.Total().Millis()
	d.Words = append(d.Words, "{which}", which, "{answer}", Figure(d.Number))
	q.Asks.Scenario, q.Asks.Faults = k.option.Lane.Scenario, []string{k.option.Lane.Fault}
	q.close()
}

// measured is what the way back of a lane took.
func (l *ranLane) measured() string {
	bytes := l.run.Job().Settings.Bytes(l.fetched())
	return fmt.Sprintf("Here it was back after %.0f ms: %d bytes of state to fetch, %s counted again. That is %.0f ms to notice and start, %.0f for the state, %.0f to count again.",
		l.back.Total().Millis(), bytes, records(l.again()), (l.back.Detect + l.back.Restart).Millis(), l.back.Restore.Millis(), l.back.Replay.Millis())
}

func records(n int) string {
	if n == 1 {
		return "1 record"
	}
	return strconv.Itoa(n) + " records"
}

// fetched is how many entries of state crossed the network on the way back.
func (l *ranLane) fetched() int64 {
	t, set := l.run.Trace, &l.run.Job().Settings
	switch how := set.Recovery(); how {
	case "snapshot", "snapshot-incremental":
		return int64(l.back.Restore / max(1, set.Transfer(1)))
	case "changelog", "standby":
		return changelogRead(t)
	case "cdc":
		return int64(keysWritten(t))
	}
	return 0
}

// changelogRead is how many entries of a changelog a new store read: those whose
// transaction was committed, or for a standby those that it had not read yet.
func changelogRead(t *trace.Trace) int64 {
	n, open := int64(0), map[engine.Txn]int64{}
	for i := 1; i <= t.Len(); i++ {
		switch e := t.At(i); e.Kind {
		case engine.ChangelogAppend:
			open[e.Txn]++
		case engine.TxnCommit:
			n += open[e.Txn]
			delete(open, e.Txn)
		case engine.StandbyPromoted:
			return e.Before
		case engine.RestoreDone:
			if atCounter(t, e) {
				return n
			}
		}
	}
	return n
}

// atCounter reports whether the event is one of a task that counts.
func atCounter(t *trace.Trace, e *engine.Event) bool {
	return e.Task >= 0 && trace.Counts(t.Job.Plan.Tasks[e.Task].Kind)
}

// keysWritten is how many rows the outside table had when the fault hit.
func keysWritten(t *trace.Trace) int {
	keys := map[engine.KeyID]bool{}
	for i := 1; i <= t.Len() && t.At(i).Kind != engine.FaultInjected; i++ {
		if e := t.At(i); e.Kind == engine.SinkWrite {
			keys[e.Key] = true
		}
	}
	return len(keys)
}

// again is how many records were counted before the fault and after it.
func (l *ranLane) again() int {
	t, counted, twice := l.run.Trace, map[engine.RecordID]bool{}, map[engine.RecordID]bool{}
	struck := false
	for i := 1; i <= t.Len(); i++ {
		e := t.At(i)
		switch {
		case e.Kind == engine.FaultInjected:
			struck = true
		case e.Kind != engine.RecordProcessed || !atCounter(t, e):
		case !struck:
			counted[e.Rec] = true
		case counted[e.Rec]:
			twice[e.Rec] = true
		}
	}
	return len(twice)
}
