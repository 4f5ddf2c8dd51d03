package stage

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// A live run has gaps: what a killed worker could not tell. The picture is then not
// quite the truth, but it is one: whatever events are missing, it can be folded and
// drawn.
func TestEventsMayBeMissing(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		if tr.Job.Settings.Strategy != "barriers" {
			continue
		}
		for seed := range uint64(6) {
			dice := rand.New(rand.NewPCG(seed, 8))
			s := New(tr.Job, Options{Faults: tr.Faults, Coordinator: true, Machines: true, Outside: true})
			if err := drawWithGaps(t, s, tr, dice); err != nil {
				t.Errorf("%s, seed %d: %v", sh.name, seed, err)
			}
		}
	}
}

func drawWithGaps(t *testing.T, s *Stage, tr *trace.Trace, dice *rand.Rand) (err error) {
	n := 0
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("at event %d, %s: %v", n, trace.Sentence(tr, tr.At(n)), r)
		}
	}()
	gap := 0
	for n = 1; n <= tr.Len(); n++ {
		if gap--; gap < 0 && dice.IntN(20) == 0 {
			gap = dice.IntN(30)
		}
		if gap > 0 {
			continue
		}
		s.Apply(tr.At(n))
		if n%7 == 0 {
			if _, err := s.Step(t.Context()); err != nil {
				return err
			}
		}
	}
	_, err = s.AllRegions(t.Context())
	return err
}

// Verdicts from outside are drawn instead of what the events would say.
func TestVerdictsFromOutside(t *testing.T) {
	tr := shapes()[0].run(t)
	s := New(tr.Job, Options{Outside: true})
	for n := 1; n <= tr.Len(); n++ {
		s.Apply(tr.At(n))
	}
	list := []check.Verdict{{Sink: "sink", Reader: check.AnyReader, Class: check.Lost, Lost: 7, Expected: 9, Observed: 2, Final: true}}
	s.SetVerdicts(append(list, list...)) // more than there are readers: not taken
	if got := s.Verdicts()[0]; got.Lost != 0 {
		t.Errorf("taken: %+v", got)
	}
	s.SetVerdicts(list)
	st, err := s.VerdictParts(t.Context(), "seven are gone")
	if err != nil || st.Regions["verdict/truth"] != "seven are gone" || s.Verdicts()[0].Lost != 7 {
		t.Errorf("%v %v", st.Regions, err)
	}
	step, err := s.AllRegions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	step.WithoutVerdicts()
	for name := range step.Regions {
		if _, both := st.Regions[name]; both {
			t.Errorf("region %s is told twice", name)
		}
	}
}
