package e2e

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/lessons"
)

// longRun is a run of a few thousand events, made of pasted records.
func longRun(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("partition,key,value\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,key%d,%d\n", i%2, i%5, i)
	}
	input, err := lessons.EncodeInput([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return "/run?scenario=hook-charges&input=" + input
}

// TestLongRunComesInWindows seeks and plays through a run that is too long to be
// sent at once, and finds at each event what the page without scripts shows.
func TestLongRunComesInWindows(t *testing.T) {
	path := longRun(t)
	b, plain := open(t, site.URL, look{}), open(t, site.URL, look{noScript: true})
	b.visit(path + "&at=1234")
	b.at(1234)
	b.await(complete)
	if last := eval[int](b, `Number(document.querySelector('#timeline').getAttribute('aria-valuemax'))`); last < 2001 {
		t.Fatalf("the run has %d events, want more than are streamed", last)
	}
	for _, n := range []int{1234, 7, 1999, 1499, 0} {
		b.seek(n)
		plain.visit(fmt.Sprintf("%s&at=%d", path, n))
		plain.await(fmt.Sprintf(`document.querySelector('main')?.dataset.at === '%d'`, n))
		compare(t, fmt.Sprintf("event %d of a long run", n), b.picture(), plain.picture())
	}
	b.seek(480)
	b.press("]")
	b.click("[data-do=play]")
	b.await(`Number(document.querySelector('main').dataset.position) > 520`)
	b.click("[data-do=play]")
	b.state("paused")
	n := b.number("position")
	b.click(`[data-crash="count/0"]`)
	b.at(n + 1)
	b.state("frozen")
	b.await(`document.activeElement.closest('#card')`)
	b.back()
	b.at(n)
}
