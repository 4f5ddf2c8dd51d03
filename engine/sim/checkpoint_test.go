package sim

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

func TestBarrierGoesOnBeforeStateIsDurable(t *testing.T) {
	tr := run(t, job(t, 1))
	aligned, stored := 0, 0
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		if e.Ckpt != 1 || tr.Job.Plan.Name(e.Task) != "count/0" && tr.Job.Plan.Name(e.Task) != "sink/0" {
			continue
		}
		if e.Kind == engine.BarrierArrived && tr.Job.Plan.Name(e.Task) == "sink/0" {
			aligned = n
		}
		if e.Kind == engine.SnapshotStored && tr.Job.Plan.Name(e.Task) == "count/0" {
			stored = n
		}
	}
	if aligned == 0 || stored == 0 || aligned > stored {
		t.Fatalf("barrier 1 at the sink: event %d, count's part durable: event %d; the barrier must not wait", aligned, stored)
	}
}

func TestSealedButNotNotifiedIsTheRecoveryPoint(t *testing.T) {
	tr := run(t, job(t, 1, "sink=transactional"), "crash-job@after:checkpoint.complete")
	got := list(tr, engine.CheckpointComplete, engine.RestoreDone, engine.TxnCommit, engine.TxnAbort)
	want := "coordinator checkpoint.complete ckpt=1 txn=0.0 0>4 \n" +
		"source/0 restore.done ckpt=1 txn=0.0 0>0 \nsource/1 restore.done ckpt=1 txn=0.0 0>0 \n" +
		"count/0 restore.done ckpt=1 txn=0.0 0>0 \nsink/0 restore.done ckpt=1 txn=0.0 0>0 \n" +
		"sink/0 txn.commit ckpt=0 txn=1.1 2>3 \n"
	if !strings.HasPrefix(got, want) {
		t.Fatalf("got\n%swant prefix\n%s", got, want)
	}
}

func TestUnsealedCheckpointIsDiscarded(t *testing.T) {
	tr := run(t, job(t, 1), "crash:count/0@before:checkpoint.complete")
	got := list(tr, engine.TaskFailed, engine.CheckpointDiscarded, engine.RestartBegin, engine.SourceRewound)
	want := "count/0 task.failed ckpt=0 txn=0.0 0>0 crashed\njob checkpoint.discarded ckpt=1 txn=0.0 4>0 \n" +
		"job restart.begin ckpt=0 txn=0.0 1>2 \nsource/0 source.rewound ckpt=0 txn=0.0 7>0 \nsource/1 source.rewound ckpt=0 txn=0.0 7>0 \n"
	if got != want {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
}

func TestExpiredCheckpointFailsTheJobBeyondTolerance(t *testing.T) {
	tr := run(t, job(t, 1, "checkpoint.timeout=50ms"))
	if e := last(tr); e.Reason != engine.RestartsExhausted {
		t.Fatalf("run ended %s, want restarts exhausted", e.Reason)
	}
	if n := count(tr, engine.RestartBegin); n != engine.MaxRestarts {
		t.Fatalf("%d restarts, want %d", n, engine.MaxRestarts)
	}
	tolerant := run(t, job(t, 1, "checkpoint.timeout=50ms", "checkpoint.tolerable-failures=3"))
	if count(tolerant, engine.CheckpointExpired) < 4 {
		t.Fatal("three failures are tolerated; the fourth must have happened before the first restart")
	}
	seen := 0
	for n := 1; n <= tolerant.Len() && tolerant.At(n).Kind != engine.RestartBegin; n++ {
		if tolerant.At(n).Kind == engine.CheckpointExpired {
			seen++
		}
	}
	if seen != 4 {
		t.Fatalf("%d checkpoints expired before the restart, want 4", seen)
	}
}

func TestTolerableFailuresCountInARow(t *testing.T) {
	// The counter is slow only while checkpoint 1 is taken, so that one expires and later ones do not.
	tr := run(t, job(t, 1, "checkpoint.timeout=150ms", "checkpoint.interval=200ms", "checkpoint.tolerable-failures=1"), "slow:count/0:x20:150ms@190ms")
	if count(tr, engine.CheckpointExpired) != 1 || last(tr).Reason != engine.AtRest || count(tr, engine.RestartBegin) != 0 {
		t.Fatalf("want one expired checkpoint, no restart and rest; got\n%s", list(tr, engine.CheckpointExpired, engine.CheckpointComplete, engine.RestartBegin, engine.RunEnded))
	}
	blocked := map[engine.ChanID]bool{}
	for n := 1; n <= tr.Len(); n++ {
		switch e := tr.At(n); e.Kind {
		case engine.ChannelBlocked:
			blocked[e.Chan] = true
		case engine.ChannelUnblocked:
			delete(blocked, e.Chan)
		}
	}
	if len(blocked) != 0 {
		t.Fatalf("lanes %v stay held for a checkpoint that was given up", blocked)
	}
}

func TestMinPauseAndOverdueCheckpoints(t *testing.T) {
	times := func(changes ...string) (starts, ends []engine.Time) {
		tr := run(t, job(t, 1, changes...))
		for n := 1; n <= tr.Len(); n++ {
			switch e := tr.At(n); e.Kind {
			case engine.CheckpointTriggered:
				starts = append(starts, e.T)
			case engine.CheckpointComplete:
				ends = append(ends, e.T)
			}
		}
		return starts, ends
	}
	starts, ends := times("checkpoint.interval=60ms")
	for i := 1; i < len(starts); i++ {
		if starts[i] != ends[i-1] && starts[i]-starts[i-1] != 60*engine.Millisecond {
			t.Errorf("checkpoint %d starts at %s; the one before ended at %s and an overdue one follows at once", i+1, starts[i], ends[i-1])
		}
	}
	starts, ends = times("checkpoint.interval=60ms", "checkpoint.min-pause=90ms")
	for i := 1; i < len(starts); i++ {
		if starts[i]-ends[i-1] < 90*engine.Millisecond {
			t.Errorf("checkpoint %d starts %s after the end of the one before, want at least 90ms", i+1, starts[i]-ends[i-1])
		}
	}
	if len(starts) < 3 {
		t.Fatalf("only %d checkpoints", len(starts))
	}
}

func TestChannelsAreBoundedAndPressBack(t *testing.T) {
	for _, capacity := range []int{1, 3} {
		tr := run(t, job(t, 1, "topology=K", "backlog=on", "channel.capacity="+itoa(capacity)), "slow:enrich/0:x20@0s")
		if count(tr, engine.ChannelFull) == 0 {
			t.Fatalf("capacity %d: a slow reader with a backlog never filled a channel", capacity)
		}
		held := map[engine.ChanID]int{}
		for n := 1; n <= tr.Len(); n++ {
			switch e := tr.At(n); e.Kind {
			case engine.RecordSent:
				if held[e.Chan]++; held[e.Chan] > capacity {
					t.Fatalf("event %d: channel %d holds %d records, capacity %d", n, e.Chan, held[e.Chan], capacity)
				}
			case engine.RecordProcessed:
				held[e.Chan]--
			case engine.SinkWrite:
				held[tr.Job.Plan.Tasks[e.Task].In[0]]--
			}
		}
		if last(tr).Reason != engine.AtRest {
			t.Fatalf("capacity %d: run ended %s", capacity, last(tr).Reason)
		}
	}
}

// The shorter of two slow faults ends first; the longer one goes on.
func TestSlowFaultsMayOverlap(t *testing.T) {
	long := run(t, job(t, 1), "slow:count/0:x20:900ms@0s")
	both := run(t, job(t, 1), "slow:count/0:x20:900ms@0s", "slow:count/0:x2:1ms@1ms")
	at := func(tr *trace.Trace) (n int) {
		for i := 1; i <= tr.Len(); i++ {
			if e := tr.At(i); e.Kind == engine.RecordProcessed && e.T < 900*engine.Millisecond {
				n++
			}
		}
		return n
	}
	if a, b := at(long), at(both); b > a+1 {
		t.Errorf("%d records counted while the counter was slow, %d with a short second slowness inside", a, b)
	}
}

// A job that has been stopped and started since must not fail for a process that
// died in the attempt before.
func TestAFailureIsNoticedOnceAndInItsOwnAttempt(t *testing.T) {
	for _, second := range []string{"crash-job@60", "crash:source/1@60"} {
		tr := run(t, job(t, 1, "restart.delay=0ms", "crash.detection=50ms"), "crash:count/0@58", second)
		if n := count(tr, engine.RestartBegin); n != 1 {
			t.Errorf("%s: %d restarts, want 1\n%s", second, n, list(tr, engine.FaultInjected, engine.TaskFailed, engine.RestartBegin))
		}
	}
}
