package live_test

import (
	"testing"
	"testing/synctest"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

func TestRunsToItsRest(t *testing.T) {
	for _, sink := range []string{"transactional", "append"} {
		synctest.Test(t, func(t *testing.T) {
			job := liveJob(t, 10, "topology", "J2", "sink", sink, "checkpoint.interval", "10ms")
			log, topic := memoryLog(job, 2000), live.NewTopic(job, 0)
			res, err := live.Run(t.Context(), job, config(log, topic, &live.Memory{}))
			if err != nil || res.Reason != engine.AtRest || res.Attempts != 1 || res.Checkpoints < 1 {
				t.Fatalf("%s: %+v, %v", sink, res, err)
			}
			lost, twice := verdict(t, log, topic)
			if lost+twice > 0 || topic.Pending() > 0 {
				t.Fatalf("%s: %d lost, %d twice, %d transactions pending", sink, lost, twice, topic.Pending())
			}
		})
	}
}

// verdict compares what is visible outside with the input, by record.
func verdict(t *testing.T, log live.MemoryLog, topic *live.Topic) (lost, twice int) {
	t.Helper()
	rows, err := topic.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	seen := map[engine.RecordID]int{}
	for i := range rows {
		seen[rows[i].ID]++
	}
	for p := range log {
		for o := range log[p] {
			switch n := seen[engine.RecordID{Part: int16(p), Off: int32(o)}]; {
			case n == 0:
				lost++
			case n > 1:
				twice += n - 1
			}
		}
	}
	return lost, twice
}
