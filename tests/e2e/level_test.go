package e2e

import (
	"strings"
	"testing"
)

// TestLevelIsPlayed wins a level with the stage's crash button: the page judges it
// when the run has come to its end.
func TestLevelIsPlayed(t *testing.T) {
	b := open(t, site.URL, look{})
	b.visit("/levels/charge-ana-twice?seg=hint-1&scenario=hook-charges&at=60")
	b.at(60)
	b.await(complete)
	b.click(`[data-crash="job"]`)
	b.at(61)
	b.await(`document.querySelector('#card h2')`)
	b.click(`[data-do="skip"]`)
	b.state("playing")
	b.click(`[data-do="speed-4"]`)
	b.await(`document.querySelector('.level-result.won')`)
	if text := eval[string](b, `document.querySelector('.level-result').textContent`); !strings.Contains(text, "for 60 events before the crash") || !strings.Contains(text, "With 1 hint") {
		t.Errorf("the result says %q", text)
	}
	if !strings.Contains(b.where(), "seg=hint-1") {
		t.Errorf("the hints are forgotten in %s", b.where())
	}
}
