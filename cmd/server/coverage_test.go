package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// docs/coverage.md names a lesson, and a step of it, for every statement that the
// course is to teach: 29 and 34 of them, in order. What it names exists.
func TestCoverage(t *testing.T) {
	data, err := os.ReadFile("../../docs/coverage.md")
	if err != nil {
		t.Fatal(err)
	}
	cat := courses(t)
	row, place := regexp.MustCompile(`^\| ([AB]\d+) \| .+ \| (.+) \|$`), regexp.MustCompile("^`([a-z-]+)` ([a-z0-9-]+)$")
	var found, want []string
	for _, line := range strings.Split(string(data), "\n") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		found = append(found, m[1])
		for _, cell := range strings.Split(m[2], " · ") {
			at := place.FindStringSubmatch(cell)
			if at == nil {
				t.Errorf("%s: %q is no lesson with a step", m[1], cell)
				continue
			}
			l := cat.Lesson(at[1])
			if l == nil {
				t.Errorf("%s: there is no lesson %q", m[1], at[1])
				continue
			}
			has := false
			for _, s := range l.Segments {
				has = has || s.ID == at[2]
			}
			if !has {
				t.Errorf("%s: lesson %s has no step %q", m[1], at[1], at[2])
			}
		}
	}
	for _, part := range []struct {
		name string
		n    int
	}{{"A", 29}, {"B", 34}} {
		for i := range part.n {
			want = append(want, fmt.Sprint(part.name, i+1))
		}
	}
	if strings.Join(found, " ") != strings.Join(want, " ") {
		t.Errorf("rows %v, want %v", found, want)
	}
}

// Every fact of a lesson names its number in the fact sheet, the product and the
// version of it that the statement is true of.
func TestFactsNameProductAndVersion(t *testing.T) {
	number := regexp.MustCompile(`^F \d`)
	for _, l := range courses(t).Lessons() {
		for _, f := range l.Facts {
			if !number.MatchString(f.ID) || f.Product == "" {
				t.Errorf("%s: fact %q of %q has no number or no product", l.Slug, f.ID, f.Product)
			}
			if f.Version == "" {
				t.Errorf("%s: fact %s of %s has no version", l.Slug, f.ID, f.Product)
			}
		}
	}
}
