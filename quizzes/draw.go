package quizzes

import (
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/lessons/strict"
)

// Var is a number that a seed draws: one of its values, each as likely.
type Var struct {
	Name   string
	Values []float64
}

// maxDraws bounds how often a seed draws until all conditions hold.
const maxDraws = 500

var (
	varName  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,11}$`)
	varRange = regexp.MustCompile(`^(\d+(?:\.\d+)?)\.\.(\d+(?:\.\d+)?)(?: by (\d+(?:\.\d+)?))?$`)
)

// readVars reads vars: {k: 3..9, n: 10..90 by 10, r: [1, 2, 5]}.
func readVars(v strict.Value) []Var {
	var out []Var
	for _, p := range v.Pairs() {
		x := Var{Name: p.Key}
		if !varName.MatchString(p.Key) || p.Key == "sqrt" || p.Key == "id" || p.Key == "key" {
			p.Value.Bad("the name "+strict.Quote(p.Key), "allowed: 1 to 12 letters and digits, a letter first; not sqrt, id, key")
		}
		if p.Value.IsList() {
			for _, e := range p.Value.List() {
				x.Values = append(x.Values, e.Float(0, 1e9))
			}
		} else if m := varRange.FindStringSubmatch(p.Value.Text()); m != nil {
			x.Values = rangeValues(m[1:])
		}
		if len(x.Values) == 0 || len(x.Values) > 10_000 {
			p.Value.Bad("found "+strict.Quote(p.Value.Text()), "allowed: LOW..HIGH, LOW..HIGH by STEP, or a list of numbers; 1 to 10000 values")
			x.Values = []float64{1}
		}
		out = append(out, x)
	}
	return out
}

func rangeValues(m []string) []float64 {
	step := 1.0
	lo, _ := strconv.ParseFloat(m[0], 64)
	hi, _ := strconv.ParseFloat(m[1], 64)
	if m[2] != "" {
		step, _ = strconv.ParseFloat(m[2], 64)
	}
	if step <= 0 || (hi-lo)/step > 10_000 {
		return nil
	}
	var out []float64
	for i := 0; lo+float64(i)*step <= hi+1e-9; i++ {
		out = append(out, lo+float64(i)*step)
	}
	return out
}

// dice is a number that depends on nothing but a seed, the question, how often
// this seed has drawn, and what is drawn.
func (q *Question) dice(seed uint64, try int, what string) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s %d %s", seed, q.ID, try, what)
	x := h.Sum64() // FNV's low bits are weak: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// drawVars draws every number once, and reports whether the conditions hold.
func (q *Question) drawVars(seed uint64, try int) (map[string]float64, bool, error) {
	words := map[string]float64{}
	for _, v := range q.Asks.Vars {
		words[v.Name] = v.Values[q.dice(seed, try, v.Name)%uint64(len(v.Values))]
	}
	for _, w := range q.Asks.Where {
		ok, err := compares(w, words)
		if err != nil || !ok {
			return words, false, err
		}
	}
	return words, true, nil
}

// deriveDrawn draws the numbers of a question that is about no run. A draw counts
// only if each slip has a value of its own, beyond the tolerance.
func (q *Question) deriveDrawn(seed uint64) error {
	for try := range maxDraws {
		words, ok, err := q.drawVars(seed, try)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		values := make([]float64, 0, len(q.Slips)+1)
		for _, f := range append([]string{q.Asks.Answer}, slipValues(q.Slips)...) {
			v, err := calc(f, words)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
		if !q.apart(values) {
			continue
		}
		q.Derived.Number, q.Derived.Slips = values[0], values[1:]
		for _, v := range q.Asks.Vars {
			q.Derived.Words = append(q.Derived.Words, "{"+v.Name+"}", Figure(words[v.Name]))
		}
		q.Derived.Words = append(q.Derived.Words, "{answer}", Figure(values[0]))
		return nil
	}
	return fmt.Errorf("%d draws, and in none the conditions hold and all slips differ from the answer and from each other", maxDraws)
}

func slipValues(slips []Slip) []string {
	var out []string
	for _, s := range slips {
		out = append(out, s.Value)
	}
	return out
}

// apart reports whether no value is taken for another.
func (q *Question) apart(values []float64) bool {
	for i, a := range values {
		for _, b := range values[:i] {
			if q.near(a, b) || q.near(b, a) {
				return false
			}
		}
	}
	return true
}

// Figure prints a number as a question shows it: to four digits, no zeros at the end.
func Figure(v float64) string {
	digits := 4
	if a := math.Abs(v); a >= 1 {
		digits = max(0, 3-int(math.Log10(a)))
	}
	if a := math.Abs(v); a >= 1000 && v != math.Trunc(v) {
		digits = 1
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// fillTexts puts what was drawn into all texts. They are Markdown, so what was
// drawn must not be read as such.
func (q *Question) fillTexts() {
	words := slices.Clone(q.Derived.Words)
	for i := 1; i < len(words); i += 2 {
		words[i] = plainText.Replace(words[i])
	}
	fill := strings.NewReplacer(words...)
	for _, t := range q.Texts() {
		t.Text = fill.Replace(t.Text)
	}
	q.Asks.Unit = fill.Replace(q.Asks.Unit)
}

var plainText = strings.NewReplacer("\\", "\\\\", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[", "{", "\\{", "<", "\\<", "~", "\\~")

// checkVars tries the formulas with the first values, so that a name that does
// not exist is found where the file is read.
func (q *Question) checkVars(m strict.Map) {
	words := map[string]float64{}
	for _, v := range q.Asks.Vars {
		words[v.Name] = v.Values[len(v.Values)-1]
	}
	note := func(field string, err error) {
		if err != nil {
			v, _ := m.Get(field)
			v.Bad(err.Error(), "")
		}
	}
	for _, w := range q.Asks.Where {
		_, err := compares(w, words)
		note("where", err)
	}
	if q.Asks.Scenario == "" && q.Kind == Numeric {
		_, err := calc(q.Asks.Answer, words)
		note("answer", err)
		for _, s := range q.Slips {
			_, err := calc(s.Value, words)
			note("slips", err)
		}
	}
}
