package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// flown steps through 40 events and holds each flight to its end: what flies must then
// lie on the thing that it stands for and be as wide, by what the browser says of both.
// It returns how many flights there were, how many into the shelf, and how many ended
// elsewhere or too large.
const flown = `(async () => {
	const {act} = await import(performance.getEntriesByType('resource').find(r => /\/page\.[^/]*js/.test(r.name)).name);
	const layer = document.querySelector('[data-overlay]'), seen = new Set(), origin = e => {
		const m = e.ownerSVGElement && e.getScreenCTM(), r = e.getBoundingClientRect();
		return m ? {x: m.e, y: m.f} : r;
	};
	let flights = 0, shelved = 0, wrong = 0;
	for (let i = 0; i < 40; i++) {
		act('forward');
		const things = [...document.querySelectorAll('main [visibility=hidden]')].filter(e => !layer.contains(e));
		for (const copy of layer.children) {
			const [a] = copy.getAnimations();
			if (!a || seen.has(copy)) continue;
			seen.add(copy);
			a.pause();
			a.currentTime = a.effect.getTiming().duration - 1;
			const at = origin(copy), to = things.find(e => Math.hypot(origin(e).x - at.x, origin(e).y - at.y) < 1);
			flights++;
			if (!to || copy.getBoundingClientRect().width > 1.5 * to.getBoundingClientRect().width + 2) wrong++; else if (!layer.ownerSVGElement.contains(to)) shelved++;
		}
	}
	return [flights, shelved, wrong]; })()`

// TestFlightsEndWhereThingsAre: the page works out where things lie from what is drawn,
// without asking the browser, and is right, on the wide drawing and on the tall one.
func TestFlightsEndWhereThingsAre(t *testing.T) {
	for _, l := range []look{{}, {width: 390, height: 844}} {
		b := open(t, site.URL, l)
		b.visit(tour + "&at=70")
		b.at(70)
		b.await(complete)
		got, err := chromedp.Run(b.ctx, chromedp.Evaluate[[3]int](flown, chromedp.EvalAwaitPromise))
		b.must(err)
		what := fmt.Sprintf("%d wide: %d flights, %d into the shelf, %d ended beside their thing or too large", l.width, got[0], got[1], got[2])
		t.Log(what)
		if got[0] < 20 || got[1] == 0 || got[2] > 0 {
			t.Error(what)
		}
	}
}
