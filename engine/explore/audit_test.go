package explore_test

import (
	"fmt"
	"sort"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// forged is a copy of a run without the events that keep refuses, and with twice
// those that it wants twice.
func forged(t *trace.Trace, copies func(n int) int) *trace.Trace {
	out := trace.New(t.Job, t.Faults)
	for n := 1; n <= t.Len(); n++ {
		for range copies(n) {
			out.Append(*t.At(n))
		}
	}
	return out
}

// A rule that nothing can break checks nothing. Every event of a good run is
// needed: if it is left out or happens twice, an invariant says so, except for
// events that only tell what others have done. What happened shortly before a
// crash may be left out as well, for its consequences died.
func TestInvariantsMissNoEvent(t *testing.T) {
	remarks := map[engine.Kind]bool{
		engine.ChannelBlocked: true, engine.ChannelUnblocked: true, engine.ChannelFull: true, // the lanes tell the same
		engine.CheckpointNotified: true, // best effort
		engine.ReplayCaughtUp:     true,
		engine.FaultInjected:      true, // a process may also die of itself
		engine.TaskFailed:         true,
		engine.TxnCommit:          true, // may be repeated
	}
	missed, seen := map[string]int{}, map[engine.Kind]bool{}
	for _, s := range []shape{{engine.SinkTransactional, engine.TotalOutput}, {engine.SinkUpsert, engine.TotalOutput}} {
		job := reference(t, s, 1)
		for _, spec := range []string{"", "crash-job@before:checkpoint.complete~2", "crash:count/0@after:checkpoint.complete", "crash:sink/0@100"} {
			var faults []engine.Fault
			if spec != "" {
				faults = append(faults, mustFault(t, job, spec))
			}
			run := mustRun(t, job, faults...)
			if vs := check.Invariants(run); len(vs) > 0 {
				t.Fatalf("%s: %v", spec, vs)
			}
			for n := firstThatCounts(run); n <= run.Len(); n++ {
				kind := run.At(n).Kind
				seen[kind] = true
				if kind == engine.TxnCommit && run.At(n).Before == run.At(n).After {
					continue // a repeat that changes nothing
				}
				for _, times := range []int{0, 2} {
					bad := forged(run, func(i int) int {
						if i == n {
							return times
						}
						return 1
					})
					if len(check.Invariants(bad)) == 0 && !(remarks[kind] && (times == 2 || kind != engine.TxnCommit)) {
						missed[fmt.Sprintf("%s %d times", kind, times)]++
					}
				}
			}
		}
	}
	if len(seen) < 20 {
		t.Errorf("only %d kinds of events were tried", len(seen))
	}
	var lines []string
	for what, n := range missed {
		lines = append(lines, fmt.Sprintf("%s: nobody noticed, in %d cases", what, n))
	}
	sort.Strings(lines)
	if len(lines) > 0 {
		t.Error(strings.Join(lines, "\n"))
	}
}

// firstThatCounts is the event with which the last restart begins, 1 without one.
func firstThatCounts(t *trace.Trace) int {
	first := 1
	for n := 1; n <= t.Len(); n++ {
		if t.At(n).Kind == engine.RestartBegin {
			first = n
		}
	}
	return first
}
