package strict_test

import (
	"strings"
	"testing"

	"effectivelyonce/lessons/strict"
)

// read takes in a small document with every kind of field.
func read(text string) []strict.Problem {
	doc, root, ok := strict.Parse("f.yaml", []byte(text), 0)
	if ok {
		m := root.Map("name", "count", "share", "on", "colour", "list", "free")
		m.NeedText("name")
		m.Int("count", 1, 0, 9)
		m.Float("share", 1, 0, 1)
		m.Bool("on")
		m.OneOf("colour", "red", "green")
		m.Texts("list")
		if v, ok := m.Get("free"); ok {
			for _, p := range v.Pairs() {
				p.Value.Text()
			}
		}
	}
	return doc.Problems
}

func TestEveryMistakeIsNamedAndPlaced(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown field":  {"name: a\ncuont: 3\n", `f.yaml:2: unknown field "cuont"; allowed: name, count, share, on, colour, list, free; did you mean "count"?`},
		"missing field":  {"count: 3\n", `f.yaml:1: the document: field "name" is missing; add it`},
		"twice":          {"name: a\ncount: 1\ncount: 2\n", `f.yaml:3: field count occurs twice; the first is at line 2; keep one`},
		"wrong type":     {"name: [a]\n", `f.yaml:1: field name: found a list; allowed: one text or number`},
		"empty":          {"name:\n", `f.yaml:1: field name: found nothing; allowed: one text or number`},
		"out of range":   {"name: a\ncount: 12\n", `f.yaml:2: field count: found "12"; allowed: a whole number from 0 to 9`},
		"huge number":    {"name: a\ncount: 99999999999999999999\n", `f.yaml:2: field count: found "99999999999999999999"; allowed: a whole number from 0 to 9`},
		"not a number":   {"name: a\nshare: much\n", `f.yaml:2: field share: found "much"; allowed: a number from 0 to 1`},
		"not a word":     {"name: a\ncolour: gren\n", `f.yaml:2: field colour: found "gren"; allowed: red, green; did you mean "green"?`},
		"yes":            {"name: a\non: yes\n", `f.yaml:2: field on: found "yes"; allowed: true, false`},
		"in a list":      {"name: a\nlist: [x, {y: 1}]\n", `f.yaml:2: field list[1]: found a mapping; allowed: one text or number`},
		"free key twice": {"name: a\nfree: {k: 1, k: 2}\n", `f.yaml:2: field free.k occurs twice; the first is at line 2; keep one`},
		"not a mapping":  {"- a\n", `f.yaml:1: the document: found a list; allowed: a mapping of keys to values`},
		"second":         {"name: a\n---\nname: b\n", `f.yaml:2: a second document; allowed: one document a file`},
		"alias":          {"name: &x a\nlist: [*x]\n", `f.yaml:1: field name: found "a"; allowed: one text or number`},
		"nothing":        {"", `f.yaml:1: the document is empty; write its fields`},
		"broken":         {"name: a\n  count: 2\n", `f.yaml:2: not valid YAML: mapping values are not allowed in this context; check the indentation, quotes and encoding (UTF-8) at this line`},
		"not UTF-8":      {"name: \xff\xfe\n", `f.yaml: not valid YAML:`},
		"control":        {"name: a\x01b\n", `f.yaml: not valid YAML: control characters are not allowed`},
		"oversize":       {strings.Repeat("#", strict.MaxFile+1), `f.yaml: the file has 262145 bytes; allowed: at most 262144`},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(c.text)
			if len(got) == 0 {
				t.Fatalf("no problem found, want %s", c.want)
			}
			if !strings.HasPrefix(got[0].String(), c.want) {
				t.Errorf("found %s\nwant  %s", got[0], c.want)
			}
		})
	}
}

func TestAGoodFileHasNoProblem(t *testing.T) {
	if got := read("name: a\ncount: 3\nshare: 0.5\non: true\ncolour: green\nlist: [x, y]\nfree: {k: v}\n"); len(got) > 0 {
		t.Errorf("problems in a good file: %v", got)
	}
}

func TestLinesCountFromTheTextAround(t *testing.T) {
	doc, root, _ := strict.Parse("lesson.md", []byte("name: a\nnmae: b\n"), 10)
	root.Map("name")
	if len(doc.Problems) != 1 || doc.Problems[0].Line != 12 {
		t.Errorf("problems %v, want one at line 12", doc.Problems)
	}
}

func TestAllProblemsAreReported(t *testing.T) {
	if got := read("cuont: 1\nshare: 7\non: maybe\n"); len(got) != 4 {
		t.Errorf("found %d problems, want 4: %v", len(got), got)
	}
}
