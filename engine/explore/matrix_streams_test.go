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

// The local store goes with its node, and comes back out of the changelog.
func TestStreamsSurviveTheLossOfADisk(t *testing.T) {
	for settings, cell := range map[string]string{
		"sink=upsert":               "d!",
		"sink=dedup output=event":   "",
		"sink=email output=event":   "d!",
		"sink=append output=event":  "d!",
		"sink=upsert output=event":  "",
		"sink=offset-with-output":   "d!",
		"sink=upsert output=total":  "d!",
		"sink=dedup output=total":   "d!",
		"sink=email output=total":   "d! w",
		"sink=transactional " + eos: "",
		"sink=upsert " + eos:        "r",
		"sink=append " + eos:        "d!",
		"sink=dedup " + eos:         "",
	} {
		job, err := jobOf(1, "strategy=kafka-streams output=total "+settings)
		if err != nil {
			t.Fatal(err)
		}
		if err := everyGap(t, job, "crash-node:node/0", "crash-node:node/1").against(cell, true); err != nil {
			t.Errorf("%s: %v", settings, err)
		}
	}
}

const eos = "processing.guarantee=exactly_once_v2"
