package check_test

import (
	"reflect"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

const (
	event = engine.EventOutput
	total = engine.TotalOutput
)

func classOf(t *testing.T, vs []check.Verdict, sink, reader string) *check.Verdict {
	t.Helper()
	for i := range vs {
		if vs[i].Sink == sink && vs[i].Reader == reader {
			return &vs[i]
		}
	}
	t.Fatalf("no verdict for %s as %s sees it: %+v", sink, reader, vs)
	return nil
}

func expect(t *testing.T, v *check.Verdict, class check.Class, lost, dup, wrong, pending int) {
	t.Helper()
	got := []any{v.Class, v.Lost, v.Duplicated, v.Wrong, v.Pending}
	if want := []any{class, lost, dup, wrong, pending}; !reflect.DeepEqual(got, want) {
		t.Errorf("%s/%s: class, lost, duplicated, wrong, pending = %v, want %v", v.Sink, v.Reader, got, want)
	}
}

func TestFaultFreeRunIsExactForEveryShape(t *testing.T) {
	for _, out := range []engine.Output{event, total} {
		h := newHand(t, sink("add", engine.SinkAppend, out), sink("set", engine.SinkUpsert, out), sink("mail", engine.SinkEmail, out))
		h.through(all()...)
		for _, v := range check.Judge(h.end(engine.AtRest)) {
			expect(t, &v, check.Exact, 0, 0, 0, 0)
			if v.Expected != 5 || v.Observed != 5 || v.Rewound != 0 || v.Reader != check.AnyReader {
				t.Errorf("%s: %+v", v.Sink, v)
			}
		}
	}
}

func TestReplayDuplicatesRowsAndRewindsTotals(t *testing.T) {
	h := newHand(t, sink("add", engine.SinkAppend, event), sink("ids", engine.SinkUpsert, event), sink("totals", engine.SinkUpsert, total))
	h.through([2]int{0, 0})
	h.snapshot(1)
	h.through([2]int{1, 0}, [2]int{0, 1})
	h.read(1, 1) // read and lost with the memory
	h.restore(1)
	h.through([2]int{0, 1}, [2]int{0, 2}, [2]int{1, 0}, [2]int{1, 1})
	vs := check.Judge(h.end(engine.AtRest))
	add := classOf(t, vs, "add", "any")
	expect(t, add, check.Duplicated, 0, 2, 0, 0)
	if want := []check.Ref{{ID: engine.RecordID{Part: 0, Off: 1}, Key: 1, Times: 2}, {ID: engine.RecordID{Part: 1, Off: 0}, Key: 0, Times: 2}}; !reflect.DeepEqual(add.DuplicatedRows, want) {
		t.Errorf("duplicated rows %+v, want %+v", add.DuplicatedRows, want)
	}
	expect(t, classOf(t, vs, "ids", "any"), check.Exact, 0, 0, 0, 0)
	totals := classOf(t, vs, "totals", "any")
	expect(t, totals, check.Exact, 0, 0, 0, 0)
	if totals.Rewound != 0 {
		t.Errorf("a total set to the same value went back %d times", totals.Rewound)
	}
}

func TestRewoundCountsTotalsThatGoDown(t *testing.T) {
	h := newHand(t, sink("totals", engine.SinkUpsert, total))
	h.through(all()...)
	h.restore(0)
	h.through(all()...)
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, &vs[0], check.Exact, 0, 0, 0, 0)
	if vs[0].Rewound != 2 { // a from 3 to 1, b from 2 to 1
		t.Errorf("rewound %d, want 2", vs[0].Rewound)
	}
}

func TestErrorsThatCancelAreStillErrors(t *testing.T) {
	h := newHand(t, sink("totals", engine.SinkUpsert, total))
	// P0:2 is never counted, P0:0 twice: the total of a is 3, as it should be.
	h.through([2]int{0, 0}, [2]int{0, 0}, [2]int{1, 0}, [2]int{0, 1}, [2]int{1, 1})
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, &vs[0], check.Mixed, 1, 1, 0, 0)
	if vs[0].LostRows[0].ID != (engine.RecordID{Part: 0, Off: 2}) || vs[0].DuplicatedRows[0].ID != (engine.RecordID{Part: 0, Off: 0}) {
		t.Errorf("%+v", vs[0])
	}
}

func TestLostIsJudgedById(t *testing.T) {
	h := newHand(t, sink("add", engine.SinkAppend, event), sink("totals", engine.SinkUpsert, total))
	h.through([2]int{0, 0}, [2]int{1, 0}, [2]int{0, 1}, [2]int{1, 1})
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, &vs[0], check.Lost, 1, 0, 0, 0)
	expect(t, &vs[1], check.Lost, 1, 0, 0, 0)
}

func TestRowsOfTotalsMustShowEachTotal(t *testing.T) {
	h := newHand(t, sink("add", engine.SinkAppend, total))
	for i, r := range all() {
		h.read(r[0], r[1])
		h.count(r[0], r[1])
		h.write(0, r[0], r[1], []int64{1, 1, 1, 2, 3}[i]) // a shows 1 twice and never 2
	}
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, &vs[0], check.Wrong, 0, 0, 1, 0)
}

func TestValuesAndOrphansAreWrong(t *testing.T) {
	h := newHand(t, sink("add", engine.SinkAppend, event), sink("ids", engine.SinkUpsert, event), sink("totals", engine.SinkUpsert, total))
	h.through(all()...)
	bad := h.rec(engine.SinkWrite, firstSink+1, 0, 0)
	bad.Value = 7
	h.add(bad) // the table shows a wrong amount
	bad.Task, bad.Rec = firstSink+2, engine.RecordID{Part: 0, Off: 2}
	h.add(bad) // and a total that its history does not explain
	bad.Task, bad.Rec = firstSink, engine.RecordID{Part: 0, Off: 99}
	h.add(bad) // a row that no input caused
	for _, v := range check.Judge(h.end(engine.AtRest)) {
		if v.Class != check.Wrong || v.Wrong != 1 || v.WrongRows[0].Value != 7 {
			t.Errorf("%s: %+v", v.Sink, v)
		}
	}
}

func TestAbortedRowsExistForReadersOfUncommittedRows(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, event))
	h.begin(1)
	h.through([2]int{0, 0}, [2]int{1, 0})
	one := h.txn
	h.precommit()
	h.begin(2)
	h.through([2]int{0, 1})
	two := h.txn
	h.restore(1)
	h.commit(one)
	h.move(engine.TxnAbort, two, engine.TxnOpen, engine.TxnAborted)
	h.begin(2)
	h.through([2]int{0, 1}, [2]int{1, 1}, [2]int{0, 2})
	h.precommit()
	h.commit(h.txn)
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, classOf(t, vs, "topic", "read_committed"), check.Exact, 0, 0, 0, 0)
	expect(t, classOf(t, vs, "topic", "read_uncommitted"), check.Duplicated, 0, 1, 0, 0)
}

func TestOpenTransactionHidesWhatLiesBehindIt(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, event))
	h.begin(1)
	h.through([2]int{0, 0})
	lingering := h.txn
	h.restore(0)
	h.begin(2)
	h.through(all()...)
	h.precommit()
	h.commit(h.txn)
	f := check.NewFold(h.job)
	f.Advance(h.tr, h.tr.Len())
	rc := classOf(t, f.Verdicts(false), "topic", "read_committed")
	expect(t, rc, check.Exact, 0, 0, 0, 5)
	if rc.Hidden != 5 || rc.InFlight != 0 || rc.Observed != 0 {
		t.Errorf("behind the last stable offset: %+v", rc)
	}
	expect(t, classOf(t, check.Judge(h.end(engine.AtRest)), "topic", "read_committed"), check.Stuck, 0, 0, 0, 5)

	h.move(engine.TxnExpired, lingering, engine.TxnOpen, engine.TxnTimedOut)
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, classOf(t, vs, "topic", "read_committed"), check.Exact, 0, 0, 0, 0)
	expect(t, classOf(t, vs, "topic", "read_uncommitted"), check.Duplicated, 0, 1, 0, 0)
}

func TestExpiredPromiseIsLost(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, total))
	h.begin(1)
	h.through(all()...)
	h.precommit()
	h.move(engine.TxnExpired, h.txn, engine.TxnPrecommitted, engine.TxnTimedOut)
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, classOf(t, vs, "topic", "read_committed"), check.Lost, 5, 0, 0, 0)
	expect(t, classOf(t, vs, "topic", "read_uncommitted"), check.Exact, 0, 0, 0, 0)
}

func TestRepeatedCommitTakesNoOffset(t *testing.T) {
	h := newHand(t, sink("topic", engine.SinkTransactional, event))
	h.begin(1)
	h.through(all()...)
	h.precommit()
	h.commit(h.txn)
	h.move(engine.TxnCommit, h.txn, engine.TxnCommitted, engine.TxnCommitted)
	vs := check.Judge(h.end(engine.AtRest))
	expect(t, classOf(t, vs, "topic", "read_committed"), check.Exact, 0, 0, 0, 0)
}

func TestRunThatDoesNotRestIsStuck(t *testing.T) {
	h := newHand(t, sink("add", engine.SinkAppend, event))
	h.through([2]int{0, 0}, [2]int{1, 0})
	vs := check.Judge(h.end(engine.HorizonReached))
	expect(t, &vs[0], check.Stuck, 0, 0, 0, 3)
}

func TestEmitAtCountIsJudgedByKey(t *testing.T) {
	mail := sink("mail", engine.SinkEmail, total)
	mail.EmitAt = 3
	h := newHand(t, mail)
	run := func() {
		for _, r := range all() {
			h.read(r[0], r[1])
			if n := h.count(r[0], r[1]); n == 3 {
				h.write(0, r[0], r[1], n)
			}
		}
	}
	run()
	f := check.NewFold(h.job)
	f.Advance(h.tr, 2) // only one a was read: nothing is due
	if v := f.Verdicts(false)[0]; v.Expected != 0 || v.Pending != 0 {
		t.Errorf("before the third a: %+v", v)
	}
	vs := check.Judge(h.tr)
	if vs[0].Expected != 1 || vs[0].Observed != 1 {
		t.Errorf("one key reaches 3: %+v", vs[0])
	}
	h.restore(0)
	// In another order a different record brings a to 3; the row is the same one again.
	for _, r := range [][2]int{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}} {
		h.read(r[0], r[1])
		if n := h.count(r[0], r[1]); n == 3 {
			h.write(0, r[0], r[1], n)
		}
	}
	vs = check.Judge(h.end(engine.AtRest))
	expect(t, &vs[0], check.Duplicated, 0, 1, 0, 0)
	if r := vs[0].DuplicatedRows[0]; r.ID != engine.NoRecord || r.Key != 0 || r.Times != 2 {
		t.Errorf("the row is named by its key: %+v", r)
	}
}
