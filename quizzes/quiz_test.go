package quizzes_test

import (
	"slices"
	"strings"
	"testing"

	"effectivelyonce/quizzes"
)

const quizText = `- id: single
  kind: single
  ask: Which?
  options:
    - {text: one, why: no}
    - {text: two, right: true, why: yes}
- id: multi
  kind: multi
  ask: Which two?
  options:
    - {text: one, right: true, why: yes}
    - {text: two, why: no}
    - {text: three, right: true, why: yes}
- id: order
  kind: order
  ask: In which order?
  right: first forward, then copy
  options:
    - {text: aligned, why: first}
    - {text: forward, why: second}
    - {text: copy, why: third}
  slips: [{order: [c, b], why: the textbook order}]
  else: not quite
- id: number
  kind: numeric
  ask: How many?
  run: {scenario: hook-charges, faults: ["crash-job@before:checkpoint.complete~2"]}
  answer: duplicated
  right: counted from the line
  slips: [{value: observed, why: all of them}]
  else: count again
- id: computed
  kind: single
  ask: Which class?
  run: {scenario: hook-charges, faults: ["crash-job@before:checkpoint.complete~2"]}
  options:
    - {text: exact, holds: class = exact, why: w}
    - {text: twice, holds: class = duplicated, why: w}
    - {text: lost, holds: class = lost, why: w}
- id: moment
  kind: moment
  ask: When is {id} charged twice?
  run: {scenario: hook-charges}
  draw: record
  crash: crash-job
  result: ["duplicated of {id} > 0"]
  right: charged and not covered
  slips: [{until: "after:sink.write({id})", why: not charged yet}]
  else: covered by the seal
- id: event
  kind: event
  ask: Which event fixed the offset?
  run: {scenario: hook-charges}
  events: [barrier.injected~1@source/0, snapshot.taken~1@source/0]
  right: here
  slips:
    - {events: [source.read], why: reading only moves it}
    - {events: [checkpoint.complete~1], why: it was noted earlier}
  else: no position is noted here
- id: order2
  kind: order
  ask: In which order, then?
  right: any order of the first two
  also: [b a c]
  options: [{text: one, why: w}, {text: two, why: w}, {text: three, why: w}]
`

func quiz(t *testing.T, eng quizzes.Engine, seed uint64) map[string]*quizzes.Question {
	t.Helper()
	qs, problems := quizzes.Read("quiz.yaml", []byte(quizText))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	out := map[string]*quizzes.Question{}
	for _, q := range qs {
		d, err := q.Derive(eng, seed)
		if err != nil {
			t.Fatal(err)
		}
		out[q.ID] = d
	}
	return out
}

func TestGrading(t *testing.T) {
	qs := quiz(t, engineOf(t), 1)
	written, err := qs["moment"].Derived.Run.Event("sink.write(" + qs["moment"].Derived.Record.String() + ")")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		q     string
		r     quizzes.Reply
		right bool
		why   string
	}{
		{"single", quizzes.Reply{Options: []string{"b"}}, true, ""},
		{"single", quizzes.Reply{Options: []string{"a"}}, false, ""},
		{"multi", quizzes.Reply{Options: []string{"c", "a"}}, true, ""},
		{"multi", quizzes.Reply{Options: []string{"a"}}, false, ""},
		{"multi", quizzes.Reply{}, false, ""},
		{"multi", quizzes.Reply{Options: []string{"a", "b", "c"}}, false, ""},
		{"order", quizzes.Reply{Options: []string{"a", "b", "c"}}, true, "first forward, then copy"},
		{"order2", quizzes.Reply{Options: []string{"b", "a", "c"}}, true, "any order of the first two"},
		{"order2", quizzes.Reply{Options: []string{"b", "c", "a"}}, false, "any order of the first two"}, // never silent
		{"order", quizzes.Reply{Options: []string{"a", "c", "b"}}, false, "the textbook order"},
		{"order", quizzes.Reply{Options: []string{"b", "a", "c"}}, false, "not quite"},
		{"number", quizzes.Reply{Number: " 5 "}, true, "counted from the line"},
		{"number", quizzes.Reply{Number: "5,0"}, true, "counted from the line"},
		{"number", quizzes.Reply{Number: "21"}, false, "all of them"},
		{"number", quizzes.Reply{Number: "6"}, false, "count again"},
		{"computed", quizzes.Reply{Options: []string{"b"}}, true, ""},
		{"computed", quizzes.Reply{Options: []string{"c"}}, false, ""},
		{"moment", quizzes.Reply{Moment: int(written.N)}, true, "charged and not covered"},
		{"moment", quizzes.Reply{Moment: int(written.N) - 1}, false, "not charged yet"},
		{"moment", quizzes.Reply{Moment: qs["moment"].Derived.Last}, false, "covered by the seal"},
		{"event", quizzes.Reply{Moment: qs["event"].Derived.Set[0]}, true, "here"},
		{"event", quizzes.Reply{Moment: 1}, false, "reading only moves it"},
		{"event", quizzes.Reply{Moment: 115}, false, "it was noted earlier"},
		{"event", quizzes.Reply{Moment: 71}, false, "no position is noted here"},
	} {
		g, err := qs[c.q].Grade(c.r)
		if err != nil {
			t.Errorf("%s %+v: %v", c.q, c.r, err)
			continue
		}
		if g.Right != c.right || g.Why.Text != c.why {
			t.Errorf("%s %+v: right %v, %q; want %v, %q", c.q, c.r, g.Right, g.Why.Text, c.right, c.why)
		}
		if !g.Right && c.why != "" && c.q != "order2" && g.Also.Text == "" {
			t.Errorf("%s %+v: the right answer is not explained", c.q, c.r)
		}
		if n := len(qs[c.q].Options); len(g.Lines) != n {
			t.Errorf("%s: %d of %d options are explained", c.q, len(g.Lines), n)
		}
	}
}

func TestRepliesThatAreNone(t *testing.T) {
	qs := quiz(t, engineOf(t), 1)
	for _, c := range []struct {
		q    string
		r    quizzes.Reply
		want string
	}{
		{"single", quizzes.Reply{}, "found 0 options; allowed: one option"},
		{"single", quizzes.Reply{Options: []string{"x"}}, `found option "x"; allowed: a, b`},
		{"multi", quizzes.Reply{Options: []string{"a", "a"}}, `found option "a" twice; allowed: each option once`},
		{"order", quizzes.Reply{Options: []string{"a"}}, "found 1 steps; allowed: all 3, each once"},
		{"number", quizzes.Reply{Number: "many"}, `found "many"; allowed: a number`},
		{"number", quizzes.Reply{Number: "NaN"}, `found "NaN"; allowed: a number`},
		{"moment", quizzes.Reply{Moment: -1}, "found -1; allowed: 0 to 169"},
		{"event", quizzes.Reply{Moment: 0}, "found 0; allowed: 1 to 169"},
	} {
		if _, err := qs[c.q].Grade(c.r); err == nil || err.Error() != c.want {
			t.Errorf("%s %+v: found %v, want %s", c.q, c.r, err, c.want)
		}
	}
}

// A moment's answers are what the engine finds, not what the author believes.
func TestMomentsAreComputed(t *testing.T) {
	eng := engineOf(t)
	seen := map[string]bool{}
	for seed := uint64(1); seed <= 5; seed++ {
		q := quiz(t, eng, seed)["moment"]
		seen[q.Derived.Record.String()] = true
		if n := len(q.Derived.Set); n == 0 || n > (q.Derived.Last+1)/2 {
			t.Errorf("seed %d: %d right moments of %d", seed, n, q.Derived.Last+1)
		}
		at := q.Derived.Set[0]
		r := play(t, "hook-charges", nil, "crash-job@"+itoa(at))
		if v, err := r.Ask("duplicated of " + q.Derived.Record.String()); err != nil || v.Num == 0 {
			t.Errorf("seed %d: a crash at %d does not repeat %s: %v, %v", seed, at, q.Derived.Record, v, err)
		}
	}
	if len(seen) < 2 {
		t.Errorf("five seeds draw %d records", len(seen))
	}
}

func TestShuffledIsFixedByTheSeed(t *testing.T) {
	q := quiz(t, engineOf(t), 1)["order"]
	orders := map[string]bool{}
	for seed := range uint64(40) {
		a, b := q.Shuffled(seed), q.Shuffled(seed)
		if !slices.Equal(a, b) || slices.IsSorted(a) {
			t.Fatalf("seed %d: %v, %v", seed, a, b)
		}
		orders[itoa(a[0])+itoa(a[1])+itoa(a[2])] = true
	}
	if len(orders) < 3 {
		t.Errorf("only %d orders in 40 seeds", len(orders))
	}
}

func itoa(n int) string { return quizzes.Value{Num: float64(n)}.String() }

func TestQuizzesThatCannotBeRead(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no right option": {"right: true, why: yes}\n- id: multi", "why: yes}\n- id: multi", `quiz.yaml:1: field [0]: question single: 0 options are right`},
		"no explanation":  {"{text: one, why: no}", "{text: one}", `quiz.yaml:5: field [0].options[0]: field "why" is missing`},
		"same id":         {"id: multi", "id: single", `quiz.yaml:7: field [1]: question "single" occurs twice`},
		"unknown kind":    {"kind: numeric", "kind: number", `quiz.yaml:25: field [3].kind: found "number"; allowed: single, multi, order, numeric, moment, event, open, crash-class, crash-count, crash-offset, crash-race`},
		"no answer":       {"  answer: duplicated\n", "", `quiz.yaml:24: field [3]: question number: a number needs run and answer`},
		"a giveaway":      {"text: two, right", "text: two words and many more, right", `quiz.yaml:1: field [0]: question single: the right option is much longer than the others`},
		"holds in part":   {"holds: class = lost, ", "", `quiz.yaml:32: field [4]: question computed: holds is given for some options only`},
		"bad expression":  {"class = lost", "class = lots", `quiz.yaml:39: field [4].options[2]`},
		"no right":        {"  right: here\n", "", `quiz.yaml:50: field [6]: question event: explanations are missing`},
		"unknown draw":    {"draw: record", "draw: lots", `quiz.yaml:40: field [5]: question moment: draw: found "lots"; allowed: record, run`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(quizText, c.old, c.new, 1)
			if text == quizText {
				t.Fatal("the test spoils nothing")
			}
			_, problems := quizzes.Read("quiz.yaml", []byte(text))
			if len(problems) == 0 || !strings.HasPrefix(problems[0].String(), c.want) {
				t.Errorf("found %v\nwant  %s", problems, c.want)
			}
		})
	}
}

// A question whose printed answer is not the engine's must fail.
func TestAnswersThatTheEngineRefuses(t *testing.T) {
	eng := engineOf(t)
	for name, c := range map[string]struct{ old, new, want string }{
		"a slip that is right": {"{value: observed, why", "{value: observed - expected, why", `question number: the slip "observed - expected" gives 5, which is the answer`},
		"two right options":    {"holds: class = exact", "holds: lost = 0", "question computed: the engine finds 2 right options"},
		"none is right":        {"holds: class = duplicated", "holds: class = mixed", "question computed: the engine finds 0 right options"},
		"no such moment":       {"duplicated of {id} > 0", "lost of {id} > 0", "question moment: no draw gives a set of right moments"},
		"no such event":        {"barrier.injected~1@source/0", "barrier.injected~9@source/0", `question event: "barrier.injected~9@source/0" does not occur`},
		"no such scenario":     {"run: {scenario: hook-charges}\n  events", "run: {scenario: hook}\n  events", `question event: unknown scenario "hook"`},
	} {
		t.Run(name, func(t *testing.T) {
			qs, problems := quizzes.Read("quiz.yaml", []byte(strings.Replace(quizText, c.old, c.new, 1)))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var found []string
			for _, q := range qs {
				if _, err := q.Derive(eng, 1); err != nil {
					found = append(found, err.Error())
				}
			}
			if len(found) != 1 || !strings.HasPrefix(found[0], c.want) {
				t.Errorf("found %q\nwant  %s", found, c.want)
			}
		})
	}
}
