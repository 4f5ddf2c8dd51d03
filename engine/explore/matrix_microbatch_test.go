package explore_test

import "testing"

func TestRowMicrobatch(t *testing.T) {
	checkRow(t, 1, "strategy=microbatch output=event",
		[12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "", "d!"}, crashesOfJ...)
	checkRow(t, 1, "strategy=microbatch output=total",
		[12]string{"d!", "r", "l r", "l! r", "l r", "", "", "d!", "d!", "w", "", "d!"}, crashesOfJ...)
}
