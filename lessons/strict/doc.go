// Package strict reads YAML the way a compiler reads source. Every mapping names
// its fields, every value its type and range; whatever does not fit becomes a
// Problem with file, line, field, what was found, what is allowed and the nearest
// right word. Reading goes on after a problem, so that an author sees all of them.
//
// Anchors, aliases and a second document are refused: content is data, not a program.
package strict

import (
	"fmt"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// MaxFile is how many bytes a file may have.
const MaxFile = 256 << 10

// Problem is one thing in a file that must be put right before it can be used.
type Problem struct {
	File string // as the reader was told
	Line int    // from 1; 0: the whole file
	What string // what was found
	Do   string // what is allowed, or what to do
}

// String is the problem on one line, file:line first so that editors can jump to it.
func (p Problem) String() string {
	at := p.File
	if p.Line > 0 {
		at += ":" + strconv.Itoa(p.Line)
	}
	if p.Do == "" {
		return at + ": " + p.What
	}
	return at + ": " + p.What + "; " + p.Do
}

// Error is a list of problems as one error.
type Error []Problem

// Error is every problem on a line of its own.
func (e Error) Error() string {
	lines := make([]string, len(e))
	for i, p := range e {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Quote prints what was found, shortened, with control characters escaped.
func Quote(s string) string {
	if r := []rune(s); len(r) > 60 {
		s = string(r[:60]) + "…"
	}
	return strconv.Quote(s)
}

// Allowed is the second half of a message: the list, and the nearest right word.
func Allowed(found string, words []string) string {
	s := "allowed: " + strings.Join(words, ", ")
	if near := engine.Nearest(found, words); near != "" {
		s += fmt.Sprintf("; did you mean %q?", near)
	}
	return s
}
