package sim

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

const flow = "strategy=dataflow"

// steps lists what one task did with one record, kinds only.
func steps(tr *trace.Trace, task string, id engine.RecordID) string {
	var out []string
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Rec == id && tr.Job.Plan.Name(e.Task) == task {
			out = append(out, e.Kind.String())
		}
	}
	return strings.Join(out, " ")
}

// TestStagesStoreAndSendInTheirOrder is curriculum 1.4, stage by stage.
func TestStagesStoreAndSendInTheirOrder(t *testing.T) {
	id := engine.RecordID{Part: 1, Off: 3}
	for _, c := range []struct{ settings, source, count, sink string }{
		{"production=strong", "source.read state.write record.sent",
			"record.received record.processed state.write record.sent", "record.received sink.write state.write"},
		{"production=weak", "source.read record.sent state.write",
			"record.received record.processed record.sent state.write", "record.received sink.write state.write"},
		{"mode=at_least_once", "source.read state.write record.sent",
			"record.received record.processed state.write record.sent", "record.received sink.write"},
	} {
		tr := run(t, job(t, 1, flow, c.settings))
		for task, want := range map[string]string{"source/1": c.source, "count/0": c.count, "sink/0": c.sink} {
			if got := steps(tr, task, id); got != want {
				t.Errorf("%s: %s does %q, want %q", c.settings, task, got, want)
			}
		}
		if last(tr).Reason != engine.AtRest {
			t.Errorf("%s: %s", c.settings, last(tr).Reason)
		}
	}
}

// TestStagesFailSingly: the others are neither restored nor rewound.
func TestStagesFailSingly(t *testing.T) {
	for _, task := range []string{"source/0", "count/0", "sink/0"} {
		tr := run(t, job(t, 1, flow), "crash:"+task+"@60")
		got := list(tr, engine.RestartBegin, engine.RestoreDone)
		want := fmt.Sprintf("%s restart.begin ckpt=0 txn=0.0 1>2 \n%s restore.done ckpt=0 txn=0.0 0>0 \n", task, task)
		if got != want {
			t.Errorf("crash of %s: got\n%swant\n%s", task, got, want)
		}
	}
	tr := run(t, job(t, 1, flow), "crash-job@60")
	if n := count(tr, engine.RestoreDone); n != len(tr.Job.Plan.Tasks) {
		t.Errorf("crash-job restores %d tasks", n)
	}
}

// TestRecoveryPointIsTheStore crashes the counter in every gap: it goes on from the
// counts, and a source from the position, of its newest state.write.
func TestRecoveryPointIsTheStore(t *testing.T) {
	for _, production := range []string{"production=strong", "production=weak"} {
		j := job(t, 1, flow, production)
		clean := run(t, j)
		for gap := 0; gap <= clean.Len(); gap++ {
			for _, fault := range []string{"crash-job", "crash:count/0", "crash:source/0"} {
				tr := run(t, j, fmt.Sprintf("%s@%d", fault, gap))
				stored, position := map[engine.KeyID]int64{}, map[engine.TaskID]int64{}
				alive := true
				for n := 1; n <= tr.Len(); n++ {
					e := tr.At(n)
					counter := tr.Job.Plan.Name(e.Task) == "count/0"
					switch {
					case e.Kind == engine.RestoreDone && counter:
						alive = true
					case e.Kind == engine.FaultInjected:
						alive = false
					case e.Kind == engine.StateWrite && counter:
						stored[e.Key] = e.After
					case e.Kind == engine.StateWrite:
						position[e.Task] = e.After
					case e.Kind == engine.RecordProcessed && alive && e.Before != stored[e.Key]:
						t.Fatalf("%s %s@%d: event %d counts from %d, stored is %d", production, fault, gap, n, e.Before, stored[e.Key])
					case e.Kind == engine.SourceRewound && e.After != position[e.Task]:
						t.Fatalf("%s %s@%d: event %d goes to %d, stored is %d", production, fault, gap, n, e.After, position[e.Task])
					}
				}
			}
		}
	}
}

// order lists the records that a task did something of a kind with.
func order(tr *trace.Trace, task string, kind engine.Kind) (out []engine.RecordID) {
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Kind == kind && tr.Job.Plan.Name(e.Task) == task {
			out = append(out, e.Rec)
		}
	}
	return out
}

// TestUnacknowledgedOutputsAreSentAgainInOrder: with strong production the sink's
// ids are in the order in which the counter stored its outputs, each once, whoever
// dies when; what it is sent again it drops.
func TestUnacknowledgedOutputsAreSentAgainInOrder(t *testing.T) {
	ignored := 0
	for _, delay := range []string{"restart.delay=500ms", "restart.delay=20ms"} { // over, or amid the input
		j := job(t, 1, flow, delay)
		clean := run(t, j)
		for gap := 0; gap < clean.Len(); gap++ {
			for _, fault := range []string{"crash-job", "crash:count/0", "crash:sink/0", "crash:coordinator"} {
				tr := run(t, j, fmt.Sprintf("%s@%d", fault, gap))
				made, taken := order(tr, "count/0", engine.StateWrite), order(tr, "sink/0", engine.StateWrite)
				if fmt.Sprint(made) != fmt.Sprint(taken) || len(made) != tr.Job.Input.Len() {
					t.Fatalf("%s@%d: the counter stores outputs of\n%v\nthe sink takes in\n%v", fault, gap, made, taken)
				}
				ignored += count(tr, engine.EffectIgnored)
				if last(tr).Reason != engine.AtRest {
					t.Fatalf("%s@%d: %s", fault, gap, last(tr).Reason)
				}
			}
		}
	}
	if ignored == 0 {
		t.Fatal("nothing was ever sent twice; the test shows little")
	}
}

// TestOutputsForADeadReaderAreKept: what is sent while nobody listens comes again
// when the reader is back, before anything newer.
func TestOutputsForADeadReaderAreKept(t *testing.T) {
	tr := run(t, job(t, 1, flow, "restart.delay=200ms"), "crash:sink/0@after:sink.write~3")
	var sent, got []engine.RecordID
	back := false
	for n := 1; n <= tr.Len(); n++ {
		switch e := tr.At(n); {
		case e.Kind == engine.RestoreDone:
			back = true
		case e.Kind == engine.RecordSent && tr.Job.Plan.Name(e.Task) == "count/0":
			sent = append(sent, e.Rec)
		case e.Kind == engine.RecordReceived && back && tr.Job.Plan.Name(e.Task) == "sink/0":
			got = append(got, e.Rec)
		}
	}
	if len(sent) <= tr.Job.Input.Len() {
		t.Fatalf("%d outputs sent; nothing was sent again", len(sent))
	}
	if len(got) == 0 || got[0] != sent[2] { // the third write was made, its id was not stored
		t.Fatalf("the sink that came back receives %v first; %v was not acknowledged", got, sent[2])
	}
}

// TestDataflowEndsWhenEverythingIsTakenIn: not before the last id is stored, and
// not before a stage that is away has come back.
func TestDataflowEndsWhenEverythingIsTakenIn(t *testing.T) {
	for _, topology := range []string{"J", "J2", "K", "MAP"} {
		for _, fault := range []string{"crash:sink/0@before:input.ended", "crash:source/1@after:input.ended~2", "crash:coordinator@after:input.ended~2"} {
			tr := run(t, job(t, 1, flow, "topology="+topology, "restart.delay=2s"), fault)
			n := len(order(tr, "sink/0", engine.StateWrite)) + len(order(tr, "sink/1", engine.StateWrite))
			if n != tr.Job.Input.Len() || last(tr).Reason != engine.AtRest {
				t.Errorf("%s, %s: %d ids stored at the sinks, run ended %s", topology, fault, n, last(tr).Reason)
			}
		}
	}
}
