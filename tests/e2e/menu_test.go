package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestMenuOnAPhone opens the menu by key on the narrowest screen, finds every place
// that the wide bar shows in sight and in reach of a thumb, and goes to the last one,
// without scripts too.
func TestMenuOnAPhone(t *testing.T) {
	source := axeSource(t)
	wide := open(t, site.URL, look{})
	wide.visit("/")
	const shown = `[...document.querySelectorAll('#menu a')].filter(e => { const r = e.getBoundingClientRect(); return r.width && r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight; })`
	all := eval[int](wide, shown+`.length`)
	if all < 8 {
		t.Errorf("the wide bar shows %d places, want 8", all)
	}
	for _, noScript := range []bool{false, true} {
		b := open(t, site.URL, look{width: 320, height: 640, noScript: noScript})
		for _, path := range []string{"/lessons/one-crash-two-charges", "/glossary"} {
			b.visit(path)
			b.await(`document.querySelector('.menu-button')`)
			if n := eval[int](b, shown+`.length`); n != 0 {
				t.Errorf("%s: %d places are shown before the menu is opened", path, n)
			}
			eval[bool](b, `(document.querySelector('.menu-button').focus(), true)`)
			b.press(kb.Enter)
			b.await(`document.querySelector('#menu:popover-open')`)
			if n := eval[int](b, shown+`.filter(e => e.getBoundingClientRect().height >= 44).length`); n != all {
				t.Errorf("%s: %d of %d places are in sight and 44 high", path, n, all)
			}
			if !noScript && path != "/lessons/one-crash-two-charges" {
				b.axeLook(source, "the open menu of "+path)
			}
			b.press(kb.Tab)
			b.await(`document.activeElement === document.querySelector('#menu a')`)
			b.press(kb.Escape)
			b.await(`!document.querySelector('#menu:popover-open') && document.activeElement.matches('.menu-button')`)
		}
		b.press(kb.Enter)
		b.await(`document.querySelector('#menu:popover-open')`)
		b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(844, 390))) // a phone is turned; a run would be drawn anew, which closes the menu
		b.await(fmt.Sprintf(shown+`.filter(e => e.getBoundingClientRect().height >= 44).length === %d`, all))
		b.click(fmt.Sprintf("#menu a:nth-of-type(%d)", all))
		b.await(`location.pathname === '/live'`)
	}
}
