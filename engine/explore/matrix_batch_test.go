package explore_test

import "testing"

// The rows of batch in curriculum 3.1 and 3.2: crash-job, each task, and the
// scheduler of the job.
func TestRowsOfBatch(t *testing.T) {
	kinds := []string{"crash-job", "crash:map/0", "crash:map/1", "crash:reduce/0", "crash:coordinator"}
	base := "strategy=batch topology=BATCH "
	checkPoints(t, 1, base+"output=event", [12]string{"d!", "", "", "l!", "d!", "x", "x", "x", "d!", "", "", ""}, kinds...)
	checkPoints(t, 1, base+"output=total", [12]string{"d!", "r", "", "l!", "", "x", "x", "x", "d!", "", "", ""}, kinds...)
}
