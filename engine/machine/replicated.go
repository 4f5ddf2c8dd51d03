package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// replicated is the strategy of VoltDB (facts 9.1 to 9.4): k+1 copies of a table
// run the same invocations in the same order, and a command log of the invocations
// brings the table back when all copies are gone. Clients push invocations; what
// was acknowledged they never send again, what was not they send again, and it is
// recognised by its id.
//
// The copy with the lowest number that lives leads: it orders, logs, passes on,
// and answers when every other copy has run the invocation. A copy that is lost
// stays away; bringing it back is an operator's act and not modelled.
type replicated struct{ job *engine.Job }

// asyncLogEvery is how long an asynchronous command log gathers invocations before
// it writes them (frequency and size are configurable in VoltDB; facts 9.2).
const asyncLogEvery = 100 * engine.Millisecond

// Notes of the strategy.
const (
	noteLeader    int8 = iota + 1 // to clients: Value leads, as of view Ckpt; send again what has no answer
	noteWho                       // from a client that has just started: who leads?
	noteAnswer                    // to a client: its invocation with offset Value is done for good
	noteAllSent                   // from a client: nothing is left to send
	noteMembers                   // to copies: those that live, a bit each, as of view Ckpt
	noteConfirmed                 // between copies: the invocation in row Value has been run
	noteLogged                    // between copies: the first Value invocations are in the log
	noteTick                      // to itself: write the log
	noteFlush                     // to the leader: write what is not in the log
	noteFlushed                   // the answer
)

// Task makes a client or a copy of the table.
func (s replicated) Task(job *engine.Job, id engine.TaskID) Task {
	spec := &job.Plan.Tasks[id]
	if spec.Kind == engine.OpSource {
		return &clientTask{spec: spec}
	}
	t := &replicaTask{job: job, spec: spec, known: make([]bool, job.Input.Len()), values: make([]int64, len(job.Input.Keys))}
	n := 0
	for _, p := range job.Input.Parts {
		t.first = append(t.first, n)
		n += len(p)
	}
	return t
}

// Coordinator makes the membership service, which never dies: that the copies
// agree about who lives is taken for granted.
func (replicated) Coordinator(job *engine.Job) Coordinator { return &membership{job: job} }

// Scope: one copy of several is lost for good; with the only copy the table
// restarts from the command log; a client restarts alone.
func (s replicated) Scope(dead engine.TaskID) Scope {
	switch {
	case !s.InJob(dead):
		return SingleTask
	case s.job.Settings.K == 0:
		return WholeJob
	}
	return StaysAway
}

// InJob is true for the copies only; clients belong to somebody else.
func (s replicated) InJob(id engine.TaskID) bool {
	return id >= 0 && s.job.Plan.Tasks[id].Kind == engine.OpReplica
}

// Failed leaves everything: the log is as it is.
func (replicated) Failed(*world.World, *Out) {}

// Durable is the command log, and what clients know.
func (replicated) Durable(job *engine.Job) world.Durable { return world.NewReplicated(job.Input) }

// membership says who lives and who leads, and ends the run when every client has
// its answers and the log is written.
type membership struct {
	job   *engine.Job
	alive uint64 // bit per copy
	view  int32  // grows with each change of alive, and with each attempt; messages may overtake each other
	done  uint64 // bit per client
}

// viewsOf is where the views of an attempt begin.
func viewsOf(attempt int16) int32 { return int32(attempt) << 8 }

func (m *membership) Fork(into Coordinator) Coordinator {
	c, ok := into.(*membership)
	if !ok {
		c = &membership{}
	}
	*c = *m
	return c
}

func (m *membership) clients() int { return len(m.job.Input.Parts) }

// leader is the place of the first copy that lives.
func (m *membership) leader() int {
	for i := range m.copies() {
		if m.alive&(1<<i) != 0 {
			return i
		}
	}
	return -1
}

func (m *membership) copies() int { return len(m.job.Plan.Tasks) - m.clients() }

func (m *membership) Step(in *In, out *Out) {
	from := int(in.Task) - m.clients()
	switch {
	case in.Kind == InStart:
		m.alive, m.view = 1<<m.copies()-1, viewsOf(in.Attempt)
		for i := range m.job.Plan.Tasks {
			out.add(Effect{Kind: PostRestore, Task: engine.TaskID(i)})
		}
	case in.Kind == InLost:
		m.lost(from, out)
	case in.Kind == InRejoined:
		m.alive, m.view = 1<<m.copies()-1, viewsOf(in.Attempt)
		m.tellClients(out)
	case in.Kind == InMessage && in.Note == noteWho:
		out.add(Effect{Kind: PostMessage, Note: noteLeader, Task: in.Task, Value: int64(m.leader()), Ckpt: m.view})
	case in.Kind == InMessage && in.Note == noteAllSent:
		m.done |= 1 << in.Task
		m.flush(out)
	case in.Kind == InMessage && in.Note == noteFlushed && from == m.leader():
		out.add(Effect{Kind: DoEndRun, Reason: engine.AtRest})
	}
}

// lost tells the others to go on without a copy. When it was the last, all of them
// have to come back from the log.
func (m *membership) lost(i int, out *Out) {
	led := m.leader() == i
	m.alive &^= 1 << i
	m.view++
	if m.alive == 0 {
		out.add(Effect{Kind: DoFail, Reason: engine.NoReplicaLeft})
		return
	}
	for j := range m.copies() {
		if m.alive&(1<<j) != 0 {
			out.add(Effect{Kind: PostMessage, Note: noteMembers, Task: engine.TaskID(m.clients() + j), Value: int64(m.alive), Ckpt: m.view})
		}
	}
	if led {
		m.tellClients(out)
	}
}

func (m *membership) tellClients(out *Out) {
	for c := range m.clients() {
		out.add(Effect{Kind: PostMessage, Note: noteLeader, Task: engine.TaskID(c), Value: int64(m.leader()), Ckpt: m.view})
	}
	m.flush(out)
}

// flush asks the leader to complete the log once no client waits for anything.
func (m *membership) flush(out *Out) {
	if l := m.leader(); l >= 0 && m.done == 1<<m.clients()-1 {
		out.add(Effect{Kind: PostMessage, Note: noteFlush, Task: engine.TaskID(m.clients() + l)})
	}
}

// clientTask pushes its records one after the other, the next one when the last is
// acknowledged. It is no part of the job; what it has been told it keeps.
type clientTask struct {
	spec    *engine.Task
	leader  int   // -1: it does not know
	view    int32 // as of which
	offset  int32
	waiting bool
	pending engine.Record // sent, and not answered yet
}

func (t *clientTask) Blocked(int) bool { return false }

func (t *clientTask) Fork(into Task) Task {
	c, ok := into.(*clientTask)
	if !ok {
		c = &clientTask{}
	}
	*c = *t
	return c
}

func (t *clientTask) Reads(buf []LogPos) []LogPos {
	if t.waiting || t.leader < 0 {
		return buf
	}
	return append(buf, LogPos{Log: t.spec.Part, Offset: t.offset})
}

func (t *clientTask) Step(in *In, out *Out) {
	switch {
	case in.Kind == InRestore:
		t.offset = in.World.Own.(*world.Replicated).Acked(t.spec.Part)
		if in.Attempt > 1 {
			t.leader = -1
			out.add(Effect{Kind: DoRestored})
			out.add(Effect{Kind: DoRewind, Value: int64(t.spec.Part), After: int64(t.offset)})
			out.add(Effect{Kind: PostMessage, Note: noteWho, Task: engine.CoordinatorID})
		}
	case in.Kind == InRead:
		t.waiting, t.pending = true, in.Record
		t.offset = in.Record.ID.Off + 1
		out.add(Effect{Kind: DoRead, Record: in.Record, Before: int64(in.Record.ID.Off), After: int64(t.offset)})
		t.send(out)
	case in.Kind == InLogEnd:
		out.add(Effect{Kind: DoEndInput})
		out.add(Effect{Kind: PostMessage, Note: noteAllSent, Task: engine.CoordinatorID})
	case in.Kind == InMessage && in.Note == noteLeader && in.Ckpt >= t.view:
		t.leader, t.view = int(in.Value), in.Ckpt
		if t.waiting && t.leader >= 0 {
			t.send(out)
		}
	case in.Kind == InMessage && in.Note == noteAnswer && t.waiting && int64(t.pending.ID.Off) == in.Value:
		t.waiting = false
		out.add(Effect{Kind: DoOp, Op: &world.Acknowledge{Record: t.pending}})
	}
}

func (t *clientTask) send(out *Out) {
	out.add(Effect{Kind: DoSend, Chan: t.spec.Out[0].Chans[t.leader], Record: t.pending})
}
