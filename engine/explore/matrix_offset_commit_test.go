package explore_test

import (
	"fmt"
	"testing"
)

// The rows of offset-commit in curriculum 3.1 and 3.2. A crash takes the loop, or
// every process of the job, which is the loop.
func TestRowsOfOffsetCommit(t *testing.T) {
	kinds := []string{"crash-job", "crash:loop/0"}
	for _, row := range []struct {
		commit     string
		event, sum [12]string
	}{
		{"before",
			[12]string{"l!", "l!", "l!", "l!", "l!", "", "l!", "l!", "l!", "l!", "x", "x"},
			[12]string{"l!", "l!", "l!", "l!", "l!", "", "l!", "l!", "l!", "l!", "x", "x"}},
		{"after",
			[12]string{"d!", "", "", "l!", "d!", "", "d!", "d!", "d!", "", "x", "x"},
			[12]string{"d!", "r", "l r", "l! r", "l r", "", "d!", "d!", "d!", "w", "x", "x"}},
		{"auto",
			[12]string{"d!", "", "", "l!", "d!", "", "d!", "d!", "d!", "", "x", "x"},
			[12]string{"d!", "r", "l r", "l! r", "l r", "", "d!", "d!", "d!", "w", "x", "x"}},
	} {
		t.Run(row.commit, func(t *testing.T) {
			base := "strategy=offset-commit topology=LOOP commit=" + row.commit
			checkPoints(t, 1, base+" output=event", row.event, kinds...)
			checkPoints(t, 1, base+" output=total state.recovery=replay-input", row.sum, kinds...)
		})
	}
}

// Curriculum 3.4: where the totals of a plain loop live.
func TestWhereTheTotalsOfALoopLive(t *testing.T) {
	for _, c := range []struct{ recovery, sink, cell string }{
		{"none", "append", "d! w!"},
		{"none", "upsert", "l! r"},
		{"remote", "append", "d! w!"},
		{"remote", "upsert", "d!"},
		{"replay-input", "append", "d!"},
		{"replay-input", "upsert", "r"},
		{"remote", "offset-with-output", ""},
	} {
		t.Run(c.recovery+","+c.sink, func(t *testing.T) {
			job, err := jobOf(1, fmt.Sprintf("strategy=offset-commit topology=LOOP output=total state.recovery=%s sink=%s", c.recovery, c.sink))
			if err != nil {
				t.Fatal(err)
			}
			f := everyGap(t, job, "crash-job", "crash:loop/0")
			if err := f.against(c.cell, true); err != nil {
				t.Error(err)
			}
			t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
		})
	}
}
