package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// choose sets a field of the sandbox's form as a person does, and waits for the page
// that comes of it.
func (b *tab) choose(id, value, until string) {
	b.t.Helper()
	eval[bool](b, `(() => { const f = document.getElementById(`+quote(id)+`); f.focus(); if (f.type === 'radio') f.click(); else { f.value = `+quote(value)+`; f.dispatchEvent(new Event('change', {bubbles: true})); } return true; })()`)
	b.await(until)
}

const promised = `document.querySelector('.promise-says') && !document.querySelector('main.sandbox[aria-busy]')`

// TestSandboxFollowsItsForm builds the first incident of docs/sandbox.md: the result
// and the link follow without a reload, and the focus stays where it was.
func TestSandboxFollowsItsForm(t *testing.T) {
	b := open(t, site.URL, look{})
	b.refused = true // a half-changed job is answered with 400
	b.visit("/sandbox")
	b.await(promised)
	eval[bool](b, `(window.sameDocument = true)`)
	b.choose("f-strategy-offset-commit", "", `document.querySelector('.form-problem a')`)
	if !b.is(`document.activeElement.id === 'f-strategy-offset-commit'`) {
		t.Errorf("the focus went to %s", eval[string](b, `document.activeElement.outerHTML.slice(0, 90)`))
	}
	for range 4 { // the buttons of what cannot be built lead on
		if !b.is(`document.querySelector('.form-problem a') !== null`) {
			break
		}
		was := b.where()
		b.click(".form-problem a")
		b.await(`location.href !== ` + quote(was) + ` && !document.querySelector('main.sandbox[aria-busy]')`)
	}
	b.await(promised)
	b.choose("f-sinks-sink-sink-append", "", `location.search.includes('sink=append')`)
	b.choose("f-commit", "before", `location.search.includes('commit=before')`)
	b.choose("f-commit-every", "4", `location.search.includes('commit.every=4')`)
	b.choose("f-sinks-sink-output", "event", `location.search.includes('output=event')`)
	b.choose("fault.0.target", "loop/0", promised)
	b.choose("fault.0.named", "after:sink.write~5@loop/0", promised)
	b.choose("fault.0.kind", "crash", `location.search.includes('fault=')`)
	b.await(promised)
	if got := eval[string](b, `document.getElementById('result').textContent`); !strings.Contains(got, "Lost") {
		t.Errorf("the result says %q at %s", got, b.where())
	}
	if !b.is(`window.sameDocument`) {
		t.Error("the page was loaded again")
	}
	b.back()
	b.await(`!location.search.includes('fault=') && !document.querySelector('main.sandbox[aria-busy]')`)
	b.await(`!document.querySelector('#schedule code')`)
}

// TestTwinOnOneClock plays and steps both runs by one transport.
func TestTwinOnOneClock(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/twin?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once")
	b.await(`document.querySelector('main.twin[data-complete]')`)
	if got := eval[string](b, `document.getElementById('first').textContent`); !strings.Contains(got, "slipped past barrier") {
		t.Errorf("first it says %q", got)
	}
	if n := eval[int](b, `document.querySelectorAll('[data-differs]').length`); n < 2 {
		t.Errorf("%d regions are outlined where the runs part", n)
	}
	served := eval[string](b, picture)
	b.press(kb.ArrowRight)
	b.await(`document.querySelector('main').dataset.position !== document.querySelector('main').dataset.at`)
	b.press(kb.ArrowLeft)
	b.await(`document.querySelector('main').dataset.position === document.querySelector('main').dataset.at`)
	if got := eval[string](b, picture); got != served {
		t.Error("the server and the script draw or outline the same moment differently")
	}
	b.press(kb.Home)
	b.await(`document.querySelector('main').dataset.position === '0'`)
	if n := eval[int](b, `document.querySelectorAll('[data-differs]').length`); n != 0 {
		t.Errorf("%d regions are outlined before the first event", n)
	}
	b.press(" ")
	b.await(`+document.querySelector('main').dataset.position > 5`)
	b.press(" ")
	b.await(`document.querySelector('main').dataset.state === 'paused' && location.search.includes('at=' + document.querySelector('main').dataset.position)`)
	eval[bool](b, `(() => { const c = document.getElementById('clock'); c.value = c.max; c.dispatchEvent(new Event('input', {bubbles: true})); return true; })()`)
	b.await(`document.querySelector('main').dataset.position === document.querySelector('main').dataset.last`)
	if a, z := b.is(`document.querySelector('[data-side="0"] [data-event]').textContent === '294'`), b.is(`document.querySelector('[data-side="1"] [data-event]').textContent === '282'`); !a || !z {
		t.Error("the end of the clock is not the end of both runs")
	}
}

// picture is everything that both stages draw, outlines included.
const picture = `[...document.querySelectorAll('[data-region]')].map(e => e.dataset.region + (e.hasAttribute('data-differs') ? '!' : '') + e.innerHTML).join()`
