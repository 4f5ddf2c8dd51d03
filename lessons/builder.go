package lessons

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"effectivelyonce/engine"
)

// MaxValue bounds the size of a value.
const MaxValue = 1_000_000_000

// inputBuilder collects records into an input, whatever file they come from.
type inputBuilder struct {
	in    engine.Input
	keys  map[string]engine.KeyID
	words map[string]int64 // nil: values are numbers
	n     int
	timed int // records that say when they happened
}

// newInputBuilder starts an input. Words, when not nil, are the words that values
// are made of; new ones may be added.
func newInputBuilder(name string, words []string) *inputBuilder {
	b := &inputBuilder{in: engine.Input{Name: name}, keys: map[string]engine.KeyID{}}
	if words != nil {
		b.words = map[string]int64{}
		for _, w := range words {
			b.word(w)
		}
	}
	return b
}

// fieldError is what is wrong with one field of a record.
type fieldError struct{ field, found, allowed string }

func (e *fieldError) Error() string {
	return fmt.Sprintf("field %s: found %s; allowed: %s", e.field, e.found, e.allowed)
}

func (b *inputBuilder) add(part int, key, value string) error {
	if part < 0 || part >= engine.MaxPartitions {
		return &fieldError{"partition", fmt.Sprint(part), fmt.Sprintf("a whole number from 0 to %d", engine.MaxPartitions-1)}
	}
	if b.n == engine.MaxRecords {
		return fmt.Errorf("record %d; allowed: at most %d records", b.n+1, engine.MaxRecords)
	}
	if why := badWord(key); why != "" {
		return &fieldError{"key", why, keyWords}
	}
	d := engine.Datum{}
	if b.words != nil {
		if why := badWord(value); why != "" {
			return &fieldError{"value", why, "a word of " + keyWords}
		}
		d.Value = b.word(value)
	} else {
		v, why := parseValue(value)
		if why != "" {
			return &fieldError{"value", why, valueWords}
		}
		d.Value = v
	}
	id, ok := b.keys[key]
	if !ok {
		id = engine.KeyID(len(b.in.Keys))
		b.keys[key] = id
		b.in.Keys = append(b.in.Keys, key)
	}
	d.Key = id
	for len(b.in.Parts) <= part {
		b.in.Parts = append(b.in.Parts, nil)
	}
	b.in.Parts[part] = append(b.in.Parts[part], d)
	b.n++
	return nil
}

func (b *inputBuilder) word(w string) int64 {
	i, ok := b.words[w]
	if !ok {
		i = int64(len(b.in.Words))
		b.words[w] = i
		b.in.Words = append(b.in.Words, w)
	}
	return i
}

const (
	keyWords   = "1 to 40 letters, digits or signs, no control characters"
	valueWords = "a number like 12, -3 or 4.5, at most 3 decimals, between -1000000000 and 1000000000"
)

// badWord says what is wrong with a key or a word, "" if nothing is.
func badWord(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "bytes that are not UTF-8"
	case strings.TrimSpace(s) == "":
		return "nothing"
	case utf8.RuneCountInString(s) > engine.MaxKeyRunes:
		return fmt.Sprintf("%d characters", utf8.RuneCountInString(s))
	}
	for _, r := range s {
		// Invisible formatting (direction marks, joiners) could make two keys look alike.
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return fmt.Sprintf("the control character %U", r)
		}
	}
	return ""
}

// parseValue reads a decimal number exactly, in units of engine.ValueScale.
func parseValue(s string) (v int64, why string) {
	digits, negative := strings.CutPrefix(s, "-")
	whole, frac, point := strings.Cut(digits, ".")
	if whole == "" || point && frac == "" || !allDigits(whole) || !allDigits(frac) {
		return 0, quoted(s)
	}
	if len(frac) > 3 {
		return 0, fmt.Sprintf("%s with %d decimals", quoted(s), len(frac))
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > 10 {
		return 0, quoted(s)
	}
	for _, c := range whole + frac + "000"[len(frac):] {
		v = v*10 + int64(c-'0')
	}
	if v > MaxValue*engine.ValueScale {
		return 0, quoted(s)
	}
	if negative {
		v = -v
	}
	return v, ""
}

func allDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
