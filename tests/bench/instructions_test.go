package bench

import (
	"os"
	"strconv"
	"testing"

	"effectivelyonce/engine/sim"
)

// TestInstructions does RUNS runs of 500 records; tools/bench.sh counts the
// instructions of two different RUNS under callgrind and takes the difference, so
// that the start of the program cancels out.
func TestInstructions(t *testing.T) {
	runs, err := strconv.Atoi(os.Getenv("RUNS"))
	if err != nil {
		runs = 1
	}
	interval := os.Getenv("INTERVAL")
	if interval == "" {
		interval = "100ms"
	}
	j := job(t, input(500, 50), "topology", "J2", "sink", "transactional", "gap", "1ms", "checkpoint.interval", interval)
	for range runs {
		tr, err := sim.Run(j, nil)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Len() == 0 {
			t.Fatal("a run without events")
		}
	}
}
