package explore_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// TestLedgerTellsEveryStrategy reads the story of every record of a run with a
// crash: it names the strategy's own point of return, and an effect that agrees
// with the verdict.
func TestLedgerTellsEveryStrategy(t *testing.T) {
	for _, c := range []struct{ settings, fault, say string }{
		{"strategy=microbatch sink=offset-with-output output=total", "crash-job@before:commitlog.written~2", "started from batch 1"},
		{"strategy=microbatch sink=append", "crash-job@before:commitlog.written~2", "started from batch 1"},
		{"strategy=microbatch sink=transactional", "crash-job@after:txn.commit~2", "knew it and changed nothing"},
		{"strategy=kafka-streams sink=upsert output=total", "crash-job@before:offset.commit~2", "started from commit 1"},
		{"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", "crash-job@before:txn.commit~2", "in transaction 2 of attempt 1: aborted"},
		{"checkpoint.unaligned=on backlog=on checkpoint.interval=40ms sink=transactional", "crash-job@after:checkpoint.complete", "started from checkpoint 1"},
	} {
		job, err := jobOf(1, c.settings)
		if err != nil {
			t.Fatal(err)
		}
		f, err := engine.ParseFault(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := sim.Run(job, []engine.Fault{f})
		if err != nil {
			t.Fatal(err)
		}
		v, observed, said := check.Judge(tr)[0], 0, false
		for p, part := range job.Input.Parts {
			for o := range part {
				l := check.LedgerOf(tr, engine.RecordID{Part: int16(p), Off: int32(o)})
				observed += l.Effects[0].Times
				said = said || strings.Contains(strings.Join(l.Sentences(job), "\n"), c.say)
				if v.Class == check.Exact && (l.Effects[0].Times != 1 || !wrote(l)) {
					t.Errorf("%s: %s has %d effects, of an attempt that wrote it: %v", c.settings, l.ID, l.Effects[0].Times, wrote(l))
				}
			}
		}
		if observed != v.Observed || !said {
			t.Errorf("%s: ledgers show %d effects, the verdict %d; %q said: %v", c.settings, observed, v.Observed, c.say, said)
		}
	}
}

func wrote(l *check.Ledger) bool {
	for i := range l.Attempts {
		if len(l.Attempts[i].Rows) > 0 {
			return true
		}
	}
	return false
}
