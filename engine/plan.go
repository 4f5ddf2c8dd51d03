package engine

import (
	"hash/fnv"
	"strconv"
)

// TaskID is the position of a task in Plan.Tasks, or one of the ids below.
type TaskID int16

// Ids of what is not a task.
const (
	NoTask        TaskID = -1
	CoordinatorID TaskID = -2
	JobID         TaskID = -3
)

// ChanID is the position of a channel in Plan.Channels; NoChan is none.
type ChanID int16

// NoChan is the id of no channel.
const NoChan ChanID = -1

// OpKind is what an operator does to a record.
type OpKind uint8

// Kinds of operators.
const (
	OpSource  OpKind = iota + 1 // reads one partition of the input log
	OpForward                   // hands each record on (map, enrich)
	OpCount                     // keyed counter
	OpSink                      // writes to the outside world
	OpLoop                      // reads all partitions, counts, writes and saves its position, in one process
	OpReduce                    // batch: counts what the map tasks have published, writes
	OpReplica                   // replicated: one of several copies of a table; runs the invocations that clients push
)

// Operator is one step of the job, run by Parallelism tasks with consecutive ids.
type Operator struct {
	Name        string
	Kind        OpKind
	Parallelism int
	First       TaskID
	Sink        int     // index into Settings.Sinks for OpSink, else -1
	Depth       int     // column on the stage: 0 for sources
	Route       []int16 // KeyID → index of the task that owns the key, for keyed inputs; nil when forwarded
}

// OutGroup is the outputs of a task towards one operator. With one channel every
// record goes there; otherwise the operator's Route chooses.
type OutGroup struct {
	Op    int
	Chans []ChanID
	Emit  int64 // 0: every record; n: only when the count reaches n
}

// Task is one parallel instance of an operator. Its name, count/0, is used in
// URLs, faults, events and pages.
type Task struct {
	ID    TaskID
	Op    int
	Index int
	Name  string
	Kind  OpKind
	Part  int // sources: the partition it reads
	Sink  int // sinks: index into Settings.Sinks
	Node  int // the machine it runs on; -1: none of the job's
	In    []ChanID
	Out   []OutGroup
}

// Channel is a bounded first-in first-out link between two tasks.
type Channel struct {
	ID        ChanID
	From, To  TaskID
	ToIndex   int  // position in the reader's In
	Pointwise bool // one of several one-to-one channels, not part of a shuffle
}

// ChannelCapacity is how many records a channel holds, from record.sent to the
// end of their processing, before its writer must wait (setting
// channel.capacity). Barriers are not counted: like Flink's events they need no
// buffer.
const ChannelCapacity = 8

// Plan is the job graph laid out as tasks and channels. It is immutable.
type Plan struct {
	Operators []Operator
	Tasks     []Task
	Channels  []Channel
}

// Name is the name of a task, "coordinator", or "job".
func (p *Plan) Name(id TaskID) string {
	switch {
	case id >= 0 && int(id) < len(p.Tasks):
		return p.Tasks[id].Name
	case id == CoordinatorID:
		return "coordinator"
	case id == JobID:
		return "job"
	}
	return ""
}

// Find is the id of the task with this name; "coordinator" is found as well.
func (p *Plan) Find(name string) (TaskID, bool) {
	if name == "coordinator" {
		return CoordinatorID, true
	}
	for _, t := range p.Tasks {
		if t.Name == name {
			return t.ID, true
		}
	}
	return NoTask, false
}

// Nodes is how many nodes the job has. Node n runs the n-th task of every operator,
// as Flink's slot sharing places them.
func (p *Plan) Nodes() int {
	n := 0
	for i := range p.Tasks {
		n = max(n, p.Tasks[i].Node+1)
	}
	return n
}

// TaskNames lists all tasks in plan order.
func (p *Plan) TaskNames() []string {
	out := make([]string, len(p.Tasks))
	for i, t := range p.Tasks {
		out[i] = t.Name
	}
	return out
}

// step is one operator of a topology before it is laid out.
type step struct {
	name    string
	kind    OpKind
	par     int
	sink    int
	from    int  // index of the upstream step, -1 for sources
	forward bool // one-to-one edge; otherwise by key
	emit    int64
	outside bool // its tasks are no part of the job: they run on none of its nodes
}

// NewPlan lays out the topology that the settings name over the input. The
// settings have been checked; see NewJob.
func NewPlan(set *Settings, in *Input) *Plan {
	p := &Plan{}
	for _, s := range steps(set, len(in.Parts)) {
		p.add(s, set, in)
	}
	return p
}

func steps(set *Settings, parts int) []step {
	if set.Strategy == "replicated" {
		return replicatedSteps(set, parts)
	}
	out := []step{{name: "source", kind: OpSource, par: parts, sink: -1, from: -1}}
	last := 0
	push := func(s step) { s.from = last; out = append(out, s) }
	switch set.Topology {
	case "LOOP":
		return []step{{name: "loop", kind: OpLoop, par: 1, sink: 0, from: -1}}
	case "BATCH":
		out[0].name = "map"
		push(step{name: "reduce", kind: OpReduce, par: 1, sink: 0})
		return out
	case "MAP":
		push(step{name: "map", kind: OpForward, par: parts, sink: -1, forward: true})
		last = 1
	case "K":
		push(step{name: "enrich", kind: OpForward, par: set.parallelismOf("enrich"), sink: -1})
		last = 1
		push(step{name: "count", kind: OpCount, par: set.parallelismOf("count"), sink: -1})
		last = 2
	default:
		push(step{name: "count", kind: OpCount, par: set.parallelismOf("count"), sink: -1})
		last = 1
	}
	for i := range set.Sinks {
		s := &set.Sinks[i]
		if s.Kind == SinkState {
			continue
		}
		par := set.parallelismOf("sink")
		if set.Topology == "MAP" {
			par = parts
		}
		if len(set.Sinks) > 1 {
			par = 1
		}
		push(step{name: s.Name, kind: OpSink, par: par, sink: i, forward: par == out[last].par, emit: s.EmitAt})
	}
	return out
}

func (p *Plan) add(s step, set *Settings, in *Input) {
	op := Operator{Name: s.name, Kind: s.kind, Parallelism: s.par, First: TaskID(len(p.Tasks)), Sink: s.sink}
	if s.from >= 0 {
		op.Depth = p.Operators[s.from].Depth + 1
		if !s.forward {
			op.Route = route(in.Keys, s.par, set.Routing[s.name])
		}
	}
	for i := range s.par {
		node := i
		if s.outside {
			node = -1
		}
		p.Tasks = append(p.Tasks, Task{ID: TaskID(len(p.Tasks)), Op: len(p.Operators), Index: i,
			Name: s.name + "/" + strconv.Itoa(i), Kind: s.kind, Part: i, Sink: s.sink, Node: node})
	}
	p.Operators = append(p.Operators, op)
	if s.from >= 0 {
		p.connect(s.from, len(p.Operators)-1, s.forward, s.emit)
	}
	if s.kind == OpReplica {
		p.connectCopies(len(p.Operators) - 1)
	}
}

// connect adds the channels between two operators, receiver by receiver, so that
// a receiver's lanes are in the order of its senders.
func (p *Plan) connect(from, to int, forward bool, emit int64) {
	up, down := p.Operators[from], p.Operators[to]
	pointwise := forward && up.Parallelism > 1
	groups := make([]OutGroup, up.Parallelism)
	for d := range down.Parallelism {
		for u := range up.Parallelism {
			if forward && u != d {
				continue
			}
			reader := &p.Tasks[int(down.First)+d]
			ch := Channel{ID: ChanID(len(p.Channels)), From: up.First + TaskID(u), To: reader.ID, ToIndex: len(reader.In), Pointwise: pointwise}
			p.Channels = append(p.Channels, ch)
			reader.In = append(reader.In, ch.ID)
			groups[u].Chans = append(groups[u].Chans, ch.ID)
		}
	}
	for u := range groups {
		groups[u].Op, groups[u].Emit = to, emit
		writer := &p.Tasks[int(up.First)+u]
		writer.Out = append(writer.Out, groups[u])
	}
}

// route assigns keys to tasks: as the scenario says, else by a hash that is the
// same on every machine.
func route(keys []string, par int, fixed map[string]int) []int16 {
	out := make([]int16, len(keys))
	for i, k := range keys {
		if idx, ok := fixed[k]; ok {
			out[i] = int16(idx % par)
			continue
		}
		if len(fixed) > 0 {
			continue // "the rest" goes to the first task
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(k))
		out[i] = int16(h.Sum32() % uint32(par))
	}
	return out
}

// Target is the channel of group g that a record with this key takes.
func (p *Plan) Target(g *OutGroup, key KeyID) ChanID {
	if len(g.Chans) == 1 {
		return g.Chans[0]
	}
	return g.Chans[p.Operators[g.Op].Route[key]]
}
