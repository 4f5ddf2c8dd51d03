package main

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/lessons"
)

var (
	products  = regexp.MustCompile(`\b(Flink|Kafka|Spark|Dataflow|Beam|Trident|VoltDB)\b`)
	versions  = regexp.MustCompile(`\d\.(x|\d)|[0-9] and later|since \d|\b(19|20)\d\d\b`)
	claimless = regexp.MustCompile(`^ *(- text:|ask:|line:|    text:)`) // options and questions state nothing; a fact's text stands beside its product and version
	cites     = regexp.MustCompile(`\bF \d+[A-B]?\b`)
)

// Every statement about a real system cites a fact in its source file, and shows
// product and version: beside the statement, or among the facts of its lesson,
// which every lesson's page lists.
func TestStatementsAboutRealSystemsAreSourced(t *testing.T) {
	for _, l := range courses(t).Lessons() {
		dir := "lessons/" + l.Slug + "/"
		shown := factsOf(t, l)
		for _, file := range []string{"lesson.md", "quiz.yaml"} {
			for _, p := range paragraphs(readContent(t, dir+file), file == "lesson.md") {
				for _, product := range products.FindAllString(p.text, -1) {
					if !versions.MatchString(p.text) && !shown[product] {
						t.Errorf("%s%s:%d: %s without a version, here or among the facts: %.80q", dir, file, p.line, product, p.text)
					}
				}
			}
		}
		for _, q := range blocks(readContent(t, dir+"quiz.yaml")) {
			if products.MatchString(uncommented(q.text)) && !cites.MatchString(q.text) {
				t.Errorf("%squiz.yaml:%d: a question names a product and cites no fact", dir, q.line)
			}
		}
	}
	for _, term := range blocks(readContent(t, "glossary.yaml")) {
		if text := uncommented(term.text); products.MatchString(text) && (!cites.MatchString(term.text) || !versions.MatchString(text)) {
			t.Errorf("glossary.yaml:%d: a term names a product without a fact and a version: %.120q", term.line, text)
		}
	}
	for _, dir := range []string{"levels", "scenarios"} {
		names, err := fs.Glob(content.FS, dir+"/*.yaml")
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(names), err)
		}
		for _, name := range names {
			for _, p := range paragraphs(readContent(t, name), false) {
				if products.MatchString(p.text) && !versions.MatchString(p.text) {
					t.Errorf("%s:%d: a product without a version: %.80q", name, p.line, p.text)
				}
			}
		}
	}
	for _, in := range courses(t).Incidents() {
		if len(in.Sources) == 0 || in.System == "" || in.Version == "" {
			t.Errorf("%s: an incident without source, system or version", in.File)
		}
	}
}

// factsOf are the products that a lesson's page lists with a version.
func factsOf(t *testing.T, l *lessons.Lesson) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, f := range l.Facts {
		if f.Version == "" || !cites.MatchString(f.ID) {
			t.Errorf("%s: fact %q of %s has no number or no version", l.Slug, f.ID, f.Product)
		}
		for _, product := range products.FindAllString(f.Product, -1) {
			out[product] = true
		}
	}
	return out
}

// passage is a part of a file with its first line.
type passage struct {
	line int
	text string
}

// paragraphs are a Markdown file between its blank lines, or a YAML file line by
// line, without comments.
func paragraphs(text string, markdown bool) (out []passage) {
	open := false
	for i, line := range strings.Split(text, "\n") {
		switch blank := strings.TrimSpace(line) == ""; {
		case blank:
			open = false
		case strings.HasPrefix(strings.TrimSpace(line), "# "), claimless.MatchString(line):
		case open && markdown && !strings.HasPrefix(line, " "): // front matter is YAML too
			out[len(out)-1].text += "\n" + line
		default:
			out, open = append(out, passage{i + 1, line}), true
		}
	}
	return out
}

// blocks are the items of a file that is one list, each with the comment above it.
func blocks(text string) (out []passage) {
	above := ""
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "#"):
			above = line + "\n"
		case strings.HasPrefix(line, "- "):
			out, above = append(out, passage{i + 1, above + line}), ""
		case len(out) > 0:
			out[len(out)-1].text += "\n" + line
		}
	}
	return out
}

func uncommented(text string) string {
	var out []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func readContent(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(content.FS, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
