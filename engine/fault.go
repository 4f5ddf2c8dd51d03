package engine

import (
	"strconv"
	"strings"
)

// FaultKind is what goes wrong.
type FaultKind string

// Kinds of faults.
const (
	Crash    FaultKind = "crash"     // a task or the coordinator dies with its memory
	CrashJob FaultKind = "crash-job" // every process of the job dies; what is durable stays

	CrashNode FaultKind = "crash-node" // the tasks of a node die, and its local disk is lost
	Slow      FaultKind = "slow"       // a task's work takes Factor times as long
	Pause     FaultKind = "pause"      // a task stands still for Length and goes on, replaced or not
)

// FaultKinds lists the kinds that can be injected.
func FaultKinds() []string {
	return []string{string(Crash), string(CrashJob), string(CrashNode), string(Slow), string(Pause),
		string(LoseResponse), string(StorageDown), string(BrokerDown), string(Late), string(SecondJob)}
}

// WhenForm is how the moment of a fault is given.
type WhenForm uint8

// Forms of moments.
const (
	AfterEvent  WhenForm = iota // in the gap after event N
	AtTime                      // at virtual time T
	BeforeNamed                 // in the gap before the K-th matching event
	AfterNamed                  // in the gap after it
)

// When is the moment at which a fault takes hold.
type When struct {
	Form   WhenForm
	N      int32
	T      Time
	Event  Kind
	Rec    RecordID // NoRecord: any
	Sender string   // a channel, by its sending task; "": any
	K      int
	Task   string // "": any
	taskID TaskID
	sendID TaskID
}

// Fault is one thing that goes wrong at one moment. What it costs: Crash loses the
// memory and the queues of one process and leads to a restart of the job once it
// is detected; CrashJob loses all memory at once; CrashNode loses the tasks of a node
// and its local disk, but no log that lies on storage of its own; Slow loses nothing;
// Pause loses nothing either, see fault_pause.go.
type Fault struct {
	Kind   FaultKind
	Target string // task name, "coordinator" or node name; empty for CrashJob
	Factor int64  // Slow
	Length Time   // Slow, StorageDown, BrokerDown; 0: to the end of the run. Pause: more than 0. Late: how late

	Message Message // Late
	Part    int     // BrokerDown: the partition, or AllPartitions
	When    When
	id      TaskID
	node    int
}

// TargetID is the task the fault hits, after Resolve; JobID for CrashJob and CrashNode.
func (f *Fault) TargetID() TaskID { return f.id }

// Node is the node a CrashNode hits, after Resolve.
func (f *Fault) Node() int { return f.node }

// String prints the fault as URLs spell it.
func (f Fault) String() string {
	s := string(f.Kind)
	if f.Target != "" {
		s += ":" + f.Target
	}
	if f.Kind == Slow {
		s += ":x" + strconv.FormatInt(f.Factor, 10)
		if f.Length > 0 {
			s += ":" + f.Length.String()
		}
	} else {
		s += f.arguments()
	}
	return s + "@" + f.When.String()
}

// String prints the moment as URLs spell it.
func (w When) String() string {
	switch w.Form {
	case AfterEvent:
		return strconv.Itoa(int(w.N))
	case AtTime:
		return w.T.String()
	}
	s := "after:"
	if w.Form == BeforeNamed {
		s = "before:"
	}
	s += w.Event.String()
	if w.Rec != NoRecord {
		s += "(" + w.Rec.String() + ")"
	} else if w.Sender != "" {
		s += "(" + w.Sender + ")"
	}
	if w.K != 1 {
		s += "~" + strconv.Itoa(w.K)
	}
	if w.Task != "" {
		s += "@" + w.Task
	}
	return s
}

// Resolve looks the fault's names up in the job's plan and input.
func (f *Fault) Resolve(j *Job) error {
	f.id = JobID
	var err error
	switch {
	case f.Kind == CrashNode:
		if f.node, err = j.FindNode(f.Target); err != nil {
			return badFault(f.String(), "target", err.Error())
		}
	case f.Target != "":
		if f.id, err = j.FindTask(f.Target); err != nil {
			return badFault(f.String(), "target", err.Error())
		}
		if f.id == CoordinatorID && !j.HasCoordinator() {
			return badFault(f.String(), "target", "strategy="+j.Settings.Strategy+" has no coordinator; allowed: "+strings.Join(j.Plan.TaskNames(), ", "))
		}
		if f.Kind == Slow && f.id == CoordinatorID {
			return badFault(f.String(), "target", "only tasks can be slow")
		}
		if f.Kind == Pause {
			if err := f.checkPause(j); err != nil {
				return err
			}
		}
	}
	if err := f.resolveOutage(j); err != nil {
		return err
	}
	w := &f.When
	w.taskID, w.sendID = NoTask, NoTask
	if w.Task != "" {
		if w.taskID, err = j.FindTask(w.Task); err != nil {
			return badFault(f.String(), "moment", err.Error())
		}
	}
	if w.Sender != "" {
		if w.sendID, err = j.FindTask(w.Sender); err != nil {
			return badFault(f.String(), "channel", err.Error())
		}
	}
	if (w.Form == BeforeNamed || w.Form == AfterNamed) && w.Rec != NoRecord && !j.Input.Has(w.Rec) {
		return badFault(f.String(), "record", "the input has no record "+w.Rec.String())
	}
	return nil
}

// Matches reports whether e is an event of the kind the moment names.
func (w *When) Matches(p *Plan, e *Event) bool {
	if e.Kind != w.Event || w.taskID != NoTask && e.Task != w.taskID {
		return false
	}
	if w.Rec != NoRecord && e.Rec != w.Rec {
		return false
	}
	if w.sendID != NoTask && (e.Chan == NoChan || p.Channels[e.Chan].From != w.sendID) {
		return false
	}
	return true
}

// NeverStruck is a fault whose moment does not exist in the run.
type NeverStruck struct {
	Fault  Fault
	Events int  // of the run
	End    Time // of the run
	Seen   int  // matching events, for a named moment
}

// Error says what was asked for and what there is.
func (e *NeverStruck) Error() string {
	s := "fault " + strconv.Quote(e.Fault.String()) + ": "
	switch e.Fault.When.Form {
	case AfterEvent:
		return s + "event " + strconv.Itoa(int(e.Fault.When.N)) + " does not exist; this run has events 0 to " + strconv.Itoa(e.Events)
	case AtTime:
		return s + "the run ends at " + e.End.String() + ", before that moment"
	}
	return s + "the moment does not exist in this run; it has " + strconv.Itoa(e.Seen) + " events that match"
}
