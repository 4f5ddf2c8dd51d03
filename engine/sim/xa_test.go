package sim

import (
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// global is what the events say of one global transaction.
type global struct {
	votes     int
	decided   engine.TxnState
	committed int // participants
	aborted   bool
}

// atomic holds a run to two-phase commit: nothing is committed without all votes
// and a decision, there is one decision a transaction, nothing is taken while a
// participant is in doubt, and an application begins at the committed position.
func atomic(tr *trace.Trace) error {
	all := map[engine.Txn]*global{}
	of := func(x engine.Txn) *global {
		if all[x] == nil {
			all[x] = &global{}
		}
		return all[x]
	}
	position := make([]int32, len(tr.Job.Input.Parts))
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		x := of(e.Txn)
		bad := false
		switch e.Kind {
		case engine.ParticipantPrepared:
			x.votes++
		case engine.CoordinatorDecided:
			bad = x.decided != engine.TxnNone || engine.TxnState(e.After) == engine.TxnCommitted && x.votes < 2
			x.decided = engine.TxnState(e.After)
		case engine.TxnCommit, engine.OffsetCommit:
			x.committed++
			bad = x.votes < 2 || x.decided != engine.TxnCommitted || x.aborted
			if e.Kind == engine.OffsetCommit {
				position = engine.UnpackPositions(e.Value, e.After, len(position))
			}
		case engine.TxnAbort:
			x.aborted = true
			bad = x.committed > 0 || x.votes > 0 && x.decided != engine.TxnAborted
		case engine.SourceRead:
			for _, o := range all {
				bad = bad || o.votes > 0 && o.committed < 2 && !o.aborted
			}
		case engine.SourceRewound:
			bad = int32(e.After) != position[e.Value] && of(lastTxn(tr, n)).committed != 1
		}
		if bad {
			return fmt.Errorf("event %d, %s: %+v", n, e.Kind, *x)
		}
	}
	return nil
}

// lastTxn is the newest transaction begun before event n.
func lastTxn(tr *trace.Trace, n int) (x engine.Txn) {
	for i := 1; i < n; i++ {
		if e := tr.At(i); e.Kind == engine.TxnBegin {
			x = e.Txn
		}
	}
	return x
}

func TestTwoPhaseCommitHoldsAtEveryGap(t *testing.T) {
	stuck := 0
	for _, settings := range []string{"coordinator.log=on", "coordinator.log=off"} {
		for _, more := range []string{"restart.delay=500ms", "restart.delay=5ms", "commit.every=1"} {
			j := job(t, 1, "strategy=xa", "topology=LOOP", "sink=transactional", settings, more)
			clean := run(t, j)
			for gap := 0; gap < clean.Len(); gap++ {
				for _, fault := range []string{"crash-job", "crash:coordinator", "crash:loop/0"} {
					tr := run(t, j, fmt.Sprintf("%s@%d", fault, gap))
					if err := atomic(tr); err != nil {
						t.Fatalf("%s %s %s@%d: %v", settings, more, fault, gap, err)
					}
					if last(tr).Reason != engine.AtRest {
						stuck++
						if fault != "crash:coordinator" || settings != "coordinator.log=off" {
							t.Fatalf("%s %s %s@%d ended %s", settings, more, fault, gap, last(tr).Reason)
						}
					}
				}
			}
		}
	}
	if stuck == 0 {
		t.Fatal("no run was ever stuck in doubt")
	}
}

// TestCrashJobLeavesTheCoordinatorAlone: it is a process of its own.
func TestCrashJobLeavesTheCoordinatorAlone(t *testing.T) {
	j := job(t, 1, "strategy=xa", "topology=LOOP", "sink=transactional")
	tr := run(t, j, "crash-job@after:participant.prepared")
	at := 0
	for n := 1; n <= tr.Len(); n++ {
		switch e := tr.At(n); e.Kind {
		case engine.RestartBegin:
			at = n
		case engine.RestoreDone:
			if e.Task == engine.CoordinatorID {
				t.Fatal("the coordinator was restored")
			}
		case engine.CoordinatorDecided:
			if at == 0 {
				t.Fatal("decided before the application was found dead; the test shows nothing")
			}
			if engine.TxnState(e.After) != engine.TxnCommitted {
				t.Fatalf("event %d: decided %s although both can vote", n, engine.TxnState(e.After))
			}
			return
		}
	}
	t.Fatal("no decision")
}
