package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// replicaTask is one copy of the table: a single thread that runs invocations one
// after the other (facts 9.3). A crash loses its table and what it had under way.
type replicaTask struct {
	job     *engine.Job
	spec    *engine.Task
	first   []int // partition → row of its first record; shared
	attempt int16
	known   []bool  // by row: the invocation has been run
	values  []int64 // by key: the table
	members uint64  // copies that live, as far as it knows
	view    int32   // as of which
	queue   []command
	fresh   []engine.Record // command.log=async: run, and not known to be in the log
	written int             // command.log=async: run, and in the log
	ticking bool
	at, end int32 // of the command log, while the table is rebuilt from it
	asked   bool  // noteFlush came before that was done
}

// command is an invocation that the leader has passed on and not answered.
type command struct {
	record engine.Record
	lane   int
	row    int
	need   uint64 // copies that have not confirmed it
}

func (t *replicaTask) Blocked(int) bool { return t.at < t.end }

func (t *replicaTask) Fork(into Task) Task {
	c, ok := into.(*replicaTask)
	if !ok {
		c = &replicaTask{}
	}
	known, values, queue, fresh := c.known, c.values, c.queue, c.fresh
	*c = *t
	c.known, c.values = append(known[:0], t.known...), append(values[:0], t.values...)
	c.queue, c.fresh = append(queue[:0], t.queue...), append(fresh[:0], t.fresh...)
	return c
}

func (t *replicaTask) Reads(buf []LogPos) []LogPos {
	if t.at == t.end {
		return buf
	}
	return append(buf, LogPos{Log: Repartition, Offset: t.at})
}

func (t *replicaTask) clients() int { return len(t.first) }

func (t *replicaTask) row(id engine.RecordID) int { return t.first[id.Part] + int(id.Off) }

// behind is the copies that live and are behind this one, which tells them.
func (t *replicaTask) behind() uint64 { return t.members &^ (2<<t.spec.Index - 1) }

func (t *replicaTask) leads() bool { return t.members&(1<<t.spec.Index-1) == 0 }

func (t *replicaTask) Step(in *In, out *Out) {
	switch in.Kind {
	case InRestore:
		t.attempt, t.members, t.view = in.Attempt, 1<<(t.job.Settings.K+1)-1, viewsOf(in.Attempt)
		t.end = int32(in.World.Own.(*world.Replicated).Len())
		if in.Attempt > 1 {
			out.add(Effect{Kind: DoRestored})
		}
	case InRead:
		t.replay(in.Record, out)
	case InElement:
		if in.Lane < t.clients() {
			t.lead(in.Lane, in.Element.Record, out)
		} else {
			t.follow(in.Lane, in.Element.Record, out)
		}
	case InMessage:
		t.message(in, out)
	}
}

// replay runs an invocation of the command log, which nobody waits for.
func (t *replicaTask) replay(r engine.Record, out *Out) {
	t.at++
	r.Attempt = t.attempt
	t.run(r, engine.NoChan, out)
	t.written++
	if t.at == t.end && t.asked {
		t.flush(out)
	}
}

// lead takes an invocation from a client: log it, tell the copies behind, and run
// it when they all have. So the leader's table never shows what a successor would
// not have.
func (t *replicaTask) lead(lane int, r engine.Record, out *Out) {
	c := command{record: r, lane: lane, row: t.row(r.ID), need: t.behind()}
	for i := range t.queue {
		if t.queue[i].row == c.row {
			out.add(Effect{Kind: DoOp, Op: &world.Recognise{Record: r}})
			return // its answer is under way
		}
	}
	switch {
	case t.known[c.row]:
		out.add(Effect{Kind: DoOp, Op: &world.Recognise{Record: r}})
	case t.job.Settings.CommandLog == "sync":
		out.add(Effect{Kind: DoOp, Op: &world.LogCommand{Record: r}})
	}
	for d := t.spec.Index + 1; d <= t.job.Settings.K; d++ {
		if c.need&(1<<d) != 0 {
			out.add(Effect{Kind: DoSend, Chan: t.spec.Out[0].Chans[d-t.spec.Index-1], Record: r})
		}
	}
	t.queue = append(t.queue, c)
	t.drain(out)
}

// follow runs what the leader passes on, and confirms it.
func (t *replicaTask) follow(lane int, r engine.Record, out *Out) {
	if t.known[t.row(r.ID)] {
		out.add(Effect{Kind: DoOp, Op: &world.Recognise{Record: r}})
	} else {
		t.run(r, t.spec.In[lane], out)
		t.remember(r)
	}
	out.add(Effect{Kind: PostMessage, Note: noteConfirmed, Task: t.job.Plan.Channels[t.spec.In[lane]].From, Value: int64(t.row(r.ID))})
}

// drain runs and answers what every copy behind has confirmed, in the order in
// which it was passed on.
func (t *replicaTask) drain(out *Out) {
	for len(t.queue) > 0 && t.queue[0].need == 0 {
		c := t.queue[0]
		t.queue = t.queue[:copy(t.queue, t.queue[1:])]
		if !t.known[c.row] {
			t.run(c.record, t.spec.In[c.lane], out)
			t.remember(c.record)
			t.tick(out)
		}
		out.add(Effect{Kind: PostMessage, Note: noteAnswer, Task: engine.TaskID(c.record.ID.Part), Value: int64(c.record.ID.Off)})
	}
}

// run changes the table: one row, by the key.
func (t *replicaTask) run(r engine.Record, c engine.ChanID, out *Out) {
	t.known[t.row(r.ID)] = true
	before := t.values[r.Key]
	t.values[r.Key]++
	if t.job.Settings.Sinks[t.spec.Sink].Output == engine.EventOutput {
		t.values[r.Key] = before + t.job.Input.Amount(r.Value)
	}
	out.add(Effect{Kind: DoProcess, Chan: c, Record: r, Before: before, After: t.values[r.Key]})
}

// remember keeps an invocation until it is known to be in an asynchronous log.
func (t *replicaTask) remember(r engine.Record) {
	if t.job.Settings.CommandLog == "async" {
		t.fresh = append(t.fresh, r)
	}
}

// tick makes the leader write the log a while from now.
func (t *replicaTask) tick(out *Out) {
	if t.leads() && !t.ticking && len(t.fresh) > 0 {
		t.ticking = true
		out.add(Effect{Kind: PostMessage, Note: noteTick, Task: t.spec.ID, Delay: asyncLogEvery})
	}
}

func (t *replicaTask) message(in *In, out *Out) {
	switch in.Note {
	case noteConfirmed:
		from := uint64(1) << t.job.Plan.Tasks[in.Task].Index
		for i := range t.queue {
			if int64(t.queue[i].row) == in.Value {
				t.queue[i].need &^= from
			}
		}
		t.drain(out)
	case noteMembers:
		if in.Ckpt <= t.view {
			return
		}
		t.members, t.view = uint64(in.Value), in.Ckpt
		for i := range t.queue {
			t.queue[i].need &= t.members
		}
		t.drain(out)
		t.tick(out)
	case noteTick:
		t.ticking = false
		t.write(out)
	case noteLogged:
		n := min(max(int(in.Value)-t.written, 0), len(t.fresh))
		t.fresh = t.fresh[:copy(t.fresh, t.fresh[n:])]
		t.written += n
	case noteFlush:
		if t.asked = true; t.at == t.end {
			t.flush(out)
		}
	}
}

// write puts what was run since the last time into the log.
func (t *replicaTask) write(out *Out) {
	for i := range t.fresh {
		out.add(Effect{Kind: DoOp, Op: &world.LogCommand{Record: t.fresh[i]}})
	}
	t.written += len(t.fresh)
	t.fresh = t.fresh[:0]
	for d := t.spec.Index + 1; d <= t.job.Settings.K; d++ {
		if t.behind()&(1<<d) != 0 {
			out.add(Effect{Kind: PostMessage, Note: noteLogged, Task: t.spec.ID + engine.TaskID(d-t.spec.Index), Value: int64(t.written)})
		}
	}
}

func (t *replicaTask) flush(out *Out) {
	t.asked = false
	if len(t.fresh) > 0 {
		t.write(out)
	}
	out.add(Effect{Kind: PostMessage, Note: noteFlushed, Task: engine.CoordinatorID})
}
