package web

import (
	"strings"
	"unicode"

	"effectivelyonce/lessons"
)

// usedTerms are the words of the glossary that a graded question uses in what it
// asks, offers or explains. Outside of a lesson nothing else explains them.
func usedTerms(v *quizView, terms []*lessons.Term) []*lessons.Term {
	if v.Grade == nil {
		return nil
	}
	var b strings.Builder
	say := func(s string) { b.WriteString(" " + wordsOf(s) + " ") }
	q := v.Question
	for _, m := range q.Model {
		say(plainText(m))
	}
	for _, o := range q.Options {
		say(plainText(o.Text))
		say(plainText(o.Why))
	}
	say(plainText(q.Stem))
	say(plainText(v.Grade.Why))
	say(plainText(v.Grade.Also))
	var out []*lessons.Term
	for _, t := range terms {
		for _, w := range append([]string{t.Word}, t.Forms...) {
			if w = wordsOf(w); strings.Contains(b.String(), " "+w+" ") || strings.Contains(b.String(), " "+w+"s ") {
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// wordsOf is a text in small letters, one blank between its words.
func wordsOf(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' }), " ")
}
