package web_test

import (
	"strings"
	"testing"
)

// What a guard, a sleeper or a second job decided is told as such, and not as
// the work of a restart. The lessons show each of these runs.
func TestGuardsAreExplained(t *testing.T) {
	s := newServer(t)
	var told strings.Builder
	for _, l := range catalogue().Lessons() {
		if !l.Coming {
			told.WriteString(text(open(t, s, "/lessons/"+l.Slug).root))
		}
	}
	for _, want := range []string{
		"went on behind it: P0:5 and P1:4",
		"The restart gave out txid 2 again.",
		"went back to the value before it",
		"skipped m3: its row had taken in txid 2 before",
		"its id was known, nothing changed",
		"It wrote them over newer ones.",
		"its number is older than that of its replacement",
		"5 results came again after the restart. The receiver knew them, and did nothing.",
		"5 calls came again after the restart.",
		"It took effect, and the answer was lost.",
		"The receiver took it for a new one.",
		"The receiver knew it, and did nothing.",
		"5 calls (cleo, eve, ana and ben) went out behind barrier 1",
		"Nothing failed in this run, so nothing was read or sent a second time.",
		"A second job with the same prefix aborted transaction 2 and its 7 results.",
	} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("no lesson tells %q", want)
		}
	}
}
