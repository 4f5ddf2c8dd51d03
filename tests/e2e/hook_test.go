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
	b.click("#next") // watches the first step
	b.await(`document.querySelector('#next').textContent.includes('Keep it running')`)
	b.state("paused")
	b.click("#next") // the second one plays by itself
	b.await(`document.querySelector('[data-crash=job][data-prompted]')`)
	b.await(`location.search.includes('fault=crash-job@before:checkpoint.complete~2')`)
	b.state("frozen")
	b.await(`!document.querySelector('#place-bet').hidden && document.querySelector('#next').hidden`)
	b.back()
	b.await(`!location.search.includes('fault=')`)
	b.state("paused")
}

// TestStepStopsAtItsMoment plays a step, finds the stage at the moment that the
// step's text speaks of, and goes on only when the button is pressed again.
func TestStepStopsAtItsMoment(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/lessons/one-crash-two-charges")
	b.state("paused")
	label := func() string { return eval[string](b, `document.querySelector('#next [data-label]').textContent`) }
	step := func() string { return eval[string](b, `document.querySelector('[data-current]').dataset.segment`) }
	if label() != "Watch" {
		t.Errorf("the button of a step that was not watched says %q, want Watch", label())
	}
	b.press("]")
	b.click("#next")
	until := eval[int](b, `Number(document.querySelector('[data-current]').dataset.untilEvent)`)
	b.at(until)
	if step() != "money" || label() != "Keep it running" {
		t.Errorf("at event %d the step is %s and its button says %q, want money and the way on", until, step(), label())
	}
	b.seek(1) // looking back is no reason to watch it all again
	b.at(1)
	if label() != "Keep it running" {
		t.Errorf("after a look back the button says %q, want the way on", label())
	}
	b.click("#next")
	b.await(`document.querySelector('[data-current]').dataset.segment === 'crash'`)
	b.await(`document.querySelector('[data-crash=job][data-prompted]')`)
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
		b.press("]") // four times as fast
		before := b.stamp()
		b.click("#next") // it is watched, or it crashes, or the next one comes
		b.await(stamp + ` !== ` + quote(before))
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
