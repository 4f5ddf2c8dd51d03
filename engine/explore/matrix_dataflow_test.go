package explore_test

import "testing"

// The three rows of dataflow in curriculum 3.1 and 3.2. Stages fail singly.
func TestMatrixDataflow(t *testing.T) {
	kinds := []string{"crash-job", "crash:source/0", "crash:source/1", "crash:count/0", "crash:sink/0"}
	for _, row := range []struct {
		settings     string
		event, total [12]string
	}{
		{"mode=exactly_once production=strong",
			[12]string{"d!", "", "", "l!", "d!", "x", "x", "x", "d!", "", "x", "x"},
			[12]string{"d!", "r", "", "l!", "", "x", "x", "x", "d!", "", "x", "x"}},
		{"mode=exactly_once production=weak",
			[12]string{"d!", "", "", "l!", "d!", "x", "x", "x", "d!", "", "x", "x"},
			[12]string{"d! w", "l r", "l", "l!", "l", "x", "x", "x", "d! w", "w", "x", "x"}},
		{"mode=at_least_once",
			[12]string{"d!", "", "", "l!", "d!", "x", "x", "x", "d!", "", "x", "x"},
			[12]string{"d!", "d! r", "d!", "d! l! m", "d!", "x", "x", "x", "d!", "w!", "x", "x"}},
	} {
		t.Run(row.settings, func(t *testing.T) {
			checkPoints(t, 1, "strategy=dataflow output=event "+row.settings, row.event, kinds...)
			checkPoints(t, 1, "strategy=dataflow output=total "+row.settings, row.total, kinds...)
		})
	}
}
