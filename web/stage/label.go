package stage

import (
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// maxLabel is how many letters of a key a chip shows.
const maxLabel = 3

// keyLabels are the shortest names that tell the keys of an input apart on a chip:
// first letters, a few first or last letters, or letters in order when keys are
// too much alike. All are Latin-1 letters and digits.
func keyLabels(keys []string) []string {
	for n := 1; n <= maxLabel; n++ {
		if out := distinct(keys, func(k string) string { return prefix(k, n) }); out != nil {
			return out
		}
	}
	for n := 1; n <= maxLabel; n++ {
		if out := distinct(keys, func(k string) string { return suffix(k, n) }); out != nil {
			return out
		}
	}
	out := make([]string, len(keys))
	for i := range keys {
		out[i] = letters(i)
	}
	return out
}

// distinct applies short to all keys; nil if two come out alike or one is empty.
func distinct(keys []string, short func(string) string) []string {
	seen := map[string]bool{}
	out := make([]string, len(keys))
	for i, k := range keys {
		s := short(k)
		if s == "" || seen[s] {
			return nil
		}
		seen[s] = true
		out[i] = s
	}
	return out
}

func latin(k string) []rune {
	var out []rune
	for _, r := range strings.ToLower(k) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 0xdf && r <= 0xff && r != 0xf7 {
			out = append(out, r)
		}
	}
	return out
}

func prefix(k string, n int) string {
	r := latin(k)
	return string(r[:min(n, len(r))])
}

func suffix(k string, n int) string {
	r := latin(k)
	return string(r[max(0, len(r)-n):])
}

// letters counts A … Z, AA … ZZ: enough for as many keys as an input may have.
func letters(i int) string {
	if i < 26 {
		return string(rune('A' + i))
	}
	return string(rune('A'+i/26-1)) + string(rune('A'+i%26))
}

// tint is the class of a key's colour; the letter tells keys apart, the tint helps.
func tint(k engine.KeyID) string { return [4]string{"a", "b", "c", "d"}[k%4] }

// Widths of one character, in hundredths of a unit, at font size 1.
const (
	monoWidth = 60 // JetBrains Mono is exactly 0.6 em wide
	sansWidth = 56 // Inter, on average and a little more
)

// monoText is how wide a text of n characters is in mono at a font size.
func monoText(n, size int) int { return (n*size*monoWidth + 99) / 100 }

// sansText is how wide a text is, roughly, in the sans family.
func sansText(s string, size int) int { return (len([]rune(s))*size*sansWidth + 99) / 100 }

func itoa(n int) string { return strconv.Itoa(n) }

func num[T ~int | ~int16 | ~int32 | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

// at is a transform that moves and does nothing else; all regions share one scale.
func at(x, y int) string { return "translate(" + itoa(x) + " " + itoa(y) + ")" }
