package stage

import (
	"regexp"
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// moments are pictures in which a strategy or a sink has to say its own thing: a
// run, the event that is looked at, the region, what it says and what it must not.
var moments = []struct {
	name, set, fault string
	kind             engine.Kind
	nth              int
	region, says     string
	not              string
}{
	{"a loop that died holds nothing", "strategy=offset-commit topology=LOOP sink=email", "crash-job@before:offset.commit~2", engine.FaultInjected, 1, "loop/0/log/0", "what it held is gone", "saved"},
	{"a value without its id", "sink=dedup dedup.write=value-first", "crash-job@after:dedup.value~4", engine.RestartBegin, 1, "outside/sink/note", "1 value without id", "remembered"},
	{"an id without its value", "sink=dedup dedup.write=id-first", "crash-job@after:dedup.id~4", engine.RestartBegin, 1, "outside/sink/note", "1 without value", "remembered"},
	{"both halves are there", "sink=dedup dedup.write=id-first", "", engine.DedupValue, 4, "outside/sink/note", "4 ids remembered", "without"},
	{"in doubt", "strategy=xa topology=LOOP sink=transactional", "crash:coordinator@after:participant.prepared~2", engine.FaultInjected, 1, "outside/sink/0", "1 in doubt", "open"},
	{"nothing lies with a source of batches", "strategy=microbatch sink=files", "crash-job@before:commitlog.written~2", engine.RunEnded, 1, "source/0/status", "offset", "checkpoint"},
	{"a stage without ids keeps nothing", "strategy=dataflow mode=at_least_once sink=upsert output=total", "", engine.SinkWrite, 3, "shelf", "keeps nothing", "0 writes"},
	{"a spout's task holds what a batch adds", "strategy=trident sink=state output=total", "", engine.RunEnded, 1, "count/0/state", "last added", ">state<"},
	{"a counter without keys", "topology=J2 parallelism=4", "", engine.RunEnded, 1, "count/*/state", "no keys", ""},
	{"a remote store has what was written", "strategy=offset-commit topology=LOOP sink=offset-with-output output=total state.recovery=remote", "crash-job@30", engine.FaultInjected, 1, "shelf", "a3", "empty"},
	{"a stream of changes outlives the loop", "strategy=offset-commit topology=LOOP sink=offset-with-output output=total state.recovery=cdc", "crash-job@30", engine.RestartBegin, 1, "shelf", "each key: a3", "empty"},
	{"a repeat that left no trace", "sink=email idempotency.key=from-input", "lose-response:sink/0@40", engine.EffectIgnored, 1, "outside/sink/note", "1 repeat ignored", "twice"},
	{"an acknowledgement that will be late", "sink=append", "late:ack:1s@40", engine.FaultInjected, 1, "coordinator", "next acknowledgement late", ""},
	{"the broker does not answer", "sink=transactional", "broker-down:2s@40", engine.FaultInjected, 1, "outside/sink/note", " · broker down", "results"},
	{"a picture that holds more than was read", "topology=K checkpoint.mode=at_least_once checkpoint.interval=150ms gap=20ms", "slow:enrich/1:x20@0s", engine.CheckpointComplete, 1, "shelf", " counted, ", "in flight"},
	{"an aligned picture holds what was read", "topology=K checkpoint.interval=150ms gap=20ms", "slow:enrich/1:x20@0s", engine.CheckpointComplete, 1, "shelf", "complete", " counted, "},
	{"the end says how long the way back took", "sink=append", "crash-job@40", engine.RunEnded, 1, "coordinator", "ms after the crash", ""},
	{"nothing died, so nothing was back", "sink=append", "", engine.RunEnded, 1, "coordinator", "finished", "was back"},
	{"of a job that never started nothing flies", "sink=transactional transaction.timeout=1h", "", engine.RunEnded, 1, "verdict/sink", "not read", "in flight"},
	{"a narrow panel counts without the word", "sink=transactional readers=read_uncommitted", "crash-job@before:checkpoint.complete~2", engine.RunEnded, 1, "outside/sink/note", " twice", "results"},
	{"a standby is no rebuild", "strategy=kafka-streams processing.guarantee=exactly_once_v2 state.recovery=standby sink=upsert output=total", "crash-node:node/0@before:txn.commit~3", engine.RestartBegin, 1, "shelf", "see the standby", "reads it"},
}

func TestMomentsSayWhatTheyAre(t *testing.T) {
	for _, m := range moments {
		sh := shape{rows: cards, set: strings.Fields(m.set)}
		if m.fault != "" {
			sh.faults = []string{m.fault}
		}
		tr := sh.run(t)
		s, left := stageOf(tr), m.nth
		for n := 1; n <= tr.Len() && left > 0; n++ {
			s.Apply(tr.At(n))
			if tr.At(n).Kind == m.kind {
				left--
			}
		}
		found := ""
		for name, markup := range all(t, s).Regions {
			if regexp.MustCompile("^" + strings.ReplaceAll(m.region, "*", `\d+`) + "$").MatchString(name) {
				found += markup
			}
		}
		if left > 0 || !strings.Contains(found, m.says) || m.not != "" && strings.Contains(found, m.not) {
			t.Errorf("%s: want %q and not %q (events missing: %d) in %s", m.name, m.says, m.not, left, found)
		}
	}
}

// A decision is a moment of its own: between it and the commit lies a gap in which
// whoever has voted is in doubt.
func TestDecisionsAreMarked(t *testing.T) {
	tr := shape{rows: cards, set: []string{"strategy=xa", "topology=LOOP", "sink=transactional"}}.run(t)
	kinds := map[string]int{}
	for _, m := range Marks(tr) {
		kinds[m.Kind]++
	}
	if kinds["coordinator.decided"] == 0 || kinds["coordinator.decided"] != kinds["txn.commit"] {
		t.Errorf("marks: %v", kinds)
	}
}

// Open windows stay inside their table on a phone, where cells stand two and two.
func TestOpenWindowsFitOnAPhone(t *testing.T) {
	tr := shape{rows: meters, set: []string{"operator=window", "sink=append"}}.run(t)
	s := New(tr.Job, Options{Faults: tr.Faults, Coordinator: true, Tall: true})
	id, _ := s.Job.Plan.Find("count/0")
	most := 0
	for n := 1; n <= tr.Len(); n++ {
		s.Apply(tr.At(n))
		b := s.lay.Nodes[id].State
		rows := s.table(id).Rows
		most = max(most, len(rows))
		for _, r := range rows {
			if r.Y+17 > b.H || r.End > b.W {
				t.Fatalf("event %d: %+v leaves a table of %+v", n, r, b)
			}
		}
	}
	if most < 3 {
		t.Errorf("at most %d windows were open; the run is no example", most)
	}
}
