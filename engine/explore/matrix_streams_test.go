package explore_test

import "testing"

// With a backlog and a slow sink rows are on their way whenever a commit is due.
func TestRowStreamsUnderLoad(t *testing.T) {
	slow := []string{"slow:sink/0:x6@0s"}
	const settings = "strategy=kafka-streams backlog=on commit.interval=40ms output="
	checkRowUnder(t, slow, settings+"event",
		[12]string{"d!", "", "", "l!", "d!", "", "-", "-", "d!", "", "-", "-"}, crashesOfJ...)
	checkRowUnder(t, slow, settings+"total processing.guarantee=exactly_once_v2",
		[12]string{"d!", "r", "", "l!", "", "", "", "d!", "d!", "", "-", "-"}, crashesOfJ...)
}
