package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/memory"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"effectivelyonce/lessons"
)

// enduring is a run of as many pasted records as a page takes, with a crash: about
// 8,600 events, 14,300 in make soak, in windows of which a page keeps a few.
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
	return "/run?scenario=alignment-tour&fault=crash-job@8400" + enduringSettings + "&input=" + input
}

// windowOf is how many events a window of a long run holds.
const windowOf = 500

// weight is what the page keeps, garbage taken out: bytes of script, nodes of the
// document, and listeners, which a leak of either kind brings along.
type weight struct{ heap, nodes, listeners int }

func (b *tab) weight() weight {
	b.t.Helper()
	for range 2 {
		call(b, heapprofiler.CollectGarbage, cdp.Empty{})
	}
	return weight{
		heap:      int(call(b, runtime.GetHeapUsage, cdp.Empty{}).UsedSize),
		nodes:     eval[int](b, `(() => { let n = 0; for (const i = document.createNodeIterator(document); i.nextNode();) n++; return n; })()`),
		listeners: int(call(b, memory.GetDOMCounters, cdp.Empty{}).JsEventListeners),
	}
}

// notMore fails when a page keeps more than it did before: of the heap, a part more. What
// a page does for the first time leaves compiled code behind, a tenth or so.
func (b *tab) notMore(what string, before weight, part int) {
	b.t.Helper()
	now := b.weight()
	b.t.Logf("%s: heap %d bytes, %d before; %d nodes, %d before; %d listeners, %d before", what, now.heap, before.heap, now.nodes, before.nodes, now.listeners, before.listeners)
	if grown := now.heap - before.heap; grown > before.heap/part {
		b.t.Errorf("%s: the page grew by %d bytes of %d", what, grown, before.heap)
	}
	if now.nodes != before.nodes {
		b.t.Errorf("%s: the document went from %d to %d nodes at the same event", what, before.nodes, now.nodes)
	}
	if now.listeners > before.listeners {
		b.t.Errorf("%s: %d listeners, %d before", what, now.listeners, before.listeners)
	}
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

// rewound goes to the end and back, so that the page keeps the windows that it keeps
// after a round, and takes away what it said.
func (b *tab) rewound() {
	b.t.Helper()
	b.press(kb.End)
	b.state("ended")
	b.press(kb.Home)
	b.at(0)
	eval[bool](b, `(document.querySelectorAll('#alert,#inspector').forEach(e => e.replaceChildren()), true)`)
}

// endurance is a page that stays open through everything, and what a test does to it.
type endurance struct {
	*tab
	program *program
	wire    *wire
	fresh   *tab // on the program itself, opened again for each comparison
	path    string
}

// TestAPageThatStaysOpen keeps one page of a run of thousands of events open. It is
// rewound and played again and again, its tab is hidden while it plays, the network is
// lost, the server is killed and started again. What it shows is what a page shows that
// is opened at the same event, and what it keeps does not grow.
func TestAPageThatStaysOpen(t *testing.T) {
	p := start(t)
	w := relay(t, p)
	e := &endurance{tab: open(t, w.URL, look{calm: true}), program: p, wire: w, fresh: open(t, p.URL, look{calm: true}), path: enduring(t)}
	e.offline = true
	e.visit(e.path + "&at=0")
	e.at(0)
	e.await(complete)
	if last := eval[int](e.tab, `Number(document.querySelector('#timeline').getAttribute('aria-valuemax'))`); last < 8000 {
		t.Fatalf("the run has %d events, which is not long", last)
	}
	for range enduringRounds {
		e.round()
	}
	before := e.weight()
	for range enduringRounds {
		e.round()
	}
	e.notMore(fmt.Sprintf("after %d and %d rounds", enduringRounds, 2*enduringRounds), before, 8)
	e.learnTimes()
	e.rewound()
	before, part := e.weight(), 4
	for i := range enduringTroubles {
		k := 2 + 3*i%12
		for j, trouble := range []struct {
			what string
			come func(window int)
		}{{"the tab was hidden for an hour", e.hidden}, {"the network was lost", e.lost}, {"the server was killed and started again", e.restarted}} {
			trouble.come(k + j)
			e.rewound()
			e.notMore(trouble.what, before, part)
		}
		if i == 0 {
			before, part = e.weight(), 20
		}
	}
}

// learnTimes lets the test put time between two frames (later, in ms), keeps the position
// that the first frame after that ended with (first), and reaches the page's module (mod).
func (e *endurance) learnTimes() {
	e.t.Helper()
	_, err := chromedp.Run(e.ctx, chromedp.Evaluate[bool](`(async () => {
		window.mod = await import(performance.getEntriesByType('resource').find(r => /\/page\.[^/]*js/.test(r.name)).name);
		const ask = requestAnimationFrame.bind(window), clock = performance.now.bind(performance);
		window.later = 0;
		window.first = 0;
		performance.now = () => clock() + later;
		window.requestAnimationFrame = f => ask(t => { f(t + later); first ??= mod.n; });
		return true; })()`, chromedp.EvalAwaitPromise))
	e.must(err)
}

// alike compares the page with one that is opened at the same event: stage, log,
// timeline and URL.
func (e *endurance) alike(what string) {
	e.t.Helper()
	n := e.number("position")
	e.fresh.visit(fmt.Sprintf("%s&at=%d", e.path, n))
	e.fresh.at(n)
	e.fresh.await(complete)
	const told = `[...document.querySelectorAll('#log > *, #timeline > *'), ...document.querySelectorAll('#transport [data-do]')].map(e => e.outerHTML)
		.concat(document.querySelector('#timeline').ariaValueText, new URLSearchParams(location.search).get('at')).join('\n')`
	compare(e.t, fmt.Sprintf("%s, event %d", what, n), e.picture()+"\n"+eval[string](e.tab, told), e.fresh.picture()+"\n"+eval[string](e.fresh, told))
}

// beyond plays on until an event has passed, stops, and compares.
func (e *endurance) beyond(what string, n int) {
	e.t.Helper()
	e.await(fmt.Sprintf(`Number(document.querySelector('main').dataset.position) > %d`, n))
	e.press(" ")
	e.state("paused")
	e.alike(what)
}

// hidden puts another tab before the page while chips fly, for an hour of its clock.
// The first frame after that shows no more than a tenth of a second has.
func (e *endurance) hidden(k int) {
	e.t.Helper()
	e.seek(k*windowOf + 20)
	e.scheme(false, false)
	e.press(" ")
	e.await(`document.querySelector('main').dataset.position > ` + fmt.Sprint(k*windowOf+22) + ` && document.querySelector('[data-overlay] > *')`)
	if e.is(`document.getAnimations().some(a => a.pending)`) {
		e.t.Error("a flight waits for a frame to begin: in a hidden tab it may wait for ever")
	}
	ctx, show := chromedp.NewContext(e.ctx, chromedp.WithNewWindow(false))
	e.must(chromedp.Do(ctx))
	e.await(`document.visibilityState === 'hidden'`)
	n := eval[int](e.tab, `(first = undefined, later += 3600e3, mod.n)`)
	show()
	e.await(`document.visibilityState === 'visible' && first`)
	if jump := eval[float64](e.tab, fmt.Sprintf(`(mod.run.event(first).t - mod.run.event(%d).t) * mod.run.hello.run.pace`, n+1)); jump > 101 {
		e.t.Errorf("the first frame after an hour goes from event %d over %v ms", n, jump)
	}
	e.beyond("after the tab was hidden", n+5)
	e.scheme(false, true)
}

// edge goes near the last event of a window, when what is behind it cannot come any
// more, and plays until the page waits there.
func (e *endurance) edge(k int, cut func()) {
	e.t.Helper()
	e.seek(k*windowOf - 120)
	cut()
	e.seek(k*windowOf - 10)
	e.press(" ")
	e.await(fmt.Sprintf(`(m => m.dataset.position === '%d' && m.dataset.state === 'playing')(document.querySelector('main'))`, k*windowOf-1))
	e.await(`document.querySelector('#net[data-net=lost]')?.getClientRects().length`)
	if !e.is(`[...document.querySelectorAll('[data-crash]')].every(e => e.getAttribute('aria-disabled') === 'true')`) {
		e.t.Error("a crash button is not disabled while the connection is lost")
	}
}

// lost takes the network away while the page plays towards what it does not have. When
// it is back, whatever else is asked for and comes lets the page try at once, and the
// bar goes away for good.
func (e *endurance) lost(k int) {
	e.t.Helper()
	e.edge(k, func() { e.wire.sever(); e.online(false) })
	for range 2 {
		e.click("#net [data-do=retry]")
	}
	e.online(true)
	e.await(`document.querySelector('#net [data-seconds]').textContent > 1`)
	eval[bool](e.tab, `(net => { window.told = []; new MutationObserver(() => told.push(net.dataset.net)).observe(net, {attributeFilter: ['data-net']}); return true; })(document.querySelector('#net'))`)
	e.wire.mend()
	e.press("d")
	e.await(`!document.querySelector('#inspector').hidden`)
	e.press(kb.Escape)
	e.beyond("after the network was lost", k*windowOf+5)
	if told := eval[[]string](e.tab, `told`); slices.Contains(told[slices.Index(told, "back")+1:], "lost") {
		e.t.Errorf("the bar said %q after the connection was back", told)
	}
}

// restarted kills the server, which the wire stands before as a proxy, while the page plays, and
// starts it again. Nobody presses anything: the page tries by itself, and not in haste.
func (e *endurance) restarted(k int) {
	e.t.Helper()
	e.edge(k, e.program.kill)
	before := e.count()
	e.program.restart(e.t)
	if asked := e.count() - before; asked > 4 {
		e.t.Errorf("the page asked %d times while the server started", asked)
	}
	e.beyond("after the server was killed", k*windowOf+5)
	e.await(`!document.querySelector('#net[data-net=lost]')`)
}

// TestAStreamThatIsCut loses the socket while a run comes and plays. The page asks for
// what it does not have, and ends with the picture of the whole.
func TestAStreamThatIsCut(t *testing.T) {
	w := relay(t, site)
	w.short = []int64{12 << 10}
	b := open(t, w.URL, look{calm: true})
	b.offline = true
	path := tour + "&fault=crash:count/0@120"
	b.visit(path + "&at=0")
	b.at(0)
	b.press(" ")
	b.await(`document.querySelector('#net[data-net=lost]')`)
	b.await(complete)
	b.await(`Number(document.querySelector('main').dataset.position) > 40`)
	b.press(" ")
	b.state("paused")
	b.mu.Lock()
	var resumed []string
	for _, r := range b.requests {
		if _, from, ok := strings.Cut(r, "&from="); ok && strings.Contains(r, "/stream?") {
			resumed = append(resumed, from)
		}
	}
	b.mu.Unlock()
	if len(resumed) != 1 {
		t.Errorf("the stream was resumed from %v, want one number", resumed)
	}
	e := &endurance{tab: b, fresh: open(t, site.URL, look{calm: true}), path: path}
	e.alike("a stream that was cut")
	e.press(kb.End)
	e.state("ended")
	e.alike("the end of a stream that was cut")
}
