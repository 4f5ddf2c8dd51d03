package sim

import (
	"testing"

	"effectivelyonce/engine"
)

const transactional = "sink=transactional"

func TestTimeoutAboveBrokerMaximumIsRefused(t *testing.T) {
	tr := run(t, job(t, 1, transactional, "transaction.timeout=20s"))
	if tr.At(1).Kind != engine.StartRefused || tr.At(1).Reason != engine.TimeoutTooLong || last(tr).Reason != engine.NeverStarted {
		t.Fatalf("got\n%s", list(tr, engine.StartRefused, engine.RunEnded))
	}
}

// TestExpiredPromiseIsLostSilently is L13 A: sealed, then an outage longer than
// the transaction's time.
func TestExpiredPromiseIsLostSilently(t *testing.T) {
	changes := []string{transactional, "transaction.timeout=1s", "restart.delay=3s"}
	tr := run(t, job(t, 1, changes...), "crash-job@after:checkpoint.complete")
	got := list(tr, engine.TxnExpired, engine.Fenced, engine.RunEnded)
	want := "sink/0 txn.expired ckpt=0 txn=1.1 2>5 \nsink/0 txn.expired ckpt=0 txn=2.1 1>5 \n" +
		"sink/0 fenced ckpt=0 txn=1.1 5>5 \njob run.ended ckpt=0 txn=0.0 0>0 at rest\n"
	if got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	loud := run(t, job(t, 1, append(changes, "on.expired=fail")...), "crash-job@after:checkpoint.complete")
	if last(loud).Reason != engine.RestartsExhausted {
		t.Fatalf("on.expired=fail: run ended %s, want restarts exhausted", last(loud).Reason)
	}
}

// TestWriterOfExpiredTransactionIsFenced has a timeout shorter than the interval.
func TestWriterOfExpiredTransactionIsFenced(t *testing.T) {
	tr := run(t, job(t, 1, transactional, "transaction.timeout=100ms"))
	if count(tr, engine.Fenced) == 0 || count(tr, engine.RestartBegin) == 0 {
		t.Fatalf("a write into an expired transaction must be refused and fail the job; got\n%s",
			list(tr, engine.TxnExpired, engine.Fenced, engine.TaskFailed, engine.RestartBegin))
	}
}

func TestRestoreCommitsWhatIsPromisedThenAbortsTheRest(t *testing.T) {
	tr := run(t, job(t, 1, transactional), "crash-job@before:txn.commit")
	got := list(tr, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort)
	want := "sink/0 txn.precommit ckpt=1 txn=1.1 1>2 \nsink/0 txn.commit ckpt=0 txn=1.1 2>3 \nsink/0 txn.abort ckpt=0 txn=2.1 1>4 \n"
	if len(got) < len(want) || got[:len(want)] != want {
		t.Fatalf("got\n%swant prefix\n%s", got, want)
	}
}

// TestAbortedCheckpointsPromiseIsCommittedWithTheNext is facts 3.2.
func TestAbortedCheckpointsPromiseIsCommittedWithTheNext(t *testing.T) {
	tr := run(t, job(t, 1, transactional, "topology=K", "checkpoint.interval=150ms", "checkpoint.timeout=100ms", "checkpoint.tolerable-failures=5"))
	covered := 0
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Kind == engine.TxnCommit {
			covered += int(e.Value)
		}
	}
	if count(tr, engine.CheckpointExpired) == 0 {
		t.Fatal("no checkpoint expired; the test shows nothing")
	}
	if last(tr).Reason == engine.AtRest && covered != tr.Job.Input.Len() {
		t.Fatalf("%d rows committed, want %d", covered, tr.Job.Input.Len())
	}
}

func TestCrashAfterTheEndHitsNothing(t *testing.T) {
	j := job(t, 1, transactional)
	clean := run(t, j)
	tr := run(t, j, "crash-job@"+itoa(clean.Len()))
	if tr.Len() != clean.Len()+1 || last(tr).Kind != engine.FaultInjected {
		t.Fatalf("%d events ending with %s, want %d ending with fault.injected", tr.Len(), last(tr).Kind, clean.Len()+1)
	}
}

func TestCrashDuringTheOutageChangesNothingElse(t *testing.T) {
	j := job(t, 1)
	one := run(t, j, "crash-job@60")
	two := run(t, j, "crash-job@60", "crash:count/0@after:restart.begin")
	if count(two, engine.RestartBegin) != count(one, engine.RestartBegin) {
		t.Fatal("a crash of what is already down led to another restart")
	}
}
