package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

const tour = "/run?scenario=alignment-tour"

// TestCrashIsANewURL crashes at five events. Each crash is a URL that shows the
// same stage after a reload and to a second visitor, and that back takes away.
func TestCrashIsANewURL(t *testing.T) {
	b, other := open(t, site.URL, look{}), open(t, site.URL, look{})
	urls := map[string]bool{}
	for _, c := range []struct {
		at     int
		target string
	}{{12, "source/0"}, {57, "count/1"}, {90, "topic/0"}, {131, "coordinator"}, {180, "job"}} {
		b.visit(fmt.Sprintf("%s&at=%d", tour, c.at))
		b.at(c.at)
		b.await(complete)
		b.click(`[data-crash="` + c.target + `"]`)
		b.at(c.at + 1)
		b.await(`document.activeElement === document.querySelector('#card h2')`)
		url, picture := b.where(), b.picture()
		urls[url] = true
		other.visit(strings.TrimPrefix(url, site.URL))
		other.at(c.at + 1)
		other.state("frozen")
		compare(t, "a second visitor at "+url, other.picture(), picture)
		b.reload()
		b.await(complete)
		b.at(c.at + 1)
		b.state("frozen")
		compare(t, "a reload of "+url, b.picture(), picture)
		b.back()
		b.await(`!location.search.includes('fault=')`)
		b.at(c.at)
	}
	if len(urls) != 5 {
		t.Errorf("five crashes gave %d URLs: %v", len(urls), urls)
	}
}

// complete is true when everything of the run has come.
const complete = `document.querySelector('main[data-complete]')`

// compare names the first region that differs.
func compare(t *testing.T, what, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(g) != len(w) {
		t.Errorf("%s: %d regions and elements, want %d", what, len(g), len(w))
	}
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Errorf("%s:\n got %s\nwant %s", what, g[i], w[i])
			return
		}
	}
}

// TestSecondCrashAndHistory crashes twice in one run and goes back and forward
// through both.
func TestSecondCrashAndHistory(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&at=60")
	b.at(60)
	b.await(complete)
	first := b.picture()
	b.click(`[data-crash="count/0"]`)
	b.at(61)
	crashed := b.picture()
	b.click("[data-do=skip]")
	b.state("playing")
	b.await(`Number(document.querySelector('main').dataset.position) > 80`)
	b.click("[data-do=play]")
	b.state("paused")
	n := b.number("position")
	b.click(`[data-crash="sink/0"]`)
	b.at(n + 1)
	if got := eval[int](b, `new URLSearchParams(location.search).getAll('fault').length`); got != 2 {
		t.Errorf("%d faults in the URL after two crashes: %s", got, b.where())
	}
	b.back()
	b.await(`new URLSearchParams(location.search).getAll('fault').length === 1`)
	b.at(n)
	b.back()
	b.at(60)
	compare(t, "back to the run without a crash", b.picture(), first)
	eval[bool](b, `(history.forward(), true)`)
	b.await(`new URLSearchParams(location.search).getAll('fault').length === 1`)
	b.at(n)
	b.press(kb.Home)
	b.at(0)
	for _, at := range []int{60, 61} {
		b.seek(at)
	}
	compare(t, "the crash, sought again", b.picture(), crashed)
}

// TestForkOfTheFuture crashes before a crash: what happened later has not
// happened in the new run, and the banner says that the old one is kept.
func TestForkOfTheFuture(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/run?scenario=hook-charges&fault=crash:count/0@100&at=120")
	b.at(120)
	b.await(complete)
	b.seek(40)
	b.click(`[data-crash="sink/0"]`)
	b.at(41)
	b.await(`location.search.includes('fault=crash:sink/0@40') && !location.search.includes('count/0')`)
	b.await(`!document.getElementById('fork').hidden`)
	b.click("#fork a")
	b.await(`location.search.includes('fault=crash:count/0@100')`)
	b.at(40)
}

// TestServerIsKilled keeps the learner's place while the server is away: what
// was received can be seen, a crash waits, and comes when the server is back.
func TestServerIsKilled(t *testing.T) {
	p := start(t)
	b := open(t, p.URL, look{})
	b.offline = true
	b.visit("/run?scenario=hook-charges&at=70")
	b.at(70)
	b.await(complete)
	p.kill()
	b.press(kb.ArrowLeft)
	b.at(69)
	b.click(`[data-crash="count/0"]`)
	b.await(`document.querySelector('#net[data-net=lost]')?.getClientRects().length`)
	b.await(`document.querySelector('#net [data-seconds]').textContent > 0`)
	if !b.is(`[...document.querySelectorAll('[data-crash]')].every(e => e.getAttribute('aria-disabled') === 'true')`) {
		t.Error("a crash button is not disabled while the connection is lost")
	}
	p.restart(t)
	b.click("#net [data-do=retry]")
	b.at(70)
	b.state("frozen")
	b.await(`document.querySelector('#card form[data-predict]') && !document.querySelector('#net[data-net=lost]')`)
	b.await(`document.querySelector('main[data-complete]')`)
}
