package trace

import (
	"fmt"

	"effectivelyonce/engine"
)

// sink is what the event's task writes to, nil if it writes nowhere.
func (s *speaker) sink() *engine.SinkSettings { return sinkOf(s.t.Job, s.e.Task) }

// Writes reports whether tasks of this kind write to the outside world.
func Writes(k engine.OpKind) bool {
	return k == engine.OpSink || k == engine.OpLoop || k == engine.OpReduce
}

// sinkOf is the outside system a task writes to, nil if it writes nowhere.
func sinkOf(job *engine.Job, id engine.TaskID) *engine.SinkSettings {
	if id < 0 || int(id) >= len(job.Plan.Tasks) || job.Plan.Tasks[id].Sink < 0 || !Writes(job.Plan.Tasks[id].Kind) {
		return nil
	}
	return &job.Settings.Sinks[job.Plan.Tasks[id].Sink]
}

// file is a transaction where the rows lie in a private file.
func (s *speaker) file() string {
	e := s.e
	rows := count(e.Value, "row", "rows")
	switch e.Kind {
	case engine.TxnBegin:
		return fmt.Sprintf("opened private file %d.", e.Txn.No)
	case engine.TxnPrecommit:
		return fmt.Sprintf("closed private file %d with %s.", e.Txn.No, rows)
	case engine.FileRenamed:
		if e.Before == e.After && e.Before == int64(engine.TxnCommitted) {
			return fmt.Sprintf("renamed file %d once more; it was final already.", e.Txn.No)
		}
		return fmt.Sprintf("renamed file %d: its %s became final.", e.Txn.No, rows)
	}
	return fmt.Sprintf("deleted private file %d with %s.", e.Txn.No, rows)
}

// told tells what sinks that remember answered.
func (s *speaker) told() string {
	e := s.e
	if e.Kind == engine.EffectIgnored && !e.Txn.IsZero() && e.Rec != engine.NoRecord {
		return s.repeatIgnored()
	}
	switch e.Kind {
	case engine.SinkAck:
		return fmt.Sprintf("was told that %s is done, and will not ask again.", s.rec())
	case engine.FileRenamed:
		return s.file()
	case engine.DedupID:
		if k := s.sink(); k != nil && k.DedupWrite == "value-first" {
			return fmt.Sprintf("remembered id %s, after its value.", e.Rec)
		}
		return fmt.Sprintf("remembered id %s; its value was still missing.", e.Rec)
	case engine.DedupValue:
		if k := s.sink(); k != nil && k.DedupWrite == "value-first" {
			return fmt.Sprintf("changed %s for %s; its id was still missing.", s.change(), e.Rec)
		}
		return fmt.Sprintf("changed %s for %s, whose id stood there.", s.change(), e.Rec)
	}
	return s.ignored()
}

// change is a balance or total before and after.
func (s *speaker) change() string {
	k := s.sink()
	if k == nil {
		return s.key()
	}
	return s.key() + " from " + Clip(WrittenValue(s.t.Job, k, max(0, s.e.Before)), maxName) + " to " + Clip(WrittenValue(s.t.Job, k, s.e.After), maxName)
}

// ignored is an effect that was asked for once more and not repeated.
func (s *speaker) ignored() string {
	e, strategy := s.e, s.t.Job.Settings.Strategy
	k := s.sink()
	switch {
	case e.Rec == engine.NoRecord && strategy == "trident":
		return fmt.Sprintf("skipped %s: its row had taken in txid %d before.", s.key(), e.Ckpt)
	case e.Rec == engine.NoRecord:
		return fmt.Sprintf("offered batch %d again; the stored position was past it.", e.Ckpt)
	case e.Ckpt > 0:
		return fmt.Sprintf("skipped %s: batch %d was outside already.", s.rec(), e.Ckpt)
	case strategy == "replicated":
		return fmt.Sprintf("recognised %s and changed nothing.", s.rec())
	case k == nil:
		return fmt.Sprintf("had seen %s before and dropped it.", s.rec())
	case k.Kind == engine.SinkEmail:
		return fmt.Sprintf("asked for %s again; the provider knew its key and sent nothing.", s.rec())
	case k.Kind == engine.SinkPosition:
		return fmt.Sprintf("offered %s again; the stored position was past it.", s.rec())
	case k.Kind == engine.SinkDedup:
		return fmt.Sprintf("offered %s again; its id was known, nothing changed.", s.rec())
	}
	return fmt.Sprintf("had seen %s before and dropped it.", s.rec())
}
