//go:build soak

package lab

import (
	"testing"
	"time"

	"effectivelyonce/engine/check"
)

// An outage longer than transaction.timeout loses what a sealed checkpoint had
// promised (facts 4.2 to 4.4). A job that ignores the refused commit ends with rows
// missing; one that fails on it says so and does not come to rest without them.
// Whether an outage meets a promise is chance, so several runs are made.
func TestSoakExpiryIsALoss(t *testing.T) {
	lost, refused := 0, 0
	for seed := uint64(1); seed <= 4; seed++ {
		if v := cutOff(t, "short-silent", seed, final).Verdicts[0]; v.Duplicated > 0 || v.Class != check.Exact && v.Class != check.Lost {
			t.Errorf("seed %d, ignore: %+v", seed, v)
		} else if v.Lost > 0 {
			lost++
		}
		said := func(s *Status) bool { return told(s, "commit refused") || final(s) }
		if s := cutOff(t, "short-timeout", seed, said); !s.Done {
			refused++
		} else if s.Verdicts[0].Class != check.Exact {
			t.Errorf("seed %d, fail: at rest with %+v", seed, s.Verdicts)
		}
	}
	t.Logf("of 4 runs each: rows lost in %d, commit refused in %d", lost, refused)
	if lost == 0 || refused == 0 {
		t.Error("no outage met a promise")
	}
}

// cutOff starts a lab, takes its broker away for longer than transactions live, and
// waits.
func cutOff(t *testing.T, setup string, seed uint64, until func(*Status) bool) Status {
	t.Helper()
	l, err := newPool(t, Config{}).Start(Spec{Setup: setup, Records: 150, Seed: seed}, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	when(t, l, "rows are out", func(s *Status) bool { return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 10 })
	if err := l.CutBroker(8 * time.Second); err != nil {
		t.Fatal(err)
	}
	return when(t, l, "the end, or a refusal", until)
}
