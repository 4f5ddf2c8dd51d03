package trace

import (
	"fmt"
	"strconv"

	"effectivelyonce/engine"
)

func (s *speaker) transaction() string {
	e := s.e
	no := e.Txn.No
	if k := sinkOf(s.t.Job, e.Task); k != nil && k.Kind == engine.SinkFiles && e.Kind != engine.Fenced && e.Kind != engine.TxnExpired {
		return s.file()
	}
	rows := count(e.Value, "row", "rows")
	switch e.Kind {
	case engine.TxnBegin:
		return fmt.Sprintf("opened transaction %d.", no)
	case engine.TxnPrecommit:
		if engine.TxnState(e.After) != engine.TxnPrecommitted {
			return fmt.Sprintf("pre-committed transaction %d with %s; the broker had aborted it.", no, rows)
		}
		return fmt.Sprintf("pre-committed transaction %d with %s.", no, rows)
	case engine.TxnCommit:
		if e.Before == e.After {
			return fmt.Sprintf("committed transaction %d once more; nothing changed.", no)
		}
		if e.Value == 0 {
			return fmt.Sprintf("committed transaction %d with no output rows.", no)
		}
		return fmt.Sprintf("committed transaction %d with %s.", no, rows)
	case engine.TxnAbort:
		if e.Reason == engine.SecondJobStarted {
			who := s.actor
			s.actor = "the second job"
			return fmt.Sprintf("aborted transaction %d of %s with %s.", no, who, rows)
		}
		return fmt.Sprintf("aborted transaction %d with %s.", no, rows)
	case engine.TxnExpired:
		who := s.actor
		s.actor = "the broker"
		return fmt.Sprintf("aborted transaction %d of %s with %s: its time was up.", no, who, rows)
	}
	if e.Txn.IsZero() {
		return s.refusedToken()
	}
	who := s.actor
	s.actor = "the broker"
	return fmt.Sprintf("refused %s: transaction %d was %s.", who, no, engine.TxnState(e.Before))
}

func (s *speaker) write() string {
	e := s.e
	sink := s.t.Job.Settings.Sinks[s.task().Sink]
	if e.Rec == engine.NoRecord {
		return fmt.Sprintf("wrote batch %d at once: %s, up to %s.", e.Ckpt, count(e.Before, "row", "rows"), s.positions())
	}
	value := Clip(WrittenValue(s.t.Job, &sink, e.Value), maxName)
	switch {
	case sink.Kind == engine.SinkDedup:
		return fmt.Sprintf("changed %s and remembered %s.", s.change(), e.Rec)
	case sink.Kind == engine.SinkPosition:
		return fmt.Sprintf("changed %s, with position %s.", s.change(), e.Rec)
	case sink.Kind == engine.SinkFiles:
		return fmt.Sprintf("wrote %s %s for %s into private file %d.", s.key(), value, e.Rec, e.Txn.No)
	case sink.Kind == engine.SinkEmail:
		return fmt.Sprintf("sent an e-mail for %s.", s.rec())
	case sink.Kind == engine.SinkUpsert && e.Before == engine.NoRow:
		return fmt.Sprintf("set %s to %s, a new row.", s.cell(&sink), value)
	case sink.Kind == engine.SinkUpsert && sink.Output == engine.TotalOutput && e.After < e.Before:
		return fmt.Sprintf("set %s back from %d to %s.", s.cell(&sink), e.Before, value)
	case sink.Kind == engine.SinkUpsert && e.After == e.Before:
		return fmt.Sprintf("set %s to %s once more; nothing changed.", s.cell(&sink), value)
	case sink.Kind == engine.SinkUpsert:
		return fmt.Sprintf("set %s to %s.", s.cell(&sink), value)
	case !e.Txn.IsZero():
		return fmt.Sprintf("wrote %s %s for %s into transaction %d.", s.key(), value, e.Rec, e.Txn.No)
	}
	return fmt.Sprintf("wrote %s %s for %s.", s.key(), value, e.Rec)
}

// cell names the row of a table that a write sets.
func (s *speaker) cell(sink *engine.SinkSettings) string {
	if sink.Output == engine.TotalOutput {
		return s.key()
	}
	return s.rec()
}

// WrittenValue prints what a sink wrote: a total as it is, an amount as the input
// gave it, a balance as a number also where the input has words.
func WrittenValue(job *engine.Job, sink *engine.SinkSettings, v int64) string {
	switch {
	case sink.Output == engine.TotalOutput:
		return strconv.FormatInt(v, 10)
	case sink.Kind == engine.SinkDedup || sink.Kind == engine.SinkPosition:
		return engine.FormatNumber(v)
	}
	return job.Input.FormatValue(v)
}

// Held prints what a task of the job holds for a key: a count, or, where the job's
// own table is the result and holds balances, an amount.
func Held(job *engine.Job, k engine.OpKind, v int64) string {
	if k == engine.OpReplica && job.Settings.Sinks[0].Output == engine.EventOutput {
		return engine.FormatNumber(v)
	}
	if k == engine.OpCount && job.Settings.Operator == engine.OperatorJoin {
		return engine.FormatNumber(v)
	}
	return strconv.FormatInt(v, 10)
}

func (s *speaker) recovery() string {
	e := s.e
	switch e.Kind {
	case engine.FaultInjected:
		return s.fault()
	case engine.FaultEnded:
		f := s.t.faultOf(e)
		if f != nil && f.Kind == engine.Pause {
			return "went on where it had stopped; nobody had noticed."
		}
		if rest := s.quietFault(f); rest != "" {
			return rest
		}
		return "worked at its usual speed again."
	case engine.ZombieWakes:
		return s.woke()
	case engine.TaskFailed:
		return s.failed()
	case engine.StartRefused:
		return s.refusedStart()
	case engine.RestartBegin:
		if e.Task != engine.JobID {
			return fmt.Sprintf("began attempt %d, alone.", e.After)
		}
		return fmt.Sprintf("stopped all tasks and began attempt %d.", e.After)
	case engine.RestoreDone:
		return s.restored()
	case engine.SourceRewound:
		if s.task().Kind == engine.OpLoop {
			return fmt.Sprintf("went back in p%d from offset %d to %d.", e.Value, e.Before, e.After)
		}
		if e.Before == e.After {
			return fmt.Sprintf("went on at offset %d, where it had been.", e.After)
		}
		return fmt.Sprintf("went back from offset %d to %d.", e.Before, e.After)
	case engine.ReplayCaughtUp:
		return "caught up: every source was where it had been before the crash."
	}
	return s.ended()
}

// restored tells where a task goes on, in the words of the strategy.
func (s *speaker) restored() string {
	e := s.e
	switch s.t.Job.Settings.Strategy {
	case "barriers":
		if e.Ckpt == 0 {
			return "started from the beginning: no checkpoint was complete."
		}
		return fmt.Sprintf("was restored from checkpoint %d.", e.Ckpt)
	case "batch":
		return "began again from what is published."
	case "dataflow":
		return "read back what its stage had stored."
	case "replicated":
		return "came back with empty memory."
	case "microbatch", "trident":
		if e.Ckpt == 0 {
			return "started from the beginning: no batch was done."
		}
		return fmt.Sprintf("went on behind batch %d.", e.Ckpt)
	}
	switch {
	case e.Ckpt == 0:
		return "started from the beginning: no offset was committed."
	case s.task().Kind == engine.OpCount:
		return fmt.Sprintf("had its store as of commit %d or later.", e.Ckpt)
	}
	return fmt.Sprintf("went on from commit %d.", e.Ckpt)
}

func (s *speaker) fault() string {
	f := s.t.faultOf(s.e)
	if rest := s.quietFault(f); rest != "" {
		return rest
	}
	switch {
	case f != nil && f.Kind == engine.Slow:
		return fmt.Sprintf("became slow: each step took %d times as long.", f.Factor)
	case f != nil && f.Kind == engine.Pause:
		return fmt.Sprintf("stood still for %s, with its memory and queue.", f.Length)
	case f != nil && f.Kind == engine.CrashNode:
		s.actor = f.Target
		return "crashed: its tasks died, and its local disk is gone."
	case s.e.Task == engine.JobID:
		return "crashed: every process died, all memory and queues are gone."
	case s.e.Task == engine.CoordinatorID:
		return "crashed."
	}
	return "crashed. Its memory and queues are gone."
}

func (s *speaker) failed() string {
	who := s.actor
	if s.e.Reason == engine.Crashed || s.e.Reason == engine.NoReason {
		s.actor = "the cluster"
		return fmt.Sprintf("noticed that %s had crashed.", who)
	}
	if s.e.Reason == engine.ThoughtDead {
		s.actor = "the cluster"
		return fmt.Sprintf("heard nothing from %s for too long and thought it dead.", who)
	}
	if s.e.Reason == engine.CheckpointsFailed {
		return "failed the job: more checkpoints in a row failed than are tolerated."
	}
	return fmt.Sprintf("failed: %s.", s.e.Reason)
}

func (s *speaker) ended() string {
	switch s.e.Reason {
	case engine.AtRest:
		return "came to rest: everything was read, saved and published."
	case engine.HorizonReached:
		return "was stopped: its virtual time was up."
	case engine.RestartsExhausted:
		return fmt.Sprintf("was given up: this model restarts a job at most %d times.", engine.MaxRestarts)
	}
	return fmt.Sprintf("ended: %s.", s.e.Reason)
}

// faultOf is FaultOf for a trace that may not know all faults.
func (t *Trace) faultOf(e *engine.Event) *engine.Fault {
	if int(e.Fault) >= len(t.Job.Conditions)+len(t.Faults) {
		return nil
	}
	return t.FaultOf(e)
}
