package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// keptCards are what a strategy without checkpoints keeps on durable storage.
func (s *Stage) keptCards() []shelfCard {
	switch s.Job.Settings.Strategy {
	case "offset-commit":
		return s.loopCards()
	case "batch":
		return s.batchCards()
	case "microbatch":
		return s.logCards()
	case "kafka-streams":
		return s.streamCards()
	case "dataflow":
		return s.stageCards()
	case "trident":
		return s.tridentCards()
	case "replicated":
		return s.copyCards()
	}
	return s.xaCards()
}

// card is one durable thing: what it is, where it stands, what is in it.
func card(class, glyph, title, words, body string) shelfCard {
	return shelfCard{Class: class, Glyph: glyph, Title: title, Words: words, Body: body}
}

// keyed is a key with its count: a3, and m1:6 where the key ends in a digit itself.
func (s *Stage) keyed(key int, count string) string {
	label := s.lay.labels[key]
	if last := label[len(label)-1]; last >= '0' && last <= '9' {
		return label + ":" + count
	}
	return label + count
}

// counts prints counts by key, the first few of many.
func (s *Stage) counts(at []int64) string {
	var out []string
	for k, n := range at {
		if n > 0 {
			out = append(out, s.keyed(k, num(n)))
		}
	}
	if len(out) > 6 {
		out = append(out[:6], "+"+itoa(len(out)-6))
	}
	if len(out) == 0 {
		return "empty"
	}
	return strings.Join(out, " ")
}

// offsetCard is the positions that a group has committed.
func (s *Stage) offsetCard() shelfCard {
	k := &s.view.Kept
	words := "commit " + num(k.Commit)
	if k.Commit == 0 {
		words = "none yet"
	}
	c := card("complete restart", "bookmark", "Committed offsets", words, trace.Positions(k.Committed))
	if k.Commit > 0 {
		c.Tag = "restart point"
	}
	return c
}

func (s *Stage) loopCards() []shelfCard {
	var out []shelfCard
	if s.Job.Settings.Sinks[0].Kind == engine.SinkPosition {
		// The broker's bookmark lags behind the table. It is drawn, since a reader is
		// told that the two differ; a restart asks the table.
		words, at := "none yet", "the position lies in the table, beside the values"
		if k := &s.view.Kept; k.Commit > 0 {
			words, at = "not asked: the table knows its place", trace.Positions(k.Committed)
		}
		out = append(out, card("complete", "bookmark", "Committed offsets", words, at))
	} else {
		out = append(out, s.offsetCard())
	}
	switch s.Job.Settings.StateRecovery {
	case "remote":
		out = append(out, card("complete", "store", "Remote store", "counts, written one by one", s.counts(s.outsideCounts())))
	case "cdc":
		out = append(out, card("complete", "store", "Change stream", "of the table", "newest change of each key: "+s.counts(s.outsideCounts())))
	case "", "none":
		if !countsKeys(s.Job, &s.Job.Plan.Tasks[0]) {
			break
		}
		out = append(out, card("gone", "store", "Counts", "in memory only", "gone with the process"))
	}
	return out
}

// outsideCounts are the values of a table outside, which outlive a loop: from there
// come its counts after a restart, looked up or read as changes.
func (s *Stage) outsideCounts() []int64 {
	out := make([]int64, len(s.Job.Input.Keys))
	copy(out, s.view.Kept.Store[0])
	for i := range s.view.Outside[0].Cells {
		c := &s.view.Outside[0].Cells[i]
		out[c.Key] = max(out[c.Key], c.Value)
	}
	return out
}

func (s *Stage) batchCards() []shelfCard {
	var out []shelfCard
	for i, n := range s.view.Kept.Published {
		t := &s.Job.Plan.Tasks[i]
		switch {
		case t.Kind != engine.OpSource:
		case n >= 0:
			out = append(out, card("complete restart", "file", "Output of "+t.Name, "published", count(int(n), "record")+", final"))
		default:
			out = append(out, card("gone", "file", "Output of "+t.Name, "private", itoa(s.view.Tasks[i].Wrote)+" held, deleted if the task dies"))
		}
	}
	if len(out) > 4 {
		done := 0
		for _, c := range out {
			if c.Words == "published" {
				done++
			}
		}
		return []shelfCard{card("complete restart", "file", "Map outputs", itoa(done)+" of "+itoa(len(out))+" published", "a published output is never made again")}
	}
	return out
}

func (s *Stage) logCards() []shelfCard {
	k := &s.view.Kept
	planned, body := "no batch yet", "nothing planned"
	if n := len(k.Plans); n > 0 {
		planned, body = "batch "+num(k.Plans[n-1].Batch), "up to "+trace.Positions(k.Plans[n-1].To)
	}
	offset := card("complete", "checkpoint-open", "Offset log", planned, body)
	commit := card("complete restart", "checkpoint", "Commit log", "no batch is done", "a restart begins at offset 0")
	if k.Done > 0 {
		commit.Words, commit.Body = "batch "+num(k.Done)+" is done", "a restart goes on behind it"
	}
	if n := len(k.Plans); n > 0 && k.Plans[n-1].Batch > k.Done {
		offset.Class = "progress"
		commit.Body = "batch " + num(k.Plans[n-1].Batch) + " would run again, same range"
	}
	out := []shelfCard{offset, commit}
	for i := range k.Sealed {
		if s.Job.Plan.Tasks[i].Kind == engine.OpCount && len(out) < 4 {
			words := "none yet"
			if k.Entries[i] > 0 {
				words = "after batch " + itoa(k.Entries[i])
			}
			out = append(out, card("complete", "store", "State of "+s.Job.Plan.Tasks[i].Name, words, s.counts(k.Sealed[i])))
		}
	}
	return out
}

func (s *Stage) streamCards() []shelfCard {
	k := &s.view.Kept
	offsets := s.offsetCard() // four cards share the lane: short words
	if offsets.Title = "Offsets"; k.Commit > 0 {
		offsets.Words, offsets.Body = "", "commit "+num(k.Commit)+" \u00b7 "+offsets.Body
	} else {
		offsets.Words = "none yet"
	}
	out := []shelfCard{offsets}
	if s.Job.Settings.Guarantee == "exactly_once_v2" {
		c := card("progress slim", "transaction-open", "Transaction "+num(k.Txn.No), k.State.String(), "everything or nothing")
		if k.Sent != nil {
			c.Body = "offsets " + trace.Positions(k.Sent)
		}
		if k.State == engine.TxnNone {
			c.Title, c.Words = "Transaction", "not begun"
		}
		if k.State != engine.TxnOpen {
			c.Class, c.Glyph = "complete", "transaction"
		}
		out = append(out, c)
	}
	for i := range k.Store {
		t := &s.Job.Plan.Tasks[i]
		if t.Kind != engine.OpCount || len(out) > 3 {
			continue
		}
		standby := s.Job.Settings.Recovery() == "standby"
		words, body := "local disk", s.counts(k.Store[i])
		if standby { // a fifth card
			words = ""
		}
		if k.Wiped[i] {
			words, body = "gone", "made anew from the changelog"
			if standby {
				body = "see the standby"
			}
		}
		out = append(out, card("complete", "store", "Store "+trace.Clip(t.Name, 10), words, body), s.changelogCard(i))
		if standby {
			out = append(out, s.standbyCard(i))
		}
	}
	return out
}

// stageCards are the stores of a dataflow job, an operator each.
func (s *Stage) stageCards() []shelfCard {
	k := &s.view.Kept
	var out []shelfCard
	for i := range s.Job.Plan.Operators {
		op := &s.Job.Plan.Operators[i]
		ids, counts, at := 0, make([]int64, len(s.Job.Input.Keys)), []int32(nil)
		for t := int(op.First); t < int(op.First)+op.Parallelism; t++ {
			ids += k.IDs[t]
			for key, n := range k.Store[t] {
				counts[key] += n
			}
		}
		for p := range s.view.Logs {
			at = append(at, s.view.Logs[p].Rewind.Off)
		}
		words, body := count(ids, "id"), "ids of what it has taken in"
		if s.Job.Settings.DataflowMode == "at_least_once" {
			words, body = "keeps nothing", "no ids: repeats are not recognised"
		}
		switch op.Kind {
		case engine.OpSource:
			words, body = "position and outputs", trace.Positions(at)
		case engine.OpCount:
			body = s.counts(counts)
		}
		out = append(out, card("complete", "store", "Stage "+trace.Clip(op.Name, 12), words, body))
	}
	return out
}

func (s *Stage) tridentCards() []shelfCard {
	k := &s.view.Kept
	given, body := "no batch yet", "nothing given out"
	class := "complete"
	if n := len(k.Plans); n > 0 {
		given, body = "txid "+num(k.Plans[n-1].Batch), "up to "+trace.Positions(k.Plans[n-1].To)
		if k.Plans[n-1].Batch > k.Done {
			class = "progress"
		}
	}
	done, where := "none succeeded", "a restart begins at offset 0"
	if k.Done > 0 {
		done, where = "txid "+num(k.Done), "a restart goes on behind it"
	}
	spout := map[string]string{"transactional": "a txid always holds the same records", "opaque": "a txid may hold other records when tried again",
		"non-transactional": "what is tried again is a new batch"}
	return []shelfCard{card(class, "checkpoint-open", "Batch given out", given, body), card("complete restart", "checkpoint", "Succeeded", done, where),
		card("complete", "position", "Spout", s.Job.Settings.Spout, spout[s.Job.Settings.Spout])}
}

func (s *Stage) copyCards() []shelfCard {
	k := &s.view.Kept
	log := card("complete restart", "changelog", "Command log", s.Job.Settings.CommandLog, count(k.Commands, "invocation")+" to run again")
	if s.Job.Settings.CommandLog == "off" {
		log = card("gone", "changelog", "Command log", "off", "memory is all there is")
	}
	return []shelfCard{log, card("complete", "tick", "Acknowledged", "to the clients", trace.Positions(k.Acked))}
}

func (s *Stage) xaCards() []shelfCard {
	k := &s.view.Kept
	log := card("complete restart", "decision", "Coordinator log", "no decision yet", "undecided is aborted")
	if k.Decided != engine.TxnNone {
		log.Words, log.Body = "transaction "+num(k.Txn.No), k.Decided.String()
	}
	if !s.Job.Settings.CoordinatorLog {
		log = card("gone", "decision", "Coordinator log", "off", "a decision dies with the coordinator")
	}
	doubt := card("complete", "transaction-pre", "In doubt", "nobody", "no participant waits for a decision")
	if k.Votes[0] || k.Votes[1] {
		doubt = card("progress", "transaction-pre", "In doubt", "transaction "+num(k.Txn.No)+", locks held", "")
		doubt.Parts = []shelfPart{{Name: "database voted yes", In: k.Votes[0]}, {Name: "broker voted yes", In: k.Votes[1]}}
	}
	return []shelfCard{log, doubt, s.offsetCard()}
}

// coordinatorName is what the process beside the tasks is called.
func (s *Stage) coordinatorName() string {
	switch s.Job.Settings.Strategy {
	case "microbatch":
		return "driver"
	case "batch":
		return "scheduler"
	case "offset-commit", "dataflow", "replicated": // nothing coordinates: somebody only starts what has died
		return "supervisor"
	}
	return "coordinator"
}

// coordinates is what it is busy with.
func (s *Stage) coordinates() string {
	k := &s.view.Kept
	switch s.Job.Settings.Strategy {
	case "microbatch", "trident":
		if n := len(k.Plans); n > 0 && k.Plans[n-1].Batch > k.Done {
			return "batch " + num(k.Plans[n-1].Batch) + " runs"
		}
		if k.Done > 0 {
			return "batch " + num(k.Done) + " is done"
		}
		return "no batch yet"
	case "kafka-streams":
		if k.State != engine.TxnNone {
			return "transaction " + num(k.Txn.No) + " " + k.State.String()
		}
		return "commit " + num(k.Commit)
	case "xa":
		if k.Decided != engine.TxnNone {
			return "transaction " + num(k.Txn.No) + ": " + k.Decided.String()
		}
		return "transaction " + num(k.Txn.No) + ": no decision"
	case "batch":
		return "starts a failed task again, alone"
	}
	return "starts what has failed again"
}

func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return itoa(n) + " entries"
}
