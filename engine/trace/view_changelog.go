package trace

import "effectivelyonce/engine"

// Topic is a counter's changelog topic as its broker holds it, and the standby that
// follows it.
type Topic struct {
	Sent     int // entries in the open transaction
	Entries  int // committed entries that are still in the log
	Clean    int // of these, the ones that compaction has been over: one a key
	Deleted  int // keys whose newest entry is a tombstone
	Lag      int // committed entries that a standby has not read
	Promoted bool
}

// logTopic folds what an event does to a changelog topic.
func (v *View) logTopic(e *engine.Event) {
	if !v.isTask(e.Task) {
		return
	}
	t := &v.Kept.Topics[e.Task]
	switch e.Kind {
	case engine.ChangelogAppend:
		t.Sent++
		if e.After == 0 {
			t.Deleted++
			v.Tasks[e.Task].Counts[e.Key] = 0
			v.dirty.States[e.Task] = true
		}
	case engine.ChangelogCompacted:
		t.Entries, t.Clean = int(e.After), int(e.After-e.Value)
	case engine.StandbyPromoted:
		t.Promoted, t.Lag = true, int(e.Before)
		v.touch(e.Task)
	}
}

// settleTopics makes what was sent readable, or takes it back. A standby has read
// what the commit before made readable.
func (v *View) settleTopics(committed bool) {
	for i := range v.Kept.Topics {
		t := &v.Kept.Topics[i]
		if committed {
			t.Entries, t.Lag = t.Entries+t.Sent, t.Sent
		}
		t.Sent = 0
	}
}
