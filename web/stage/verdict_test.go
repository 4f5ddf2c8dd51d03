package stage

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// Before the end a verdict calls lost only what nobody will read again. So what it
// calls lost is lost at the end, in every strategy and wherever the crash was.
func TestLostSoFarStaysLost(t *testing.T) {
	told := 0
	for _, sh := range shapes() {
		own := strings.Join(sh.faults, "")
		sh.faults = nil
		whole := sh.run(t).Len()
		for _, f := range []string{own, "crash-job@" + itoa(whole/3), "crash-job@" + itoa(whole/2), "crash-job@" + itoa(whole*3/4)} {
			if f == "" {
				continue
			}
			sh.faults = []string{f}
			tr := sh.run(t)
			s := stageOf(tr)
			claims := map[string]int{} // by reader and record: the event
			for n := 1; n <= tr.Len(); n++ {
				s.Apply(tr.At(n))
				for _, v := range s.Verdicts() {
					for _, r := range v.LostRows {
						if at := v.Sink + v.Reader + r.ID.String(); claims[at] == 0 && r.ID != engine.NoRecord {
							claims[at] = n
						}
					}
					if v.Lost > 0 && v.Class == check.Exact || v.Observed+v.Lost+v.Pending != v.Expected+v.Duplicated && v.Wrong == 0 {
						t.Errorf("%s %s, event %d: %+v", sh.name, f, n, v)
					}
				}
			}
			for _, v := range s.Verdicts() {
				if v.Class == check.Stuck {
					clear(claims)
				}
				for _, r := range v.LostRows {
					delete(claims, v.Sink+v.Reader+r.ID.String())
				}
				if v.Lost > 0 {
					told++
				}
			}
			if len(claims) > 0 {
				t.Errorf("%s %s: called lost and not lost in the end: %v", sh.name, f, claims)
			}
		}
	}
	if told < 3 {
		t.Errorf("%d runs lost something; they are no examples", told)
	}
}

// An expired transaction whose checkpoint is complete is lost from that event on,
// not "in flight", and never exact.
func TestExpiredRowsAreLostAtOnce(t *testing.T) {
	tr := runOf(t, "J expired")
	s := stageOf(tr)
	rows, sealed := 0, false
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		s.Apply(e)
		sealed = sealed || e.Kind == engine.CheckpointComplete
		if e.Kind == engine.TxnExpired {
			rows = int(e.Value)
		}
		if r := s.verdictRow(0); rows > 0 && sealed && (r.Glyph != "lost" || r.Lost != itoa(rows) || strings.Contains(r.Pending, "hidden")) {
			t.Fatalf("event %d, after %d rows have expired: %+v", n, rows, r)
		}
	}
	if rows == 0 || !sealed {
		t.Error("nothing expired; the run is no example")
	}
}

// A zombie that puts an older total over a newer one leaves an input that no value
// shows. That is not exact, until a newer total stands there again.
func TestOlderTotalIsNotExact(t *testing.T) {
	tr := shape{rows: cards, set: []string{"topology=J", "sink=upsert", "output=total"}, faults: []string{"pause:sink/0:8s@after:record.received~8@sink/0"}}.run(t)
	s := stageOf(tr)
	woke, older := false, 0
	for n := 1; n < tr.Len(); n++ {
		s.Apply(tr.At(n))
		woke = woke || tr.At(n).Kind == engine.ZombieWakes
		r, v := s.verdictRow(0), s.Verdicts()[0]
		shown := 0
		for k := range s.Job.Input.Keys {
			if strings.Contains(s.keyCount(k).Text, "not shown") {
				shown++
			}
		}
		if woke && v.Observed < v.Expected {
			older++
			if r.Glyph == "exact" || !strings.HasPrefix(r.Words, "Not shown: ") || shown == 0 || v.InFlight > 0 {
				t.Fatalf("event %d, %d of %d: %+v", n, v.Observed, v.Expected, r)
			}
		}
		if !woke && v.Unshown > 0 {
			t.Fatalf("event %d: %+v", n, v)
		}
	}
	if older == 0 {
		t.Error("nothing was older; the run is no example")
	}
}
