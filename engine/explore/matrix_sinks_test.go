package explore_test

import "testing"

// The row of aligned barriers, for the columns that only new sinks fill.
func TestRowAlignedBarriers(t *testing.T) {
	kinds := []string{"crash-job", "crash:source/0", "crash:source/1", "crash:count/0", "crash:sink/0"}
	checkPoints(t, 1, "output=event", [12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "", "d!"}, kinds...)
	checkPoints(t, 1, "output=total", [12]string{"d!", "r", "l r", "l! r", "l r", "l r", "", "d!", "d!", "w", "", "d!"}, kinds...)
}
