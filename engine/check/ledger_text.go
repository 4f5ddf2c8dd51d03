package check

import (
	"fmt"
	"math"
	"strings"

	"effectivelyonce/engine"
)

// Sentences tells the ledger in short sentences, an attempt after the other, then
// what is left outside.
func (l *Ledger) Sentences(job *engine.Job) []string {
	var out []string
	for i := range l.Attempts {
		out = append(out, l.Attempts[i].sentences(l, i, job)...)
	}
	for _, e := range l.Effects {
		out = append(out, e.sentence(l, job))
	}
	return out
}

func (a *Attempt) sentences(l *Ledger, at int, job *engine.Job) []string {
	out := []string{a.start(l, job)}
	out = append(out, a.told(l, job)...)
	for _, c := range a.Copies {
		out = append(out, c.sentence(l, at, job))
	}
	switch {
	case a.End > 0 && at+1 < len(l.Attempts) && l.Attempts[at+1].Alone:
		out = append(out, fmt.Sprintf("%s died (event %d).", job.Plan.Name(l.Attempts[at+1].Task), a.End))
	case a.End > 0:
		out = append(out, fmt.Sprintf("Attempt %d ended at event %d.", a.No, a.End))
	}
	return out
}

// start is where an attempt began, and whether it read the record.
func (a *Attempt) start(l *Ledger, job *engine.Job) string {
	published := a.Read == 0 && job.Settings.Strategy == "batch" && len(a.Steps)+len(a.Rows) > 0
	if a.Alone {
		s := fmt.Sprintf("%s started again alone (event %d), and everything else went on.", job.Plan.Name(a.Task), a.Begin)
		switch {
		case a.Read > 0:
			s += fmt.Sprintf(" %s was read (event %d).", l.ID, a.Read)
		case published:
			s += fmt.Sprintf(" It took %s from what the map tasks had published: it is not read again.", l.ID)
		}
		return s
	}
	from := "the beginning of the log"
	if a.From > 0 {
		from = fmt.Sprintf("%s %d", pointOf(job), a.From)
	}
	start := fmt.Sprintf("Attempt %d started from %s", a.No, from)
	switch {
	case published:
		start = fmt.Sprintf("Attempt %d took %s from what the map tasks had published: it is not read again.", a.No, l.ID)
	case a.Read > 0:
		start += fmt.Sprintf(" and read %s (event %d).", l.ID, a.Read)
	case a.Behind:
		start += fmt.Sprintf(", which contains %s: it is not read again.", l.ID)
	case a.End > 0:
		start += fmt.Sprintf(" and did not come to %s.", l.ID)
	default:
		start += fmt.Sprintf(" and has not read %s.", l.ID)
	}
	return start
}

// told is what happened to the record and what was written for it, in its order.
func (a *Attempt) told(l *Ledger, job *engine.Job) []string {
	var out []string
	r := 0
	rows := func(before int32) {
		for ; r < len(a.Rows) && a.Rows[r].N < before; r++ {
			out = append(out, a.Rows[r].sentence(job))
		}
	}
	for i := range a.Steps {
		rows(a.Steps[i].N)
		if s := a.Steps[i].sentence(l, job); s != "" {
			out = append(out, s)
		}
	}
	rows(math.MaxInt32)
	return out
}

// sentence tells what became of a snapshot with the record in it. A batch that runs
// again writes its state again: what the attempt before it had written is not used.
func (c *Copy) sentence(l *Ledger, at int, job *engine.Job) string {
	what := "copied its total, with this record in it,"
	if job.Plan.Tasks[c.Task].Kind == engine.OpSource {
		what = "noted an offset behind it"
	}
	s := fmt.Sprintf("%s %s for %s %d: ", job.Plan.Name(c.Task), what, pointOf(job), c.Ckpt)
	for i := at + 1; i < len(l.Attempts); i++ {
		for _, o := range l.Attempts[i].Copies {
			if o.Task == c.Task && o.Ckpt == c.Ckpt {
				return s + fmt.Sprintf("attempt %d made it again (event %d).", l.Attempts[i].No, o.N)
			}
		}
	}
	if s += c.Fate.String(); c.FateN > 0 {
		s += fmt.Sprintf(" (event %d)", c.FateN)
	}
	return s + "."
}

// pointOf is what the strategy calls the point that a restart goes back to.
func pointOf(job *engine.Job) string {
	switch job.Settings.Strategy {
	case "microbatch":
		return "batch"
	case "trident":
		return "txid"
	case "kafka-streams", "offset-commit":
		return "commit"
	}
	return "checkpoint"
}

// sentence tells a step that says more than that the record moved on; "" for others.
func (s *Step) sentence(l *Ledger, job *engine.Job) string {
	who, key := job.Plan.Name(s.Task), job.Input.Keys[l.Key]
	if s.Told != "" {
		return fmt.Sprintf("%s (event %d).", strings.TrimSuffix(s.Told, "."), s.N)
	}
	switch s.Kind {
	case engine.RecordProcessed:
		if s.After > s.Before {
			return fmt.Sprintf("%s counted it: %s went from %d to %d (event %d).", who, key, s.Before, s.After, s.N)
		}
	case engine.StateWrite, engine.ChangelogAppend:
		return s.stored(who, key, job)
	case engine.CommandLogged:
		return fmt.Sprintf("%s had it written into the command log (event %d).", who, s.N)
	case engine.SinkAck:
		return fmt.Sprintf("%s was told that it is done, and will not send it again (event %d).", who, s.N)
	case engine.DedupID:
		return fmt.Sprintf("%s had its id remembered outside (event %d).", who, s.N)
	case engine.EffectIgnored:
		if job.Settings.Strategy == "dataflow" && job.Plan.Tasks[s.Task].Kind != engine.OpSink {
			return fmt.Sprintf("%s had seen it before and dropped it (event %d).", who, s.N)
		}
		return fmt.Sprintf("%s offered it to the outside, which knew it and changed nothing (event %d).", who, s.N)
	}
	return ""
}

// stored is what a write of a store that survives the task says of the record.
func (s *Step) stored(who, key string, job *engine.Job) string {
	switch spec := &job.Plan.Tasks[s.Task]; {
	case s.Kind == engine.ChangelogAppend:
		return fmt.Sprintf("%s sent the total of %s to its changelog: from %d to %d (event %d).", who, key, s.Before, s.After, s.N)
	case job.Settings.Strategy == "kafka-streams":
		return fmt.Sprintf("%s set the total of %s in its local store: from %d to %d (event %d).", who, key, s.Before, s.After, s.N)
	case spec.Kind == engine.OpSource:
		return fmt.Sprintf("%s stored that it goes on behind it, and what it sends (event %d).", who, s.N)
	case spec.Kind == engine.OpSink:
		return fmt.Sprintf("%s stored its id: when it comes again, it is dropped (event %d).", who, s.N)
	case spec.Kind == engine.OpForward:
		return fmt.Sprintf("%s stored its id and what it sends (event %d).", who, s.N)
	}
	return fmt.Sprintf("%s put the total of %s where a crash does not reach it: from %d to %d (event %d).", who, key, s.Before, s.After, s.N)
}

// IsMail tells whether what a sink sends at once is called an e-mail: it has no title
// of its own, or one that speaks of mail. Else it is a call, as to a card network.
func IsMail(k *engine.SinkSettings) bool {
	return k.Kind == engine.SinkEmail && (k.Title == "" || strings.Contains(strings.ToLower(k.Title), "mail"))
}

func (r *WrittenRow) sentence(job *engine.Job) string {
	did, kind := "wrote it", job.Settings.Sinks[r.Sink].Kind
	if kind == engine.SinkEmail {
		did = "sent the call for it"
		if IsMail(&job.Settings.Sinks[r.Sink]) {
			did = "sent an e-mail for it"
		}
	}
	s := fmt.Sprintf("%s %s (event %d)", job.Plan.Name(r.Task), did, r.N)
	if r.Zombie != 0 {
		s = fmt.Sprintf("The zombie of %s, started in attempt %d, %s (event %d)", job.Plan.Name(r.Task), r.Zombie, did, r.N)
	}
	switch {
	case r.Txn.IsZero():
		return s + "."
	case kind == engine.SinkFiles:
		return s + r.inFile()
	}
	s += fmt.Sprintf(" in transaction %d of attempt %d: %s", r.Txn.No, r.Txn.Attempt, r.State)
	if r.Voted && r.State == engine.TxnOpen {
		s += ", in doubt since the broker voted yes"
	}
	if r.State == engine.TxnTimedOut {
		s += ", its time was up and the broker aborted it"
	}
	if r.StateN > r.N {
		s += fmt.Sprintf(" (event %d)", r.StateN)
	}
	return s + "."
}

// inFile is what became of the private file that a row lies in.
func (r *WrittenRow) inFile() string {
	s := fmt.Sprintf(" into file %d of attempt %d: ", r.Txn.No, r.Txn.Attempt)
	switch r.State {
	case engine.TxnCommitted:
		s += "final"
	case engine.TxnAborted, engine.TxnRemoved, engine.TxnTimedOut:
		s += "deleted"
	default:
		return s + "private."
	}
	return s + fmt.Sprintf(" (event %d).", r.StateN)
}

func (e *Effect) sentence(l *Ledger, job *engine.Job) string {
	set, key := sinkNamed(job, e.Sink), job.Input.Keys[l.Key]
	who := e.Sink
	if set.Title != "" {
		who = set.Title
	}
	switch e.Reader {
	case AnyReader:
	case HonoursLog:
		who += ", as readers of final files see it,"
	case IgnoresLog:
		who += ", as readers of all files see it,"
	default:
		who += ", read with " + e.Reader + ","
	}
	has, lacks := "has a row of it", "has no row of it"
	switch {
	case set.EmitAt > 0:
		has = fmt.Sprintf("has the row of %s at %d", key, set.EmitAt)
		lacks = fmt.Sprintf("has no row of %s at %d", key, set.EmitAt)
	case set.Kind == engine.SinkEmail && !IsMail(set):
		has, lacks = "has the call for it", "has no call for it"
	case isByKey(set) && set.Output == engine.TotalOutput:
		has = "contains it in the total of " + key
		lacks = "does not contain it in the total of " + key
	case isByKey(set):
		has = "contains it in the balance of " + key
		lacks = "does not contain it in the balance of " + key
	}
	s := fmt.Sprintf("Outside: %s %s", who, lacks)
	if e.Times > 0 {
		s = fmt.Sprintf("Outside: %s %s %s", who, has, times(e.Times))
	}
	if e.Hidden > 0 {
		s += fmt.Sprintf("; %d not visible yet", e.Hidden)
	}
	return s + "."
}

func isByKey(set *engine.SinkSettings) bool {
	s := outside{set: set}
	return s.byKey()
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

func sinkNamed(job *engine.Job, name string) *engine.SinkSettings {
	for i := range job.Settings.Sinks {
		if job.Settings.Sinks[i].Name == name {
			return &job.Settings.Sinks[i]
		}
	}
	panic("check: the job has no sink " + name)
}
