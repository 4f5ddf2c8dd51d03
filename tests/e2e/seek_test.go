package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// seek goes to an event with the mouse on the timeline and the arrow keys.
func (b *tab) seek(n int) {
	b.t.Helper()
	p := eval[[2]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector('#timeline .track').getBoundingClientRect();
		return [r.x + r.width * %d / Number(document.querySelector('#timeline').getAttribute('aria-valuemax')), r.y + r.height / 2]; })()`, n))
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(p[0], p[1])))
	b.frames()
	b.state("paused", "frozen", "ended")
	for at := b.number("position"); at != n; at = b.number("position") {
		key := kb.ArrowRight
		if at > n {
			key = kb.ArrowLeft
		}
		b.press(key)
		b.await(fmt.Sprintf(`document.querySelector('main').dataset.position !== '%d'`, at))
	}
	b.at(n)
}

// frames waits until what a pointer asked for has been taken up: the page seeks
// once a frame.
func (b *tab) frames() {
	b.t.Helper()
	_, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(true))))`, chromedp.EvalAwaitPromise))
	b.must(err)
}

// TestSeekingAsksNothing goes to events both ways, by key, click and drag. What
// is shown depends on the event alone, and no request is made.
func TestSeekingAsksNothing(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit(tour + "&fault=crash:count/0@120")
	b.at(0)
	b.await(complete)
	before := b.count()
	seen := map[int]string{}
	for _, n := range []int{0, 33, 119, 121, 140, 200, 140, 121, 119, 33, 0, 121, 33} {
		b.seek(n)
		if old, ok := seen[n]; ok {
			compare(t, fmt.Sprintf("event %d, again", n), b.picture(), old)
		}
		seen[n] = b.picture()
	}
	b.press(kb.End)
	b.state("ended")
	b.press(kb.Home)
	b.at(0)
	b.press(kb.ArrowRight)
	b.at(1)
	b.drag(.2, .8)
	if n := b.number("position"); n < 100 {
		t.Errorf("a drag to four fifths of the track ended at event %d", n)
	}
	b.await(`new URLSearchParams(location.search).get('at') === document.querySelector('main').dataset.position`)
	if after := b.count(); after != before {
		t.Errorf("seeking made %d requests: %v", after-before, b.requests[before:])
	}
}

// drag moves the ring along the track, from and to given as parts of it.
func (b *tab) drag(from, to float64) {
	b.t.Helper()
	r := eval[[3]float64](b, `(() => { const r = document.querySelector('#timeline .track').getBoundingClientRect(); return [r.x, r.width, r.y + r.height / 2]; })()`)
	b.must(chromedp.Do(b.ctx, chromedp.DragAndDropXY(r[0]+r[1]*from, r[2], r[0]+r[1]*to, r[2], 8)))
	b.frames()
	b.state("paused", "frozen", "ended")
}

// TestEveryEventWithoutScripts walks by links, and finds the stage that scripts
// show; the crash form leads to the card.
func TestEveryEventWithoutScripts(t *testing.T) {
	plain, b := open(t, site.URL, look{noScript: true}), open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges")
	b.at(0)
	b.await(complete)
	last := eval[int](b, `Number(document.querySelector('#timeline').getAttribute('aria-valuemax'))`)
	for n := 0; n <= last; n += 12 {
		plain.visit(fmt.Sprintf("/run?scenario=hook-charges&at=%d", n))
		plain.await(fmt.Sprintf(`document.querySelector('main')?.dataset.at === '%d'`, n))
		b.seek(n)
		compare(t, fmt.Sprintf("event %d without scripts", n), plain.picture(), b.picture())
	}
	plain.visit("/run?scenario=hook-charges&at=50")
	plain.click(`#transport a[aria-label="Next event"]`)
	plain.await(`document.querySelector('main')?.dataset.at === '51'`)
	plain.click("details summary")
	plain.click("details button[value^='crash:count/0@']")
	plain.await(`document.querySelector('main')?.dataset.at === '52' && document.querySelector('#card:not([hidden]) form')`)
	plain.click("#card fieldset label")
	plain.click("#card [type=submit]")
	plain.await(`document.querySelector('#card:not([hidden])')?.textContent.includes('happened')`)
}

// TestFocusSurvivesPlaying keeps the focus on a crash button while the stage
// around it plays.
func TestFocusSurvivesPlaying(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit(tour)
	b.at(0)
	eval[bool](b, `(() => { const e = document.querySelector('[data-crash="count/0"]'); e.focus(); window.held = e; window.moved = 0;
		for (const t of ['blur', 'focus']) e.addEventListener(t, () => window.moved++); return true; })()`)
	b.press("]")
	eval[bool](b, `(document.querySelector('[data-do=play]').dispatchEvent(new MouseEvent('click', {bubbles: true})), true)`)
	b.await(`Number(document.querySelector('main').dataset.position) > 150`)
	if !b.is(`document.activeElement === window.held && window.held.isConnected && window.moved === 0`) {
		t.Errorf("the focus moved while playing: %s", b.describe())
	}
}
