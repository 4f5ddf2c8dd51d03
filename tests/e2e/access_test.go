package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
)

// TestKeyboardOnly crashes, predicts, recovers and reads the verdict without a
// mouse.
func TestKeyboardOnly(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&at=60")
	b.at(60)
	b.await(complete)
	b.press("k")
	b.await(`document.documentElement.hasAttribute('data-armed') && document.querySelectorAll('[data-crash][data-key]').length > 3`)
	b.press(kb.Escape)
	b.await(`!document.documentElement.hasAttribute('data-armed')`)
	b.press("k")
	b.press(eval[string](b, `document.querySelector('[data-crash="count/0"]').dataset.key`))
	b.at(61)
	b.await(`document.activeElement === document.querySelector('#card h2')`)
	if !b.is(`document.querySelector('#card [type=submit]').disabled`) {
		t.Error("the recovery can be run before it was predicted")
	}
	b.press(" ") // neither plays nor skips
	b.press("2")
	b.await(`!document.querySelector('#card [type=submit]').disabled`)
	b.press(kb.Enter)
	b.press("]")
	b.state("ended")
	b.await(`document.activeElement === document.querySelector('#card h2') && document.querySelector('#card').textContent.includes('twice')`)
	b.press("v")
	b.await(`document.activeElement.closest('#verdict')`)
	b.press(kb.Escape)
	b.await(`document.querySelector('#card').hidden`)
	if said := eval[string](b, `document.getElementById('say').textContent`); !strings.Contains(said, "duplicated") {
		t.Errorf("the verdict was not told: %q", said)
	}
}

// TestStageIsOneTabStop moves over the nodes with the arrow keys, opens the
// inspector and gets the focus back.
func TestStageIsOneTabStop(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit(tour + "&at=64")
	b.at(64)
	eval[bool](b, `(document.querySelector('[data-task="source/0"]').focus(), true)`)
	for _, k := range []struct{ key, node string }{{kb.ArrowRight, "count/0"}, {kb.ArrowDown, "count/1"}, {kb.ArrowDown, "coordinator"}, {kb.ArrowUp, "count/1"}, {kb.ArrowLeft, "source/1"}, {kb.ArrowUp, "source/0"}} {
		b.press(k.key)
		b.await(`document.activeElement.dataset.task === ` + quote(k.node))
	}
	if n := eval[int](b, `document.querySelectorAll('#stage [data-task][tabindex="0"]').length`); n != 1 {
		t.Errorf("the stage has %d tab stops among its nodes, want 1", n)
	}
	b.press(kb.Enter)
	b.await(`!document.getElementById('inspector').hidden && document.activeElement.closest('#inspector')`)
	b.press(kb.Escape)
	b.await(`document.getElementById('inspector').hidden && document.activeElement.dataset.task === 'source/0'`)
	b.at(64)
}

// TestReducedMotion swaps and outlines what changed; nothing flies.
func TestReducedMotion(t *testing.T) {
	b := open(t, site.URL, look{calm: true})
	b.visit(tour + "&at=20")
	b.at(20)
	eval[bool](b, `(() => { window.flights = 0; new MutationObserver(m => { window.flights += m.length; }).observe(document.querySelector('[data-overlay]'), {childList: true}); return true; })()`)
	b.press(kb.ArrowRight)
	b.await(`document.querySelector('[data-region][data-changed]')`)
	b.await(`!document.querySelector('[data-region][data-changed]')`)
	b.press(" ")
	b.await(`Number(document.querySelector('main').dataset.position) > 40`)
	if n := eval[int](b, `window.flights`); n != 0 {
		t.Errorf("%d things flew in spite of reduced motion", n)
	}
}

// place is a page, with what must be there before it is checked.
type place struct{ path, ready string }

// pages are all kinds of pages.
var pages = []place{
	{"/", `document.querySelector('.chapters')`},
	{"/glossary", `document.querySelector('main')`},
	{"/matrix", `document.querySelector('main')`},
	{"/map", `document.querySelector('main')`},
	{"/map?scenario=hook-charges&choice=sink=append&choice=sink=upsert&choice=sink=transactional", filled},
	{"/map?scenario=short-timeout&cols=110-140&sel=crash-job@119", filled},
	{"/map?scenario=zombie&kind=crash-job,pause,lose-response", filled},
	{"/sandbox?scenario=hook-charges&fault=crash:count/0@60", `document.querySelector('.promise-says')`},
	{"/twin?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once", `document.querySelector('main.twin[data-complete]')`},
	{"/sandbox?scenario=sandbox&set=strategy=trident", `document.querySelector('.form-problem')`},
	{"/levels", `document.querySelector('main')`},
	{"/levels/ledger-over-night?seg=hint-1&scenario=repair-ledger&set=isolation.level=read_committed&set=transaction.timeout=5s", `document.querySelector('.level-result.won')`},
	{"/levels/back-from-the-dead", complete},
	{"/interval", `document.querySelector('main')`},
	{"/interval?t=never", `document.querySelector('main')`},
	{"/incidents", `document.querySelector('main')`},
	{"/incidents/c28-one-number-for-four-workers", `document.querySelector('main')`},
	{"/lessons/one-crash-two-charges", complete},
	{"/lessons/one-crash-two-charges?seg=verdict", complete},
	{"/lessons/alignment", complete},
	{"/lessons/alignment?seg=quiz", complete},
	{"/lessons/alignment?seg=bars", complete},
	{"/lessons/alignment/print", `document.querySelector('.sheet')`},
	{"/run?scenario=hook-charges&at=70&embed=1", complete},
	{"/run?scenario=hook-charges&at=70", complete},
	{tour + "&at=64", complete},
	{"/run?scenario=hook-charges&fault=crash:count/0@60&at=61&card=predict", complete},
	{"/run?scenario=hook-charges&fault=crash:count/0@60&at=200&card=reveal&predict=sink:exact", complete},
	{"/run?scenario=hook-chargse", `document.querySelector('main')`},
	{"/progress", `document.querySelector('main')`},
	{"/progress?done=import", `document.querySelector('main')`},
	{"/live", `document.querySelector('.live-page')`},
	{"/nowhere", `document.querySelector('main')`},
}

// TestAxe finds nothing on any page, in light and dark.
func TestAxe(t *testing.T) {
	source := axeSource(t)
	shared(t, look{}, pages, func(b *tab, p place) {
		b.refused = true
		b.visit(p.path)
		b.await(p.ready)
		b.axeBoth(source, p.path)
	})
}

// TestEverythingOnTheStageCanBeInspected clicks on a thing of each kind, reads what
// is said of it, and lets axe look.
func TestEverythingOnTheStageCanBeInspected(t *testing.T) {
	source := axeSource(t)
	b := open(t, site.URL, look{})
	b.visit(tour + "&at=150")
	b.at(150)
	b.await(complete)
	for _, id := range eval[[]string](b, `Object.values(Object.fromEntries([...document.querySelectorAll('#stage [data-id], #shelf [data-id], #stage [data-task]')]
		.filter(e => e.getBoundingClientRect().width).map(e => e.dataset.id ? [e.dataset.id[0], e.dataset.id] : [e.dataset.task, e.dataset.task])))`) {
		selector := `[data-id="` + id + `"], [data-task="` + id + `"]`
		eval[bool](b, `(document.querySelector(`+quote(selector)+`).dispatchEvent(new MouseEvent('click', {bubbles: true})), true)`)
		b.await(`!document.getElementById('inspector').hidden && document.activeElement.closest('#inspector')`)
		if text := eval[string](b, `document.getElementById('inspector').textContent`); len(strings.TrimSpace(text)) < 20 {
			t.Errorf("the inspector says of %s only %q", id, text)
		}
		b.axeBoth(source, "the inspector of "+id)
		b.press(kb.Escape)
		b.await(`document.getElementById('inspector').hidden`)
	}
}

// TestStageFollowsTheText goes from moment to moment of a lesson, by key and by
// scrolling.
func TestStageFollowsTheText(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/lessons/one-crash-two-charges?seg=again")
	b.state("paused")
	b.await(complete)
	b.press("j")
	b.await(`document.querySelector('[data-beat][aria-current]')`)
	first := eval[int](b, `Number(document.querySelector('[data-beat][aria-current]').dataset.event)`)
	b.at(first)
	if !b.is(`document.querySelector('#stage [data-watched], #shelf[data-watched], [data-region][data-watched]')`) {
		t.Error("nothing that the paragraph speaks of is outlined")
	}
	b.press("j")
	b.await(fmt.Sprintf(`Number(document.querySelector('[data-beat][aria-current]').dataset.event) !== %d`, first))
	b.press("u")
	b.at(first)
	b.press(kb.End)
	b.state("ended")
	eval[bool](b, `(document.getElementById('prose').scrollTo(0, 1e6), true)`)
	call(b, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: 200, Y: 400, YDistance: 1500})
	b.await(`document.querySelector('main').dataset.state === 'paused'`)
}
