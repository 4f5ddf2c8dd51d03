package explore_test

import "testing"

// The table of curriculum 3.3: who dies, whether the coordinator has a log, and
// who reads.
func TestMatrixXA(t *testing.T) {
	for _, c := range []struct{ settings, kind, committed, uncommitted string }{
		{"", "crash-job", "", "d!"},
		{"", "crash:loop/0", "", "d!"},
		{"", "crash:coordinator", "", "d!"},
		{"coordinator.log=off", "crash-job", "", "d!"},
		{"coordinator.log=off", "crash:coordinator", "s!", "d! s!"},
	} {
		for _, output := range []string{"event", "total"} {
			for reader, cell := range map[string]string{"read_committed": c.committed, "read_uncommitted": c.uncommitted} {
				t.Run(c.settings+","+c.kind+","+output+","+reader, func(t *testing.T) {
					job, err := jobOf(1, "strategy=xa topology=LOOP sink=transactional output="+output+" isolation.level="+reader+" "+c.settings)
					if err != nil {
						t.Fatal(err)
					}
					f := everyGap(t, job, c.kind)
					if err := f.against(cell, true); err != nil {
						t.Error(err)
					}
					t.Logf("%d runs %v %v", f.runs, f.classes, f.examples)
				})
			}
		}
	}
}
