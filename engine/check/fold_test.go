package check_test

import (
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

func TestSoFarNothingIsLost(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, event), sink("totals", engine.SinkUpsert, total))
	h.begin(1)
	h.through([2]int{0, 0}, [2]int{1, 0})
	h.read(0, 1)
	f := check.NewFold(h.job)
	f.Advance(h.tr, h.tr.Len())
	vs := f.Verdicts(false)
	for _, c := range []struct {
		sink, reader                         string
		expected, observed, inFlight, hidden int
	}{
		{"topic", "read_committed", 3, 0, 1, 2},
		{"topic", "read_uncommitted", 3, 2, 1, 0},
		{"totals", "any", 3, 2, 1, 0},
	} {
		v := classOf(t, vs, c.sink, c.reader)
		expect(t, v, check.Exact, 0, 0, 0, c.inFlight+c.hidden)
		if v.Expected != c.expected || v.Observed != c.observed || v.InFlight != c.inFlight || v.Hidden != c.hidden {
			t.Errorf("%s/%s: %+v", c.sink, c.reader, *v)
		}
	}
	want := []check.KeyCount{{Key: 0, Expected: 2, Hidden: 2}, {Key: 1, Expected: 1, InFlight: 1}}
	if got := f.ByKey(0, false); !reflect.DeepEqual(got, want) {
		t.Errorf("by key %+v, want %+v", got, want)
	}
	if got := f.ByKey(0, false)[0].Pending(); got != 2 {
		t.Errorf("pending of a: %d", got)
	}
}

func TestCopyAndResetAreFaithful(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, total), sink("totals", engine.SinkUpsert, total))
	h.begin(1)
	h.through([2]int{0, 0}, [2]int{1, 0})
	h.snapshot(1)
	h.precommit()
	h.commit(h.txn)
	h.begin(2)
	h.through([2]int{0, 1})
	h.restore(1)
	h.begin(3)
	h.through([2]int{0, 1}, [2]int{1, 1}, [2]int{0, 2})
	tr := h.end(engine.AtRest)

	whole := check.NewFold(h.job)
	whole.Advance(tr, tr.Len())
	want := append([]check.Verdict(nil), whole.Verdicts(true)...)
	for at := 0; at <= tr.Len(); at++ {
		prefix, fork := check.NewFold(h.job), check.NewFold(h.job)
		prefix.Advance(tr, at)
		fork.Advance(tr, tr.Len()) // leftovers that CopyFrom must overwrite
		fork.CopyFrom(prefix)
		fork.Advance(tr, tr.Len())
		if got := fork.Verdicts(true); !reflect.DeepEqual(got, want) {
			t.Fatalf("copied after event %d: %+v, want %+v", at, got, want)
		}
	}
	whole.Reset()
	whole.Advance(tr, tr.Len())
	if got := whole.Verdicts(true); !reflect.DeepEqual(got, want) {
		t.Errorf("after Reset: %+v, want %+v", got, want)
	}
	if n := testing.AllocsPerRun(20, func() { whole.Reset(); whole.Advance(tr, tr.Len()); whole.Verdicts(true) }); n > 0 {
		t.Errorf("judging a run again allocates %v times", n)
	}
}

func TestTruthOfTheLog(t *testing.T) {
	s := sink("x", engine.SinkAppend, total)
	tr := check.NewTruth(fruit(), &s)
	if tr.Expected() != 5 || tr.Count(0) != 3 || tr.Count(1) != 2 || tr.Sum(0) != 8000 || tr.Sum(1) != 7000 {
		t.Errorf("a is 1+3+4 in three records, b is 2+5 in two: %+v", tr)
	}
	want := []check.Row{{ID: engine.NoRecord, Key: 0, Value: 1}, {ID: engine.NoRecord, Key: 0, Value: 2}, {ID: engine.NoRecord, Key: 0, Value: 3},
		{ID: engine.NoRecord, Key: 1, Value: 1}, {ID: engine.NoRecord, Key: 1, Value: 2}}
	if got := tr.Rows(); !reflect.DeepEqual(got, want) {
		t.Errorf("rows of totals %+v", got)
	}
	s.EmitAt = 3
	if tr := check.NewTruth(fruit(), &s); tr.Expected() != 1 || len(tr.Rows()) != 1 || tr.Rows()[0].Key != 0 {
		t.Errorf("at-count:3 leaves one row: %+v", tr.Rows())
	}
	s.EmitAt, s.Output = 0, event
	if got := check.NewTruth(fruit(), &s).Rows(); len(got) != 5 || got[4] != (check.Row{ID: engine.RecordID{Part: 1, Off: 1}, Key: 1, Value: 5000}) {
		t.Errorf("rows of events %+v", got)
	}
}

func TestWorstFollowsTheOrderOfSeverity(t *testing.T) {
	order := check.Classes()
	for i, a := range order {
		for j, b := range order {
			if want := order[min(i, j)]; check.Worst(a, b) != want {
				t.Errorf("worst of %s and %s is %s, want %s", a, b, check.Worst(a, b), want)
			}
		}
		if check.Worst("", a) != a || check.Worst(a, "") != a {
			t.Errorf("no class must not outweigh %s", a)
		}
	}
}

// The oracle must not share code with what it judges.
func TestReachesNoMachineAndNoScheduler(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const root = "effectivelyonce/"
	allowed := map[string]bool{root + "engine": true, root + "engine/trace": true, root + "engine/check": true}
	for _, p := range strings.Fields(string(out)) {
		if strings.HasPrefix(p, root) && !allowed[p] {
			t.Errorf("engine/check reaches %s", p)
		}
	}
}

func BenchmarkJudge(b *testing.B) {
	h := newHand(&testing.T{}, sink("add", engine.SinkAppend, event), sink("totals", engine.SinkUpsert, total))
	for range 15 {
		h.through(all()...)
		h.restore(0)
	}
	tr := h.end(engine.AtRest)
	f := check.NewFold(h.job)
	b.ReportAllocs()
	for b.Loop() {
		f.Reset()
		f.Advance(tr, tr.Len())
		f.Verdicts(true)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tr.Len()), "ns/event")
	b.ReportMetric(float64(tr.Len()), "events")
}
