package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestNothingScrollsSideways opens every page at the sizes that people have: none is
// wider than its window, and no button is too small for its words.
func TestNothingScrollsSideways(t *testing.T) {
	shared(t, look{}, pages, func(b *tab, p place) {
		b.refused = true
		for _, alike := range [][][2]int64{{{320, 640}, {390, 844}}, {{768, 1024}}, {{1280, 720}, {1440, 900}}} { // one drawing each
			for i, size := range alike {
				b.must(chromedp.Do(b.ctx, chromedp.EmulateViewport(size[0], size[1])))
				if i == 0 {
					b.visit(p.path)
				}
				b.await(p.ready)
				if cut := eval[string](b, overfull); cut != "" {
					b.t.Errorf("%s at %dx%d: words stick out of their buttons: %s", p.path, size[0], size[1], cut)
				}
				if wide := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); wide > 0 {
					b.t.Errorf("%s at %dx%d is %d px too wide: %s", p.path, size[0], size[1], wide, eval[string](b, widest))
				}
			}
		}
	})
}

// overfull names buttons whose words or icons stick out of them.
const overfull = `[...document.querySelectorAll('.button, button')].filter(e => e.checkVisibility({visibilityProperty: true}) && !e.closest('svg')).filter(e => {
	const box = e.getBoundingClientRect(), told = n => getComputedStyle(n).clipPath !== 'none'; // for screen readers only
	return [e, ...e.querySelectorAll('*')].some(p => p.checkVisibility() && !told(p) && !told(p.parentElement) && [...p.childNodes].filter(n => n.nodeType === 3 || n.nodeName === 'svg').some(n => {
		const words = document.createRange();
		words.selectNode(n);
		return [...words.getClientRects()].some(r => r.width && (r.left < box.left - 1 || r.right > box.right + 1));
	}));
}).map(e => e.textContent.trim().slice(0, 40)).join('; ')`

// widest names what sticks out furthest to the right.
const widest = `(() => { const e = [...document.querySelectorAll('body *')].map(e => [e.getBoundingClientRect().right, e]).sort((a, b) => b[0] - a[0])[0][1];
	return e.outerHTML.slice(0, 160); })()`

// TestDesktopPageStandsStill: columns scroll on a desktop screen, the page does not.
func TestDesktopPageStandsStill(t *testing.T) {
	for _, size := range [][2]int64{{1280, 720}, {1440, 900}} {
		b := open(t, site.URL, look{width: size[0], height: size[1]})
		for _, path := range []string{"/lessons/one-crash-two-charges?seg=verdict", tour + "&at=64"} {
			b.visit(path)
			b.await(complete)
			if high := eval[int](b, `document.documentElement.scrollHeight - innerHeight`); high > 0 {
				t.Errorf("%s at %s can be scrolled by %d px", path, fmt.Sprint(size), high)
			}
		}
	}
}

// TestThemeIsKept switches to light and dark, and finds the choice again.
func TestThemeIsKept(t *testing.T) {
	b := open(t, site.URL, look{dark: true})
	b.visit("/")
	for _, want := range []string{"light", "dark"} {
		b.click("[data-do=theme]")
		b.await(`document.documentElement.dataset.theme === ` + quote(want))
	}
	b.visit("/run?scenario=hook-charges")
	b.await(`document.documentElement.dataset.theme === 'dark'`)
	b.click("[data-do=theme]")
	b.await(`!document.documentElement.hasAttribute('data-theme')`)
}

// TestShare copies the link of the moment, without what is open beside it.
func TestShare(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&fault=crash:count/0@60&at=61&card=predict")
	b.at(61)
	b.await(complete)
	b.click("[data-do=share]")
	b.await(`document.getElementById('say').textContent.includes('Copied') && document.activeElement.closest('#inspector')`)
	link := eval[string](b, `document.querySelector('#inspector textarea').value`)
	if !strings.HasSuffix(link, "/run?scenario=hook-charges&fault=crash:count/0@60&at=61") {
		t.Errorf("the link is %s", link)
	}
	b.await(`document.querySelector('#inspector img').complete && document.querySelector('#inspector img').naturalWidth === 1200`)
}
