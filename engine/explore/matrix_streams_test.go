package explore_test

import "testing"

func TestRowStreamsAtLeastOnce(t *testing.T) {
	checkRow(t, 1, "strategy=kafka-streams output=event",
		[12]string{"d!", "", "", "l!", "d!", "", "x", "x", "d!", "", "x", "x"}, crashesOfJ...)
	checkRow(t, 1, "strategy=kafka-streams output=total",
		[12]string{"d! w", "d!", "d!", "d! l! m", "d!", "d!", "x", "x", "d! w", "w!", "x", "x"}, crashesOfJ...)
}

func TestRowStreamsExactlyOnce(t *testing.T) {
	const settings = "strategy=kafka-streams processing.guarantee=exactly_once_v2 output="
	checkRow(t, 1, settings+"event",
		[12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "x", "x"}, crashesOfJ...)
	checkRow(t, 1, settings+"total",
		[12]string{"d!", "r", "", "l!", "", "", "", "d!", "d!", "", "x", "x"}, crashesOfJ...)
}
