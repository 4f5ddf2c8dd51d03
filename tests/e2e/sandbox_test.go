package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// hit clicks with the mouse on an element, in the middle of the window.
func (b *tab) hit(selector string) {
	b.t.Helper()
	b.await(`document.querySelector(` + quote(selector) + `)`)
	p := eval[[2]float64](b, `(() => { const e = document.querySelector(`+quote(selector)+`), d = e.closest('details:not([open])'); if (d && e.localName !== 'summary') return [-1, 0];
		e.scrollIntoView({block: 'center', behavior: 'instant'}); const r = e.getClientRects()[0]; return [r.x + r.width / 2, r.y + r.height / 2]; })()`) // a link may run over two lines
	if p[0] < 0 {
		b.t.Fatalf("%s is folded away", selector)
	}
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(p[0], p[1])))
}

// choose sets a field of the sandbox's form with mouse and keyboard, and waits for the
// page that comes of it: a card is clicked, a list opened and its entry taken, a text
// field clicked and written in.
func (b *tab) choose(id, value, until string) {
	b.t.Helper()
	field := "[id=" + quote(id) + "]"
	b.await(`document.querySelector(` + quote(field) + `) && !document.querySelector('main.sandbox[aria-busy]')`)
	switch eval[string](b, `(f => f.options ? 'list' : f.type)(document.querySelector(`+quote(field)+`))`) {
	case "radio":
		b.hit(".kind:has(" + field + ")")
	case "list":
		b.hit(field)
		steps := eval[int](b, `(f => [...f.options].findIndex(o => o.value === `+quote(value)+`) - f.selectedIndex)(document.querySelector(`+quote(field)+`))`)
		key := kb.ArrowDown
		if steps < 0 {
			key, steps = kb.ArrowUp, -steps
		}
		b.press(strings.Repeat(key, steps) + kb.Enter)
	default:
		b.hit(field)
		written := eval[int](b, `document.querySelector(`+quote(field)+`).value.length`)
		b.press(kb.End + strings.Repeat(kb.Backspace, written) + value + kb.Enter)
	}
	b.await(until)
}

const promised = `document.querySelector('.promise-says') && !document.querySelector('main.sandbox[aria-busy]')`

// ends waits until the run of the sandbox ends in a class.
func (b *tab) ends(class string) {
	b.t.Helper()
	b.await(`document.querySelector('#result .class-word.c-` + class + `') && ` + promised)
}

// useNearest follows the buttons of what cannot be built until it can.
func (b *tab) useNearest() {
	b.t.Helper()
	for range 4 {
		if !b.is(`document.querySelector('.form-problem a') !== null`) {
			break
		}
		was := b.where()
		b.hit(".form-problem a")
		b.await(`location.href !== ` + quote(was) + ` && !document.querySelector('main.sandbox[aria-busy]')`)
	}
	b.await(promised)
}

// set is an expression that holds when the link says so.
func set(part string) string {
	return `decodeURIComponent(location.search).includes(` + quote(part) + `) && ` + promised
}

// TestSandboxFollowsItsForm builds the first incident of docs/sandbox.md: the result
// and the link follow without a reload, and the focus stays where it was. The promise
// names the line that causes it, and the way out is one click.
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
	b.useNearest()
	b.choose("f-sinks-sink-sink-append", "", set("sink=append"))
	b.choose("f-sinks-sink-output", "event", set("output=event"))
	b.choose("f-commit", "before", set("commit=before"))
	b.choose("f-commit-every", "4", set("commit.every=4"))
	b.choose("fault.0.target", "loop/0", promised)
	b.choose("fault.0.named", "after:sink.write~5@loop/0", promised)
	b.choose("fault.0.kind", "crash", set("fault=crash:loop/0@after:sink.write~5@loop/0"))
	b.ends("lost")
	b.cured("commit", "commit=after", "duplicated")
	b.cured("sinks.sink.sink", "sink=upsert", "exact")
	if !b.is(`window.sameDocument`) {
		t.Error("the page was loaded again")
	}
	for range 3 {
		was := b.where()
		b.back()
		b.await(`location.href !== ` + quote(was) + ` && ` + promised)
	}
	b.await(`!document.querySelector('#schedule code') && !location.search.includes('fault=')`)
}

// cured looks at the line that is blamed, in the form, at the promise and in the
// settings of the product, and takes the way out that is offered.
func (b *tab) cured(key, use, ends string) {
	b.t.Helper()
	b.await(`document.querySelector('#promise .cure')?.dataset.cause === ` + quote(key))
	if got := eval[string](b, `document.querySelector('#promise .cure a').textContent`); got != "Use "+use {
		b.t.Errorf("%s is blamed, and the way out is %q", key, got)
	}
	if got := eval[int](b, `document.querySelectorAll('.setup .cause').length`); got != 1 {
		b.t.Errorf("%s is blamed, and %d fields of the form are outlined", key, got)
	}
	if !b.is(`document.querySelector('#as-product').open`) { // it stays open from page to page
		b.hit("#as-product summary")
	}
	b.await(`document.querySelector('.product .cause')?.dataset.says === ` + quote(key) + ` && document.querySelector('#as-product .cure a').getClientRects().length > 0`)
	b.hit("#as-product .cure a")
	b.await(`!document.querySelector('main.sandbox[aria-busy]') && document.querySelector('#promise .cure')?.dataset.cause !== ` + quote(key))
	b.ends(ends)
}

// TestSandboxRetentionByClicks builds the second incident of docs/sandbox.md.
func TestSandboxRetentionByClicks(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/sandbox")
	b.await(promised)
	b.choose("f-sinks-sink-sink-dedup", "", set("sink=dedup"))
	b.choose("f-sinks-sink-output", "event", set("output=event"))
	b.choose("f-sinks-sink-dedup-retention", "2s", set("dedup.retention=2s"))
	b.choose("f-restart-delay", "3s", set("restart.delay=3s"))
	b.choose("fault.0.named", "after:sink.write~8@sink/0", promised)
	b.choose("fault.0.kind", "crash-job", set("fault=crash-job@after:sink.write~8@sink/0"))
	b.ends("duplicated")
	b.cured("sinks.sink.dedup.retention", "dedup.retention=10s", "exact")
}

// TestSandboxAlignmentByClicks builds the third incident of docs/sandbox.md.
func TestSandboxAlignmentByClicks(t *testing.T) {
	b := open(t, site.URL, look{})
	b.refused = true
	b.visit("/sandbox")
	b.await(promised)
	b.choose("f-topology-K", "", set("topology=K"))
	b.choose("f-sinks-sink-sink-upsert", "", set("sink=upsert"))
	b.choose("f-sinks-sink-output", "total", promised)
	b.choose("f-input", "meters-20", set("input=meters-20"))
	b.choose("f-gap", "40ms", set("gap=40ms"))
	b.choose("f-checkpoint-interval", "150ms", set("checkpoint.interval=150ms"))
	b.choose("f-checkpoint-mode", "at_least_once", set("checkpoint.mode=at_least_once"))
	b.choose("fault.0.target", "enrich/1", promised)
	b.choose("fault.0.kind", "slow", `document.querySelector('.form-problem') && !document.querySelector('main.sandbox[aria-busy]')`) // how slow is not said yet
	b.choose("fault.0.arg", "x20", set("fault=slow:enrich/1:x20@0"))
	b.choose("fault.1.named", "after:checkpoint.complete~2@coordinator", promised)
	b.choose("fault.1.side", "before", promised)
	b.choose("fault.1.kind", "crash-job", set("fault=crash-job@before:checkpoint.complete~2@coordinator"))
	b.ends("duplicated")
	b.cured("checkpoint.mode", "checkpoint.mode=exactly_once", "exact")
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
