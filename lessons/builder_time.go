package lessons

import (
	"fmt"

	"effectivelyonce/engine"
)

const timeWords = "a time since the start like 40ms, 1.5s or 2m, at most 1h"

// at says when the record that was added last happened.
func (b *inputBuilder) at(part int, text string) error {
	t, err := engine.ParseDuration(text)
	if err != nil {
		return &fieldError{"time", quoted(text), timeWords}
	}
	recs := b.in.Parts[part]
	recs[len(recs)-1].Time = t
	b.timed++
	return nil
}

// allTimed is an error where some records say when they happened and others do not.
func (b *inputBuilder) allTimed() error {
	b.in.Timed = b.timed > 0
	if b.timed > 0 && b.timed < b.n {
		return fmt.Errorf("%d of %d records have a time; allowed: all of them, or none", b.timed, b.n)
	}
	return nil
}
