package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// filled holds when all cells of a crash map are there.
const filled = `document.querySelector('main').dataset.filled === ''`

// timeouts is a map with a band of losses in one of its two panels.
const timeouts = "/map?scenario=short-timeout&choice=base&choice=sink=append"

// TestMapByKeyboard goes over the cells, looks into a bin, and opens the run of a
// cell, without a mouse.
func TestMapByKeyboard(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit(timeouts)
	b.await(filled)
	if n := eval[int](b, `document.querySelectorAll('[data-panel="0"] [tabindex="0"]').length`); n != 1 {
		t.Fatalf("the first grid has %d tab stops, want 1", n)
	}
	eval[bool](b, `(document.querySelector('[data-panel="0"] [tabindex="0"]').focus(), true)`)
	at := func(id string) {
		t.Helper()
		b.await(`document.activeElement.id === ` + quote(id))
	}
	b.press(kb.Home)
	last := eval[int](b, `document.querySelectorAll('[data-panel="0"] tbody tr:first-child .mc').length`) - 1
	rows := eval[int](b, `document.querySelectorAll('[data-panel="0"] tbody tr').length`) - 1
	row := eval[int](b, `Number(document.activeElement.id.split('-')[2])`)
	at(fmt.Sprintf("c-0-%d-0", row))
	for range rows {
		b.press(kb.ArrowDown)
	}
	at(fmt.Sprintf("c-0-%d-0", rows))
	b.press(kb.ArrowRight)
	at(fmt.Sprintf("c-0-%d-1", rows))
	b.press(kb.ArrowLeft)
	b.press(kb.ArrowLeft) // does not wrap
	at(fmt.Sprintf("c-0-%d-0", rows))
	b.press(kb.End)
	at(fmt.Sprintf("c-0-%d-%d", rows, last))
	b.press(kb.Home)
	b.press(kb.PageDown) // the next that is not exact
	b.await(`document.activeElement.classList.contains('lost')`)
	sel := eval[string](b, `document.activeElement.value`)
	for _, panel := range []string{"0", "1"} {
		if got := eval[string](b, `document.querySelector('[data-panel="`+panel+`"] [aria-selected="true"] .mc').value`); got != sel {
			t.Errorf("panel %s has %s selected, want %s", panel, got, sel)
		}
	}
	b.await(`document.querySelector('#map-detail [data-sel]').dataset.sel === ` + quote(sel) + ` && location.search.includes('sel=')`)
	b.press("+")
	b.await(filled + ` && location.search.includes('cols=')`)
	eval[bool](b, `(document.querySelector('[data-panel="0"] .mc.lost').focus(), true)`)
	says := eval[string](b, `document.activeElement.ariaLabel`)
	b.press(kb.Enter)
	b.await(`location.pathname === '/run' && location.search.includes('fault=') && document.querySelector('main').dataset.query`)
	if !strings.Contains(says, "lost") {
		t.Errorf("the cell said %q", says)
	}
	b.back()
	b.await(`location.pathname === '/map'`)
}

// TestMapSteppers is the selection without the grid, and what is told of it.
func TestMapSteppers(t *testing.T) {
	b := open(t, site.URL, look{width: 390, height: 844})
	b.visit(timeouts)
	b.await(filled)
	for _, step := range []string{"right", "bad-right", "up"} {
		was := eval[string](b, `document.querySelector('[data-sel]').dataset.sel`)
		if !b.is(`document.querySelector('a[data-step="` + step + `"]')`) {
			step = "left"
		}
		b.click(`a[data-step="` + step + `"]`)
		b.await(`document.querySelector('[data-sel]').dataset.sel !== ` + quote(was))
		b.await(`document.activeElement.closest('#map-detail')`)
		b.await(`document.getElementById('say').textContent.includes('crashes at')`)
	}
	b.click("#tab-1 + span")
	b.await(`document.querySelector('[data-panel="1"]').getBoundingClientRect().width > 0 && !document.querySelector('[data-panel="0"]').getBoundingClientRect().width`)
}

// TestMapWithoutScripts is complete, and its cells are buttons that lead on.
func TestMapWithoutScripts(t *testing.T) {
	plain, b := open(t, site.URL, look{noScript: true}), open(t, site.URL, look{})
	path := "/map?scenario=alignment-tour&kind=crash,crash-job"
	plain.visit(path)
	plain.await(`location.search.includes('full=1') && document.querySelectorAll('.map-grid .mc').length > 100`)
	b.visit(path)
	b.await(filled)
	if n := eval[int](plain, `document.querySelectorAll('.mc.hollow').length`); n != 0 {
		t.Errorf("%d cells are hollow without scripts", n)
	}
	cells := `[...document.querySelectorAll('.map-grid .mc')].map(c => c.id + c.className + c.ariaLabel).join('\n')`
	if eval[string](b, cells) != eval[string](plain, cells) {
		t.Error("the map that was filled by script is another one")
	}
	plain.click(".map-grid .mc.duplicated")
	plain.await(`location.search.includes('sel=') && document.querySelector('#map-detail h2')`)
}

// TestSingleKeysLeadAround goes from a run to its crash map, to a twin run and back
// to a map by single keys, and reads their lists.
func TestSingleKeysLeadAround(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&fault=crash:count/0@60&at=90")
	b.at(90)
	b.await(complete)
	b.press("m")
	b.await(`location.pathname === '/map' && location.search.includes('sel=crash:count/0@60')`)
	b.await(filled + ` && document.querySelector('.map-grid [aria-selected="true"] .mc').value.startsWith('crash:count/0@')`)
	b.press("?")
	b.await(`document.querySelector('#keys[open]')?.textContent.includes('not exact')`)
	b.press(kb.Escape)
	b.await(`!document.querySelector('#keys[open]')`)
	b.press("t")
	b.await(`document.querySelector('#map-table[open]') && document.activeElement.closest('#map-table')`)
	b.visit("/twin?scenario=short-timeout&other=sink=append")
	b.await(`document.querySelector('main.twin[data-complete]')`)
	b.press(kb.End)
	b.await(`document.querySelector('main').dataset.position === document.querySelector('main').dataset.last`)
	b.press("f") // where they part is what the page shows at first
	b.await(`document.querySelector('main').dataset.position === document.querySelector('main').dataset.at`)
	b.press("?")
	b.await(`document.querySelector('#keys[open]')`)
	b.click("#keys input[name=keys]")
	b.press(kb.Escape)
	b.press("m") // switched off
	b.press("?")
	b.press(kb.End)
	b.await(`document.querySelector('main').dataset.position === document.querySelector('main').dataset.last`)
	if !b.is(`location.pathname === '/twin' && !document.querySelector('#keys[open]')`) {
		t.Error("single keys act although they are switched off")
	}
	b.click("[data-do=keys]")
	b.click("#keys input[name=keys]")
	b.press(kb.Escape)
	b.press("m")
	b.await(`location.pathname === '/map' && document.querySelectorAll('.map-grid').length === 2`)
}

// TestForkIsCompared crashes a run that was seen to its end, and lays it beside the
// run without the crash.
func TestForkIsCompared(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&at=150")
	b.at(150)
	b.await(complete)
	b.seek(60)
	b.press("k")
	b.press(eval[string](b, `document.querySelector('[data-crash="count/0"]').dataset.key`))
	b.at(61)
	b.click("#fork a:last-of-type")
	b.await(`document.querySelector('main.twin[data-complete]')`)
	if got := eval[string](b, `document.querySelector('main').textContent`); !strings.Contains(got, "crash:count/0@60") || !strings.Contains(got, "event 61") {
		t.Errorf("the twin runs are %s", b.where())
	}
}
