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
