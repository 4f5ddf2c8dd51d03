package kafka

import (
	"errors"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"

	"github.com/twmb/franz-go/pkg/kerr"
)

func TestWhatIsPromisedIsCommittedByTheNextLife(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		a := e.live(out, 1, 0, 0)
		kept := a.promise(a.writes(1, 0, 2))
		left := a.writes(2, 2, 1)
		e.shows(out, true, "")
		e.shows(out, false, "P0:0=10/1 P0:1=20/1 P0:2=30/1")

		b := e.live(out, 2, 1, 0, kept)
		if len(b.ans.Lingering) != 1 || b.ans.Lingering[0] != left || b.ans.Epoch != a.ans.Epoch+1 {
			t.Errorf("the second life finds %v lingering and has epoch %d, want %v and %d", b.ans.Lingering, b.ans.Epoch, left, a.ans.Epoch+1)
		}
		for i, before := range []engine.TxnState{engine.TxnPrecommitted, engine.TxnCommitted} {
			if ev, ok := b.do(machine.DoCommit, kept.Txn); !ok || ev.Before != int64(before) || ev.After != int64(engine.TxnCommitted) {
				t.Errorf("commit %d: %t, %d → %d", i+1, ok, ev.Before, ev.After)
			}
		}
		if ev, ok := b.do(machine.DoAbort, left); !ok || ev.Kind != engine.TxnAbort {
			t.Errorf("abort of what lingers: %t, %s", ok, ev.Kind)
		}
		x := b.writes(2, 2, 1)
		b.promise(x)
		b.do(machine.DoCommit, x)
		e.shows(out, true, "P0:0=10/1 P0:1=20/1 P0:2=30/2")
		e.shows(out, false, "P0:0=10/1 P0:1=20/1 P0:2=30/1 P0:2=30/2")
	})
}

// A later restore of the same checkpoint asks for the same commit once more.
func TestACommitIsRepeatedByEveryLife(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		first := e.live(out, 1, 0, 0)
		kept := first.promise(first.writes(1, 0, 1))
		for token := range int64(3) {
			b := e.live(out, token+2, 1, 0, kept)
			if _, ok := b.do(machine.DoCommit, kept.Txn); !ok {
				t.Errorf("life %d: the commit of a committed transaction is refused", token+2)
			}
			b.writes(2, 1, 1)
		}
		e.live(out, 9, 1, 0, kept)
		e.shows(out, true, "P0:0=10/1")
	})
}

func TestAZombieIsFenced(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		old := e.live(out, 1, 0, 0)
		open := old.writes(1, 0, 1)
		asleep := old.txn(2) // begun, and asleep before its first row
		old.do(machine.DoBegin, asleep)

		e.live(out, 2, 0, 0)
		old.do(machine.DoWrite, open, old.record(1))
		if err := old.sink.Flush(e.ctx); !errors.Is(err, ErrFenced) {
			t.Errorf("a row of the replaced life is answered with %v", err)
		}
		if _, ok := old.do(machine.DoCommit, open); ok {
			t.Error("the replaced life commits")
		}
		old.do(machine.DoWrite, asleep, old.record(1))
		if err := old.sink.Flush(e.ctx); !errors.Is(err, ErrFenced) {
			t.Errorf("the first row of a transaction that was begun before is answered with %v", err)
		}
		if ev, ok := old.do(machine.DoBegin, old.txn(3)); ok || ev.Kind != engine.Fenced {
			t.Error("the replaced life begins a new transaction")
		}
		e.shows(out, true, "")
		e.shows(out, false, "P0:0=10/1")
	})
}

func TestAnExpiredPromiseIsRefused(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		a := e.live(out, 1, 0, time.Second)
		kept := a.promise(a.writes(1, 0, 1))
		end := func() int64 { at, err := Ends(e.ctx, e.b, out, true); e.must(err); return at[0] }
		until(t, func() bool { return end() == 2 }, func() string { return "the transaction did not expire" })

		b := e.live(out, 2, 1, time.Second, kept)
		if ev, ok := b.do(machine.DoCommit, kept.Txn); ok || ev.Kind != engine.Fenced {
			t.Errorf("the commit of an expired transaction: %t, %s", ok, ev.Kind)
		}
		e.shows(out, true, "")
	})
}

func TestATimeoutAboveTheBrokersMaximumIsRefusedAtTheStart(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		sink := NewTxnSink(TxnConfig{SinkConfig: SinkConfig{Broker: e.b, Topic: out, Keys: e.keys}, Prefix: e.name, Timeout: time.Hour})
		defer sink.Close()
		if _, err := sink.Open(e.ctx, lifeOf(1)); !errors.Is(err, kerr.InvalidTransactionTimeout) {
			t.Errorf("one hour against a maximum of 15 minutes: %v", err)
		}
	})
}

// The answer to a commit is lost after the broker has carried it out.
func TestALostAnswerToACommitChangesNothing(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		g := new(Gate)
		e.b = Through(e.b, g)
		out := e.topic("out", 1)
		a := e.live(out, 1, 0, 0)
		x := a.writes(1, 0, 1)
		a.promise(x)
		g.LoseAnswer(1)
		if _, ok := a.do(machine.DoCommit, x); !ok || g.Lost() != 1 {
			t.Errorf("commit with a lost answer: %t, %d answers lost", ok, g.Lost())
		}
		e.shows(out, true, "P0:0=10/1")
	})
}

func TestPrefixesThatBeginAlikeDoNotMeet(t *testing.T) {
	guard := "orders-sink/0"
	for id, want := range map[string]bool{
		"orders-sink/0-3-7-2": true, "orders-eu-sink/0-3-7-2": false, "orders-sink/0": false, "orders-sink/0-3-7": false,
		"orders-sink/0-3-7-2-1": false, "orders-sink/01-3-7-2": false, "orders-sink/0-03-7-2": false,
	} {
		if _, ok := parseName(guard, id); ok != want {
			t.Errorf("%s belongs to %s: %t", id, guard, ok)
		}
	}
}
