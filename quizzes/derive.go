package quizzes

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"effectivelyonce/engine"
)

// CompileFunc makes a job and its faults from what a question says. An empty seed
// is the scenario's own.
type CompileFunc func(scenario, seed string, set, faults []string) (*engine.Job, []engine.Fault, error)

// Engine is what questions need of the engine.
type Engine struct {
	Compile CompileFunc
	Run     RunFunc
}

// Derive works out the question's answer for a seed and returns a question that
// holds it. A question about which nothing is drawn or run comes back unchanged.
// One that was derived before is derived again from what the file says.
func (q *Question) Derive(eng Engine, seed uint64) (*Question, error) {
	if q.from != nil {
		q = q.from
	}
	if !q.Drawn() {
		return q, nil
	}
	c := *q
	c.from = q
	c.Options, c.Slips = slices.Clone(q.Options), slices.Clone(q.Slips)
	c.Derived = &Derived{Record: engine.NoRecord}
	if err := c.derive(eng, seed); err != nil {
		return q, fmt.Errorf("question %s: %w", q.ID, err)
	}
	c.fillTexts()
	return &c, nil
}

func (q *Question) derive(eng Engine, seed uint64) error {
	switch {
	case q.Kind.crashes():
		return q.deriveCrash(eng, seed)
	case q.Kind == CrashRace:
		return q.deriveRace(eng, seed)
	case q.Asks.Scenario == "":
		return q.deriveDrawn(seed)
	}
	if len(q.Asks.Draw) > 0 || len(q.Asks.Vars) > 0 {
		return q.deriveFromRuns(eng, seed)
	}
	return q.deriveRun(eng, seed)
}

// deriveRun works out a question whose run is known.
func (q *Question) deriveRun(eng Engine, seed uint64) error {
	if err := q.play(eng); err != nil {
		return err
	}
	switch q.Kind {
	case Numeric:
		return q.deriveNumber()
	case PickOne:
		return q.deriveMoments(eng, seed)
	case PickEvt:
		return q.deriveEvents()
	}
	return q.deriveOptions()
}

// play runs what the question is about.
func (q *Question) play(eng Engine) error {
	job, faults, err := eng.Compile(q.Asks.Scenario, q.Asks.Seed, q.Asks.Set, q.Asks.Faults)
	if err != nil {
		return err
	}
	run, err := Play(eng.Run, job, faults)
	if err != nil {
		return err
	}
	d := q.Derived
	d.Job, d.Faults, d.Run, d.Last = job, faults, run, run.Trace.Len()
	return nil
}

// deriveOptions lets the engine decide which options are right.
func (q *Question) deriveOptions() error {
	right := 0
	for i := range q.Options {
		o := &q.Options[i]
		if o.Holds == "" {
			return nil
		}
		ok, err := holds(q.Derived.Run, o.Holds)
		if err != nil {
			return err
		}
		if o.Right = ok; ok {
			right++
		}
	}
	if right == 0 || q.Kind == Single && right != 1 {
		return fmt.Errorf("the engine finds %d right options", right)
	}
	return nil
}

// holds evaluates an expression; what the run does not have makes it false.
func holds(r *Run, expr string) (bool, error) {
	e, err := ParseExpr(expr)
	if err != nil {
		return false, err
	}
	ok, err := e.True(r)
	var missing *Missing
	if errors.As(err, &missing) {
		return false, nil
	}
	return ok, err
}

func (q *Question) deriveNumber() error {
	v, err := q.Derived.Run.Ask(q.Fill(q.Asks.Answer))
	if err != nil {
		return err
	}
	if v.Text != "" {
		return fmt.Errorf("answer %q is a word, not a number", q.Asks.Answer)
	}
	q.Derived.Number = v.Num
	for _, s := range q.Slips {
		w, err := q.Derived.Run.Ask(q.Fill(s.Value))
		if err != nil {
			return err
		}
		if q.near(w.Num, v.Num) {
			return &noQuestion{fmt.Sprintf("the slip %q gives %s, which is the answer", s.Value, w)}
		}
		q.Derived.Slips = append(q.Derived.Slips, w.Num)
	}
	return nil
}

// most is the share of the timeline that the right moments may hold.
var most = map[string]float64{"easy": 1.0 / 2, "medium": 1.0 / 3, "hard": 1.0 / 3}

// deriveMoments tries the crash at every moment. Where a record is drawn, records
// are tried in an order fixed by the seed until the set of right moments is
// neither empty nor too large to be a question.
func (q *Question) deriveMoments(eng Engine, seed uint64) error {
	runs, err := q.crashEverywhere(eng)
	if err != nil {
		return err
	}
	for _, id := range q.records(seed) {
		q.Derived.Record, q.Derived.Set = id, nil
		for n, r := range runs {
			ok, err := q.resultHolds(r)
			if err != nil {
				return err
			}
			if ok {
				q.Derived.Set = append(q.Derived.Set, n)
			}
		}
		share := float64(len(q.Derived.Set)) / float64(len(runs))
		if len(q.Derived.Set) > 0 && share <= most[q.Difficulty] {
			return q.deriveRegions()
		}
	}
	return &noQuestion{fmt.Sprintf("no draw gives a set of right moments that is neither empty nor above %.0f %% of the timeline", 100*most[q.Difficulty])}
}

func (q *Question) crashEverywhere(eng Engine) ([]*Run, error) {
	var runs []*Run
	for n := 0; n <= q.Derived.Last; n++ {
		f, err := engine.ParseFault(fmt.Sprintf("%s@%d", q.Asks.Crash, n))
		if err != nil {
			return nil, err
		}
		r, err := Play(eng.Run, q.Derived.Job, append(slices.Clone(q.Derived.Faults), f))
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func (q *Question) resultHolds(r *Run) (bool, error) {
	for _, expr := range q.Asks.Result {
		ok, err := holds(r, q.Fill(expr))
		if err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// Fill puts what was drawn into a text: numbers, and a record's id and key.
func (q *Question) Fill(s string) string {
	if q.Derived == nil {
		return s
	}
	if s = strings.NewReplacer(q.Derived.Words...).Replace(s); q.Derived.Record == engine.NoRecord {
		return s
	}
	in := q.Derived.Job.Input
	return strings.NewReplacer("{id}", q.Derived.Record.String(), "{key}", in.Keys[in.At(q.Derived.Record).Key]).Replace(s)
}

func (q *Question) deriveRegions() error {
	for _, s := range q.Slips {
		n, err := q.Derived.Run.At(Moment(q.Fill(string(s.Until))))
		if err != nil {
			return err
		}
		q.Derived.Regions = append(q.Derived.Regions, n)
	}
	return nil
}

func shuffledRecords(in *engine.Input, seed uint64) []engine.RecordID {
	var ids []engine.RecordID
	for p, part := range in.Parts {
		for o := range part {
			ids = append(ids, engine.RecordID{Part: int16(p), Off: int32(o)})
		}
	}
	rank := func(id engine.RecordID) uint64 {
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "%d %s", seed, id)
		return h.Sum64()
	}
	slices.SortFunc(ids, func(a, b engine.RecordID) int {
		if rank(a) < rank(b) {
			return -1
		}
		return 1
	})
	return ids
}
