package quizzes

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/prose"
	"effectivelyonce/lessons/strict"
)

// Read reads a quiz.yaml: a list of questions.
func Read(file string, data []byte) ([]*Question, []strict.Problem) {
	doc, root, ok := strict.Parse(file, data, 0)
	if !ok {
		return nil, doc.Problems
	}
	var out []*Question
	for _, v := range root.List() {
		q := readQuestion(v)
		if q.ID != "" && slices.ContainsFunc(out, func(o *Question) bool { return o.ID == q.ID }) {
			v.Bad("question "+strict.Quote(q.ID)+" occurs twice", "give each question its own id")
		}
		out = append(out, q)
	}
	return out, doc.Problems
}

var questionFields = []string{"id", "kind", "difficulty", "ask", "options", "right", "slips", "else", "run", "answer", "unit",
	"tolerance", "exact", "vars", "where", "crash", "result", "events", "draw", "from", "until", "sink", "even", "checklist", "model", "gaps", "also"}

func readQuestion(v strict.Value) *Question {
	m := v.Map(questionFields...)
	q := &Question{ID: m.NeedText("id"), File: v.File(), Line: v.Line()}
	if q.ID != "" && !engine.IsName(q.ID) {
		m.Bad("id "+strict.Quote(q.ID), "allowed: 1 to 40 letters, digits, dots, dashes or underscores")
	}
	q.Kind = Kind(m.OneOf("kind", Kinds()...))
	q.Difficulty = m.OneOf("difficulty", "easy", "medium", "hard")
	q.Stem, q.Right, q.Else = MapText(m, "ask", true), MapText(m, "right", false), MapText(m, "else", false)
	q.Asks = Asks{Answer: m.Text("answer"), Unit: m.Text("unit"), Tolerance: m.Float("tolerance", 0, 0, 100),
		Result: m.Texts("result"), Events: m.Texts("events"), Draw: m.Texts("draw"), Where: m.Texts("where"),
		Crashes: m.Texts("crash"), From: Moment(m.Text("from")), Until: Moment(m.Text("until")), Sink: m.Text("sink"), Even: m.Bool("even")}
	if len(q.Asks.Crashes) > 0 {
		q.Asks.Crash = q.Asks.Crashes[0]
	}
	if v, ok := m.Get("vars"); ok {
		q.Asks.Vars = readVars(v)
	}
	if r, ok := m.Get("run"); ok {
		run := r.Map("scenario", "others", "set", "faults")
		q.Asks.Others = run.Texts("others")
		q.Asks.Scenario, q.Asks.Set, q.Asks.Faults = run.Text("scenario"), run.Texts("set"), run.Texts("faults")
		if q.Asks.Scenario == "" && q.Kind != CrashRace { // the lanes of a race have their own
			run.Need("scenario")
		}
	}
	for i, o := range m.List("options") {
		q.Options = append(q.Options, readOption(o, i))
	}
	q.Also = m.Texts("also")
	for _, s := range m.List("slips") {
		q.Slips = append(q.Slips, readSlip(s))
	}
	if q.Kind == Open {
		q.readOpen(m)
	}
	if _, given := m.Get("tolerance"); len(q.Asks.Vars) > 0 && !given && !m.Bool("exact") {
		q.Asks.Tolerance = 2
	}
	q.checkShape(m)
	q.checkVars(m)
	return q
}

func readOption(v strict.Value, i int) Option {
	m := v.Map("text", "right", "why", "holds", "scenario", "crash")
	o := Option{ID: OptionID(i), Text: MapText(m, "text", true), Right: m.Bool("right"), Why: MapText(m, "why", true), Holds: m.Text("holds")}
	o.Lane = Lane{Scenario: m.Text("scenario"), Fault: m.Text("crash")}
	if h, ok := m.Get("holds"); ok {
		if _, err := ParseExpr(o.Holds); err != nil {
			h.Bad(err.Error(), "")
		}
	}
	return o
}

func readSlip(v strict.Value) Slip {
	m := v.Map("value", "order", "until", "events", "why")
	return Slip{Value: m.Text("value"), Order: m.Texts("order"), Until: Moment(m.Text("until")), Kinds: m.Texts("events"), Why: MapText(m, "why", true)}
}

// OptionID is the letter of the i-th option of the file.
func OptionID(i int) string { return string(rune('a' + i)) }

// MapText is a text field with its place.
func MapText(m strict.Map, field string, need bool) Text {
	v, ok := m.Get(field)
	if !ok {
		if need {
			m.Need(field)
		}
		return Text{}
	}
	return ValueText(v)
}

// ValueText is a text with its place.
func ValueText(v strict.Value) Text {
	return Text{Source: prose.Source{File: v.File(), Line: v.TextLine(), Text: strings.TrimSpace(v.Text())}}
}

// checkShape reports what the question's kind needs and does not have.
func (q *Question) checkShape(m strict.Map) {
	bad := func(what, do string) { m.Bad("question "+q.ID+": "+what, do) }
	if q.Kind == Open {
		if what, do := q.checkOpen(); what != "" {
			bad(what, do)
		}
		return
	}
	if q.Kind.crashes() {
		q.checkCrash(bad)
		return
	}
	if q.checkRace(bad); q.Kind == CrashRace {
		return
	}
	right, holds := 0, 0
	for _, o := range q.Options {
		if o.Right {
			right++
		}
		if o.Holds != "" {
			holds++
		}
	}
	choice := q.Kind == Single || q.Kind == Multi
	switch {
	case choice && (len(q.Options) < 2 || len(q.Options) > 6):
		bad(fmt.Sprintf("%d options", len(q.Options)), "allowed: 2 to 6")
	case q.Kind == Single && holds == 0 && right != 1:
		bad(fmt.Sprintf("%d options are right", right), "mark exactly one with right: true, or let the engine decide with holds")
	case q.Kind == Single && q.giveaway():
		bad("the right option is much longer than the others", "say as much in each; the right one at most 1.3 times the longest wrong one")
	case q.Kind == Multi && holds == 0 && right == 0:
		bad("no option is right", "mark at least one with right: true")
	case holds > 0 && (holds != len(q.Options) || right > 0 || q.Asks.Scenario == ""):
		bad("holds is given for some options only, or beside right, or without run", "give each option holds, and the question a run")
	case q.Kind == Order && len(q.Options) < 3:
		bad(fmt.Sprintf("%d steps", len(q.Options)), "allowed: 3 or more options, in their right order")
	case len(q.Also) > 0 && !q.ordersAll():
		bad("also", "list orders of all options by their letters, such as \"a c b\"; only a question of order has them")
	case q.Kind == Order && q.Right.Text == "":
		bad("an order needs right", "say why the steps come in this order")
	case q.Kind == Numeric && (q.Asks.Answer == "" || !q.Drawn()):
		bad("a number needs run and answer", "answer is an expression over the run; or a formula over vars, without run")
	case q.Kind == PickOne && (q.Asks.Crash == "" || len(q.Asks.Result) == 0 || q.Asks.Scenario == ""):
		bad("a moment needs run, crash and result", "result lists what must be true when the crash comes at that moment")
	case q.Kind == PickEvt && (len(q.Asks.Events) == 0 || q.Asks.Scenario == ""):
		bad("an event needs run and events", "events lists the right ones")
	case q.slipBefore():
		bad("a slip ends before: an event", "write until: after:EVENT. It explains the moments in front of that one, and the last of them lies before the event")
	case !choice && q.Kind != Order && (q.Right.Text == "" || q.Else.Text == "" && len(q.Slips) == 0):
		bad("explanations are missing", "write right, and slips or else")
	case choice && len(q.Asks.Draw) > 0:
		bad("options of a drawn run", "a question with options draws its run as crash-class or crash-count")
	}
	q.checkDraw(bad)
}

// slipBefore reports whether a slip ends one moment too early: until names the first
// moment that is no longer explained, and "before:" is the last that should be.
func (q *Question) slipBefore() bool {
	return slices.ContainsFunc(q.Slips, func(s Slip) bool { return strings.HasPrefix(string(s.Until), "before:") })
}

// ordersAll reports whether each other right order holds every option once.
func (q *Question) ordersAll() bool {
	for _, o := range q.Also {
		ids := strings.Fields(o)
		slices.Sort(ids)
		if q.Kind != Order || !slices.Equal(ids, q.ids()) {
			return false
		}
	}
	return true
}

func (q *Question) checkDraw(bad func(what, do string)) {
	for _, d := range q.Asks.Draw {
		if d != drawRecord && d != drawRun {
			bad("draw: found "+strict.Quote(d), "allowed: record, run")
		}
	}
	if len(q.Asks.Draw) > 0 && q.Asks.Scenario == "" {
		bad("draw without a run", "run names the scenario to draw from")
	}
}

// giveaway reports whether the right option stands out by its length.
func (q *Question) giveaway() bool {
	right, wrong := 0, 0
	for _, o := range q.Options {
		if n := utf8.RuneCountInString(o.Text.Text); o.Right {
			right = n
		} else {
			wrong = max(wrong, n)
		}
	}
	return right*10 > wrong*13
}

// Texts lists every text of the question, for rendering.
func (q *Question) Texts() []*Text {
	out := []*Text{&q.Stem, &q.Right, &q.Else}
	for i := range q.Options {
		out = append(out, &q.Options[i].Text, &q.Options[i].Why)
	}
	for i := range q.Slips {
		out = append(out, &q.Slips[i].Why)
	}
	for i := range q.Model {
		out = append(out, &q.Model[i])
	}
	for i := range q.Gaps {
		out = append(out, &q.Gaps[i])
	}
	return out
}
