package quizzes

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// classOptions makes a choice of the verdicts. Mixed and wrong are one option.
func (q *Question) classOptions() (bool, error) {
	vs, err := q.Derived.Run.of(q.Asks.Sink)
	if err != nil {
		return false, err
	}
	class := check.WorstOf(vs)
	v := &vs[0]
	for i := range vs {
		if vs[i].Class == class {
			v = &vs[i]
			break
		}
	}
	w := verdictWords{q: q, v: v, run: q.Derived.Run}
	for _, o := range []struct {
		text    string
		classes []check.Class
		wrong   func() string
	}{
		{"Exact: every input counts once", []check.Class{check.Exact}, w.notExact},
		{"Lost: some input counts nowhere", []check.Class{check.Lost}, w.notLost},
		{"Duplicated: some input counts twice", []check.Class{check.Duplicated}, w.notDuplicated},
		{"Mixed or wrong: both, or false values", []check.Class{check.Mixed, check.Wrong}, w.notMixed},
		{"Stuck: something waits for ever", []check.Class{check.Stuck}, w.notStuck},
	} {
		opt := Option{Text: q.made(o.text)}
		for _, c := range o.classes {
			opt.Right = opt.Right || c == class
		}
		why := o.wrong
		if opt.Right {
			why = w.right
		}
		opt.Why = q.made(why())
		q.Options = append(q.Options, opt)
	}
	q.Derived.Words = append(q.Derived.Words, "{answer}", string(class))
	q.close()
	return true, nil
}

// verdictWords explains one verdict of one run, option by option.
type verdictWords struct {
	q   *Question
	v   *check.Verdict
	run *Run
}

// right is the ledger in short, and the event that decided.
func (w verdictWords) right() string {
	if w.v.Class == check.Exact {
		return fmt.Sprintf("All %d are there once. %s", w.v.Expected, w.repeats())
	}
	s := w.ledger()
	if chain := check.Why(w.run.Trace, w.v); chain != nil && len(chain.Links) > 0 {
		l := chain.Links[len(chain.Links)-1]
		s += fmt.Sprintf(" Event %d decides: %s", l.N, closed(l.Text))
	}
	return s
}

func (w verdictWords) ledger() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{w.v.Lost, "lost"}, {w.v.Duplicated, "repeated"}, {w.v.Wrong, "with a wrong value"}, {w.v.Pending, "still waiting"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "The run did not come to rest."
	}
	return "Of " + fmt.Sprint(w.v.Expected) + ": " + strings.Join(parts, ", ") + "."
}

func (w verdictWords) notExact() string {
	for _, c := range []struct {
		refs []check.Ref
		says string
	}{{w.v.LostRows, "%s shows nowhere."}, {w.v.DuplicatedRows, "%s shows more than once."}, {w.v.WrongRows, "%s shows a value that the input does not give."}} {
		if len(c.refs) > 0 {
			return fmt.Sprintf(c.says, w.name(c.refs[0]))
		}
	}
	return w.ledger()
}

func (w verdictWords) name(r check.Ref) string {
	if r.ID == engine.NoRecord {
		return "The row of " + w.run.Job().Input.Keys[r.Key]
	}
	return "Record " + r.ID.String() + " of " + w.run.Job().Input.Keys[r.Key]
}

func (w verdictWords) notLost() string {
	if w.v.Lost > 0 {
		return "Some are lost, and that is not all: " + strings.TrimPrefix(w.ledger(), "Of ")
	}
	if s := w.wentOn(); s != "" {
		return s
	}
	return "No input is without its effect."
}

func (w verdictWords) notDuplicated() string {
	switch {
	case w.v.Duplicated > 0:
		return "Some are repeated, and that is not all: " + strings.TrimPrefix(w.ledger(), "Of ")
	case w.v.Class == check.Exact:
		return "No input shows twice. " + w.repeats()
	}
	return "No input has its effect twice."
}

func (w verdictWords) notMixed() string {
	s := fmt.Sprintf("Lost: %d. Repeated: %d. False for another reason: %d.", w.v.Lost, w.v.Duplicated, w.v.Wrong)
	switch w.v.Class {
	case check.Duplicated:
		s += " A total that contains an input twice is a repeat."
	case check.Lost:
		s += " A total that lacks an input is a loss."
	}
	return s
}

func (w verdictWords) notStuck() string {
	t := w.run.Trace
	return fmt.Sprintf("The run came to rest after %.0f ms, with event %d. Nothing was left waiting.", t.At(t.Len()).T.Millis(), t.Len())
}

func closed(s string) string {
	if s = strings.TrimSpace(s); strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}
