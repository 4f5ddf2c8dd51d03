//go:build bench

package e2e

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// chipsOfOurs puts 200 chips into the drawing beside those of the run and them
// move by the page's own module, 50 each 105 ms, so that all are on their way.
const chipsOfOurs = `(async () => {
	const glide = await import(performance.getEntriesByType('resource').find(r => /\/glide\.[^/]*js/.test(r.name)).name);
	const svg = document.querySelector('[data-overlay]').ownerSVGElement, ns = svg.namespaceURI, groups = [];
	for (let k = 0; k < 4; k++) {
		const g = svg.appendChild(document.createElementNS(ns, 'g'));
		for (let i = 0; i < 50; i++) {
			const chip = g.appendChild(document.createElementNS(ns, 'g'));
			chip.dataset.id = 'bench-' + k + '-' + i;
			chip.innerHTML = '<rect width="20" height="20" rx="5"/><text x="4" y="14">a</text>';
		}
		groups.push(g);
	}
	let turn = 0;
	const move = () => {
		const g = groups[turn++ % 4], plan = {regions: [['bench', g, '']], attrs: []}, old = glide.before(plan);
		[...g.children].forEach((c, i) => c.setAttribute('transform', 'translate(' + (i * 17 + turn * 61) % 900 + ',' + (i * 29 + turn * 37) % 400 + ')'));
		glide.after(plan, old, 20000);
	};
	let frames = 0;
	requestAnimationFrame(function frame() {
		if (frames++ % 6 === 0) move();
		if (!(window.flying >= 200)) window.flying = document.querySelectorAll('[data-overlay] > *').length;
		requestAnimationFrame(frame);
	});
	return true;
})()`

// tracer collects the processor time of the script of each frame, as the browser's
// protocol tells it.
type tracer struct {
	times []time.Duration
	end   float64 // of the last request that was counted
	done  chan []time.Duration
}

func (r *tracer) hear(ev any) {
	switch e := ev.(type) {
	case *tracing.EventDataCollected:
		for _, v := range e.Value {
			var x struct {
				Name          string
				Ts, Dur, Tdur float64 // microseconds; of the clock, of the clock, of the thread
			}
			if json.Unmarshal(v, &x) != nil || x.Name != "FireAnimationFrame" || x.Dur == 0 {
				continue
			}
			cost := x.Dur
			if x.Tdur > 0 {
				cost = x.Tdur
			}
			d := time.Duration(cost * float64(time.Microsecond))
			if k := len(r.times) - 1; k >= 0 && x.Ts-r.end < 500 { // another request of the same frame
				r.times[k] += d
			} else {
				r.times = append(r.times, d)
			}
			r.end = x.Ts + x.Dur
		}
	case *tracing.EventTracingComplete:
		r.done <- r.times
		r.times = nil
	}
}

// frameTimes traces the page while it plays, for d.
func (b *tab) frameTimes(r *tracer, d time.Duration) []time.Duration {
	b.t.Helper()
	call(b, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline"}, ExcludedCategories: []string{"*"}}})
	b.loop(time.Now().Add(d), nil)
	call(b, tracing.End, cdp.Empty{})
	select {
	case out := <-r.done:
		slices.Sort(out)
		return out
	case <-time.After(patience):
		b.t.Fatal("the browser did not send its trace")
		return nil
	}
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
// frames need at most a millisecond of script. A machine that draws fewer than 30 frames
// a second gets its figures, and no judgement.
func TestScriptPerFrame(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=alignment-tour&set=channel.capacity=64&set=backlog=on&set=parallelism=4&at=0")
	b.at(0)
	b.await(complete)
	of := func(list []time.Duration, part int) time.Duration { return list[(len(list)-1)*part/100] }
	r := &tracer{done: make(chan []time.Duration, 2)}
	b.must(chromedp.Listen(b.ctx, r.hear))
	plain := b.frameTimes(r, 15*time.Second)
	if len(plain) < 30 {
		t.Fatalf("%d frames, the page does not play", len(plain))
	}
	t.Logf("the run alone: %d frames, script p50 %v, p95 %v, p99 %v", len(plain), of(plain, 50), of(plain, 95), of(plain, 99))
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](chipsOfOurs, chromedp.EvalAwaitPromise)); err != nil {
		t.Fatal(err)
	}
	b.await(`window.flying >= 200`)
	many := b.frameTimes(r, 15*time.Second)
	t.Logf("and 200 chips: %d frames, script p50 %v, p95 %v, p99 %v", len(many), of(many, 50), of(many, 95), of(many, 99))
	if len(many) < 30*15 { // an event then falls on every frame, and the figure is one of the load
		t.Logf("%d frames a second: the machine is too busy to judge by", len(many)/15)
	} else if p50 := of(many, 50); p50 > time.Millisecond {
		t.Errorf("half of the frames need more than %v of script", p50)
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
	first, _ := b.weight()
	weighed := time.Now()
	b.loop(begin.Add(d), func() {
		if time.Since(weighed) > d/10 {
			weighed = time.Now()
			heap, nodes := b.weight()
			t.Logf("after %v: heap %d bytes, %d nodes", time.Since(begin).Round(time.Second), heap, nodes)
		}
	})
	last, _ := b.weight()
	t.Logf("over %v: heap from %d to %d bytes, %+.1f %%", d, first, last, 100*float64(last-first)/float64(first))
	if last-first > first/10 {
		t.Errorf("the heap grew by %d of %d bytes", last-first, first)
	}
}
