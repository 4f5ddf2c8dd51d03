package prose_test

import (
	"errors"
	"strings"
	"testing"

	"effectivelyonce/lessons/prose"
)

// echo prints a form's parts, and refuses one called bad.
type echo struct{}

func (echo) Resolve(name, arg, text string) (string, error) {
	if name == "bad" {
		return "", errors.New("no such form")
	}
	return "[" + name + "/" + arg + "/" + text + "]", nil
}

func TestFormsInsideMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"{chip a 8} waits":              "<p>[chip/a 8/] waits</p>",
		"**{run lost}** *{crash}*":      "<p><strong>[run/lost/]</strong> <em>[crash//]</em></p>",
		"{event e~1@t/0|once more}":     "<p>[event/e~1@t/0/once more]</p>",
		"`{run lost}` and \\{braces\\}": "<p><code>{run lost}</code> and {braces}</p>",
		"a < b & \"c\"":                 "<p>a &lt; b &amp; &ldquo;c&rdquo;</p>",
		"- {run x}\n- two":              "<ul>\n<li>[run/x/]</li>\n<li>two</li>\n</ul>",
		"[x](javascript:alert(1))":      "<p><a href=\"\">x</a></p>",
	} {
		got, problems := prose.Block(prose.Source{File: "f.md", Line: 1, Text: text}, echo{})
		if string(got) != want || len(problems) > 0 {
			t.Errorf("%s\nfound %s %v\nwant  %s", text, got, problems, want)
		}
	}
}

func TestInlineIsOneLine(t *testing.T) {
	got, problems := prose.Inline(prose.Source{File: "f.md", Line: 1, Text: "one {run x}"}, echo{})
	if string(got) != "one [run/x/]" || len(problems) > 0 {
		t.Errorf("found %s %v", got, problems)
	}
	if _, problems = prose.Inline(prose.Source{File: "f.md", Line: 7, Text: "one\n\ntwo"}, echo{}); len(problems) != 1 || problems[0].Line != 7 {
		t.Errorf("two paragraphs: %v", problems)
	}
}

func TestWhatTextMayNotHold(t *testing.T) {
	for text, want := range map[string]string{
		"one\n\nthree {bad x}":           `f.md:12: {bad x}: no such form`,
		"one {run x":                     `f.md:10: "{" without "}"`,
		"one\ntwo <b>bold</b>":           `f.md:11: HTML in the text; write Markdown; HTML is not shown`,
		"one\n\n<script>x()</script>\n":  `f.md:12: HTML in the text; write Markdown; HTML is not shown`,
		"![a picture](https://x.test/p)": `f.md:10: image "https://x.test/p"; the stage is the picture`,
	} {
		got, problems := prose.Block(prose.Source{File: "f.md", Line: 10, Text: text}, echo{})
		if len(problems) == 0 || !strings.HasPrefix(problems[0].String(), want) {
			t.Errorf("%s\nfound %v\nwant  %s", text, problems, want)
		}
		if strings.Contains(string(got), "<script") || strings.Contains(string(got), "<b>") {
			t.Errorf("%s became %s", text, got)
		}
	}
}
