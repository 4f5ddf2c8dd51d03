package trace_test

import (
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// hand folds events that never ran, in order.
type hand struct {
	*trace.View
	n int32
}

func newHand(t *testing.T, changes ...string) *hand {
	t.Helper()
	return &hand{View: trace.NewView(job(t, cards, changes...))}
}

func (h *hand) do(t *testing.T, kind engine.Kind, task string, e engine.Event) {
	t.Helper()
	h.n++
	e.N, e.Kind, e.Task, e.Attempt = h.n, kind, engine.JobID, max(1, e.Attempt)
	if task != "" {
		id, ok := h.Job.Plan.Find(task)
		if !ok {
			t.Fatalf("no task %s", task)
		}
		e.Task = id
	}
	h.Apply(&e)
}

func (h *hand) txn(t *testing.T, task string, no int16) engine.Txn {
	t.Helper()
	id, _ := h.Job.Plan.Find(task)
	return engine.Txn{Task: id, No: no, Attempt: 1}
}

// A reader of committed rows stops at the first transaction that is undecided,
// also before rows that are committed; markers take offsets of their own.
func TestLastStableOffset(t *testing.T) {
	h := newHand(t, "topology=J2", "sink=transactional")
	a, b := h.txn(t, "sink/0", 1), h.txn(t, "sink/1", 1)
	open, done := int64(engine.TxnOpen), int64(engine.TxnCommitted)
	see := func(when string, seen, hidden, all int) {
		t.Helper()
		o := &h.Outside[0]
		if n, k := o.Visible(engine.ReadCommitted); n != seen || k != hidden {
			t.Errorf("%s: committed readers see %d, %d hidden; want %d, %d", when, n, k, seen, hidden)
		}
		if n, _ := o.Visible(engine.ReadUncommitted); n != all {
			t.Errorf("%s: others see %d, want %d", when, n, all)
		}
	}
	write := func(task string, x engine.Txn, off int32) {
		t.Helper()
		h.do(t, engine.SinkWrite, task, engine.Event{Txn: x, Rec: engine.RecordID{Off: off}})
	}
	h.do(t, engine.TxnBegin, "sink/0", engine.Event{Txn: a, After: open})
	h.do(t, engine.TxnBegin, "sink/1", engine.Event{Txn: b, After: open})
	see("nothing written", 0, 0, 0)
	write("sink/1", b, 0)
	write("sink/0", a, 1)
	write("sink/1", b, 2)
	see("both open", 0, 3, 3)
	h.do(t, engine.TxnCommit, "sink/1", engine.Event{Txn: b, Before: open, After: done, Value: 2})
	see("second committed behind the first", 1, 2, 3)
	if o := &h.Outside[0]; o.Stable() != 1 || len(o.Topic) != 4 || !o.Sees(0, engine.ReadCommitted) || o.Sees(2, engine.ReadCommitted) {
		t.Errorf("stable offset %d of %d entries", o.Stable(), len(o.Topic))
	}
	h.do(t, engine.TxnAbort, "sink/0", engine.Event{Txn: a, Before: open, After: int64(engine.TxnAborted), Value: 1})
	see("first aborted", 2, 0, 3)
	h.do(t, engine.TxnCommit, "sink/1", engine.Event{Txn: b, Before: done, After: done, Value: 2})
	h.do(t, engine.Fenced, "sink/0", engine.Event{Txn: a, Before: int64(engine.TxnAborted)})
	see("repeated and refused", 2, 0, 3)
	if o := &h.Outside[0]; len(o.Topic) != 5 || o.Txns[1].Repeats != 1 || o.Txns[0].Refused != 1 || o.Topic[3].Row != -1 || !o.Topic[3].Commit || o.Topic[4].Commit {
		t.Errorf("topic %+v, transactions %+v", o.Topic, o.Txns)
	}
}

// A table keeps one row per key and remembers that a total went back.
func TestTableRewinds(t *testing.T) {
	h := newHand(t, "sink=upsert", "output=total")
	for i, w := range []struct {
		value   int64
		rewound bool
		prev    int64
	}{{1, false, engine.NoRow}, {2, false, 1}, {1, true, 2}, {2, false, 1}, {3, false, 2}} {
		h.do(t, engine.SinkWrite, "sink/0", engine.Event{Value: w.value, Rec: engine.RecordID{Off: int32(i)}})
		o := &h.Outside[0]
		if c := o.Cells[0]; len(o.Cells) != 1 || c.Value != w.value || c.Rewound() != w.rewound || c.Prev != w.prev || c.Writes != i+1 {
			t.Errorf("after write %d: %+v", i, c)
		}
	}
}

// Rows that are written only at a count are the same row when key and count are.
func TestRowIdentity(t *testing.T) {
	h := newHand(t, "sink=email", "emit=at-count:3")
	for i, off := range []int32{3, 4} {
		h.do(t, engine.SinkWrite, "sink/0", engine.Event{Rec: engine.RecordID{Off: off}, Key: 1, Attempt: int16(i + 1)})
	}
	h.do(t, engine.SinkWrite, "sink/0", engine.Event{Rec: engine.RecordID{Off: 5}, Key: 2})
	o := &h.Outside[0]
	if o.Rows[0].Copy != 1 || o.Rows[1].Copy != 2 || o.Rows[2].Copy != 1 || o.Copies(o.Rows[0].ID) != 2 {
		t.Errorf("rows %+v", o.Rows)
	}
}

// A crash takes a task's memory and the lanes into it, and leaves what it had put
// into the lanes of others; a restart takes everything that is not durable.
func TestCrashAndRestart(t *testing.T) {
	h := newHand(t)
	rec := func(off int32) engine.Event {
		return engine.Event{Rec: engine.RecordID{Off: off}, Value: 5, Before: int64(off), After: int64(off + 1)}
	}
	send := func(from string, c engine.ChanID, off int32) {
		t.Helper()
		e := rec(off)
		e.Chan = c
		h.do(t, engine.RecordSent, from, e)
	}
	h.do(t, engine.SourceRead, "source/0", rec(0))
	if hand := h.Tasks[0].Hand; !hand.Full || len(hand.Left) != 1 {
		t.Fatalf("hand of source/0: %+v", hand)
	}
	send("source/0", 0, 0)
	h.do(t, engine.RecordProcessed, "count/0", engine.Event{Chan: 0, Rec: engine.RecordID{}, Before: 0, After: 1})
	send("count/0", 2, 0)
	h.do(t, engine.SourceRead, "source/0", rec(1))
	send("source/0", 0, 1)
	if h.Tasks[0].Hand.Full || h.Tasks[2].Counts[0] != 1 || len(h.Chans[2].Elems) != 1 || h.Chans[2].Elems[0].Total != 1 {
		t.Fatalf("before the crash: %+v, %+v", h.Tasks, h.Chans)
	}
	h.do(t, engine.FaultInjected, "count/0", engine.Event{Fault: 7})
	if h.Tasks[2].Status != trace.Crashed || h.Tasks[2].Counts[0] != 0 || len(h.Chans[0].Elems) != 0 || len(h.Chans[2].Elems) != 1 || h.Phase != trace.Down {
		t.Errorf("after the crash: %+v, %+v", h.Tasks[2], h.Chans)
	}
	h.do(t, engine.SourceRead, "source/0", rec(2))
	send("source/0", 0, 2)
	if len(h.Chans[0].Elems) != 0 {
		t.Error("a dead process receives records")
	}
	h.do(t, engine.RestartBegin, "", engine.Event{Before: 1, After: 2})
	if len(h.Chans[2].Elems) != 0 || h.Tasks[3].Status != trace.Restarted || h.Attempt != 2 || h.Phase != trace.Restoring {
		t.Errorf("after the restart: %+v, attempt %d, %s", h.Chans[2], h.Attempt, h.Phase)
	}
	h.do(t, engine.SourceRewound, "source/0", engine.Event{Before: 3, After: 0, Attempt: 2})
	e := rec(0)
	e.Attempt = 2
	h.do(t, engine.SourceRead, "source/0", e)
	if l := h.Logs[0]; l.Next != 1 || l.Furthest != 3 || !h.Again(e.Rec, 2) || h.Again(e.Rec, 1) {
		t.Errorf("the log after the rewind: %+v", l)
	}
}

// A barrier of a checkpoint that was given up blocks nothing; one in the picture
// of the log goes with its checkpoint.
func TestGivenUpCheckpoint(t *testing.T) {
	h := newHand(t)
	h.do(t, engine.CheckpointTriggered, "coordinator", engine.Event{Ckpt: 1})
	h.do(t, engine.BarrierInjected, "source/0", engine.Event{Ckpt: 1, After: 4})
	h.do(t, engine.BarrierArrived, "count/0", engine.Event{Ckpt: 1, Chan: 0, Before: 0, After: 1})
	h.do(t, engine.ChannelBlocked, "count/0", engine.Event{Ckpt: 1, Chan: 0})
	if h.Tasks[2].Aligning != 1 || !h.Chans[0].Blocked || h.Chans[0].Arrived != 1 || h.Logs[0].Barrier.Off != 4 || h.Pending() == nil {
		t.Fatalf("aligning: %+v, %+v", h.Tasks[2], h.Chans[0])
	}
	h.do(t, engine.CheckpointExpired, "coordinator", engine.Event{Ckpt: 1})
	h.do(t, engine.ChannelUnblocked, "count/0", engine.Event{Ckpt: 1, Chan: 0})
	h.do(t, engine.BarrierArrived, "count/0", engine.Event{Ckpt: 1, Chan: 1})
	if h.Tasks[2].Aligning != 0 || h.Tasks[2].Status != trace.Running || h.Chans[0].Blocked || h.Chans[1].Arrived != 0 || h.Logs[0].Barrier.Ckpt != 0 || h.Pending() != nil {
		t.Errorf("given up: %+v, %+v", h.Tasks[2], h.Chans)
	}
}
