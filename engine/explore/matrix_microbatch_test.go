package explore_test

import "testing"

func TestRowMicrobatch(t *testing.T) {
	checkPoints(t, 1, "strategy=microbatch output=event",
		[12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "", "d!"}, crashesOfJ...)
	checkPoints(t, 1, "strategy=microbatch output=total",
		[12]string{"d!", "r", "l r", "l! r", "l r", "", "", "d!", "d!", "w", "", "d!"}, crashesOfJ...)
}

// Note (d): where async progress can be had, it repeats.
func TestAsyncProgressRepeats(t *testing.T) {
	checkRowUnder(t, nil, "strategy=microbatch topology=MAP async.progress=on output=event",
		[12]string{"d!", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-", "-"}, "crash-job", "crash:source/0", "crash:map/1", "crash:sink/0")
	checkPoints(t, 1, "strategy=microbatch async.progress=on", [12]string{"x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x"})
}
