package quizzes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons/strict"
)

type parser struct {
	words []string
	i     int
	class bool // the left side is a class, so the right side is a class word
}

func (p *parser) next() string {
	if p.i >= len(p.words) {
		return ""
	}
	p.i++
	return p.words[p.i-1]
}

func (p *parser) peek() string {
	if p.i >= len(p.words) {
		return ""
	}
	return p.words[p.i]
}

func (p *parser) sum() (sum, error) {
	var out sum
	minus := false
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		out = append(out, signed{minus: minus, term: t})
		if w := p.peek(); w != "+" && w != "-" {
			return out, nil
		}
		minus = p.next() == "-"
	}
}

func (p *parser) classWord() (sum, error) {
	w := p.next()
	if !slices.Contains(classWords(), w) {
		return nil, fmt.Errorf("found %q; %s", w, strict.Allowed(w, classWords()))
	}
	return sum{{term: word(w)}}, nil
}

func word(w string) term { return func(*Run) (Value, error) { return Value{Text: w}, nil } }

var counts = map[string]func(v *check.Verdict) int{
	"lost":       func(v *check.Verdict) int { return v.Lost },
	"duplicated": func(v *check.Verdict) int { return v.Duplicated },
	"wrong":      func(v *check.Verdict) int { return v.Wrong },
	"pending":    func(v *check.Verdict) int { return v.Pending },
	"rewound":    func(v *check.Verdict) int { return v.Rewound },
	"expected":   func(v *check.Verdict) int { return v.Expected },
	"observed":   func(v *check.Verdict) int { return v.Observed },
}

func termWords() []string {
	out := []string{"checkpoints", "class", "records", "events", "attempts", "count", "delay", "price", "recovery", "setting"}
	for w := range counts {
		out = append(out, w)
	}
	for w := range eventFields {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

func (p *parser) term() (term, error) {
	w := p.next()
	if n, err := strconv.ParseFloat(w, 64); err == nil {
		return func(*Run) (Value, error) { return Value{Num: n}, nil }, nil
	}
	if _, err := engine.ParseRecordID(w); err == nil {
		return word(w), nil
	}
	if field, ok := eventFields[w]; ok {
		return p.eventTerm(field)
	}
	if t, err := p.measureTerm(w); t != nil || err != nil {
		return t, err
	}
	switch w {
	case "":
		return nil, errors.New("something is missing")
	case "records":
		return func(r *Run) (Value, error) { return Value{Num: float64(r.Job().Input.Len())}, nil }, nil
	case "events":
		return func(r *Run) (Value, error) { return Value{Num: float64(r.Trace.Len())}, nil }, nil
	case "attempts":
		return func(r *Run) (Value, error) { return Value{Num: r.attempts()}, nil }, nil
	case "count":
		return p.countTerm()
	case "setting":
		return p.settingTerm()
	}
	sink, field := "", w
	if i := strings.LastIndexByte(w, '.'); i >= 0 {
		sink, field = w[:i], w[i+1:]
	}
	return p.verdictTerm(w, sink, field)
}

func (p *parser) eventTerm(field eventField) (term, error) {
	name := p.next()
	if name == "" {
		return nil, errors.New("the name of an event is missing")
	}
	return func(r *Run) (Value, error) {
		e, err := r.Event(name)
		if err != nil {
			return Value{}, err
		}
		return field(r, e)
	}, nil
}

func (p *parser) settingTerm() (term, error) {
	key := p.next()
	return func(r *Run) (Value, error) {
		v, ok := r.Job().Settings.Values()[key]
		if !ok {
			return Value{}, fmt.Errorf("unknown setting %q; %s", key, strict.Allowed(key, engine.SettingKeys()))
		}
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			return Value{Num: n}, nil
		}
		return Value{Text: v}, nil
	}, nil
}

func (p *parser) countTerm() (term, error) {
	name := p.next()
	if name == "" {
		return nil, errors.New("count what? the name of an event is missing")
	}
	from, to := Start, End
	for w := p.peek(); w == "after" || w == "before"; w = p.peek() {
		p.next()
		m := p.next()
		if m == "" {
			return nil, fmt.Errorf("%s what? the name of an event is missing", w)
		}
		if w == "after" {
			from = Moment("after:" + m)
		} else {
			to = Moment("before:" + m)
		}
	}
	return func(r *Run) (Value, error) {
		n, err := r.count(name, from, to)
		return Value{Num: float64(n)}, err
	}, nil
}

func (p *parser) verdictTerm(w, sink, field string) (term, error) {
	count := counts[field]
	if field != "class" && count == nil {
		return nil, fmt.Errorf("found %q; %s", w, strict.Allowed(field, termWords()))
	}
	if field == "class" {
		p.class = true
		return func(r *Run) (Value, error) {
			vs, err := r.of(sink)
			return Value{Text: string(check.WorstOf(vs))}, err
		}, nil
	}
	switch {
	case p.peek() == "of":
		p.next()
		key := p.next()
		return func(r *Run) (Value, error) { return r.refsOfKey(sink, field, key) }, nil
	case p.peek() == "keys":
		p.next()
		return func(r *Run) (Value, error) { return r.refKeys(sink, field) }, nil
	case p.peek() == "first":
		p.next()
		return func(r *Run) (Value, error) { return r.refFirst(sink, field) }, nil
	}
	return func(r *Run) (Value, error) {
		vs, err := r.of(sink)
		n := 0
		for i := range vs {
			n += count(&vs[i])
		}
		return Value{Num: float64(n)}, err
	}, nil
}
