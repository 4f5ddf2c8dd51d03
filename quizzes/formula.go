package quizzes

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"effectivelyonce/lessons/strict"
)

// formula is arithmetic over names, for questions whose numbers are drawn and not
// read off a run:
//
//	COMPARISON = SUM ("=" | "!=" | "<" | "<=" | ">" | ">=") SUM
//	SUM        = PRODUCT { ("+" | "-") PRODUCT }
//	PRODUCT    = FACTOR { ("*" | "/") FACTOR }
//	FACTOR     = NUMBER | NAME | "(" SUM ")" | "sqrt(" SUM ")" | "-" FACTOR
type formula struct {
	tokens []string
	i      int
	words  map[string]float64
}

// Calc is the value of a formula, for texts and plots: numbers, the given names,
// + - * / ( ) and sqrt( ).
func Calc(s string, words map[string]float64) (float64, error) { return calc(s, words) }

// calc is the value of a SUM.
func calc(s string, words map[string]float64) (float64, error) {
	f, err := newFormula(s, words)
	if err != nil {
		return 0, err
	}
	v, err := f.sum()
	if err == nil && f.peek() != "" {
		err = fmt.Errorf("found %q after the end", f.peek())
	}
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = errors.New("the result is no number")
	}
	if err != nil {
		return 0, fmt.Errorf("formula %q: %w", s, err)
	}
	return v, nil
}

// compares is whether a COMPARISON is true.
func compares(s string, words map[string]float64) (bool, error) {
	f, err := newFormula(s, words)
	if err != nil {
		return false, err
	}
	a, err := f.sum()
	if err != nil {
		return false, fmt.Errorf("condition %q: %w", s, err)
	}
	op := f.next()
	if !slices.Contains(comparisons, op) {
		return false, fmt.Errorf("condition %q: found %q; allowed: %s", s, op, strings.Join(comparisons, " "))
	}
	b, err := f.sum()
	if err == nil && f.peek() != "" {
		err = fmt.Errorf("found %q after the end", f.peek())
	}
	if err != nil {
		return false, fmt.Errorf("condition %q: %w", s, err)
	}
	same := math.Abs(a-b) < 1e-9
	switch op {
	case "=":
		return same, nil
	case "!=":
		return !same, nil
	case "<":
		return a < b && !same, nil
	case "<=":
		return a < b || same, nil
	case ">":
		return a > b && !same, nil
	}
	return a > b || same, nil
}

func newFormula(s string, words map[string]float64) (*formula, error) {
	f := &formula{words: words}
	for i := 0; i < len(s); {
		c := rune(s[i])
		j := i + 1
		switch {
		case c == ' ':
			i++
			continue
		case unicode.IsLetter(c) || unicode.IsDigit(c):
			for j < len(s) && (unicode.IsLetter(rune(s[j])) || unicode.IsDigit(rune(s[j])) || s[j] == '.') {
				j++
			}
		case strings.ContainsRune("<>!", c) && j < len(s) && s[j] == '=':
			j++
		case !strings.ContainsRune("+-*/()<>=", c):
			return nil, fmt.Errorf("formula %q: found %q; allowed: names, numbers, + - * / ( ) sqrt", s, string(c))
		}
		f.tokens = append(f.tokens, s[i:j])
		i = j
	}
	return f, nil
}

func (f *formula) peek() string {
	if f.i < len(f.tokens) {
		return f.tokens[f.i]
	}
	return ""
}

func (f *formula) next() string {
	t := f.peek()
	f.i++
	return t
}

func (f *formula) sum() (float64, error) {
	v, err := f.product()
	for err == nil && (f.peek() == "+" || f.peek() == "-") {
		op := f.next()
		var w float64
		if w, err = f.product(); op == "-" {
			w = -w
		}
		v += w
	}
	return v, err
}

func (f *formula) product() (float64, error) {
	v, err := f.factor()
	for err == nil && (f.peek() == "*" || f.peek() == "/") {
		op := f.next()
		var w float64
		if w, err = f.factor(); op == "/" {
			w = 1 / w
		}
		v *= w
	}
	return v, err
}

func (f *formula) factor() (float64, error) {
	t := f.next()
	switch t {
	case "":
		return 0, errors.New("something is missing")
	case "-":
		v, err := f.factor()
		return -v, err
	case "sqrt":
		if f.peek() != "(" {
			return 0, errors.New("sqrt needs parentheses")
		}
		v, err := f.factor()
		return math.Sqrt(v), err
	case "(":
		v, err := f.sum()
		if err == nil && f.next() != ")" {
			err = errors.New(`")" is missing`)
		}
		return v, err
	}
	if n, err := strconv.ParseFloat(t, 64); err == nil && t[0] >= '0' && t[0] <= '9' {
		return n, nil
	}
	if v, ok := f.words[t]; ok {
		return v, nil
	}
	var known []string
	for w := range f.words {
		known = append(known, w)
	}
	slices.Sort(known)
	return 0, fmt.Errorf("unknown name %q; %s", t, strict.Allowed(t, append(known, "sqrt")))
}
