package e2e

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// term is a word of a lesson that explains itself, note what it says of itself.
const (
	term = `[data-current] .term`
	note = `document.querySelector('` + term + ` .note')`
	// seen: the note is on the page, inside the window, and nothing lies over its middle.
	seen = `(n => { const r = n.getBoundingClientRect(), hit = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
		return r.width > 100 && r.left >= 0 && r.right <= innerWidth && r.top >= 0 && r.bottom <= innerHeight && hit && n.contains(hit); })(` + note + `)`
)

// TestTermsExplainThemselvesByKey opens a note with Tab, keeps it under Enter and
// Space, closes it with Escape and goes on from there.
func TestTermsExplainThemselvesByKey(t *testing.T) {
	b := open(t, site.URL, look{calm: true})
	b.visit("/lessons/barriers?seg=line")
	b.state("paused")
	at := b.number("position")
	b.tabTo(term)
	b.await(seen)
	for _, key := range []string{kb.Enter, " "} {
		b.press(key)
		b.frames()
		if !b.is(seen) || b.number("position") != at || !b.is(`document.querySelector('main').dataset.state === 'paused'`) {
			t.Errorf("%q on a term does something: %s", key, b.describe())
		}
	}
	b.press(kb.Escape)
	b.await(`!` + note + `.getClientRects().length`)
	b.press(kb.Tab)
	b.await(`(document.querySelector('` + term + `').compareDocumentPosition(document.activeElement) & 4) && document.activeElement !== document.body`)
}

// TestTermsExplainThemselvesByTouch touches a word, reads its note above all else
// on a phone, and touches another place.
func TestTermsExplainThemselvesByTouch(t *testing.T) {
	b := open(t, site.URL, look{width: 390, height: 844, calm: true})
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	b.visit("/lessons/barriers?seg=line")
	b.state("paused")
	b.tap(term)
	b.await(seen)
	b.tap(`[data-current] h2`)
	b.await(`!` + note + `.getClientRects().length`)
}
