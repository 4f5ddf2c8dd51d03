package engine

import (
	"fmt"
	"strconv"
	"strings"
)

// Kinds of faults in which no process of the job dies.
const (
	// LoseResponse: the next write of a sink's task is applied and its
	// acknowledgement is lost. The client asks again after ClientRetry.
	LoseResponse FaultKind = "lose-response"
	// StorageDown: nothing can be stored in the checkpoint store, nor sealed there.
	// What it holds can still be read.
	StorageDown FaultKind = "storage-down"
	// BrokerDown: one input partition cannot be read, or the whole broker is away:
	// all input, transactions, committed positions and logs between operators.
	BrokerDown FaultKind = "broker-down"
	// Late: the next commit, abort or acknowledgement takes Length longer.
	Late FaultKind = "late"
	// SecondJob: another job starts whose sinks register under the same
	// transactional ids (facts 4.10). The job itself is not touched by it.
	SecondJob FaultKind = "second-job"
)

// ClientRetry is how long a client waits for an answer before it asks again. It is
// small so that a run fits on a screen: a Kafka 4.x producer waits
// request.timeout.ms = 30 s, then retry.backoff.ms = 100 ms.
const ClientRetry = 100 * Millisecond

// Message is what a Late fault delays.
type Message string

// Messages.
const (
	CommitMessage Message = "commit" // of a transaction, to the broker
	AbortMessage  Message = "abort"  // of a transaction, to the broker
	AckMessage    Message = "ack"    // of a stored part, to the coordinator
)

func messageNames() []string {
	return []string{string(CommitMessage), string(AbortMessage), string(AckMessage)}
}

// AllPartitions is the Part of a fault that concerns the whole broker.
const AllPartitions = -1

// Kills reports whether processes die of faults of this kind.
func (k FaultKind) Kills() bool { return k == Crash || k == CrashJob || k == CrashNode }

// parseOutage reads what stands before the moment of a fault of this file's kinds.
// It reports whether the kind is one of them.
func (f *Fault) parseOutage(spec string, args []string) (bool, error) {
	switch f.Kind {
	case LoseResponse:
		if len(args) != 1 || args[0] == "" {
			return true, badFault(spec, "target", "lose-response takes one target: a task that writes, like sink/0")
		}
		f.Target = args[0]
	case StorageDown:
		if len(args) > 1 {
			return true, badFault(spec, "arguments", "storage-down is written storage-down or storage-down:DURATION")
		}
		return true, f.parseLength(spec, args)
	case BrokerDown:
		return true, f.parseBrokerDown(spec, args)
	case Late:
		return true, f.parseLate(spec, args)
	case SecondJob:
		if len(args) > 0 {
			return true, badFault(spec, "target", "second-job takes no target; it writes where this job writes, under the same names")
		}
	default:
		return false, nil
	}
	return true, nil
}

func (f *Fault) parseLength(spec string, args []string) error {
	if len(args) == 0 {
		return nil
	}
	d, err := ParseDuration(args[0])
	if err != nil || d == 0 {
		return badFault(spec, "length", fmt.Sprintf("found %q; allowed: %s", args[0], durationWords))
	}
	f.Length = d
	return nil
}

func (f *Fault) parseBrokerDown(spec string, args []string) error {
	f.Part = AllPartitions
	if len(args) > 0 {
		if n, err := strconv.ParseUint(args[0], 10, 15); err == nil {
			f.Part, args = int(n), args[1:]
		}
	}
	if len(args) > 1 {
		return badFault(spec, "arguments", "broker-down is written broker-down, broker-down:DURATION, broker-down:PARTITION or broker-down:PARTITION:DURATION")
	}
	return f.parseLength(spec, args)
}

func (f *Fault) parseLate(spec string, args []string) error {
	if len(args) != 2 {
		return badFault(spec, "arguments", "late is written late:MESSAGE:DURATION; messages: "+strings.Join(messageNames(), ", "))
	}
	switch f.Message = Message(args[0]); f.Message {
	case CommitMessage, AbortMessage, AckMessage:
	default:
		why := fmt.Sprintf("found %q; allowed: %s", args[0], strings.Join(messageNames(), ", "))
		if near := Nearest(args[0], messageNames()); near != "" {
			why += fmt.Sprintf("; did you mean %q?", near)
		}
		return badFault(spec, "message", why)
	}
	return f.parseLength(spec, args[1:])
}

// arguments prints what stands between a kind of this file and the moment, beside
// the target.
func (f *Fault) arguments() string {
	s := ""
	if f.Kind == BrokerDown && f.Part != AllPartitions {
		s += ":" + strconv.Itoa(f.Part)
	}
	if f.Kind == Late {
		s += ":" + string(f.Message)
	}
	if f.Length > 0 {
		s += ":" + f.Length.String()
	}
	return s
}

// resolveOutage refuses a fault that cannot act in the job, with the reason.
func (f *Fault) resolveOutage(j *Job) error {
	where, why := "", ""
	switch f.Kind {
	case LoseResponse:
		where, why = "target", f.noAnswer(j)
	case StorageDown:
		where, why = "kind", noStore(j)
	case BrokerDown:
		where, why = "kind", noBroker(j)
		if n := len(j.Input.Parts); why == "" && f.Part >= n {
			where, why = "partition", fmt.Sprintf("found %d; allowed: 0 to %d", f.Part, n-1)
		}
	case Late:
		where, why = "message", f.noMessage(j)
	case SecondJob:
		where, why = "kind", noSharedName(j)
	}
	if why == "" {
		return nil
	}
	return badFault(f.String(), where, why)
}

// noAnswer says why nobody answers the task's writes, "" if somebody does.
func (f *Fault) noAnswer(j *Job) string {
	var names []string
	for i := range j.Plan.Tasks {
		if t := &j.Plan.Tasks[i]; t.Sink >= 0 {
			names = append(names, t.Name)
		}
	}
	allowed := "; allowed: " + strings.Join(names, ", ")
	if f.id < 0 || j.Plan.Tasks[f.id].Sink < 0 {
		return f.Target + " writes to no sink" + allowed
	}
	switch k := j.Settings.Sinks[j.Plan.Tasks[f.id].Sink].Kind; {
	case k == SinkFiles:
		return "a task writes its private file by itself, so there is no answer that could be lost; sinks that answer: append, upsert, dedup, offset-with-output, email, transactional"
	case k == SinkState:
		return "the result is the engine's own table; there is no outside that could answer"
	case j.Settings.Strategy == "xa":
		return "with the answer the database's session is gone, and its branch is rolled back; nearest: crash-job"
	}
	return ""
}

func noStore(j *Job) string {
	switch j.Settings.Strategy {
	case "barriers", "microbatch":
		return ""
	case "kafka-streams":
		return "strategy=kafka-streams keeps state and positions at the broker, not in a checkpoint store; nearest: broker-down"
	}
	return "strategy=" + j.Settings.Strategy + " has no checkpoint store; allowed with strategy=barriers, strategy=microbatch"
}

func noBroker(j *Job) string {
	switch j.Settings.Strategy {
	case "batch":
		return "strategy=batch reads files; there is no broker"
	case "replicated":
		return "strategy=replicated is called by its clients; there is no broker"
	}
	return ""
}

// noMessage says why no such message is ever sent in the job.
func (f *Fault) noMessage(j *Job) string {
	if f.Message == AckMessage {
		if j.Settings.Strategy == "barriers" {
			return ""
		}
		return "strategy=" + j.Settings.Strategy + " acknowledges no part of a checkpoint; allowed with strategy=barriers"
	}
	if j.Settings.Guarantee == "exactly_once_v2" && j.Settings.Strategy == "kafka-streams" {
		return ""
	}
	for i := range j.Settings.Sinks {
		if j.Settings.Sinks[i].Kind == SinkTransactional {
			return ""
		}
	}
	return "the job sends no " + string(f.Message) + " to a broker; allowed with sink=transactional" + ackToo(j)
}

func ackToo(j *Job) string {
	if j.Settings.Strategy == "barriers" {
		return "; late:ack can act here"
	}
	return ""
}

func noSharedName(j *Job) string {
	if s := j.Settings.Strategy; s != "barriers" && s != "microbatch" && s != "offset-commit" {
		return "strategy=" + s + " has no transactional.id.prefix; allowed with barriers, microbatch, offset-commit"
	}
	for i := range j.Settings.Sinks {
		if k := &j.Settings.Sinks[i]; k.Kind == SinkTransactional && k.Prefix != FreshPrefix {
			return ""
		}
	}
	return "no sink has transactional ids that a second job could share; allowed with sink=transactional and a transactional.id.prefix that does not change"
}

// FreshPrefix is the transactional.id.prefix of a job that names itself anew at
// each start: nobody ends what an earlier attempt has left open (facts 4.9).
const FreshPrefix = "random-per-start"
