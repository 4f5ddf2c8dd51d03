package quizzes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// A template asks about a crash that nobody wrote down: scenario, seed of the run
// and moment are drawn, the engine runs it, and key, options and explanations are
// what it found. Texts may use {n} and {event}, the last event before the crash,
// and {answer}.

// Bounds of what a template draws.
const (
	runSeeds    = 1000 // seeds of runs are 1 to this
	crashDraws  = 60   // crashes tried until one is a question
	evenDraws   = 45   // of them may only look for the verdict that is drawn, exact or another
	leastSlips  = 2    // wrong options that must remain
	eventOfNone = "nothing has happened yet"
)

func (q *Question) checkCrash(bad func(what, do string)) {
	switch {
	case q.Asks.Scenario == "" || q.Asks.Crash == "":
		bad("a drawn crash needs run and crash", "crash lists the faults to draw from, such as crash-job")
	case len(q.Options) > 0:
		bad("a drawn crash has options", "leave them out: the engine writes them")
	case q.Kind == CrashCount && (q.Asks.Answer == "" || len(q.Slips) < leastSlips || q.Right.Text == ""):
		bad("a count needs answer, right, and two slips", "each slip is an expression, and why somebody would count so")
	case q.Kind == CrashOffset && q.Right.Text == "":
		bad("an offset needs right", "explain why the partition goes on there")
	}
	for _, m := range []Moment{q.Asks.From, q.Asks.Until} {
		if m != "" && m != Start && m != End {
			if _, err := engine.ParseFault("crash-job@" + string(m)); err != nil {
				bad("moment "+string(m)+": "+err.Error(), "")
			}
		}
	}
}

// deriveCrash draws crashes until one makes a question.
func (q *Question) deriveCrash(eng Engine, seed uint64) error {
	blank := *q
	var last error
	for try := range crashDraws {
		*q = blank // a draw that made no question leaves nothing behind
		q.Derived = &Derived{Record: engine.NoRecord}
		ok, err := q.drawCrash(eng, seed, try)
		var missing *Missing
		var never *engine.NeverStruck
		if errors.As(err, &missing) || errors.As(err, &never) {
			last = err
			continue
		}
		if err != nil || ok {
			return err
		}
	}
	if last != nil {
		return fmt.Errorf("no question in %d draws: %w", crashDraws, last)
	}
	return fmt.Errorf("no question in %d draws; widen from and until, or give more slips", crashDraws)
}

func (q *Question) drawCrash(eng Engine, seed uint64, try int) (bool, error) {
	words, ok, err := q.drawVars(seed, try)
	if err != nil || !ok {
		return false, err
	}
	pick := func(what string, from []string) string { return from[q.dice(seed, try, what)%uint64(len(from))] }
	scenarios, drawn := append([]string{q.Asks.Scenario}, q.Asks.Others...), try
	if q.Asks.Even {
		drawn = 0 // a verdict that a scenario seldom has must not drive it out
	}
	q.Asks.Scenario = scenarios[q.dice(seed, drawn, "scenario")%uint64(len(scenarios))]
	q.Asks.Seed = strconv.FormatUint(1+q.dice(seed, try, "seed")%runSeeds, 10)
	if err := q.play(eng); err != nil {
		return false, err
	}
	before := q.Derived.Run
	q.drawPartition(seed, try, words)
	lo, hi, err := q.window(before)
	if err != nil || hi < lo {
		return false, err
	}
	at := lo + int(q.dice(seed, try, "moment")%uint64(hi-lo+1))
	fault := fmt.Sprintf("%s@%d", pick("crash", q.Asks.Crashes), at)
	q.Asks.Faults = append(slices.Clone(q.Asks.Faults), fault)
	if err := q.play(eng); err != nil {
		return false, err
	}
	q.Derived.At = at
	q.Derived.Words = append(q.Derived.Words, "{n}", strconv.Itoa(at), "{event}", eventBefore(before.Trace, at))
	for _, v := range q.Asks.Vars {
		q.Derived.Words = append(q.Derived.Words, "{"+v.Name+"}", Figure(words[v.Name]))
	}
	if ok, err := q.resultHolds(q.Derived.Run); err != nil || !ok {
		return false, err
	}
	if wanted := q.dice(seed, 0, "exact")%2 == 0; q.Asks.Even && try < evenDraws && (q.Derived.Run.Class() == check.Exact) != wanted {
		return false, nil
	}
	if q.Kind == CrashClass {
		return q.classOptions()
	}
	return q.countOptions()
}

// drawPartition gives an offset question its partition, where the author draws none.
func (q *Question) drawPartition(seed uint64, try int, words map[string]float64) {
	if q.Kind != CrashOffset || len(q.Asks.Vars) > 0 {
		return
	}
	n := uint64(len(q.Derived.Job.Input.Parts))
	q.Asks.Vars = []Var{{Name: "p"}}
	words["p"] = float64(q.dice(seed, try, "p") % n)
}

// window is the moments of the run without the crash that are drawn from.
func (q *Question) window(r *Run) (lo, hi int, err error) {
	hi = r.Trace.Len()
	if q.Asks.From != "" {
		if lo, err = r.At(q.Asks.From); err != nil {
			return 0, 0, err
		}
	}
	if q.Asks.Until != "" {
		hi, err = r.At(q.Asks.Until)
	}
	return lo, hi, err
}

// Told is event n of a run in words, as a question tells it: no sentence says what
// is still missing, which may be what is asked.
func Told(t *trace.Trace, n int) string {
	s := trace.Sentence(t, t.At(n))
	for _, hint := range []string{"; its value was still missing.", "; its id was still missing."} {
		s = strings.Replace(s, hint, ".", 1)
	}
	return s
}

func eventBefore(t *trace.Trace, n int) string {
	if n == 0 {
		return eventOfNone
	}
	s := Told(t, n)
	if s[len(s)-1] == '.' {
		s = s[:len(s)-1]
	}
	return s
}

// countOptions makes a choice of the number and of the slips that differ from it
// and from each other. Slips that this run does not have are left out.
func (q *Question) countOptions() (bool, error) {
	answer := q.Asks.Answer
	if answer == "" {
		answer = "to source.rewound@source/{p}"
	}
	v, err := q.Derived.Run.Ask(q.Fill(answer))
	if err != nil || v.Text != "" || v.Num < 0 {
		return false, err
	}
	q.Derived.Number = v.Num
	q.Derived.Words = append(q.Derived.Words, "{answer}", Figure(v.Num))
	q.Options = []Option{{Text: q.made(q.figure(v.Num)), Right: true, Why: q.Right}}
	seen := []float64{v.Num}
	for _, s := range append(slices.Clone(q.Slips), q.offsetSlips()...) {
		w, err := q.Derived.Run.Ask(q.Fill(s.Value))
		var missing *Missing
		if errors.As(err, &missing) || err == nil && (w.Num < 0 || slices.Contains(seen, w.Num)) {
			continue
		}
		if err != nil {
			return false, err
		}
		if len(q.Options) < 6 {
			seen = append(seen, w.Num)
			q.Options = append(q.Options, Option{Text: q.made(q.figure(w.Num)), Why: s.Why})
		}
	}
	q.close()
	return len(q.Options) > leastSlips, nil
}

// close turns what was drawn into a question with one right option.
func (q *Question) close() {
	for i := range q.Options {
		q.Options[i].ID = OptionID(i)
	}
	q.Kind, q.Slips, q.Right, q.Else = Single, nil, Text{}, Text{}
}

func (q *Question) figure(v float64) string {
	if q.Asks.Unit == "" {
		return Figure(v)
	}
	unit := q.Asks.Unit
	if v == 1 && len(unit) > 2 { // not ms
		unit = strings.TrimSuffix(unit, "s")
	}
	return Figure(v) + " " + unit
}

// made is a text that the engine wrote; its place is the question's.
func (q *Question) made(s string) Text {
	t := q.Stem
	t.HTML, t.Text = "", plainText.Replace(s)
	return t
}

// offsetSlips are the wrong places that a reader could be believed to go on from.
func (q *Question) offsetSlips() []Slip {
	if q.Kind != CrashOffset {
		return nil
	}
	out := []Slip{
		{Value: "from source.rewound@source/{p}", Why: q.made("That is how far it had read when it died. This number died with it.")},
		{Value: "0", Why: q.made("A sealed checkpoint holds a later offset, so nobody begins again from zero.")},
	}
	t := q.Derived.Run.Trace
	for n := q.Derived.At; n > 0; n-- {
		e := t.At(n)
		if e.Kind == engine.BarrierInjected && t.Job.Plan.Name(e.Task) == q.Fill("source/{p}") {
			return append(out, Slip{Value: strconv.FormatInt(e.After, 10), Why: q.made("A newer checkpoint has noted this offset. It was not sealed, so it does not count.")})
		}
	}
	return out
}
