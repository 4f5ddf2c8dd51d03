// Package prose turns the sentences of content files into markup. It is Markdown
// without raw HTML and without images, plus one inline form for everything that
// belongs to a run:
//
//	{chip a 8}            the record with key a and offset 8, drawn as on the stage
//	{result a 4}          a result: key a, value 4
//	{barrier 3}           barrier 3, {checkpoint 3}, {txn 3}, {crash}
//	{event EVENT…|text}   a link to that event of the run
//	{run EXPR}            a number or word that the engine computes
//	{term id|text}        a word of the glossary; its first use carries the note
//
// What a form prints is the business of a Resolver, so that no number in a
// lesson is typed by hand.
package prose

import "effectivelyonce/lessons/strict"

// Resolver prints the inline forms. The markup it returns must be safe; an error
// says what is wrong with the argument and becomes a problem at its line.
type Resolver interface {
	Resolve(name, arg, text string) (markup string, err error)
}

// Source is a text with its place in a file, for problems.
type Source struct {
	File string
	Line int // of the first line
	Text string
}

// Markup is trusted HTML made by this package.
type Markup string

// Block renders paragraphs, lists and the like.
func Block(src Source, r Resolver) (Markup, []strict.Problem) { return render(src, r, false) }

// Inline renders one paragraph without the element around it.
func Inline(src Source, r Resolver) (Markup, []strict.Problem) { return render(src, r, true) }
