package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"effectivelyonce/lessons"
)

// enduring is a run of as many pasted records as a page takes, with a crash: about
// 8,600 events, in windows of which a page keeps a few.
func enduring(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("partition,key,value\n")
	for i := range 490 {
		fmt.Fprintf(&b, "%d,key%d,%d\n", i%2, i%5, i)
	}
	input, err := lessons.EncodeInput([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return "/run?scenario=alignment-tour&fault=crash-job@8400&input=" + input
}

// weight is what the page keeps, garbage taken out: bytes of script and nodes of the
// document.
func (b *tab) weight() (heap, nodes int) {
	b.t.Helper()
	for range 2 {
		call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	}
	return int(call(b, runtime.GetHeapUsage, cdp.Empty{}).UsedSize), eval[int](b, `(() => { let n = 0; for (const i = document.createNodeIterator(document); i.nextNode();) n++; return n; })()`)
}

// settled holds when the page shows what was asked for last.
const settled = `(m => m.dataset.position && !m.hasAttribute('data-waiting') && m.dataset.state !== 'playing')(document.querySelector('main[data-query]'))`

// jump clicks on the track, at a part of it given in thousandths, and waits for what
// was asked for.
func (b *tab) jump(part int) {
	b.t.Helper()
	p := eval[[2]float64](b, fmt.Sprintf(`(() => { const r = document.querySelector('#timeline .track').getBoundingClientRect(); return [r.x + r.width * %d / 1000, r.y + r.height / 2]; })()`, part))
	b.must(chromedp.Do(b.ctx, chromedp.MouseClickXY(p[0], p[1])))
	b.frames()
	b.await(settled)
}

// round looks around in all windows of the run, plays it from near its end to the
// end, and rewinds it.
func (b *tab) round() {
	b.t.Helper()
	for _, part := range []int{250, 750, 500, 40, 620, 999} {
		b.jump(part)
	}
	b.press(" ")
	b.state("ended")
	b.press(kb.Home)
	b.at(0)
}

// TestAPageThatStaysOpen rewinds and plays a run of thousands of events again and
// again: what the page keeps does not grow from N rounds to 2N.
func TestAPageThatStaysOpen(t *testing.T) {
	p := start(t)
	b := open(t, p.URL, look{calm: true})
	b.visit(enduring(t) + "&at=0")
	b.at(0)
	b.await(complete)
	last := eval[int](b, `Number(document.querySelector('#timeline').getAttribute('aria-valuemax'))`)
	if last < 8000 {
		t.Fatalf("the run has %d events, which is not long", last)
	}
	const rounds = 4
	for range rounds {
		b.round()
	}
	heap, nodes := b.weight()
	for range rounds {
		b.round()
	}
	heapNow, nodesNow := b.weight()
	t.Logf("%d events; after %d and %d rounds: heap %d and %d bytes, %d and %d nodes", last, rounds, 2*rounds, heap, heapNow, nodes, nodesNow)
	if grown := heapNow - heap; grown > heap/8 {
		t.Errorf("the page grew by %d bytes of %d", grown, heap)
	}
	if nodesNow != nodes {
		t.Errorf("the document went from %d to %d nodes at the same event", nodes, nodesNow)
	}
}
