package web_test

import (
	"strings"
	"testing"
)

// Every lesson fits on two sheets: what is asked stands on the first, and no
// answer does.
func TestLessonsOnPaper(t *testing.T) {
	s := newServer(t)
	for _, l := range catalogue().Lessons() {
		if l.Coming {
			continue
		}
		res := get(t, s, "/lessons/"+l.Slug+"/print")
		text := body(t, res)
		if res.StatusCode != 200 {
			t.Fatalf("%s: status %d: %s", l.Slug, res.StatusCode, text)
		}
		_, first, _ := strings.Cut(text, `<section class="sheet"`)
		first, second, ok := strings.Cut(first, `<section class="sheet"`)
		if !ok || strings.Contains(second, `<section class="sheet"`) {
			t.Errorf("%s has not two sheets", l.Slug)
		}
		if !strings.Contains(first, `class="stage`) || !strings.Contains(first, "questions</h2>") {
			t.Errorf("%s: the first sheet has no frame or no questions", l.Slug)
		}
		for _, q := range l.Quiz {
			for _, o := range q.Options {
				if why := string(o.Why.HTML); why != "" && strings.Contains(first, why) {
					t.Errorf("%s: the first sheet tells %q", l.Slug, why)
				}
			}
		}
		if !strings.Contains(second, "What happened</h2>") || !strings.Contains(second, `<dt>`) {
			t.Errorf("%s: the second sheet has no answers", l.Slug)
		}
	}
	if res := get(t, s, "/lessons/nothing/print"); res.StatusCode != 404 {
		t.Errorf("an unknown lesson: status %d", res.StatusCode)
	}
}
