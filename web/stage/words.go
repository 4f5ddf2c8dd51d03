package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// drawnAs is the kind of sink whose drawing another kind shares: private files are
// drawn as transactions, everything with a row a key as a table.
func drawnAs(k engine.SinkKind) engine.SinkKind {
	switch {
	case k == engine.SinkFiles:
		return engine.SinkTransactional
	case trace.IsTable(k):
		return engine.SinkUpsert
	}
	return k
}

// newKindWords tells what a sink that remembers does with a row.
func newKindWords(k *engine.SinkSettings) string {
	switch k.Kind {
	case engine.SinkFiles:
		return "private, then final"
	case engine.SinkDedup:
		if k.DedupWrite == "atomic" {
			return "id with value"
		}
		return k.DedupWrite
	case engine.SinkPosition:
		return "value with position"
	}
	return "one row a key"
}

// remembers is what a table knows beside its values.
func (s *Stage) remembers(sink int) string {
	o, k := &s.view.Outside[sink], &s.view.Kept
	switch s.Job.Settings.Sinks[sink].Kind {
	case engine.SinkDedup:
		switch n := o.Halves(); {
		case n == 0:
		case s.Job.Settings.Sinks[sink].DedupWrite == "id-first":
			return itoa(o.Known) + " ids, " + itoa(n) + " without value"
		default:
			return itoa(o.Known) + " ids, " + count(n, "value") + " without id"
		}
		if o.Ignored > 0 {
			return itoa(o.Known) + " ids" + s.repeatsIgnored(sink)
		}
		return itoa(o.Known) + " ids remembered"
	case engine.SinkPosition:
		return "position " + trace.Positions(o.At)
	case engine.SinkState:
		if s.Job.Settings.Strategy == "trident" {
			newest := int32(0)
			for _, t := range k.Txids {
				newest = max(newest, t)
			}
			return "newest txid " + num(newest)
		}
		return "as " + s.leader() + " has it"
	}
	return ""
}

// repeatsIgnored says that an outside system was asked again and knew it: a retry
// or a replay that left no trace in what it holds.
func (s *Stage) repeatsIgnored(sink int) string {
	if n := s.view.Outside[sink].Ignored; n > 0 {
		return ", " + count(n, "repeat") + " ignored"
	}
	return ""
}

// leader is the first copy that lives.
func (s *Stage) leader() string {
	for i := range s.view.Tasks {
		if t := &s.view.Tasks[i]; s.Job.Plan.Tasks[i].Kind == engine.OpReplica && t.Status != trace.Crashed && t.Status != trace.Restarted {
			return s.Job.Plan.Tasks[i].Name
		}
	}
	return "no copy"
}

// fileNotes counts what readers of final files see, and what lies in private ones.
func (s *Stage) fileNotes(sink int) []note {
	o := &s.view.Outside[sink]
	final, private := 0, 0
	for i := range o.Rows {
		switch o.Txns[o.Rows[i].Txn].State {
		case engine.TxnCommitted:
			final++
		case engine.TxnOpen, engine.TxnPrecommitted:
			private++
		}
	}
	n := note{Text: count(final, "row") + " final, " + itoa(private) + " private"}
	if vs := s.verdictsOf(sink); len(vs) > 0 && vs[0].Duplicated > 0 {
		n.Text, n.Loud = n.Text+", "+itoa(vs[0].Duplicated)+" twice", true
	}
	return []note{n}
}

// nodeText names the machine of a copy.
func (s *Stage) nodeText(id engine.TaskID) string {
	if n := s.Job.Plan.Tasks[id].Node; n >= 0 {
		return "on node/" + itoa(n)
	}
	return ""
}

// rewindWords say what a restart does at a place of the input, longest first.
func (s *Stage) rewindWords(no int32) []string {
	switch s.Job.Settings.Strategy {
	case "barriers":
		return []string{"checkpoint " + num(no) + " rewinds to here", num(no) + " rewinds here"}
	case "batch":
		return []string{"published, not read again", "published"}
	case "microbatch":
		return []string{"batch " + num(no) + " ends here", "batch " + num(no)}
	case "trident":
		return []string{"txid " + num(no) + " ends here", "txid " + num(no)}
	case "dataflow":
		return []string{"stored position", "stored"}
	case "replicated":
		return []string{"acknowledged up to here", "acknowledged"}
	}
	if k := &s.Job.Settings.Sinks[0]; s.Job.Settings.Strategy == "offset-commit" && k.Kind == engine.SinkPosition {
		return []string{"position in the table", "in the table"}
	}
	return []string{"committed offset", "committed"}
}

// frameCaption says what lies left of the line.
func (s *Stage) frameCaption() string {
	switch s.Job.Settings.Strategy {
	case "offset-commit", "xa":
		return "Application (its memory goes with it)"
	case "batch":
		return "Batch job (an attempt can be thrown away)"
	case "replicated":
		return "Clients and copies of the table"
	}
	return "Stream engine (everything here can be rolled back)"
}

// outsideCaption says what lies right of it.
func (s *Stage) outsideCaption() string {
	if s.Job.Settings.Strategy == "replicated" {
		return "What readers of the table see"
	}
	if s.lay.Tall { // the arrow out of the engine passes behind it
		return "Outside (nothing here can)"
	}
	return "Outside world (nothing here can)"
}

// clip is the id of what a partition's cells are cut to.
func (s *Stage) clip(part int) string { return s.lay.clip(part) + s.opt.ID }

// olderNow is how many totals of a table are older than one that stood there before.
func (s *Stage) olderNow(sink int) int {
	n := 0
	for i := range s.view.Outside[sink].Cells {
		if s.view.Outside[sink].Cells[i].Rewound() && s.Job.Settings.Sinks[sink].Output == engine.TotalOutput {
			n++
		}
	}
	return n
}
