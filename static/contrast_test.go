package static

import (
	"io/fs"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// The pairs of design section 2 that carry text (4.5) or a mark (3).
var pairs = []struct {
	on, under []string
	least     float64
}{
	{[]string{"ink", "ink-2", "ink-3", "accent", "exact", "dup", "lost", "pend"}, []string{"paper", "surface", "sunken"}, 4.5},
	{[]string{"line-2"}, []string{"paper", "surface", "sunken"}, 3},
	{[]string{"ink", "accent"}, []string{"accent-soft"}, 4.5},
	{[]string{"ink", "dup"}, []string{"dup-soft"}, 4.5},
	{[]string{"ink", "lost"}, []string{"lost-soft"}, 4.5},
	{[]string{"ink", "exact"}, []string{"exact-soft"}, 4.5},
	{[]string{"ink", "pend"}, []string{"pend-soft"}, 4.5},
	{[]string{"on-accent"}, []string{"accent"}, 4.5},
	{[]string{"paper"}, []string{"ink"}, 4.5},
	{[]string{"surface"}, []string{"dup", "lost", "exact"}, 4.5},
	{[]string{"on-dup-1"}, []string{"dup-1"}, 4.5},
	{[]string{"on-dup-2"}, []string{"dup-2"}, 4.5},
	{[]string{"on-dup-3"}, []string{"dup-3"}, 4.5},
	{[]string{"key-a-ink"}, []string{"key-a"}, 4.5},
	{[]string{"key-b-ink"}, []string{"key-b"}, 4.5},
	{[]string{"key-c-ink"}, []string{"key-c"}, 4.5},
	{[]string{"key-d-ink"}, []string{"key-d"}, 4.5},
}

func TestContrastOfTheTokens(t *testing.T) {
	css, err := fs.ReadFile(Files, "css/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	themes := [2]map[string]float64{{}, {}}
	for _, m := range regexp.MustCompile(`--([a-z0-9-]+): light-dark\(#([0-9A-F]{6}), #([0-9A-F]{6})\)`).FindAllSubmatch(css, -1) {
		themes[0][string(m[1])], themes[1][string(m[1])] = luminance(string(m[2])), luminance(string(m[3]))
	}
	for i, name := range []string{"light", "dark"} {
		for _, p := range pairs {
			for _, on := range p.on {
				for _, under := range p.under {
					a, ok1 := themes[i][on]
					b, ok2 := themes[i][under]
					if !ok1 || !ok2 {
						t.Fatalf("token %s or %s is not in tokens.css", on, under)
					}
					if got := (max(a, b) + .05) / (min(a, b) + .05); got < p.least {
						t.Errorf("%s: %s on %s has %.2f : 1, needs %.1f", name, on, under, got, p.least)
					}
				}
			}
		}
	}
}

// luminance is the relative luminance of WCAG 2 of a colour RRGGBB.
func luminance(hex string) float64 {
	v, _ := strconv.ParseUint(hex, 16, 32)
	lin := func(c uint64) float64 {
		s := float64(c&255) / 255
		if s <= .04045 {
			return s / 12.92
		}
		return math.Pow((s+.055)/1.055, 2.4)
	}
	return .2126*lin(v>>16) + .7152*lin(v>>8) + .0722*lin(v)
}
