//go:build bench

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// sixtyFrames lets each frame that is drawn be a sixtieth of a second of the page's
// clock and of its flights, however seldom this machine draws one: as many events and
// landings fall on a frame as on a machine that keeps up. All requests of a frame are
// one call, whose name says in the trace whether 200 chips were flying.
const sixtyFrames = `(() => {
	const frame = 1000 / 60, raf = requestAnimationFrame.bind(window), clock = performance.now.bind(performance), layer = document.querySelector('[data-overlay]');
	let queue = [], now = clock(), last = now, stretch = 1;
	const fire = () => {
		const real = clock(), asked = queue;
		stretch = Math.max(1, .9 * stretch + .1 * (real - last) / frame);
		window.most = Math.max(window.most || 0, layer.childElementCount);
		last = real;
		now += frame;
		queue = [];
		for (const f of asked) f(now);
	};
	function many() { fire(); }
	function few() { fire(); }
	window.requestAnimationFrame = f => {
		if (!queue.length) raf(layer.childElementCount >= 200 ? many : few);
		return queue.push(f);
	};
	const animate = Element.prototype.animate;
	Element.prototype.animate = function (keys, o) { return animate.call(this, keys, {...o, duration: o.duration * stretch}); };
	performance.now = () => now;
	return true;
})()`

// chipsOfOurs adds 260 chips to the markup of 13 regions, at the events of the run that
// has come, as if the server had sent them. Every 32 ms of the page's clock, if an event
// falls there, 20 of them get another place, so that one flies again when its 420 ms are
// nearly over. What moves them is the page; more than 60 at once it would not.
const chipsOfOurs = `(async () => {
	const {run} = await import(performance.getEntriesByType('resource').find(r => /\/page\.[^/]*js/.test(r.name)).name);
	const {store} = run, {pace} = run.hello.run, tasks = ['source/0', 'source/1', 'count/0', 'count/1', 'count/2', 'count/3', 'topic/0', 'table/0', 'mailbox/0'],
		names = [...tasks.map(t => t + '/status'), ...tasks.slice(0, 4).map(t => t + '/out')], turns = names.map(() => []);
	for (let n = 1, k = 0, next = 0; n <= store.have; n++) {
		const t = store.event(n).t * pace;
		if (t < next) continue;
		turns[k++ % 13].push(n);
		next = Math.max(next + 32, t - 32);
	}
	turns.forEach((moves, g) => {
		const name = names[g], old = store.regions.get(name) || {n: [], v: []};
		const upTo = (list, n) => list.filter(x => x <= n).length, ns = [...new Set([0, ...old.n, ...moves])].sort((a, b) => a - b);
		store.regions.set(name, {n: ns, v: ns.map(n => {
			let markup = old.v[upTo(old.n, n) - 1] || '', turn = upTo(moves, n);
			for (let i = 0; i < 20; i++) markup += '<g class="rec a" data-id="bench' + g + '.' + i + '" transform="translate(' + (i * 17 + turn * 61) % 300 + ' ' + (i * 29 + turn * 37) % 200 + ')"><rect width="20" height="18" rx="5"></rect><text class="t11" x="10" y="13">a</text></g>';
			return markup;
		})});
	});
	return true;
})()`

// traced is an event of the browser's trace. The times are microseconds: Ts and Dur of
// the clock, Tdur of the processor.
type traced struct {
	Name          string
	Ts, Dur, Tdur float64
	Args          struct {
		Data struct{ FunctionName, URL string }
	}
}

// tracer collects what the browser's protocol tells of the scripts of a page.
type tracer struct {
	events []traced
	done   chan []traced
}

func (r *tracer) hear(ev any) {
	switch e := ev.(type) {
	case *tracing.EventDataCollected:
		for _, v := range e.Value {
			var x traced
			if json.Unmarshal(v, &x) == nil && (x.Name == "FunctionCall" || x.Name == "FireAnimationFrame") {
				r.events = append(r.events, x)
			}
		}
	case *tracing.EventTracingComplete:
		r.done <- r.events
		r.events = nil
	}
}

// frame is the processor time of all scripts of the page from the beginning of a frame
// to that of the next, and what the call of its requests was named.
type frame struct {
	name string
	cost time.Duration
}

// framesOf are the whole frames of a trace. What this test evaluates has no address and
// is left out, as a call within a call is.
func framesOf(events []traced, base string) []frame {
	slices.SortStableFunc(events, func(a, b traced) int { return cmp.Compare(a.Ts, b.Ts) })
	var out []frame
	end := 0.0
	for _, e := range events {
		if e.Name == "FireAnimationFrame" {
			out = append(out, frame{})
			continue
		}
		d := e.Args.Data
		request := d.FunctionName == "many" || d.FunctionName == "few"
		if len(out) == 0 || e.Ts < end || !request && !strings.HasPrefix(d.URL, base) {
			continue
		}
		f := &out[len(out)-1]
		f.cost += time.Duration(e.Tdur * float64(time.Microsecond))
		end = e.Ts + e.Dur
		if request {
			f.name = d.FunctionName
		}
	}
	return out[:max(0, len(out)-1)]
}

// frameTimes traces the page while it plays, for d, and sorts the frames that have the
// name by their cost.
func (b *tab) frameTimes(r *tracer, name string, d time.Duration) []time.Duration {
	b.t.Helper()
	call(b, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline"}, ExcludedCategories: []string{"*"}}})
	b.loop(time.Now().Add(d), nil)
	call(b, tracing.End, cdp.Empty{})
	var out []time.Duration
	select {
	case events := <-r.done:
		for _, f := range framesOf(events, b.base) {
			if f.name == name {
				out = append(out, f.cost)
			}
		}
	case <-time.After(patience):
		b.t.Fatal("the browser did not send its trace")
	}
	slices.Sort(out)
	if len(out) < 50 || out[len(out)-1] == 0 {
		b.t.Fatalf("%d frames with %s chips, at most %d: too few, or without their processor time", len(out), name, eval[int](b, "window.most"))
	}
	return out
}

// loop plays the run again whenever it has ended, until a time; each is called after
// every second.
func (b *tab) loop(until time.Time, each func()) {
	b.t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for now := range tick.C {
		if now.After(until) {
			return
		}
		if b.is(`['ended', 'paused'].includes(document.querySelector('main').dataset.state)`) {
			b.press(" ")
		}
		if each != nil {
			each()
		}
	}
}

func looped(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(os.Getenv("LOOP"))
	if err != nil {
		d = 10 * time.Minute
	}
	return d
}

// TestScriptPerFrame: with 200 chips on their way while a run plays, half of the
// frames need at most a millisecond of script, of processor time.
func TestScriptPerFrame(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=alignment-tour&set=channel.capacity=64&set=backlog=on&set=parallelism=4&at=0")
	b.at(0)
	b.await(complete)
	b.is(sixtyFrames)
	r := &tracer{done: make(chan []traced, 1)}
	b.must(chromedp.Listen(b.ctx, r.hear))
	report := func(what string, list []time.Duration) time.Duration {
		of := func(part int) time.Duration { return list[(len(list)-1)*part/100].Round(time.Microsecond) }
		t.Logf("%s: %d frames, script p50 %v, p75 %v, p95 %v, p99 %v", what, len(list), of(50), of(75), of(95), of(99))
		return of(50)
	}
	report("the run alone", b.frameTimes(r, "few", 10*time.Second))
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](chipsOfOurs, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	if p50 := report("200 chips and more in flight", b.frameTimes(r, "many", 90*time.Second)); p50 > time.Millisecond {
		t.Errorf("half of the frames need %v of script and more", p50)
	}
}

// TestHeapOfALoop plays a run in a loop: what the page keeps stays flat.
func TestHeapOfALoop(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=alignment-tour&at=0")
	b.at(0)
	b.await(complete)
	d := looped(t)
	begin := time.Now()
	b.loop(begin.Add(d/10), nil) // a first round fills what is filled once
	first := b.weight().heap
	weighed := time.Now()
	b.loop(begin.Add(d), func() {
		if time.Since(weighed) > d/10 {
			weighed = time.Now()
			w := b.weight()
			t.Logf("after %v: heap %d bytes, %d nodes", time.Since(begin).Round(time.Second), w.heap, w.nodes)
		}
	})
	last := b.weight().heap
	t.Logf("over %v: heap from %d to %d bytes, %+.1f %%", d, first, last, 100*float64(last-first)/float64(first))
	if last-first > first/10 {
		t.Errorf("the heap grew by %d of %d bytes", last-first, first)
	}
}
