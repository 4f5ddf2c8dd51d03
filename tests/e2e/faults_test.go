package e2e

import (
	"strings"
	"testing"
)

// TestMoreFaultsAreClicked opens "More faults" as a visitor does and lets one of
// each kind strike: the fault is in the URL at the gap that the page shows, the run
// holds still behind it, the stage or the log names it, and back takes it away.
func TestMoreFaultsAreClicked(t *testing.T) {
	b := open(t, site.URL, look{})
	const at = 100
	for _, c := range []struct{ head, fault, where, says string }{
		{"pause:sink/0:8s", "pause:sink/0:8s@100", `document.querySelector("#stage").textContent`, "paused"},
		{"lose-response:sink/0", "lose-response:sink/0@100", `document.querySelector('#stage').textContent`, "next answer lost"},
		{"storage-down:2s", "storage-down:2s@100", `document.querySelector('#shelf').textContent`, "Store is down"},
		{"broker-down:2s", "broker-down:2s@100", `document.querySelector('#stage').textContent`, "broker down"},
		{"late:commit:1s", "late:commit:1s@100", `document.querySelector('#stage').textContent`, "next commit late"},
		{"second-job", "second-job@100", `document.querySelector('#stage').textContent`, "second job"},
	} {
		b.visit("/run?scenario=orders-2pc&at=100")
		b.at(at)
		b.await(complete)
		b.click(".more-faults > summary")
		b.await(`document.querySelector('.more-faults').open`)
		b.click(`.more-faults [data-crash="` + c.head + `"]`)
		b.at(at + 1)
		b.state("frozen")
		if url := b.where(); !strings.Contains(strings.NewReplacer("%3A", ":", "%2F", "/", "%40", "@").Replace(url), "fault="+c.fault) {
			t.Errorf("%s: the URL is %s", c.head, url)
		}
		b.await(c.where + `.includes('` + c.says + `')`)
		b.back()
		b.await(`!location.search.includes('fault=')`)
		b.at(at)
	}
}
