package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// kept is what the server has of this tab's learner, asked by the page itself.
const kept = `(() => { const r = new XMLHttpRequest(); r.open('GET', '/progress/export', false); r.send(); return r.responseText; })()`

// toTheBet presses what the first lesson offers until it asks for the bet.
func (b *tab) toTheBet() {
	b.t.Helper()
	for b.state("paused"); b.is(`document.querySelector('#place-bet').hidden`); b.state("paused", "frozen") {
		before := b.stamp()
		b.click("#next")
		b.await(stamp + ` !== ` + quote(before))
	}
}

// TestABetIsKept places a bet in the page, and finds it, the steps that opened
// without a page of their own, and the way back to them.
func TestABetIsKept(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/lessons/one-crash-two-charges")
	b.toTheBet()
	b.await(`!document.querySelector('#place-bet').hidden`)
	b.click("[data-current] [data-bet] [data-option] input")
	b.click("#place-bet")
	b.await(`!document.querySelector('#next').hidden && document.querySelector('[data-unsaved]').hidden`)
	step := eval[string](b, `document.querySelector('[data-current]').dataset.segment`)
	b.click("#next")
	b.await(`document.querySelector('[data-current]').dataset.segment !== ` + quote(step))
	step = eval[string](b, `document.querySelector('[data-current]').dataset.segment`)
	b.await(kept + `.includes('"segment": "` + step + `"')`)
	if said := eval[string](b, kept); strings.Count(said, `"option": "a"`) != 1 {
		t.Errorf("kept is\n%s", said)
	}
	b.visit("/")
	b.click(".hero .primary")
	b.await(`document.querySelector('[data-current]')?.dataset.segment === ` + quote(step))
}

// TestAFailedSaveIsSaid places a bet on a server whose database is damaged.
func TestAFailedSaveIsSaid(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "progress.db"), []byte(strings.Repeat("not a database. ", 600)), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := launchWith("127.0.0.1:0", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.kill)
	b := open(t, p.URL, look{})
	b.refused = true
	b.visit("/lessons/one-crash-two-charges")
	b.await(`document.querySelector('.trouble')`)
	b.toTheBet()
	b.await(`!document.querySelector('#place-bet').hidden`)
	b.click("[data-current] [data-bet] [data-option] input")
	b.click("#place-bet")
	b.await(`document.querySelector('[data-current] [data-unsaved]').getClientRects().length`)
	if !b.is(`document.querySelector('[data-current] [data-bet] input').checked`) {
		t.Error("the bet is gone from its form")
	}
}

// TestProgressWithoutScripts answers, finds it kept, and erases it, by keyboard.
func TestProgressWithoutScripts(t *testing.T) {
	b := open(t, site.URL, look{noScript: true, width: 390, height: 844})
	b.visit("/lessons/one-crash-two-charges?seg=quiz")
	b.await(`(document.querySelector('#quiz-q01\\.1 [type=radio]').focus(), true)`)
	b.press(" ")
	b.press(kb.Enter)
	b.await(`document.querySelector('#quiz-q01\\.1')?.hasAttribute('data-answered')`)
	b.visit("/progress")
	b.await(`document.querySelector('main').textContent.includes('1 answer so far')`)
	eval[bool](b, `(document.querySelector('[name=sure]').focus(), true)`)
	b.press(" ")
	b.press(kb.Tab)
	b.press(kb.Enter)
	b.await(`location.search === '?done=erase' && document.querySelector('main').textContent.includes('Nothing is kept of you yet')`)
}
