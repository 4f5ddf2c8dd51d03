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

// TestLedgerSpeaksTheWordsOfItsRun: what a file, an e-mail, a local store, a txid, a vote
// and a task that comes back alone are is said in their own words, and in the order in
// which it happened.
func TestLedgerSpeaksTheWordsOfItsRun(t *testing.T) {
	for _, c := range []struct {
		settings, fault string
		until           engine.Kind // the ledger is read at the last of these
		says, not       string
	}{
		{"sink=files", "crash-job@after:txn.precommit~2", engine.RunEnded, "into file 2 of attempt 1: deleted", "in transaction"},
		{"strategy=microbatch sink=email", "crash-job@before:commitlog.written~2", engine.RunEnded, "sent an e-mail for it", "wrote it"},
		{"strategy=microbatch sink=append output=total", "crash-job@before:commitlog.written~2", engine.RunEnded, "for batch 2: attempt 2 made it again", "\x00"},
		{"strategy=kafka-streams sink=upsert output=total", "crash-job@before:offset.commit~2", engine.RunEnded, "to its changelog: from", "where a crash does not reach it"},
		{"strategy=trident spout=opaque state=opaque sink=state output=total", "crash-job@before:commitlog.written~2", engine.RunEnded, "in place of what an earlier try of txid 2 had added", "started from checkpoint"},
		{"strategy=dataflow sink=append", "crash:count/0@after:state.write~12", engine.RunEnded, "count/0 started again alone", "Attempt 2 started"},
		{"strategy=xa topology=LOOP sink=transactional", "crash:coordinator@after:participant.prepared~2", engine.FaultInjected, "open, in doubt since the broker voted yes", "Attempt 2 started"},
		{"sink=dedup dedup.write=value-first", "crash-job@after:dedup.value~4", engine.RunEnded, "had its id remembered outside", "\x00"},
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
		at := tr.Len()
		for at > 1 && tr.At(at).Kind != c.until {
			at--
		}
		var all []string
		for p, part := range job.Input.Parts {
			for o := range part {
				all = append(all, check.LedgerAt(tr, engine.RecordID{Part: int16(p), Off: int32(o)}, at).Sentences(job)...)
			}
		}
		text := strings.Join(all, "\n")
		if !strings.Contains(text, c.says) || strings.Contains(text, c.not) {
			t.Errorf("%s, %s: want %q and not %q in\n%s", c.settings, c.fault, c.says, c.not, text[:min(len(text), 1500)])
		}
		wrote, id := strings.Index(text, "wrote it"), strings.Index(text, "had its id remembered")
		if strings.Contains(c.settings, "value-first") && wrote > id {
			t.Errorf("%s: the id is told before the value", c.settings)
		}
	}
}
