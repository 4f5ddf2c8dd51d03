package stage

import "effectivelyonce/engine"

// LegendEntry is one kind of mark on the timeline: its glyph and its word.
type LegendEntry struct{ Glyph, Word string }

// Legend names the marks that a job's timeline can show, in the words of its
// strategy: what Marks lists, without the order of a run.
func Legend(job *engine.Job) []LegendEntry {
	set := &job.Settings
	out := map[string][]LegendEntry{
		"barriers":      {{"barrier", "barrier sent"}, {"checkpoint", "checkpoint complete"}},
		"microbatch":    {{"checkpoint", "batch in the commit log"}},
		"trident":       {{"checkpoint", "txid succeeded"}},
		"batch":         {{"file", "output published"}},
		"offset-commit": {{"bookmark", "position committed"}},
		"kafka-streams": {{"bookmark", "positions committed"}},
	}[set.Strategy]
	if set.Strategy == "kafka-streams" && set.Guarantee == "exactly_once_v2" {
		out = nil // the transaction carries the positions
	}
	commits := set.Strategy == "xa" || set.Strategy == "kafka-streams" && set.Guarantee == "exactly_once_v2"
	for i := range set.Sinks {
		commits = commits || set.Sinks[i].Kind == engine.SinkTransactional
	}
	if commits {
		out = append(out, LegendEntry{"commit", "transaction committed"})
	}
	return append(out, LegendEntry{"crash", "crash"})
}
