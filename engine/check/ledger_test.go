package check_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// ledgerRun writes P0:0 in a transaction that commits only after the crash, and
// P0:1 in one that is aborted and written again.
func ledgerRun(t *testing.T) *hand {
	h := newHand(t, sink("topic", engine.SinkTransactional, event), sink("totals", engine.SinkUpsert, total))
	h.begin(1)
	h.through([2]int{0, 0})
	one := h.txn
	h.add(engine.Event{Kind: engine.BarrierInjected, Task: 0, Ckpt: 1, After: 1, Rec: engine.NoRecord})
	h.snapshot(1)
	h.precommit()
	h.begin(2)
	h.through([2]int{0, 1})
	h.add(engine.Event{Kind: engine.CheckpointComplete, Task: engine.CoordinatorID, Ckpt: 1, Rec: engine.NoRecord})
	h.add(engine.Event{Kind: engine.BarrierInjected, Task: 0, Ckpt: 2, After: 2, Rec: engine.NoRecord})
	h.add(engine.Event{Kind: engine.TaskFailed, Task: counter, Reason: engine.Crashed, Rec: engine.NoRecord})
	h.add(engine.Event{Kind: engine.CheckpointDiscarded, Task: engine.JobID, Ckpt: 2, Rec: engine.NoRecord})
	two := h.txn
	h.restore(1)
	h.add(engine.Event{Kind: engine.SourceRewound, Task: 0, Before: 2, After: 1, Rec: engine.NoRecord})
	h.commit(one)
	h.move(engine.TxnAbort, two, engine.TxnOpen, engine.TxnAborted)
	h.begin(3)
	h.through([2]int{0, 1})
	return h
}

func TestLedgerOfARecordBehindTheCheckpoint(t *testing.T) {
	h := ledgerRun(t)
	l := check.LedgerOf(h.tr, engine.RecordID{Part: 0, Off: 0})
	if len(l.Attempts) != 2 || l.Attempts[0].Read == 0 || l.Attempts[1].Read != 0 || !l.Attempts[1].Behind || l.Attempts[1].From != 1 {
		t.Fatalf("attempts %+v", l.Attempts)
	}
	a := l.Attempts[0]
	if len(a.Copies) != 2 || a.Copies[0].Task != 0 || a.Copies[1].Task != counter || a.Copies[0].Fate != check.Sealed || a.Copies[1].Ckpt != 1 {
		t.Errorf("copies %+v", a.Copies)
	}
	if len(a.Rows) != 2 || a.Rows[0].State != engine.TxnCommitted || a.Rows[0].Ckpt != 1 || a.Rows[0].StateN < l.Attempts[1].Begin {
		t.Errorf("rows %+v", a.Rows)
	}
	for _, e := range l.Effects {
		if e.Times != 1 {
			t.Errorf("effect %+v", e)
		}
	}
}

func TestLedgerOfARepeatedRecord(t *testing.T) {
	h := ledgerRun(t)
	l := check.LedgerOf(h.tr, engine.RecordID{Part: 0, Off: 1})
	a := l.Attempts[0]
	if len(a.Copies) != 1 || a.Copies[0].Ckpt != 2 || a.Copies[0].Fate != check.Discarded {
		t.Errorf("copies %+v", a.Copies)
	}
	if a.Rows[0].State != engine.TxnAborted || l.Attempts[1].Rows[0].State != engine.TxnOpen || a.End == 0 {
		t.Errorf("attempts %+v", l.Attempts)
	}
	want := []check.Effect{{Sink: "topic", Reader: "read_committed", Hidden: 1}, {Sink: "topic", Reader: "read_uncommitted", Times: 2}, {Sink: "totals", Reader: "any", Times: 1}}
	for i, e := range l.Effects {
		if e != want[i] {
			t.Errorf("effect %+v, want %+v", e, want[i])
		}
	}
	early := check.LedgerAt(h.tr, l.ID, int(l.Attempts[0].Read))
	if len(early.Attempts) != 1 || len(early.Attempts[0].Rows) != 0 || early.Effects[2].Times != 0 {
		t.Errorf("a ledger must not know the future: %+v", early)
	}
}

func TestLedgerInSentences(t *testing.T) {
	h := ledgerRun(t)
	got := strings.Join(check.LedgerOf(h.tr, engine.RecordID{Part: 0, Off: 1}).Sentences(h.job), "\n")
	want := `Attempt 1 started from the beginning of the log and read P0:1 (event 10).
count/0 counted it: b went from 0 to 1 (event 11).
topic/0 wrote it (event 12) in transaction 2 of attempt 1: aborted (event 22).
totals/0 wrote it (event 13).
source/0 noted an offset behind it for checkpoint 2: discarded (event 17).
Attempt 1 ended at event 16.
Attempt 2 started from checkpoint 1 and read P0:1 (event 24).
count/0 counted it: b went from 0 to 1 (event 25).
topic/0 wrote it (event 26) in transaction 3 of attempt 2: open.
totals/0 wrote it (event 27).
Outside: topic, read with read_committed, has no row of it; 1 not visible yet.
Outside: topic, read with read_uncommitted, has a row of it twice.
Outside: totals contains it in the total of b once.`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
