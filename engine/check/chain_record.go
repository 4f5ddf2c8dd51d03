package check

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// record adds the story of one record: attempt by attempt what was done with it,
// what became of that, and where the restart went on.
func (w *chainWriter) record(led *Ledger, another bool) {
	first := w.firstAttempt(led)
	reads := 0
	for i := first; i < len(led.Attempts); i++ {
		if w.c.Class == Stuck && i > first && i+2 < len(led.Attempts) {
			continue // the same again
		}
		a := &led.Attempts[i]
		if i > first {
			w.restarted(led, a)
		}
		for j := range a.Steps {
			s := &a.Steps[j]
			if s.Kind == engine.SourceRead {
				reads++
			}
			w.step(led, a, s, reads, another)
		}
		for j := range a.Rows {
			w.row(led, &a.Rows[j])
		}
		w.noted(led, a)
		if a.End > 0 && i+1 < len(led.Attempts) {
			w.add(a.End, w.sentence(a.End))
		}
		w.copies(led, a, i)
	}
}

// firstAttempt is where the story begins: attempts that ended before the record
// had any effect do not belong to a repeat.
func (w *chainWriter) firstAttempt(led *Ledger) int {
	for i := range led.Attempts {
		a := &led.Attempts[i]
		rows := slices.ContainsFunc(a.Rows, func(r WrittenRow) bool { return r.Sink == w.v.sink && (w.c.Class != Duplicated || w.shows(&r)) })
		if rows || len(a.Steps) > 0 && (w.c.Class != Duplicated || w.byHistory()) {
			return i
		}
	}
	return 0
}

// byHistory reports whether the reader finds a value that contains the record,
// not a row of its own: then what counts is how often it was counted.
func (w *chainWriter) byHistory() bool {
	s := outside{set: w.set}
	return s.byKey() && s.totals()
}

// shows reports whether this reader sees the row at the end of the run.
func (w *chainWriter) shows(r *WrittenRow) bool {
	switch {
	case r.State == engine.TxnRemoved:
		return false
	case r.Txn.IsZero() || !w.v.committed:
		return true
	}
	return r.State == engine.TxnCommitted
}

func (w *chainWriter) step(led *Ledger, a *Attempt, s *Step, reads int, another bool) {
	who := w.job.Plan.Name(s.Task)
	switch s.Kind {
	case engine.SourceRead:
		what := "it"
		if reads == 1 {
			what = fmt.Sprintf("%s, offset %d of partition %d", w.key(led), led.ID.Off, led.ID.Part)
		}
		text := fmt.Sprintf("%s read %s.", who, what)
		if reads > 1 {
			text = fmt.Sprintf("%s read it again.", who)
		} else if another {
			text = fmt.Sprintf("%s read %s: the other record that brings the result.", who, what)
		}
		w.add(s.N, text)
	case engine.RecordProcessed:
		w.counted(led, s)
		w.settled(led, s)
	case engine.RecordReceived:
		if a.Read == 0 && w.job.Settings.Strategy == "kafka-streams" && w.job.Plan.Tasks[s.Task].Kind == engine.OpCount {
			w.add(s.N, fmt.Sprintf("%s took it out of the repartition log.", who))
		}
	case engine.SinkAck, engine.CommandLogged, engine.DedupID, engine.EffectIgnored, engine.StateWrite:
		w.add(s.N, strings.Replace(s.sentence(led, w.job), fmt.Sprintf(" (event %d)", s.N), "", 1))
	case engine.InflightReinjected:
		w.add(s.N, fmt.Sprintf("It was in flight in the %s: %s got it back without a new read.", pointOf(w.job), who))
	}
}

// counted is a step into a total. It is an effect where the reader finds totals
// as they stand at the end.
func (w *chainWriter) counted(led *Ledger, s *Step) {
	replica := w.job.Plan.Tasks[s.Task].Kind == engine.OpReplica
	if s.After <= s.Before || w.set.Output != engine.TotalOutput && w.set.EmitAt == 0 && w.c.Class != Wrong && !replica {
		return
	}
	text := fmt.Sprintf("%s counted it: %s went from %d to %d.", w.job.Plan.Name(s.Task), w.key(led), s.Before, s.After)
	if replica {
		text = w.sentence(s.N)
	}
	if w.c.Class == Wrong {
		w.fallen(led, s)
	}
	if w.byHistory() && w.c.Class == Duplicated && !w.undone(s) {
		w.effect(s.N, text)
		return
	}
	w.add(s.N, text)
}

// fallen tells where a total went back without the work that it stood for: what
// the task had counted before, and the restart that lost it.
func (w *chainWriter) fallen(led *Ledger, s *Step) {
	restart := int32(0)
	for n := s.N - 1; n > 0; n-- {
		e := w.t.At(int(n))
		switch {
		case e.Kind == engine.RestartBegin:
			restart = n
		case e.Kind == engine.RecordProcessed && e.Task == s.Task && e.Key == led.Key:
			if e.After > s.Before {
				w.add(n, fmt.Sprintf("%s had counted %s up to %d, with another record.", w.job.Plan.Name(s.Task), w.key(led), e.After))
				w.add(restart, w.sentence(max(restart, 1)))
			}
			return
		}
	}
}

// settled is what a store did with the total of a batch that contains the record.
func (w *chainWriter) settled(led *Ledger, s *Step) {
	if w.job.Settings.Strategy != "trident" {
		return
	}
	for n := int(s.N) + 1; n <= w.t.Len(); n++ {
		e := w.t.At(n)
		if e.Kind == engine.RestartBegin {
			return
		}
		if (e.Kind == engine.EffectIgnored || e.Kind == engine.StateWrite) && e.Task == s.Task && e.Key == led.Key && e.Rec == engine.NoRecord {
			w.add(e.N, w.sentence(e.N))
			return
		}
	}
}

// undone reports whether a restart put the counter back to before the step.
func (w *chainWriter) undone(s *Step) bool {
	copied, restarted := []int32{0}, false
	for n := int(s.N); n <= w.until; n++ {
		switch e := w.t.At(n); {
		case e.Task != s.Task:
		case e.Kind == engine.SnapshotTaken && !restarted:
			copied = append(copied, e.Ckpt)
		case e.Kind == engine.RestoreDone:
			restarted = true
			if w.job.Settings.Strategy == "barriers" && (e.Ckpt == 0 || !slices.Contains(copied, e.Ckpt)) {
				return true
			}
		}
	}
	return false
}

func (w *chainWriter) key(led *Ledger) string {
	return trace.Clip(w.job.Input.Keys[led.Key], 24)
}

// row is a write to this sink, and the end of its transaction.
func (w *chainWriter) row(led *Ledger, r *WrittenRow) {
	if r.Sink != w.v.sink {
		return
	}
	who := w.job.Plan.Name(r.Task)
	if r.Txn.IsZero() {
		w.wrote(r.N, fmt.Sprintf("%s %s", who, w.verb(r)), true)
		return
	}
	in := fmt.Sprintf("%s wrote it into %s", who, w.box(r.Txn))
	if !w.v.committed {
		w.wrote(r.N, in+fmt.Sprintf(", and %s readers do not wait for its end.", w.readers()), w.shows(r))
	} else {
		w.add(r.N, in+", which its readers do not see yet.")
	}
	if r.Ckpt > 0 {
		w.promised(r)
	}
	if r.StateN > r.N {
		w.ended(r)
	}
}

// wrote is a write that the reader sees at once, or one that it will not see.
func (w *chainWriter) wrote(n int32, text string, shows bool) {
	if shows && !w.byHistory() {
		w.effect(n, text)
		return
	}
	w.add(n, text)
}

// promised is the seal of the checkpoint that a transaction was pre-committed for.
func (w *chainWriter) promised(r *WrittenRow) {
	for n := int(r.N); n <= w.t.Len(); n++ {
		e := w.t.At(n)
		if e.Kind == engine.CheckpointComplete && e.Ckpt >= r.Ckpt && e.Attempt == r.Txn.Attempt {
			w.add(e.N, fmt.Sprintf("Checkpoint %d was complete: from here on the engine counts on %s.", e.Ckpt, w.box(r.Txn)))
			return
		}
	}
}

// ended is what became of the transaction.
func (w *chainWriter) ended(r *WrittenRow) {
	box := capitalise(w.box(r.Txn))
	switch r.State {
	case engine.TxnCommitted:
		text := box + " was committed: now its readers see the row."
		if w.set.Kind == engine.SinkFiles {
			text = box + " got its final name: now its readers see the row."
		}
		if w.v.committed {
			w.wrote(r.StateN, text, true)
		}
	case engine.TxnAborted:
		text := " They will never show."
		if !w.v.committed {
			text = " They stay where they are, and this reader has them."
		}
		w.add(r.StateN, w.sentence(r.StateN)+text)
	case engine.TxnTimedOut:
		text := ", and its rows will never show."
		if !w.v.committed {
			text = "; its rows stay, and this reader has them."
		}
		w.add(r.StateN, fmt.Sprintf("%s waited longer than transaction.timeout: the broker aborted it%s", box, text))
	case engine.TxnRemoved:
		w.add(r.StateN, box+" was deleted with its rows.")
	}
}

// copies are the points that contain the record: one that a later attempt started
// from, or one that would have covered it and did not come to exist.
func (w *chainWriter) copies(led *Ledger, a *Attempt, at int) {
	var from []int32
	for i := at + 1; i < len(led.Attempts); i++ {
		from = append(from, led.Attempts[i].From)
	}
	failed := map[int32]bool{}
	for _, c := range a.Copies {
		if c.FateN > 0 && c.Fate != Sealed {
			failed[c.Ckpt] = true
		}
	}
	told := int32(0)
	for _, c := range a.Copies {
		who, point := w.job.Plan.Name(c.Task), pointOf(w.job)
		source := w.job.Plan.Tasks[c.Task].Kind == engine.OpSource
		switch {
		case c.Fate == Sealed && slices.Contains(from, c.Ckpt) && source:
			w.add(c.N, fmt.Sprintf("%s noted an offset behind it for %s %d, which became complete.", who, point, c.Ckpt))
		case c.Fate == Sealed && slices.Contains(from, c.Ckpt):
			w.add(c.N, fmt.Sprintf("%s copied its total with this record in it for %s %d, which became complete.", who, point, c.Ckpt))
		case c.FateN > 0 && c.Fate != Sealed && told == 0:
			told = c.Ckpt
			text := fmt.Sprintf("%s %d would have covered it, and %s.", capitalise(point), c.Ckpt, fateTold(c.Fate))
			if n := len(failed) - 1; n > 0 {
				text = fmt.Sprintf("%s %d would have covered it, and %s; so did %d after it.", capitalise(point), c.Ckpt, fateTold(c.Fate), n)
			}
			w.add(c.FateN, text)
		}
	}
}

// fateTold is a fate that let nothing come to exist, as a verb.
func fateTold(f Fate) string {
	if f == Expired {
		return "expired before it was complete"
	}
	return "was discarded"
}

// restarted is where an attempt went on, seen from the record.
func (w *chainWriter) restarted(led *Ledger, a *Attempt) {
	from := "the beginning of the log"
	if a.From > 0 {
		from = fmt.Sprintf("%s %d", pointOf(w.job), a.From)
	}
	for n := int(a.Begin); n > 0 && n <= w.t.Len(); n++ {
		e := w.t.At(n)
		if n > int(a.Begin) && e.Kind == engine.RestartBegin {
			break
		}
		if e.Kind != engine.SourceRewound || !w.reads(e.Task, led.ID.Part) || e.Value != int64(led.ID.Part) {
			continue
		}
		where := "before this record: it will be read again"
		if e.After > int64(led.ID.Off) {
			where = "behind this record: it will not be read again"
		}
		w.add(e.N, fmt.Sprintf("The restart took up %s, and %s goes on from offset %d, %s.", from, w.job.Plan.Name(e.Task), e.After, where))
		return
	}
	if a.Begin == 0 {
		return
	}
	w.add(a.Begin, w.sentence(a.Begin))
	for n := int(a.Begin) + 1; n <= w.t.Len() && w.t.At(n).Kind != engine.RestartBegin; n++ {
		if e := w.t.At(n); e.Kind == engine.RestoreDone && e.Task >= 0 && slices.ContainsFunc(a.Steps, func(s Step) bool { return s.Task == e.Task }) {
			w.add(e.N, w.sentence(e.N))
			return
		}
	}
}

// reads reports whether the task reads the partition.
func (w *chainWriter) reads(task engine.TaskID, part int16) bool {
	if task < 0 {
		return false
	}
	spec := &w.job.Plan.Tasks[task]
	return spec.Kind == engine.OpLoop || spec.Part == int(part)
}
