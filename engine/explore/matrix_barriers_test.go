package explore_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// checkRowUnder is checkPoints for jobs with conditions. A cell "-" is left out.
func checkRowUnder(t *testing.T, conditions []string, settings string, cells [12]string, kinds ...string) {
	t.Helper()
	for i, cell := range cells {
		if cell == "-" {
			continue
		}
		t.Run(strings.ReplaceAll(columns[i], " ", ","), func(t *testing.T) {
			job, err := jobOf(1, columns[i]+" "+settings)
			if err != nil {
				t.Fatal(err)
			}
			var faults []engine.Fault
			for _, spec := range conditions {
				f, err := engine.ParseFault(spec)
				if err != nil {
					t.Fatal(err)
				}
				faults = append(faults, f)
			}
			if job, err = engine.NewJob("matrix", job.Settings, job.Input, 1, faults); err != nil {
				t.Fatal(err)
			}
			f := everyGap(t, job, kinds...)
			if err := f.against(cell, true); err != nil {
				t.Error(err)
			}
			t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
		})
	}
}

var crashesOfJ = []string{"crash-job", "crash:source/0", "crash:source/1", "crash:count/0", "crash:sink/0"}

// With a backlog records are in flight at every barrier, and come back after a crash.
func TestRowUnalignedBarriersUnderLoad(t *testing.T) {
	const settings = " checkpoint.unaligned=on backlog=on checkpoint.interval=40ms"
	checkPoints(t, 1, "output=event"+settings,
		[12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "", "d!"}, crashesOfJ...)
	checkPoints(t, 1, "output=total"+settings,
		[12]string{"d!", "r", "l r", "l! r", "l r", "l r", "", "d!", "d!", "w", "", "d!"}, crashesOfJ...)
}

// Without a shuffle there is nothing to skip: the mode is exact (facts 3.4).
func TestAtLeastOnceWithoutShuffleIsExact(t *testing.T) {
	kinds := []string{"crash-job", "crash:source/0", "crash:map/1", "crash:sink/0"}
	checkRowUnder(t, []string{"slow:map/0:x20@0s"}, "output=event topology=MAP checkpoint.mode=at_least_once checkpoint.interval=150ms",
		[12]string{"-", "", "", "-", "-", "", "", "d!", "-", "", "", "d!"}, kinds...)
}
