package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// findings is what every fault at every gap of one run led to.
type findings struct {
	runs     int
	classes  map[check.Class]int
	examples map[check.Class]string // the run with the fewest events
	smallest map[check.Class]int
	rewound  int
	broken   []string
}

// everyGap lets each fault (written without its moment) strike at every gap of
// the run, and judges the first verdict of each run.
func everyGap(t testing.TB, job *engine.Job, kinds ...string) *findings {
	t.Helper()
	return everyGapAfter(t, job, nil, kinds...)
}

// everyGapAfter does so in a run that has faults already.
func everyGapAfter(t testing.TB, job *engine.Job, base []engine.Fault, kinds ...string) *findings {
	t.Helper()
	f := &findings{classes: map[check.Class]int{}, examples: map[check.Class]string{}, smallest: map[check.Class]int{}}
	walker, err := sim.New(job, base)
	if err != nil {
		t.Fatal(err)
	}
	fold, audit := check.NewFold(job), check.NewAudit(job)
	var fork sim.Sim
	for more := true; more; more = walker.Step() {
		for _, kind := range kinds {
			fault, err := engine.ParseFault(fmt.Sprintf("%s@%d", kind, walker.Trace().Len()))
			if err == nil {
				err = fault.Resolve(job)
			}
			if err != nil {
				t.Fatal(err)
			}
			walker.Fork(&fork)
			fork.Inject(fault)
			f.finish(t, &fork, fold, audit, fault.String())
		}
	}
	return f
}

func (f *findings) finish(t testing.TB, s *sim.Sim, fold *check.Fold, audit *check.Audit, name string) {
	t.Helper()
	for s.Step() {
	}
	if err := s.Err(); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	tr := s.Trace()
	fold.Reset()
	fold.Advance(tr, tr.Len())
	audit.Reset()
	for n := 1; n <= tr.Len(); n++ {
		audit.Apply(tr, tr.At(n))
	}
	for _, v := range audit.Close() {
		f.broken = append(f.broken, name+": "+v.String())
	}
	v := fold.Verdicts(true)[0]
	f.runs++
	f.classes[v.Class]++
	if n, ok := f.smallest[v.Class]; !ok || tr.Len() < n {
		f.smallest[v.Class], f.examples[v.Class] = tr.Len(), name
	}
	if v.Rewound > 0 {
		f.rewound++
	}
}

// against compares with a cell of the guarantee matrix: letters with "!" must
// occur (at seed 1), others may, absent ones never. Exact must occur as well.
func (f *findings) against(cell string, musts bool) error {
	letters := map[check.Class]string{check.Exact: "e", check.Duplicated: "d", check.Lost: "l", check.Mixed: "m", check.Wrong: "w", check.Stuck: "s"}
	words := strings.Fields(cell + " e!")
	has := func(word string) bool {
		for _, w := range words {
			if w == word {
				return true
			}
		}
		return false
	}
	for class, letter := range letters {
		n := f.classes[class]
		switch {
		case n > 0 && !has(letter) && !has(letter+"!"):
			return fmt.Errorf("%d of %d runs are %s, which must never occur; example %s", n, f.runs, class, f.examples[class])
		case n == 0 && has(letter+"!") && musts:
			return fmt.Errorf("none of %d runs is %s, which must occur; found %v", f.runs, class, f.classes)
		}
	}
	if f.rewound > 0 && !has("r") {
		return fmt.Errorf("%d runs show a total going back", f.rewound)
	}
	if len(f.broken) > 0 {
		return fmt.Errorf("%d rules broken; the first: %s", len(f.broken), f.broken[0])
	}
	return nil
}

// cards16 is the input of the matrix (curriculum 1.7).
func cards16() *engine.Input {
	const ana, ben, cleo, dan, eve = 0, 1, 2, 3, 4
	in := &engine.Input{Name: "cards-16", Unit: "€", Keys: []string{"ana", "ben", "cleo", "dan", "eve"}, Parts: [][]engine.Datum{
		{{Key: ana, Value: 12}, {Key: ben, Value: 30}, {Key: ana, Value: 5}, {Key: cleo, Value: 44},
			{Key: ben, Value: 9}, {Key: ana, Value: 20}, {Key: cleo, Value: 3}, {Key: ben, Value: 15}},
		{{Key: dan, Value: 18}, {Key: ana, Value: 7}, {Key: eve, Value: 25}, {Key: ben, Value: 11},
			{Key: dan, Value: 6}, {Key: eve, Value: 40}, {Key: ana, Value: 9}, {Key: cleo, Value: 21}},
	}}
	for _, p := range in.Parts {
		for o := range p {
			p[o].Value *= engine.ValueScale
		}
	}
	return in
}

// jobOf builds a job on cards-16 from base settings and KEY=VALUE changes.
func jobOf(seed uint64, changes string) (*engine.Job, error) {
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range strings.Fields(changes) {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			return nil, err
		}
	}
	return engine.NewJob("matrix", set, cards16(), seed, nil)
}

// columns are the columns of curriculum 3.1 and 3.2, in their order.
var columns = []string{"sink=append", "sink=upsert", "sink=dedup", "sink=dedup dedup.write=id-first", "sink=dedup dedup.write=value-first",
	"sink=offset-with-output", "sink=transactional isolation.level=read_committed", "sink=transactional isolation.level=read_uncommitted",
	"sink=email", "sink=email idempotency.key=from-input", "sink=files", "sink=files reader.honours.log=false"}

// checkRow explores a row of the matrix; a cell "x" cannot be built.
func checkPoints(t *testing.T, seeds int, settings string, cells [12]string, kinds ...string) {
	t.Helper()
	for i, cell := range cells {
		t.Run(strings.ReplaceAll(columns[i], " ", ","), func(t *testing.T) {
			for seed := 1; seed <= seeds; seed++ {
				job, err := jobOf(uint64(seed), columns[i]+" "+settings)
				if (err != nil) != (cell == "x") {
					t.Fatalf("built: %v", err)
				}
				if err != nil {
					return
				}
				f := everyGap(t, job, kinds...)
				if err := f.against(cell, seed == 1); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				t.Logf("seed %d: %d runs %v rewound %d", seed, f.runs, f.classes, f.rewound)
			}
		})
	}
}
