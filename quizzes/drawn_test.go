package quizzes_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

func oneQuestion(t testing.TB, text string) *quizzes.Question {
	t.Helper()
	qs, problems := quizzes.Read("quiz.yaml", []byte(text))
	if len(problems) > 0 || len(qs) != 1 {
		t.Fatal(problems)
	}
	return qs[0]
}

const drawnNumber = `- id: half
  kind: numeric
  ask: "{k} records, {j} written. How many are left?"
  vars: {k: 4..12, j: [1, 2, 3, 6]}
  where: ["j < k", "k != 2 * j"]
  answer: k - j
  exact: true
  right: "{k} less {j} is {answer}."
  slips: [{value: j, why: "those {j} were written"}]
  else: subtract
`

func TestNumbersAreDrawnFromTheSeed(t *testing.T) {
	q := oneQuestion(t, drawnNumber)
	stems := map[string]bool{}
	for seed := range uint64(200) {
		d, err := q.Derive(quizzes.Engine{}, seed)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := d.Derive(quizzes.Engine{}, seed)
		if d.Key() != again.Key() || d.Stem.Text != again.Stem.Text {
			t.Fatalf("seed %d: %s, then %s", seed, d.Key(), again.Key())
		}
		var k, j float64
		if _, err := fmt.Sscanf(d.Stem.Text, "%g records, %g written.", &k, &j); err != nil || d.Derived.Number != k-j || j >= k || k == 2*j {
			t.Fatalf("seed %d: %q has the key %g (%v)", seed, d.Stem.Text, d.Derived.Number, err)
		}
		stems[d.Stem.Text] = true
		g, err := d.Grade(quizzes.Reply{Number: quizzes.Figure(j)})
		if err != nil || g.Right || !strings.HasPrefix(g.Why.Text, "those") {
			t.Fatalf("seed %d: the slip is graded %+v, %v", seed, g, err)
		}
	}
	if len(stems) < 15 {
		t.Errorf("200 seeds ask %d different questions", len(stems))
	}
	if q.Stem.Text != "{k} records, {j} written. How many are left?" {
		t.Errorf("deriving has changed the question that was read: %q", q.Stem.Text)
	}
}

const openText = `- id: words
  kind: open
  ask: Why?
  checklist: [first, second, third]
  model: [because]
  gaps: [everything]
`

func TestOpenQuestionsAreGradedByTheLearner(t *testing.T) {
	q := oneQuestion(t, openText)
	for ticked, want := range map[string]string{"a b c": "right", "b": "partly", "": "missed"} {
		g, err := q.Grade(quizzes.Reply{Options: strings.Fields(ticked)})
		if err != nil || g.Outcome() != want || len(g.Lines) != 3 {
			t.Errorf("%q is %s (%v), want %s", ticked, g.Outcome(), err, want)
		}
	}
	if _, err := q.Grade(quizzes.Reply{Options: []string{"z"}}); err == nil {
		t.Error("a point that is not on the list was taken")
	}
}

const offsetText = `- id: offset
  kind: crash-offset
  ask: "The job dies after event {n}: {event}. Where does partition {p} go on?"
  run: {scenario: restore-rewind}
  crash: [crash-job]
  from: after:checkpoint.complete~1
  until: before:run.ended
  right: That is what the restored checkpoint holds.
`

func TestOffsetsOfDrawnCrashes(t *testing.T) {
	eng, q := engineOf(t), oneQuestion(t, offsetText)
	seen := map[string]bool{}
	for seed := range uint64(20) {
		d, err := q.Derive(eng, seed)
		if err != nil {
			t.Fatal(err)
		}
		seen[d.Key()] = true
		if n := len(d.Options); n < 3 || d.Kind != quizzes.Single || d.Template() != quizzes.CrashOffset {
			t.Errorf("seed %d: a %s with %d options", seed, d.Kind, n)
		}
		sealed := newest(t, d, "checkpoint.complete")
		v, err := d.Derived.Run.Ask(d.Fill(fmt.Sprintf("to barrier.injected~%d@source/{p}", sealed)))
		if err != nil || v.Num != d.Derived.Number {
			t.Errorf("seed %d: checkpoint %d has noted %v (%v), the key is %g", seed, sealed, v, err, d.Derived.Number)
		}
	}
	if len(seen) < 10 {
		t.Errorf("20 seeds ask %d different questions", len(seen))
	}
}

// newest is how often an event happened before the crash.
func newest(t *testing.T, q *quizzes.Question, event string) int {
	t.Helper()
	v, err := q.Derived.Run.Ask("count " + event + " before fault.injected")
	if err != nil {
		t.Fatal(err)
	}
	return int(v.Num)
}

// The keys of all drawn questions are what a run, made afresh from what the
// question's link says, shows.
func TestKeysAreTheEngines(t *testing.T) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	eng := cat.Engine(sim.Run)
	for _, l := range cat.Lessons() {
		for _, q := range l.Quiz {
			if !q.Differs() {
				continue
			}
			t.Run(q.ID, func(t *testing.T) {
				n := keySeeds
				if q.Kind == quizzes.PickOne {
					n = momentSeeds // each seed is a crash at every moment
				}
				keys := map[string]bool{}
				for seed := uint64(1); seed <= uint64(n); seed++ {
					d, err := q.Derive(eng, seed)
					if err != nil {
						t.Fatalf("seed %d: %v", seed, err)
					}
					keys[d.Key()] = true
					if why := differs(eng, q, d); why != "" {
						t.Fatalf("seed %d: %s", seed, why)
					}
				}
				if len(keys) < 3 {
					t.Errorf("%d seeds ask %d different questions", n, len(keys))
				}
			})
		}
	}
}

// differs says how a fresh run contradicts the key.
func differs(eng quizzes.Engine, q, d *quizzes.Question) string {
	if d.Asks.Scenario == "" {
		if math.IsNaN(d.Derived.Number) || len(d.Derived.Slips) != len(q.Slips) {
			return fmt.Sprintf("key %v", d.Derived.Number)
		}
		return ""
	}
	if q.Kind == quizzes.CrashRace {
		return raceDiffers(eng, d)
	}
	switch q.Kind {
	case quizzes.PickOne:
		return momentDiffers(eng, q, d)
	case quizzes.PickEvt:
		return eventDiffers(eng, d)
	}
	job, fs, err := eng.Compile(d.Asks.Scenario, d.Asks.Seed, d.Asks.Set, d.Asks.Faults)
	if err != nil {
		return err.Error()
	}
	r, err := quizzes.Play(eng.Run, job, fs)
	if err != nil {
		return err.Error()
	}
	right := ""
	for _, o := range d.Options {
		if o.Right {
			right = o.Text.Text
		}
	}
	switch q.Kind {
	case quizzes.CrashClass:
		word := map[check.Class]string{check.Exact: "Exact", check.Lost: "Lost", check.Duplicated: "Duplicated", check.Mixed: "Mixed", check.Wrong: "Mixed", check.Stuck: "Stuck"}[r.Class()]
		if !strings.HasPrefix(right, word) {
			return fmt.Sprintf("the run is %s, the key says %q", r.Class(), right)
		}
	case quizzes.CrashCount:
		v, err := r.Ask(d.Fill(q.Asks.Answer))
		if err != nil || v.Num != d.Derived.Number || !strings.HasPrefix(right, quizzes.Figure(v.Num)) {
			return fmt.Sprintf("the run counts %v (%v), the key says %q", v, err, right)
		}
	case quizzes.Numeric:
		if v, err := r.Ask(d.Fill(q.Asks.Answer)); err != nil || v.Num != d.Derived.Number {
			return fmt.Sprintf("the run has %v (%v), the key is %g", v, err, d.Derived.Number)
		}
	}
	return ""
}

func TestAuthorsAreTold(t *testing.T) {
	for name, c := range map[string]struct{ text, old, new, want string }{
		"unknown name in a formula": {drawnNumber, "answer: k - j", "answer: k - i", `quiz.yaml:6: field [0].answer: formula "k - i": unknown name "i"; allowed: j, k, sqrt`},
		"range that is none":        {drawnNumber, "k: 4..12", "k: 4-12", `quiz.yaml:4: field [0].vars.k: found "4-12"; allowed: LOW..HIGH, LOW..HIGH by STEP, or a list of numbers`},
		"condition without an end":  {drawnNumber, `"j < k"`, `"j <"`, `quiz.yaml:5: field [0].where: condition "j <": something is missing`},
		"no model answer":           {openText, "  model: [because]\n", "", `quiz.yaml:1: field [0]: question words: the model answer is missing; write it as a list of paragraphs under model`},
		"short checklist":           {openText, "[first, second, third]", "[first]", `quiz.yaml:1: field [0]: question words: a checklist of 1; allowed: 3 to 20 points under checklist`},
		"no gaps":                   {openText, "  gaps: [everything]\n", "", `quiz.yaml:1: field [0]: question words: the usual gaps are missing; list them under gaps`},
		"no crash":                  {offsetText, "  crash: [crash-job]\n", "", `quiz.yaml:1: field [0]: question offset: a drawn crash needs run and crash`},
		"no right answer explained": {offsetText, "  right: That is what the restored checkpoint holds.\n", "", `quiz.yaml:1: field [0]: question offset: an offset needs right`},
		"moment that is none":       {offsetText, "before:run.ended", "'before:'", `quiz.yaml:1: field [0]: question offset: moment before:`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(c.text, c.old, c.new, 1)
			if text == c.text {
				t.Fatal("the test spoils nothing")
			}
			_, problems := quizzes.Read("quiz.yaml", []byte(text))
			if len(problems) == 0 || !strings.HasPrefix(problems[0].String(), c.want) {
				t.Errorf("found %v\nwant  %s", problems, c.want)
			}
		})
	}
}

func TestAuthorsCheck(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"two options the same": {"text: three, right: true", "text: One, right: true", `quiz.yaml:13: question multi: this option says the same as the one at line 11; keep one`},
		"points at another":    {"text: two, why: no}\n    - {text: three", "text: two, why: option A is better}\n    - {text: three", `quiz.yaml:12: question multi: "option A" means an option by its place`},
		"all of the above":     {"{text: two, why: no}\n    - {text: three", "{text: all of the above, why: no}\n    - {text: three", `quiz.yaml:12: question multi: "all of the above" means an option by its place`},
		"the same asked twice": {"ask: In which order?", "ask: which?", `quiz.yaml:14: question order asks what question single asks at quiz.yaml:1; keep one`},
		"nothing is wrong":     {"ask: How many?", "ask: How many are there?", ""},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(quizText, c.old, c.new, 1)
			if text == quizText {
				t.Fatal("the test spoils nothing")
			}
			qs, problems := quizzes.Read("quiz.yaml", []byte(text))
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			var said []string
			for _, p := range quizzes.CheckAuthor(qs) {
				said = append(said, p.String())
			}
			if c.want == "" && len(said) > 0 || c.want != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, c.want) }) {
				t.Errorf("found %q\nwant  %s", said, c.want)
			}
		})
	}
	qs, _ := quizzes.Read("quiz.yaml", []byte(strings.Replace(quizText, "text: two, right: true", "text: twice, right: true", 1)))
	if n, of := quizzes.LongRights(qs); n != 1 || of != 2 {
		t.Errorf("the right option is the longest in %d of %d", n, of)
	}
	two := oneQuestion(t, openText)
	if ps := quizzes.SameQuestions([]*quizzes.Question{two, two}); len(ps) != 1 {
		t.Errorf("the same id in two lessons: %v", ps)
	}
}
