package trace

import (
	"fmt"
	"strconv"
	"strings"

	"effectivelyonce/engine"
)

// shownPositions is how many partitions a sentence names.
const shownPositions = 4

// Positions prints one position a partition, "p0:3 p1:4", the first few of many.
func Positions(at []int32) string {
	var b strings.Builder
	for p, o := range at {
		if p == shownPositions && len(at) > shownPositions+1 {
			b.WriteString(" +" + strconv.Itoa(len(at)-p))
			break
		}
		if p > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("p" + strconv.Itoa(p) + ":" + strconv.Itoa(int(o)))
	}
	return b.String()
}

func (s *speaker) positions() string {
	return Positions(engine.UnpackPositions(s.e.Value, s.e.After, len(s.t.Job.Input.Parts)))
}

// durable tells what a strategy puts beyond the reach of a crash, in its words.
func (s *speaker) durable() string {
	e := s.e
	switch e.Kind {
	case engine.OffsetCommit:
		return s.offsets()
	case engine.OffsetLogWritten:
		if s.t.Job.Settings.Strategy == "trident" {
			return fmt.Sprintf("gave out txid %d, a batch up to %s.", e.Ckpt, s.positions())
		}
		return fmt.Sprintf("wrote batch %d into the offset log: up to %s.", e.Ckpt, s.positions())
	case engine.CommitLogWritten:
		if s.t.Job.Settings.Strategy == "trident" {
			return fmt.Sprintf("noted that txid %d succeeded.", e.Ckpt)
		}
		return fmt.Sprintf("wrote batch %d into the commit log: it is done.", e.Ckpt)
	case engine.StateWrite:
		return s.stored()
	case engine.ChangelogCompacted:
		s.actor = "the broker"
		return fmt.Sprintf("compacted the changelog of %s: %d of %s left, %d of them the head.", s.t.Job.Plan.Name(e.Task), e.After, count(e.Before, "entry", "entries"), e.Value)
	case engine.ChangelogAppend:
		if e.After == 0 {
			return fmt.Sprintf("sent a tombstone for %s to its changelog: the key is deleted.", s.key())
		}
		if !e.Txn.IsZero() {
			return fmt.Sprintf("sent %s %d to its changelog, in transaction %d.", s.key(), e.After, e.Txn.No)
		}
		return fmt.Sprintf("sent %s %d to its changelog.", s.key(), e.After)
	case engine.StoreWiped:
		return fmt.Sprintf("wiped its local store of %s: it may hold what nobody committed.", count(e.After, "key", "keys"))
	case engine.StandbyPromoted:
		return fmt.Sprintf("was replaced by its standby: it held %s and lacked %s of the changelog.", count(e.After, "key", "keys"), count(e.Before, "entry", "entries"))
	case engine.MapDone:
		return fmt.Sprintf("published its output of %s. It is final.", count(e.Value, "record", "records"))
	case engine.InflightReinjected:
		return fmt.Sprintf("put %s back into its queue from %s.", s.rec(), s.from())
	case engine.CommandLogged:
		return fmt.Sprintf("logged invocation %s: %s durable.", s.rec(), count(e.After, "command is", "commands are"))
	}
	return s.vote()
}

// vote is two-phase commit between a database and a broker.
func (s *speaker) vote() string {
	e := s.e
	if e.Kind == engine.ParticipantPrepared {
		s.actor = [...]string{"the database", "the broker"}[e.Value&1]
		return fmt.Sprintf("voted yes on transaction %d and was in doubt from then on.", e.Txn.No)
	}
	verb := "abort"
	if e.After == int64(engine.TxnCommitted) {
		verb = "commit"
	}
	if s.t.Job.Settings.CoordinatorLog {
		return fmt.Sprintf("decided to %s transaction %d and logged it.", verb, e.Txn.No)
	}
	return fmt.Sprintf("decided to %s transaction %d; only its memory knew.", verb, e.Txn.No)
}

func (s *speaker) offsets() string {
	e := s.e
	switch {
	case s.t.Job.Settings.Strategy == "xa":
		s.actor = "the broker"
		return fmt.Sprintf("committed transaction %d: offsets %s.", e.Txn.No, s.positions())
	case !e.Txn.IsZero():
		return fmt.Sprintf("sent offsets %s into transaction %d.", s.positions(), e.Txn.No)
	}
	return fmt.Sprintf("committed offsets %s.", s.positions())
}

// stored is a write to a store that survives the task.
func (s *speaker) stored() string {
	e := s.e
	if s.t.Job.Settings.Lookup == engine.LookupStored {
		return fmt.Sprintf("stored the answer for %s where it lasts: %s.", s.rec(), engine.FormatNumber(e.After))
	}
	switch s.t.Job.Settings.Strategy {
	case "kafka-streams":
		if e.After == 0 {
			return fmt.Sprintf("deleted %s from its local store: its last record is counted.", s.key())
		}
		return fmt.Sprintf("set %s to %d in its local store.", s.key(), e.After)
	case "trident":
		return fmt.Sprintf("added %d to %s for txid %d: %d became %d.", e.Value, s.key(), e.Ckpt, e.Before, e.After)
	case "dataflow":
		return s.staged()
	}
	return fmt.Sprintf("set %s to %d in the remote store.", s.key(), e.After)
}

// staged is the single write in which a stage of a dataflow job keeps what one
// record led to.
func (s *speaker) staged() string {
	e := s.e
	id := " and its id"
	if s.t.Job.Settings.DataflowMode == "at_least_once" {
		id = ""
	}
	switch s.task().Kind {
	case engine.OpSource:
		return fmt.Sprintf("stored offset %d with the output %s, in one write.", e.After, s.rec())
	case engine.OpCount:
		return fmt.Sprintf("counted %s: stored %d%s, in one write.", s.rec(), e.After, id)
	case engine.OpSink:
		return fmt.Sprintf("stored the id of %s.", s.rec())
	}
	return fmt.Sprintf("stored the output for %s%s, in one write.", s.rec(), id)
}
