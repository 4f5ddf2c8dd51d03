package stage

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// LegendEntry is one kind of mark on the timeline: its glyph and its word.
type LegendEntry struct{ Glyph, Word string }

// faultWords are the marks of faults that do not kill, as the timeline draws them.
var faultWords = map[engine.FaultKind]string{engine.Slow: "slow", engine.Pause: "pause", engine.LoseResponse: "no answer", engine.StorageDown: "outage",
	engine.BrokerDown: "outage", engine.Late: "late", engine.SecondJob: "two jobs"}

// Legend names the marks that a job's timeline can show, in the words of its
// strategy: what Marks lists, without the order of a run.
func Legend(job *engine.Job, faults ...engine.Fault) []LegendEntry {
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
	if set.Strategy == "xa" {
		out = append(out, LegendEntry{"decision", "decided"})
	}
	for i := range set.Sinks {
		if set.Sinks[i].Kind == engine.SinkFiles && set.Strategy != "batch" {
			out = append(out, LegendEntry{"file", "file final"})
			break
		}
	}
	commits := set.Strategy == "xa" || set.Strategy == "kafka-streams" && set.Guarantee == "exactly_once_v2"
	for i := range set.Sinks {
		commits = commits || set.Sinks[i].Kind == engine.SinkTransactional
	}
	if commits {
		out = append(out, LegendEntry{"commit", "transaction committed"})
	}
	others := len(out)
	if len(faults) == 0 || slices.ContainsFunc(faults, func(f engine.Fault) bool { return f.Kind.Kills() }) {
		out = append(out, LegendEntry{"crash", "crash"})
	}
	for i := range faults {
		e := LegendEntry{trace.FaultGlyph(&faults[i]), faultWords[faults[i].Kind]}
		if e.Word != "" && len(out) < others+2 && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}
