package explore_test

import "testing"

// The nine pairs of curriculum 3.3: the state itself is what others read.
func TestMatrixTrident(t *testing.T) {
	table := map[string][3]string{ // state: non-transactional, transactional, opaque
		"non-transactional": {"d!", "d!", "d!"},
		"transactional":     {"d!", "", ""},
		"opaque":            {"d!", "l!", ""},
	}
	kinds := []string{"crash-job", "crash:source/0", "crash:source/1", "crash:count/0", "crash:coordinator"}
	for spout, row := range table {
		for i, state := range []string{"non-transactional", "transactional", "opaque"} {
			t.Run(spout+","+state, func(t *testing.T) {
				job, err := jobOf(1, "strategy=trident sink=state output=total spout="+spout+" state="+state)
				if err != nil {
					t.Fatal(err)
				}
				f := everyGap(t, job, kinds...)
				if err := f.against(row[i], true); err != nil {
					t.Error(err)
				}
				t.Logf("%d runs %v", f.runs, f.classes)
			})
		}
	}
}
