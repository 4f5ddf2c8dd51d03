package explore_test

import "testing"

func TestRowStreamsAtLeastOnce(t *testing.T) {
	checkPoints(t, 1, "strategy=kafka-streams output=event",
		[12]string{"d!", "", "", "l!", "d!", "", "x", "x", "d!", "", "x", "x"}, crashesOfJ...)
	checkPoints(t, 1, "strategy=kafka-streams output=total",
		[12]string{"d! w", "d!", "d!", "d! l! m", "d!", "d!", "x", "x", "d! w", "w!", "x", "x"}, crashesOfJ...)
}

func TestRowStreamsExactlyOnce(t *testing.T) {
	const settings = "strategy=kafka-streams processing.guarantee=exactly_once_v2 output="
	checkPoints(t, 1, settings+"event",
		[12]string{"d!", "", "", "l!", "d!", "", "", "d!", "d!", "", "x", "x"}, crashesOfJ...)
	checkPoints(t, 1, settings+"total",
		[12]string{"d!", "r", "", "l!", "", "", "", "d!", "d!", "", "x", "x"}, crashesOfJ...)
}

// With a backlog and a slow sink rows are on their way whenever a commit is due.
func TestRowStreamsUnderLoad(t *testing.T) {
	slow := []string{"slow:sink/0:x6@0s"}
	const settings = "strategy=kafka-streams backlog=on commit.interval=40ms output="
	checkRowUnder(t, slow, settings+"event",
		[12]string{"d!", "", "", "l!", "d!", "", "-", "-", "d!", "", "-", "-"}, crashesOfJ...)
	checkRowUnder(t, slow, settings+"total processing.guarantee=exactly_once_v2",
		[12]string{"d!", "r", "", "l!", "", "", "", "d!", "d!", "", "-", "-"}, crashesOfJ...)
}
