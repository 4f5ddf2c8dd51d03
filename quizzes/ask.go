package quizzes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine/check"
)

// Expr is a question about a run, as scenarios, bets and lessons ask it. Words
// are separated by blanks:
//
//	EXPR = SUM [ ("=" | "!=" | "<" | "<=" | ">" | ">=") SUM ]
//	SUM  = TERM { ("+" | "-") TERM }
//	TERM = NUMBER
//	     | [SINK.]class | [SINK.]COUNT [of KEY]        SINK may carry its reader: sink[read_committed].class
//	     | [SINK.]duplicated keys | [SINK.]lost keys   their keys, for sentences
//	     | [SINK.]duplicated first                     the id of the first of them
//	     | records | events | attempts | setting KEY
//	     | event NAME | time NAME                      number of the event; virtual milliseconds
//	     | from NAME | to NAME | value NAME            what the event changed, and its amount
//	     | record NAME | key NAME | task NAME          whom it concerned
//	     | count NAME [after MOMENT] [before MOMENT]
//	     | recovery back|detect|restart|restore|replay      of the first crash, in milliseconds
//	     | price records|entries|bytes|waited               paid for state before the fault
//	     | checkpoints share|cost|duration|delay            percent of a lane's time; means in milliseconds
//	     | delay                                            longest from read to seen outside
//	     | bookmark N                                       offset that the broker has of partition N at the first fault
//	COUNT = lost | duplicated | wrong | pending | rewound | expected | observed
//
// NAME is EVENT["("RECORD|CHANNEL")"]["~"K]["@"TASK] as in faults; MOMENT is a NAME
// (its own gap, so that "after E" begins behind E and "before E" ends in front of it).
type Expr struct {
	src         string
	left, right sum
	op          string
}

// Value is a number or a word.
type Value struct {
	Num  float64
	Text string // "" for a number
}

// String prints the value for a sentence; what is not whole is rounded.
func (v Value) String() string {
	switch {
	case v.Text != "":
		return v.Text
	case v.Num == math.Trunc(v.Num) || math.Abs(v.Num) >= 10:
		return strconv.FormatFloat(v.Num, 'f', 0, 64)
	}
	return strconv.FormatFloat(v.Num, 'f', 1, 64)
}

// Missing is an event or a sink that the run does not have.
type Missing struct{ What string }

// Error says what is missing.
func (e *Missing) Error() string { return e.What }

type sum []signed

type signed struct {
	minus bool
	term  term
}

type term func(r *Run) (Value, error)

var comparisons = []string{"=", "!=", "<", "<=", ">", ">="}

// ParseExpr reads an expression; names of tasks, records and sinks are looked up
// when it is evaluated.
func ParseExpr(s string) (Expr, error) {
	e := Expr{src: s}
	p := &parser{words: strings.Fields(s)}
	var err error
	if e.left, err = p.sum(); err != nil {
		return e, fmt.Errorf("expression %q: %w", s, err)
	}
	if w := p.next(); w != "" {
		if !slices.Contains(comparisons, w) {
			return e, fmt.Errorf("expression %q: found %q; allowed: %s, or the end", s, w, strings.Join(comparisons, " "))
		}
		e.op = w
		if p.class {
			e.right, err = p.classWord()
		} else {
			e.right, err = p.sum()
		}
		if err == nil && p.i < len(p.words) {
			err = fmt.Errorf("found %q after the end", p.words[p.i])
		}
		if err != nil {
			return e, fmt.Errorf("expression %q: %w", s, err)
		}
	}
	return e, nil
}

// String is the expression as written.
func (e Expr) String() string { return e.src }

// Value is what the expression without a comparison prints.
func (e Expr) Value(r *Run) (Value, error) {
	if e.op != "" {
		return Value{}, fmt.Errorf("expression %q compares; a value is wanted", e.src)
	}
	return e.left.eval(r)
}

// True evaluates the comparison.
func (e Expr) True(r *Run) (bool, error) {
	if e.op == "" {
		return false, fmt.Errorf("expression %q compares nothing", e.src)
	}
	a, err := e.left.eval(r)
	if err != nil {
		return false, err
	}
	b, err := e.right.eval(r)
	if err != nil {
		return false, err
	}
	if a.Text != "" || b.Text != "" {
		switch e.op {
		case "=":
			return a.String() == b.String(), nil
		case "!=":
			return a.String() != b.String(), nil
		}
		return false, fmt.Errorf("expression %q: words are only equal or not", e.src)
	}
	switch e.op {
	case "=":
		return a.Num == b.Num, nil
	case "!=":
		return a.Num != b.Num, nil
	case "<":
		return a.Num < b.Num, nil
	case "<=":
		return a.Num <= b.Num, nil
	case ">":
		return a.Num > b.Num, nil
	}
	return a.Num >= b.Num, nil
}

// Found is what the sides of the comparison were, for messages.
func (e Expr) Found(r *Run) string {
	a, errA := e.left.eval(r)
	b, errB := e.right.eval(r)
	if err := errors.Join(errA, errB); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("found %s %s %s", a, e.op, b)
}

func (s sum) eval(r *Run) (Value, error) {
	if len(s) == 1 && !s[0].minus {
		return s[0].term(r)
	}
	var out Value
	for _, t := range s {
		v, err := t.term(r)
		if err != nil {
			return out, err
		}
		if v.Text != "" {
			return out, fmt.Errorf("%q is a word and cannot be added", v.Text)
		}
		if t.minus {
			v.Num = -v.Num
		}
		out.Num += v.Num
	}
	return out, nil
}

// Ask parses and evaluates in one go, for placeholders.
func (r *Run) Ask(expr string) (Value, error) {
	e, err := ParseExpr(expr)
	if err != nil {
		return Value{}, err
	}
	return e.Value(r)
}

func classWords() []string {
	var out []string
	for _, c := range check.Classes() {
		out = append(out, string(c))
	}
	return out
}
