package e2e

import (
	"strings"
	"testing"
	"time"
)

// primary is the one primary button of a view that is not the transport's.
const primary = `[...document.querySelectorAll('.hero .primary, .step .primary')].find(e => e.getClientRects().length)`

// TestHookInThirtySeconds walks the way of a visitor who presses only what is
// offered, from the front page to the verdict of the first lesson.
func TestHookInThirtySeconds(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/")
	began := time.Now()
	bets := 0
	b.click(".hero .primary")
	for verdict := false; !verdict; verdict = b.is(`document.querySelector('[data-current]').dataset.segment === 'verdict'`) {
		b.state("paused", "frozen", "ended")
		if b.is(`!document.querySelector('#place-bet').hidden`) {
			b.click("[data-current] [data-bet] [data-option] input")
			bets++
		}
		before := b.stamp()
		b.await(primary)
		b.click(".step .primary")
		b.await(stamp + ` !== ` + quote(before))
		b.state("paused", "frozen", "ended")
	}
	took := time.Since(began)
	b.state("ended")
	if bets != 1 {
		t.Errorf("%d bets were asked for, want 1", bets)
	}
	if took > 30*time.Second {
		t.Errorf("the way to the verdict took %v, want at most 30 s", took)
	}
	text := eval[string](b, `document.querySelector('#verdict').textContent`)
	if !strings.Contains(text, "Duplicated") || !strings.Contains(text, "5 twice") {
		t.Errorf("the verdict reads %q, want the five charges that came twice", text)
	}
	t.Logf("the way took %v", took)
}

// stamp changes with every answer of the page to a press.
const stamp = `JSON.stringify([location.href, document.querySelector('main').dataset.state, document.querySelector('main').dataset.position, !document.querySelector('#place-bet')?.hidden])`

func (b *tab) stamp() string { return eval[string](b, stamp) }

// TestCrashIsPressedForTheLearner waits at the glowing button and does nothing.
func TestCrashIsPressedForTheLearner(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/lessons/one-crash-two-charges")
	b.state("paused")
	b.click("#next")
	b.await(`document.querySelector('[data-crash=job][data-prompted]')`)
	b.await(`location.search.includes('fault=crash-job@before:checkpoint.complete~2')`)
	b.state("frozen")
	b.await(`!document.querySelector('#place-bet').hidden && document.querySelector('#next').hidden`)
	b.back()
	b.await(`!location.search.includes('fault=')`)
	b.state("paused")
}

// TestLessonGoesOnInAnotherScenario presses through all steps of a lesson that
// changes its run in the middle.
func TestLessonGoesOnInAnotherScenario(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/lessons/alignment")
	b.state("paused", "ended")
	scenarios := map[string]bool{}
	for b.is(`document.querySelector('[data-current]').dataset.kind === 'segment'`) {
		scenarios[eval[string](b, `new URLSearchParams(document.querySelector('[data-current]').dataset.query).get('scenario')`)] = true
		if b.is(`!document.querySelector('#place-bet').hidden`) {
			b.click("[data-current] [data-bet] [data-option] input")
			b.click("#place-bet")
			b.await(`!document.querySelector('#next').hidden && !document.querySelector('[data-current] [data-why]').hidden`)
		}
		step := eval[string](b, `document.querySelector('[data-current]').dataset.segment`)
		b.press("]") // four times as fast
		b.click("#next")
		// A step's own crash comes first, and the step stays.
		b.await(`(s => s.dataset.segment !== ` + quote(step) + ` || s.dataset.crashFault && location.search.includes(s.dataset.crashFault))(document.querySelector('[data-current]'))`)
		b.state("paused", "ended", "frozen")
	}
	if !scenarios["alignment-tour"] || !scenarios["align-slow"] {
		t.Errorf("the lesson played %v, want alignment-tour and align-slow", scenarios)
	}
}

func (b *tab) is(expr string) bool {
	b.t.Helper()
	return eval[bool](b, `!!(`+expr+`)`)
}
