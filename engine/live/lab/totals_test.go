package lab

import (
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live"
)

func TestTotalsAreJudged(t *testing.T) {
	job, err := Spec{Setup: "totals", Records: 40, Seed: 5}.Job(false)
	if err != nil {
		t.Fatal(err)
	}
	fed, right := []int32{20, 20}, map[string]int64{}
	for _, part := range job.Input.Parts {
		for _, d := range part {
			right[job.Input.Keys[d.Key]]++
		}
	}
	for _, x := range []struct {
		name                     string
		over                     bool
		more                     int64
		also                     []live.Row
		class                    check.Class
		lost, twice, wrong, wait int
	}{
		{"right", true, 0, nil, check.Exact, 0, 0, 0, 0},
		{"too few", true, -2, nil, check.Lost, 2, 0, 0, 0},
		{"too few as yet", false, -2, nil, check.Exact, 0, 0, 0, 2},
		{"too many", true, 3, nil, check.Duplicated, 0, 3, 0, 0},
		{"fed since", false, 3, nil, check.Exact, 0, 0, 0, 0},
		{"a strange key", true, 0, []live.Row{{Key: "z", Value: 1}}, check.Wrong, 0, 0, 1, 0},
		{"a key twice", true, 0, []live.Row{{Key: "a", Value: 1}}, check.Wrong, 0, 0, 1, 0},
	} {
		var rows []live.Row
		for _, k := range job.Input.Keys {
			n := right[k]
			if k == "a" {
				n += x.more
			}
			rows = append(rows, live.Row{Key: k, Value: n})
		}
		v := CompareTotals(job, fed, append(rows, x.also...), "reader", x.over)
		if v.Class != x.class || v.Lost != x.lost || v.Duplicated != x.twice || v.Wrong != x.wrong || v.Pending != x.wait || v.Expected != 40 {
			t.Errorf("%s: %+v", x.name, v)
		}
	}
}
