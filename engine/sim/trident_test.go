package sim

import (
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

func storm(spout, state string, more ...string) []string {
	return append([]string{"strategy=trident", "sink=state", "output=total", "spout=" + spout, "state=" + state}, more...)
}

// batches lists begun and succeeded batches and writes of keys, one word each:
// 2[6 5 begins batch 2 up to these offsets, 2] ends it, ana:2+1=3 writes a key, ana:2 skips it.
func batches(tr *trace.Trace) (out []string) {
	in := tr.Job.Input
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		switch e.Kind {
		case engine.OffsetLogWritten:
			at := engine.UnpackPositions(e.Value, e.After, len(in.Parts))
			out = append(out, fmt.Sprintf("%d[%d %d", e.Ckpt, at[0], at[1]))
		case engine.CommitLogWritten:
			out = append(out, fmt.Sprintf("%d]", e.Ckpt))
		case engine.StateWrite:
			out = append(out, fmt.Sprintf("%s:%d+%d=%d", in.Keys[e.Key], e.Ckpt, e.Value, e.After))
		case engine.EffectIgnored:
			out = append(out, fmt.Sprintf("%s:%d", in.Keys[e.Key], e.Ckpt))
		case engine.FaultInjected:
			out = append(out, "!")
		}
	}
	return out
}

// TestBatchesAreWhatIsAvailable: every 150 ms, P0 at 0, 60, 120 … and P1 at 20, 80 …
func TestBatchesAreWhatIsAvailable(t *testing.T) {
	got := fmt.Sprint(batches(run(t, job(t, 1, storm("transactional", "transactional")...))))
	want := "[1[3 3 ana:1+3=3 ben:1+1=1 dan:1+1=1 eve:1+1=1 1] " +
		"2[6 5 ana:2+1=4 ben:2+2=3 cleo:2+1=1 dan:2+1=2 2] " +
		"3[8 8 ana:3+1=5 ben:3+1=4 cleo:3+2=3 eve:3+1=2 3]]"
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFailedBatchesComeAgain crashes between two key writes of batch 2, when some
// keys have it. What comes next is the difference between the nine pairs.
func TestFailedBatchesComeAgain(t *testing.T) {
	const before = "[1[3 3 ana:1+3=3 ben:1+1=1 dan:1+1=1 eve:1+1=1 1] 2[6 5 ana:2+1=4 ben:2+2=3 ! "
	for _, c := range []struct{ spout, state, after string }{
		// the same records in a new batch, with what has come since
		{"non-transactional", "non-transactional", "3[7 7 ana:3+2=6 ben:3+2=5 cleo:3+2=2 dan:3+1=2 eve:3+1=2 3] 4[8 8 ben:4+1=6 cleo:4+1=3 4]]"},
		{"non-transactional", "opaque", "3[7 7 ana:3+2=6 ben:3+2=5 cleo:3+2=2 dan:3+1=2 eve:3+1=2 3] 4[8 8 ben:4+1=6 cleo:4+1=3 4]]"},
		// the same batch
		{"transactional", "non-transactional", "ana:2+1=5 ben:2+2=5 cleo:2+1=1 dan:2+1=2 2] 3[8 8 ana:3+1=6 ben:3+1=6 cleo:3+2=3 eve:3+1=2 3]]"},
		{"transactional", "transactional", "ana:2 ben:2 cleo:2+1=1 dan:2+1=2 2] 3[8 8 ana:3+1=5 ben:3+1=4 cleo:3+2=3 eve:3+1=2 3]]"},
		{"transactional", "opaque", "ana:2+1=4 ben:2+2=3 cleo:2+1=1 dan:2+1=2 2] 3[8 8 ana:3+1=5 ben:3+1=4 cleo:3+2=3 eve:3+1=2 3]]"},
		// the same txid and start, more records: a skipped key loses what has come
		{"opaque", "transactional", "2[7 7 ana:2 ben:2 cleo:2+2=2 dan:2+1=2 eve:2+1=2 2] 3[8 8 ben:3+1=4 cleo:3+1=3 3]]"},
		{"opaque", "opaque", "2[7 7 ana:2+2=5 ben:2+2=3 cleo:2+2=2 dan:2+1=2 eve:2+1=2 2] 3[8 8 ben:3+1=4 cleo:3+1=3 3]]"},
	} {
		tr := run(t, job(t, 1, storm(c.spout, c.state)...), "crash:count/0@after:state.write~6")
		if got := fmt.Sprint(batches(tr)); got != before+c.after {
			t.Errorf("%s spout, %s state: got\n%s\nwant\n%s", c.spout, c.state, got, before+c.after)
		}
	}
}

// TestTxidsAreAppliedInOrder holds every crash to facts 8.1, and the spouts to
// where they begin.
func TestTxidsAreAppliedInOrder(t *testing.T) {
	for _, spout := range []string{"non-transactional", "transactional", "opaque"} {
		for _, topology := range []string{"J", "J2", "K"} {
			j := job(t, 1, storm(spout, "opaque", "topology="+topology)...)
			clean := run(t, j)
			for gap := 0; gap < clean.Len(); gap += 3 {
				tr := run(t, j, fmt.Sprintf("crash-job@%d", gap))
				newest, done := int32(0), int32(0)
				for n := 1; n <= tr.Len(); n++ {
					e := tr.At(n)
					switch e.Kind {
					case engine.OffsetLogWritten:
						if e.Ckpt != newest+1 && (e.Ckpt != newest || spout != "opaque") {
							t.Fatalf("%s@%d: batch %d follows batch %d", spout, gap, e.Ckpt, newest)
						}
						newest = e.Ckpt
					case engine.StateWrite:
						if e.Ckpt != newest || e.Ckpt <= done {
							t.Fatalf("%s@%d: batch %d is written, %d is in progress, %d has succeeded", spout, gap, e.Ckpt, newest, done)
						}
					case engine.CommitLogWritten:
						done = e.Ckpt
					}
				}
				if last(tr).Reason != engine.AtRest || done != newest {
					t.Fatalf("%s %s@%d: ended %s with batch %d of %d", spout, topology, gap, last(tr).Reason, done, newest)
				}
			}
		}
	}
}

// TestABatchTakesEightRecordsAtMost has a backlog.
func TestABatchTakesEightRecordsAtMost(t *testing.T) {
	got := fmt.Sprint(batches(run(t, job(t, 1, storm("opaque", "opaque", "backlog=on")...))))
	want := "[1[8 0 ana:1+3=3 ben:1+3=3 cleo:1+2=2 1] 2[8 8 ana:2+2=5 ben:2+1=4 cleo:2+1=3 dan:2+2=2 eve:2+2=2 2]]"
	if got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}
