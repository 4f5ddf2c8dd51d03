package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// ahead is how many events before its stop a step is taken up when it is walked. The
// last stretch is played, with its crash and its bet; the way there is skipped with
// the mouse on the timeline, as people do who are in a hurry.
const ahead = 8

// TestEveryLessonIsWalked goes through lessons (every walkEvery-th) from the first step to the last,
// with a mouse: each is played, crashed, bet on, and its questions are answered. In
// every lesson axe looks at a step before its bet, at the open bet, at the answered
// one, at a verdict and at a wrong answer, in both themes: one lesson is walked in
// light, the next in dark.
func TestEveryLessonIsWalked(t *testing.T) {
	source := axeSource(t)
	b := open(t, site.URL, look{})
	b.visit("/")
	b.await(`document.querySelector('.chapters')`)
	all := eval[[]string](b, `[...new Set([...document.querySelectorAll('a[href^="/lessons/"]')].map(a => new URL(a.href).pathname.split('/')[2]))]`)
	if len(all) < 22 {
		t.Fatalf("%d lessons on the front page, want 22", len(all))
	}
	for i, slug := range all {
		if i%walkEvery != 0 {
			continue
		}
		t.Run(slug, func(t *testing.T) {
			t.Parallel()
			w := &walk{axe: source, seen: map[string]int{}}
			w.learner = &learner{tab: open(t, site.URL, look{calm: true, dark: i/walkEvery%2 == 1}), scripts: true, mouse: true, look: w.check}
			w.press1 = w.click
			w.finish(slug)
			for _, state := range []string{"step", "bet open", "bet answered", "verdict", "wrong answer"} {
				if w.seen[state] == 0 {
					t.Errorf("%s has no state %q that axe could look at", slug, state)
				}
			}
		})
	}
}

// walk is a way through one lesson.
type walk struct {
	*learner
	axe  string
	seen map[string]int // states that axe has looked at
}

// check looks at the page where a lesson asks, has answered or has told.
func (w *walk) check(state string) {
	w.t.Helper()
	for what, expr := range map[string]string{
		"raw text of a template": `/[{}]|\bNaN\b|%!|\[object/.test(document.querySelector('[data-current]').innerText)`,
		"a step without words":   `document.querySelector('[data-current]').innerText.length < 40`,
		"a cut-off verdict":      `(v => [...v.querySelectorAll('.v-words *, .v-pending')].some(e => !e.matches('.visually-hidden') && e.getBoundingClientRect().right > v.getBoundingClientRect().right + 1))(document.querySelector('#verdict'))`,
		"a heading out of view":  `(r => r.bottom < 0 || r.top > innerHeight)(document.querySelector('[data-current] h2').getBoundingClientRect())` + map[bool]string{true: "", false: " && false"}[strings.HasPrefix(state, "step")],
	} {
		if w.is(expr) {
			w.t.Errorf("%s, %s: %s: %s", w.where(), state, what, eval[string](w.tab, `document.querySelector('#verdict').innerText`))
		}
	}
	name := state
	switch {
	case strings.HasPrefix(state, "step") && w.is(`document.querySelector('[data-current] .story')`):
		name = "verdict"
	case strings.HasPrefix(state, "step"):
		name = "step"
	case state == "answered" && w.is(`document.querySelector('[data-quiz] .option.chosen:not(.right)')`):
		name = "wrong answer"
	}
	if w.seen[name] > 0 || name == "answered" {
		return
	}
	w.seen[name]++
	w.tab.axeBoth(w.axe, fmt.Sprintf("%s, %s", w.where(), name))
}

// skip goes with the mouse to the last stretch of the step that the lesson is at.
func (l *learner) skip() {
	l.t.Helper()
	if !l.mouse {
		return
	}
	where, err := chromedp.Run(l.ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(`((s, m, e) => {
		const r = e.querySelector('.track').getBoundingClientRect(), to = s.dataset.untilEvent - %d;
		return s.dataset.kind === 'segment' && to - m.dataset.position > %[1]d ? [r.x + r.width * to / e.ariaValueMax, r.y + r.height / 2] : [];
	})(document.querySelector('[data-current]'), document.querySelector('main'), document.querySelector('#timeline'))`, ahead)))
	if err != nil || len(where) == 0 {
		return // nothing to skip, or the page is about to be left
	}
	l.must(chromedp.Do(l.ctx, chromedp.MouseClickXY(where[0], where[1])))
	l.await(`!/playing/.test(document.querySelector('main')?.dataset.state)`)
}
