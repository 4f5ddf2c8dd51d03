package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// rebuilds reports whether a task of kafka-streams makes its store anew: the disk is
// gone, or what lay on it was wiped, and the changelog is read from its start
// (facts 6.6 and 6.8, Kafka Streams 4.x).
func (s *Stage) rebuilds(id engine.TaskID) bool {
	k := &s.view.Kept
	if s.Job.Settings.Strategy != "kafka-streams" || s.Job.Plan.Tasks[id].Kind != engine.OpCount || s.view.Tasks[id].Status != trace.Restarted {
		return false
	}
	return k.Wiped[id] && s.Job.Settings.Recovery() != "standby"
}

// changelogCard is a counter's changelog: what compaction has been over, the head
// that it leaves alone, and keys that are deleted.
func (s *Stage) changelogCard(task int) shelfCard {
	k := &s.view.Kept
	c := card("complete", "changelog", "Changelog", entries(k.Entries[task]), s.counts(k.Changes[task]))
	if n := s.abortedEntries(task); n > 0 {
		c.Words = entries(k.Entries[task] - n)
		c.Body += " \u00b7 skips " + itoa(n) + " aborted"
	}
	if s.rebuilds(engine.TaskID(task)) {
		c.Tag = fitting(100, s.Job.Plan.Tasks[task].Name+" reads it", "being read")
	}
	st := &s.Job.Settings.State
	if st.ChangelogHead == 0 && st.Delete == "never" {
		return c
	}
	t := &k.Topics[task]
	c.Words = entries(t.Entries + t.Sent)
	if t.Clean > 0 {
		c.Words = itoa(t.Clean) + " compacted, head " + itoa(t.Entries+t.Sent-t.Clean)
	}
	if t.Deleted > 0 {
		c.Body += ", " + count(t.Deleted, "tombstone")
	}
	if c.Tag != "" && t.Clean > 0 { // what the head is matters less than who reads it
		c.Words = ""
	}
	return c
}

// abortedEntries is how many entries of a changelog lie in aborted transactions: they
// take room there, and whoever reads it skips them. After a compaction nobody knows.
func (s *Stage) abortedEntries(task int) int {
	t := &s.view.Kept.Topics[task]
	if t.Clean > 0 {
		return 0
	}
	return s.view.Kept.Entries[task] - t.Entries - t.Sent
}

// standbyCard is the copy that follows a changelog.
func (s *Stage) standbyCard(task int) shelfCard {
	t := &s.view.Kept.Topics[task]
	c := card("complete", "store", "Standby", "lags by "+itoa(t.Lag), "follows the changelog")
	if t.Promoted {
		c.Tag, c.Words, c.Body = "took over", "", "is the store now"
	}
	return c
}

// slipped says how far the copy and the positions of a checkpoint disagree. Without
// alignment (execution.checkpointing.mode AT_LEAST_ONCE, Flink 2.x, fact 3.4) records
// from behind a barrier are counted before the copy is made, and read again.
func (s *Stage) slipped(c *trace.Checkpoint) string {
	set := &s.Job.Settings
	if set.CheckpointMode != "at_least_once" || set.Operator != engine.OperatorCount {
		return ""
	}
	var counted, read int64
	for _, n := range s.view.Counts(c) {
		counted += n
	}
	for _, off := range s.view.Offsets(c) {
		read += int64(off)
	}
	if counted <= read {
		return ""
	}
	return "complete, " + num(counted) + " counted, " + num(read) + " read"
}

// completeWords is what a complete checkpoint is: whole, an increment that stands on
// others, or a name for state that never left remote storage.
func (s *Stage) completeWords(c *trace.Checkpoint) string {
	switch s.Job.Settings.Recovery() {
	case "remote":
		return "complete, state is remote"
	case "snapshot-incremental":
		changed, all := 0, 0
		for i := range c.Parts {
			changed += int(c.Parts[i].Changed)
			for _, n := range c.Parts[i].Counts {
				all += int(min(n, 1))
			}
		}
		if changed < all {
			return "complete, +" + itoa(changed) + " of " + itoa(all) + " keys"
		}
	}
	if words := s.slipped(c); words != "" {
		return words
	}
	var inFlight int64
	for i := range c.Parts {
		inFlight += c.Parts[i].InFlight
	}
	if inFlight > 0 {
		return "complete, with " + num(inFlight) + " in flight"
	}
	return "complete"
}
