package trace

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"effectivelyonce/engine"
)

// MaxSentence is the length of the longest sentence, in runes.
const MaxSentence = 90

// maxName bounds a key or a task's name inside a sentence; the full name stands
// in the event.
const maxName = 16

// Sentence is what happened, in one sentence of at most MaxSentence runes.
func Sentence(t *Trace, e *engine.Event) string {
	actor, rest := Phrase(t, e)
	return actor + " " + rest
}

// Phrase is the sentence in two parts: who, to be set in bold, and what they did,
// in past tense and closed by a full stop.
func Phrase(t *Trace, e *engine.Event) (actor, rest string) {
	s := speaker{t: t, e: e, actor: Clip(t.Job.Plan.Name(e.Task), maxName)}
	if e.Task == engine.JobID {
		s.actor = "the job"
	} else if e.Zombie != 0 {
		s.actor = zombieName(t.Job.Plan.Name(e.Task))
	}
	switch e.Kind {
	case engine.SourceRead, engine.RecordSent, engine.RecordReceived, engine.RecordProcessed, engine.ChannelFull, engine.InputEnded:
		rest = s.record()
	case engine.BarrierInjected, engine.BarrierArrived, engine.BarrierAligned, engine.ChannelBlocked, engine.ChannelUnblocked:
		rest = s.barrier()
	case engine.CheckpointTriggered, engine.SnapshotTaken, engine.SnapshotStored, engine.CheckpointAcked,
		engine.CheckpointComplete, engine.CheckpointNotified, engine.CheckpointExpired, engine.CheckpointDiscarded:
		rest = s.checkpoint()
	case engine.Watermark, engine.WindowFired, engine.RecordJoined:
		rest = s.time()
	case engine.TxnBegin, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.TxnExpired, engine.Fenced:
		rest = s.transaction()
	case engine.SinkWrite:
		rest = s.write()
	case engine.SinkAck, engine.DedupID, engine.DedupValue, engine.EffectIgnored, engine.FileRenamed:
		rest = s.told()
	case engine.OffsetCommit, engine.OffsetLogWritten, engine.CommitLogWritten, engine.StateWrite, engine.ChangelogAppend, engine.StoreWiped,
		engine.StandbyPromoted, engine.ChangelogCompacted, engine.MapDone, engine.InflightReinjected, engine.ParticipantPrepared, engine.CoordinatorDecided, engine.CommandLogged:
		rest = s.durable()
	default:
		rest = s.recovery()
	}
	return s.actor, rest
}

// Clip shortens a name to n runes, with two dots where something is missing.
func Clip(name string, n int) string {
	if utf8.RuneCountInString(name) <= n {
		return name
	}
	r := []rune(name)
	return string(r[:n-1]) + "…"
}

// speaker makes the sentence of one event; actor may be changed on the way.
type speaker struct {
	t     *Trace
	e     *engine.Event
	actor string
}

func (s *speaker) key() string { return Clip(s.t.Job.Input.Keys[s.e.Key], maxName) }

// rec names a record as people point at it: its key and its place in the input.
func (s *speaker) rec() string { return s.key() + " " + s.e.Rec.String() }

func (s *speaker) task() *engine.Task { return &s.t.Job.Plan.Tasks[s.e.Task] }

func (s *speaker) from() string {
	return Clip(s.t.Job.Plan.Name(s.t.Job.Plan.Channels[s.e.Chan].From), maxName)
}

func (s *speaker) to() string {
	return Clip(s.t.Job.Plan.Name(s.t.Job.Plan.Channels[s.e.Chan].To), maxName)
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}

func (s *speaker) record() string {
	e := s.e
	switch e.Kind {
	case engine.SourceRead:
		return s.read()
	case engine.InputEnded:
		if k := s.task().Kind; k == engine.OpLoop {
			return "read all partitions to their end."
		}
		return "read its partition to the end."
	case engine.ChannelFull:
		return fmt.Sprintf("had to wait: the queue to %s was full with %d.", s.to(), e.After)
	case engine.RecordSent:
		if s.t.Job.Settings.Strategy == "kafka-streams" && s.target().Kind == engine.OpCount {
			return fmt.Sprintf("appended %s to the repartition log of %s.", s.rec(), s.to())
		}
		return fmt.Sprintf("sent %s to %s.", s.rec(), s.to())
	case engine.RecordReceived:
		return fmt.Sprintf("received %s from %s.", s.rec(), s.from())
	}
	if text, ok := s.operator(); ok {
		return text
	}
	switch k := s.task().Kind; {
	case k == engine.OpCount, k == engine.OpLoop, k == engine.OpReduce:
		return fmt.Sprintf("counted %s: %d became %d.", s.rec(), e.Before, e.After)
	case k == engine.OpReplica:
		return fmt.Sprintf("ran invocation %s: %s became %s.", s.rec(), Held(s.t.Job, k, e.Before), Held(s.t.Job, k, e.After))
	case k == engine.OpSink && s.t.Job.Settings.Strategy == "microbatch":
		return fmt.Sprintf("gathered %s for its batch.", s.rec())
	}
	return fmt.Sprintf("was done with %s.", s.rec())
}

func (s *speaker) read() string {
	e := s.e
	switch {
	case s.t.Job.Settings.Strategy == "replicated":
		return fmt.Sprintf("took its next invocation, %s.", s.rec())
	case s.task().Kind == engine.OpLoop:
		return fmt.Sprintf("read %s at offset %d of p%d.", s.key(), e.Before, e.Rec.Part)
	}
	return fmt.Sprintf("read %s at offset %d.", s.key(), e.Before)
}

// target is the task that reads the event's channel.
func (s *speaker) target() *engine.Task {
	p := s.t.Job.Plan
	return &p.Tasks[p.Channels[s.e.Chan].To]
}

func (s *speaker) barrier() string {
	e := s.e
	switch e.Kind {
	case engine.BarrierInjected:
		return fmt.Sprintf("noted offset %d and sent barrier %d.", e.After, e.Ckpt)
	case engine.BarrierArrived:
		in := ""
		if n := len(s.task().In); n > 1 {
			in = fmt.Sprintf(", %d of %d inputs", e.After, n)
		}
		return fmt.Sprintf("got barrier %d from %s%s.", e.Ckpt, s.from(), in)
	case engine.BarrierAligned:
		on := ""
		if len(s.task().Out) > 0 {
			on = " and passed it on"
		}
		if e.After > 0 && e.Before < e.After {
			return fmt.Sprintf("let barrier %d overtake what waits%s.", e.Ckpt, on)
		}
		if len(s.task().In) == 1 {
			return fmt.Sprintf("took barrier %d%s.", e.Ckpt, on)
		}
		return fmt.Sprintf("had barrier %d on all inputs%s.", e.Ckpt, on)
	case engine.ChannelBlocked:
		return fmt.Sprintf("blocked its input from %s: other inputs still owe barrier %d.", s.from(), e.Ckpt)
	}
	return fmt.Sprintf("opened its input from %s again.", s.from())
}

func (s *speaker) checkpoint() string {
	e := s.e
	switch e.Kind {
	case engine.CheckpointTriggered:
		return fmt.Sprintf("started checkpoint %d.", e.Ckpt)
	case engine.SnapshotTaken:
		return s.snapshot()
	case engine.SnapshotStored:
		switch {
		case s.t.Job.Settings.Strategy == "microbatch":
			return fmt.Sprintf("stored its state after batch %d on durable storage.", e.Ckpt)
		case e.Value > 0:
			return fmt.Sprintf("stored its part of checkpoint %d, with %s.", e.Ckpt, count(e.Value, "in-flight record", "in-flight records"))
		}
		return fmt.Sprintf("stored its part of checkpoint %d on durable storage.", e.Ckpt)
	case engine.CheckpointAcked:
		return fmt.Sprintf("reported its part of checkpoint %d: %d of %d are in.", e.Ckpt, e.After, len(s.t.Job.Plan.Tasks))
	case engine.CheckpointComplete:
		return fmt.Sprintf("sealed checkpoint %d: all %d parts are in. It is the restart point now.", e.Ckpt, e.After)
	case engine.CheckpointNotified:
		return fmt.Sprintf("heard that checkpoint %d is complete.", e.Ckpt)
	case engine.CheckpointExpired:
		return fmt.Sprintf("gave up checkpoint %d: its time was up with %d of %d parts in.", e.Ckpt, e.Before, len(s.t.Job.Plan.Tasks))
	}
	s.actor = fmt.Sprintf("checkpoint %d", e.Ckpt)
	if int(e.Before) == len(s.t.Job.Plan.Tasks) {
		return fmt.Sprintf("was discarded: all %d parts were in, but it was not sealed.", e.Before)
	}
	return fmt.Sprintf("was discarded with %d of %d parts in.", e.Before, len(s.t.Job.Plan.Tasks))
}

func (s *speaker) snapshot() string {
	e := s.e
	if s.t.Job.Settings.Strategy == "microbatch" {
		return fmt.Sprintf("copied its state after batch %d: %s.", e.Ckpt, s.copied())
	}
	switch s.task().Kind {
	case engine.OpSource:
		return fmt.Sprintf("copied offset %d for checkpoint %d.", e.After, e.Ckpt)
	case engine.OpCount:
		return fmt.Sprintf("copied its state for checkpoint %d: %s.", e.Ckpt, s.copied())
	}
	return fmt.Sprintf("made its part of checkpoint %d.", e.Ckpt)
}
