package sim

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// meters is the input meters-20 of curriculum 1.7.
func meters() *engine.Input {
	rows := [2]string{"m1 3,m2 5,m1 2,m3 7,m2 1,m1 4,m3 2,m2 6,m1 1,m3 3", "m4 2,m1 6,m4 3,m2 2,m5 8,m3 1,m4 4,m5 2,m2 3,m1 5"}
	in := &engine.Input{Name: "meters-20", Keys: []string{"m1", "m2", "m3", "m4", "m5"}}
	for _, row := range rows {
		var part []engine.Datum
		for _, cell := range strings.Split(row, ",") {
			part = append(part, engine.Datum{Key: engine.KeyID(cell[1] - '1'), Value: int64(cell[3]-'0') * engine.ValueScale})
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

// rushHour is the job of scenario overtake: everything is there at once, and half
// of it goes through a lookup that is twenty times as slow.
func rushHour(t *testing.T, changes ...string) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	base := []string{"topology=K", "backlog=on", "checkpoint.interval=100ms", "checkpoint.timeout=400ms", "sink=upsert", "output=total"}
	for _, c := range append(base, changes...) {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	set.Routing = map[string]map[string]int{"enrich": {"m1": 1, "m3": 1}}
	j, err := engine.NewJob("test", set, meters(), 1, faults(t, "slow:enrich/1:x20@0s"))
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// find is the first event of a kind, and of a checkpoint if it is not 0.
func find(t *testing.T, tr *trace.Trace, k engine.Kind, ckpt int32, task string) *engine.Event {
	t.Helper()
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Kind == k && (ckpt == 0 || e.Ckpt == ckpt) && (task == "" || tr.Job.Plan.Name(e.Task) == task) {
			return e
		}
	}
	t.Fatalf("no %s of checkpoint %d at %s", k, ckpt, task)
	return nil
}

func TestOvertakingBarrierDoesNotWaitForTheQueue(t *testing.T) {
	aligned := run(t, rushHour(t))
	if e := last(aligned); e.Reason != engine.RestartsExhausted || count(aligned, engine.CheckpointComplete) > 0 {
		t.Errorf("aligned: ended %s with %d checkpoints; behind the queue every one must expire", e.Reason, count(aligned, engine.CheckpointComplete))
	}
	tr := run(t, rushHour(t, "checkpoint.unaligned=on"))
	if e := last(tr); e.Reason != engine.AtRest || count(tr, engine.CheckpointExpired) > 0 {
		t.Fatalf("unaligned: ended %s with %d expired checkpoints", e.Reason, count(tr, engine.CheckpointExpired))
	}
	first, held := find(t, tr, engine.BarrierArrived, 1, "enrich/1"), 0
	for n := 1; n < int(first.N); n++ {
		switch e := tr.At(n); {
		case e.Kind == engine.RecordReceived && tr.Job.Plan.Name(e.Task) == "enrich/1":
			held++
		case e.Kind == engine.RecordProcessed && tr.Job.Plan.Name(e.Task) == "enrich/1":
			held--
		}
	}
	stored := find(t, tr, engine.SnapshotStored, 1, "enrich/1")
	if held == 0 || stored.Value != int64(held) {
		t.Errorf("%d records wait when barrier 1 comes, and the part holds %d", held, stored.Value)
	}
}

// TestFirstBarrierGoesOnBeforeTheOthers is facts 3.6: forward, copy, and gather
// until the last barrier is in; only then is the part on its way to the store.
func TestFirstBarrierGoesOnBeforeTheOthers(t *testing.T) {
	tr := run(t, rushHour(t, "checkpoint.unaligned=on"))
	var got []string
	for n := 1; n <= tr.Len(); n++ {
		if e := tr.At(n); e.Ckpt == 1 && tr.Job.Plan.Name(e.Task) == "count/0" && e.Kind != engine.CheckpointAcked {
			got = append(got, e.Kind.String())
		}
	}
	want := "barrier.arrived barrier.aligned snapshot.taken barrier.arrived snapshot.stored checkpoint.notified"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if count(tr, engine.ChannelBlocked) > 0 {
		t.Error("a channel was held back")
	}
}

func TestRecordsInFlightComeBackFirst(t *testing.T) {
	tr := run(t, rushHour(t, "checkpoint.unaligned=on"), "crash-job@after:checkpoint.complete")
	saved, back := map[engine.TaskID]int64{}, map[engine.TaskID]int64{}
	restarted := false
	for n := 1; n <= tr.Len(); n++ {
		switch e := tr.At(n); e.Kind {
		case engine.SnapshotStored:
			if e.Ckpt == 1 {
				saved[e.Task] = e.Value
			}
		case engine.RestartBegin:
			restarted = true
		case engine.InflightReinjected:
			back[e.Task]++
			if e.Attempt != 1 || e.Ckpt != 1 {
				t.Errorf("%s comes back as of attempt %d from checkpoint %d", e.Rec, e.Attempt, e.Ckpt)
			}
		case engine.SourceRead, engine.RecordProcessed, engine.SinkWrite:
			if restarted && back[e.Task] < saved[e.Task] {
				t.Errorf("event %d: %s before the %d records in flight are back", n, e.Kind, saved[e.Task])
			}
		}
	}
	total := int64(0)
	for task, n := range saved {
		total += n
		if back[task] != n {
			t.Errorf("%s saved %d records and got %d back", tr.Job.Plan.Name(task), n, back[task])
		}
	}
	if total == 0 {
		t.Fatal("checkpoint 1 holds no record in flight; the test shows nothing")
	}
}

// TestRecordsInFlightMakeACheckpointLarger: the same upload takes longer.
func TestRecordsInFlightMakeACheckpointLarger(t *testing.T) {
	took := func(tr *trace.Trace) engine.Time {
		return find(t, tr, engine.SnapshotStored, 1, "enrich/1").T - find(t, tr, engine.SnapshotTaken, 1, "enrich/1").T
	}
	quiet := took(run(t, rushHour(t, "checkpoint.timeout=5s")))
	if loaded := took(run(t, rushHour(t, "checkpoint.unaligned=on", "checkpoint.timeout=5s"))); loaded <= quiet {
		t.Errorf("with records in flight the part takes %s, without %s", loaded, quiet)
	}
}

// TestLastCheckpointHoldsNoRecordInFlight: what comes of records in flight is
// covered by the next checkpoint only, so the job is not at rest before that.
func TestLastCheckpointHoldsNoRecordInFlight(t *testing.T) {
	for seed := range uint64(20) {
		tr := run(t, job(t, seed, "sink=transactional", "checkpoint.unaligned=on", "backlog=on", "checkpoint.interval=40ms"))
		newest := int32(count(tr, engine.CheckpointComplete))
		for n := 1; n <= tr.Len(); n++ {
			if e := tr.At(n); e.Kind == engine.SnapshotStored && e.Ckpt == newest && e.Value > 0 {
				t.Errorf("seed %d: the last checkpoint holds %d records in flight", seed, e.Value)
			}
		}
	}
}

// Forward edges stay aligned (facts 3.8): there the barrier waits its turn.
func TestPointwiseChannelsAreNotOvertaken(t *testing.T) {
	one, two := job(t, 1, "topology=MAP"), job(t, 1, "topology=MAP", "checkpoint.unaligned=on")
	equalKinds(t, run(t, one, "slow:map/0:x20@0s"), run(t, two, "slow:map/0:x20@0s"))
}

func equalKinds(t *testing.T, a, b *trace.Trace) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%d events against %d", a.Len(), b.Len())
	}
	for n := 1; n <= a.Len(); n++ {
		if *a.At(n) != *b.At(n) {
			t.Fatalf("event %d: %s against %s", n, a.At(n).Kind, b.At(n).Kind)
		}
	}
}

// TestPassingRecordsAreInTheCopy is L09 A: in at_least_once mode records behind
// the line are counted before the state is copied, and read again after a crash.
func TestPassingRecordsAreInTheCopy(t *testing.T) {
	j := job(t, 1, "topology=K", "checkpoint.mode=at_least_once", "checkpoint.interval=150ms", "gap=40ms", "sink=upsert", "output=total")
	tr := run(t, j, "slow:enrich/1:x20@0s")
	behind, marked := 0, map[engine.ChanID]bool{}
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		if j.Plan.Name(e.Task) != "count/0" {
			continue
		}
		switch {
		case e.Kind == engine.BarrierArrived && e.Ckpt == 1:
			marked[e.Chan] = true
		case e.Kind == engine.SnapshotTaken:
			n = tr.Len()
		case e.Kind == engine.RecordProcessed && marked[e.Chan]:
			behind++
		}
	}
	if behind == 0 || count(tr, engine.ChannelBlocked) > 0 {
		t.Fatalf("%d records behind the line are counted before the copy, %d channels held", behind, count(tr, engine.ChannelBlocked))
	}
}
