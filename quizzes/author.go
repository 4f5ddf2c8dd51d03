package quizzes

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"effectivelyonce/lessons/strict"
)

// pointing is a text that means another option by its place. Options are shuffled,
// so it would mean a different one each time.
var pointing = regexp.MustCompile(`(?i)\b(option|answer) [a-f]\b|\b(all|none|both|neither) of the (above|below|others)\b|\b[a-f] and [a-f] (are|is)\b`)

// CheckAuthor reports what is wrong with the questions of one lesson beyond their
// form: too few, two options that say the same, options that point at each other,
// two questions that ask the same. Each problem names file, line and what to do.
func CheckAuthor(qs []*Question) []strict.Problem {
	var out []strict.Problem
	for _, q := range qs {
		out = append(out, q.checkAuthor()...)
	}
	return append(out, SameQuestions(qs)...)
}

func (q *Question) checkAuthor() []strict.Problem {
	var out []strict.Problem
	seen := map[string]int{}
	for _, o := range q.Options {
		text := folded(o.Text.Text)
		if first, ok := seen[text]; ok {
			out = append(out, strict.Problem{File: o.Text.File, Line: o.Text.Line, What: "question " + q.ID + ": this option says the same as the one at line " + fmt.Sprint(first), Do: "keep one"})
		}
		seen[text] = o.Text.Line
		for _, t := range []Text{o.Text, o.Why} {
			if m := pointing.FindString(t.Text); m != "" {
				out = append(out, strict.Problem{File: t.File, Line: t.Line, What: "question " + q.ID + ": " + strict.Quote(m) + " means an option by its place", Do: "options are shuffled: say it in words"})
			}
		}
	}
	return out
}

// SameQuestions reports questions, of one lesson or of several, that have the same
// id or ask the same of the same run.
func SameQuestions(qs []*Question) []strict.Problem {
	var out []strict.Problem
	ids, stems := map[string]*Question{}, map[string]*Question{}
	for _, q := range qs {
		if first, ok := ids[q.ID]; ok {
			out = append(out, strict.Problem{File: q.File, Line: q.Line, What: fmt.Sprintf("question %s is also at %s:%d", q.ID, first.File, first.Line), Do: "give each question its own id"})
			continue
		}
		ids[q.ID] = q
		stem := folded(q.source().Stem.Text) + " " + q.source().Asks.Scenario + " " + strings.Join(q.source().Asks.Faults, " ")
		if first, ok := stems[stem]; ok {
			out = append(out, strict.Problem{File: q.File, Line: q.Line, What: fmt.Sprintf("question %s asks what question %s asks at %s:%d", q.ID, first.ID, first.File, first.Line), Do: "keep one"})
		}
		stems[stem] = q
	}
	return out
}

// LongRights counts the questions with one right option, and those where that one
// is longer than every other: whoever goes by length must not get far.
func LongRights(qs []*Question) (longest, of int) {
	for _, q := range qs {
		if q.source().Kind != Single {
			continue
		}
		right, wrong := 0, 0
		for _, o := range q.Options {
			if n := utf8.RuneCountInString(o.Text.Text); o.Right {
				right = n
			} else {
				wrong = max(wrong, n)
			}
		}
		of++
		if right > wrong {
			longest++
		}
	}
	return longest, of
}

// source is the question as the file has it.
func (q *Question) source() *Question {
	if q.from != nil {
		return q.from
	}
	return q
}

func folded(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

// Key is what the right answer is, in one line, for a check that it is stable.
func (q *Question) Key() string {
	d := q.Derived
	var right []string
	for _, o := range q.Options {
		if o.Right {
			right = append(right, o.Text.Text)
		}
	}
	if d == nil {
		return strings.Join(right, "; ")
	}
	return fmt.Sprintf("%s %s %v %v %v %v", strings.Join(right, "; "), Figure(d.Number), d.Set, d.Record, d.Words, q.Asks.Faults)
}
