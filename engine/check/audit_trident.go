package check

import "effectivelyonce/engine"

// stormRules: what spouts and states promise (facts 8.1 to 8.3). Batches come one
// after the other with growing txids; a batch that has not succeeded comes again
// as the spout's kind demands; the state sees only the batch in progress, and a
// transactional state sees it once a key.
type stormRules struct {
	started, done int32
	ends, at      []int32 // by partition: of the batch in progress, of the last that succeeded
	txids         []int32 // by key: of the last write
}

func newStormRules(job *engine.Job) *stormRules {
	return &stormRules{ends: make([]int32, len(job.Input.Parts)), at: make([]int32, len(job.Input.Parts)), txids: make([]int32, len(job.Input.Keys))}
}

func (s *stormRules) reset() {
	s.started, s.done = 0, 0
	clear(s.ends)
	clear(s.at)
	clear(s.txids)
}

func (s *stormRules) apply(a *Audit, e *engine.Event) {
	switch e.Kind {
	case engine.OffsetLogWritten:
		s.begins(a, e)
	case engine.CommitLogWritten:
		if e.Ckpt != s.started || e.Ckpt <= s.done {
			a.broke(e, "txid", "batch %d succeeds while batch %d is in progress", e.Ckpt, s.started)
		}
		s.done = e.Ckpt
		copy(s.at, s.ends)
	case engine.SourceRead:
		if e.Rec.Off < s.at[e.Rec.Part] || e.Rec.Off >= s.ends[e.Rec.Part] {
			a.broke(e, "range", "%s is read; batch %d is %d to %d", e.Rec, s.started, s.at[e.Rec.Part], s.ends[e.Rec.Part])
		}
	case engine.SourceRewound:
		if int32(e.After) != s.at[e.Value] {
			a.broke(e, "restore", "P%d goes on at %d; batch %d ended at %d", e.Value, e.After, s.done, s.at[e.Value])
		}
	case engine.StateWrite, engine.EffectIgnored:
		s.writes(a, e)
	case engine.RunEnded:
		for p, part := range a.job.Input.Parts {
			if e.Reason == engine.AtRest && int(s.at[p]) != len(part) {
				a.broke(e, "rest", "%d of %d records of P%d are in batches that succeeded", s.at[p], len(part), p)
			}
		}
	}
}

// begins: a txid is given out once, except to the replay of an opaque spout, which
// may only grow.
func (s *stormRules) begins(a *Audit, e *engine.Event) {
	spout, failed := a.job.Settings.Spout, s.started > s.done
	ends := engine.UnpackPositions(e.Value, e.After, len(s.ends))
	again := failed && spout == "opaque"
	switch {
	case again && e.Ckpt != s.started || !again && e.Ckpt != s.started+1:
		a.broke(e, "txid", "batch %d begins after batch %d", e.Ckpt, s.started)
	case failed && spout == "transactional":
		a.broke(e, "spout", "batch %d begins although %d has not succeeded", e.Ckpt, s.started)
	}
	for p := range ends {
		if ends[p] < s.at[p] || failed && ends[p] < s.ends[p] {
			a.broke(e, "range", "batch %d ends at %d of P%d, the attempt before it at %d", e.Ckpt, ends[p], p, s.ends[p])
		}
	}
	s.started = e.Ckpt
	copy(s.ends, ends)
}

// writes: only the batch in progress reaches the state, and a row that has it is
// skipped by a transactional state and by no other.
func (s *stormRules) writes(a *Audit, e *engine.Event) {
	if e.Ckpt != s.started || e.Ckpt <= s.done {
		a.broke(e, "txid", "the state gets batch %d while batch %d is in progress", e.Ckpt, s.started)
	}
	has := s.txids[e.Key] == e.Ckpt && a.job.Settings.TridentState == "transactional"
	if has != (e.Kind == engine.EffectIgnored) {
		a.broke(e, "state", "%s for a row whose txid is %d, batch %d", e.Kind, s.txids[e.Key], e.Ckpt)
	}
	s.txids[e.Key] = e.Ckpt
}
