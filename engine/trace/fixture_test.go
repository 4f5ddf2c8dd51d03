package trace_test

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// input reads "a 12,b 30|a 5": partitions by "|", records by ",".
func input(t testing.TB, rows string) *engine.Input {
	t.Helper()
	in := &engine.Input{Name: "test"}
	ids := map[string]engine.KeyID{}
	for _, row := range strings.Split(rows, "|") {
		var part []engine.Datum
		for _, cell := range strings.Split(row, ",") {
			var key string
			var v int64
			if _, err := fmt.Sscanf(cell, "%s %d", &key, &v); err != nil {
				t.Fatal(err)
			}
			id, ok := ids[key]
			if !ok {
				id = engine.KeyID(len(in.Keys))
				ids[key] = id
				in.Keys = append(in.Keys, key)
			}
			part = append(part, engine.Datum{Key: id, Value: v * engine.ValueScale})
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

const cards = "ana 12,ben 30,ana 5,cleo 44,ben 9,ana 20,cleo 3,ben 15|dan 18,ana 7,eve 25,ben 11,dan 6,eve 40,ana 9,cleo 21"

// job builds a job from base settings; a change sinks=a+b names the sinks.
func job(t testing.TB, rows string, changes ...string) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range changes {
		k, v, _ := strings.Cut(c, "=")
		if k == "sinks" {
			set.Sinks = nil
			for _, name := range strings.Split(v, "+") {
				set.Sinks = append(set.Sinks, engine.BaseSink(name))
			}
			continue
		}
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	j, err := engine.NewJob("test", set, input(t, rows), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func run(t testing.TB, j *engine.Job, specs ...string) *trace.Trace {
	t.Helper()
	var faults []engine.Fault
	for _, s := range specs {
		f, err := engine.ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	tr, err := sim.Run(j, faults)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// runs are one run of each shape the picture has to follow.
func runs(t testing.TB) map[string]*trace.Trace {
	three := []string{"topology=J2", "parallelism=2", "sinks=topic+table+mailbox", "sinks.topic.sink=transactional", "sinks.topic.output=total",
		"sinks.table.sink=upsert", "sinks.table.output=total", "sinks.mailbox.sink=email", "sinks.mailbox.emit=at-count:3"}
	all := map[string]*trace.Trace{
		"J append":      run(t, job(t, cards), "crash-job@before:checkpoint.complete~2"),
		"J calm":        run(t, job(t, cards, "sink=upsert", "output=total")),
		"J txn":         run(t, job(t, cards, "sink=transactional", "readers=read_committed+read_uncommitted"), "crash:sink/0@after:txn.precommit~2"),
		"J coordinator": run(t, job(t, cards, "sink=transactional"), "crash:coordinator@after:checkpoint.triggered~1"),
		"J expire":      run(t, job(t, cards, "sink=transactional", "transaction.timeout=200ms", "backlog=on")),
		"J2":            run(t, job(t, cards, "topology=J2", "sink=transactional"), "crash:count/0@after:barrier.arrived~3", "crash:source/1@after:restore.done~2"),
		"K slow":        run(t, job(t, cards, "topology=K", "sink=upsert", "output=total", "gap=20ms", "checkpoint.interval=100ms"), "slow:enrich/1:x20:200ms@0s"),
		"K timeout":     run(t, job(t, cards, "topology=K", "backlog=on", "checkpoint.interval=100ms", "checkpoint.timeout=150ms", "checkpoint.tolerable-failures=3"), "slow:enrich/1:x20@0s"),
		"MAP":           run(t, job(t, cards, "topology=MAP", "sink=email"), "crash:map/1@40"),
		"wide":          run(t, job(t, cards, "parallelism=4", "backlog=on"), "crash:count/3@30"),
		"full":          run(t, job(t, cards, "backlog=on", "channel.capacity=1"), "crash:sink/0@90"),
		"tour":          run(t, job(t, cards, three...), "crash:count/0@after:barrier.arrived~4", "crash-job@after:restore.done~3"),
	}
	for name, r := range strategyRuns {
		all[name] = run(t, job(t, cards, strings.Fields(r.set)...), r.faults...)
	}
	return all
}

// strategyRuns are runs of the strategies and sinks beside checkpoints, each with
// a failure where it hurts.
var strategyRuns = map[string]struct {
	set    string
	faults []string
}{
	"loop mail":         {"strategy=offset-commit topology=LOOP sink=email", []string{"crash:loop/0@before:offset.commit~2"}},
	"loop remote":       {"strategy=offset-commit topology=LOOP sink=upsert output=total state.recovery=remote", []string{"crash:loop/0@before:offset.commit~2"}},
	"loop positions":    {"strategy=offset-commit topology=LOOP sink=offset-with-output output=event", []string{"crash:loop/0@after:sink.write~4"}},
	"batch files":       {"strategy=batch topology=BATCH sink=files output=total", []string{"crash:reduce/0@after:sink.write~3"}},
	"batch mail":        {"strategy=batch topology=BATCH sink=email", []string{"crash-job@after:map.done~1"}},
	"micro append":      {"strategy=microbatch sink=append", []string{"crash-job@before:commitlog.written"}},
	"micro txn":         {"strategy=microbatch sink=transactional", []string{"crash-job@before:commitlog.written"}},
	"micro files":       {"strategy=microbatch sink=files output=total", []string{"crash-job@before:commitlog.written"}},
	"micro positions":   {"strategy=microbatch sink=offset-with-output output=total", []string{"crash-job@before:commitlog.written"}},
	"streams":           {"strategy=kafka-streams sink=upsert output=total", []string{"crash-job@before:offset.commit~2"}},
	"streams eos":       {"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", []string{"crash-job@before:txn.commit~3"}},
	"dataflow":          {"strategy=dataflow topology=K sink=append", []string{"crash:count/0@after:state.write~12"}},
	"dataflow weak":     {"strategy=dataflow production=weak sink=upsert output=total", []string{"crash-job@60"}},
	"trident":           {"strategy=trident sink=state output=total", []string{"crash-job@before:commitlog.written~1"}},
	"replicated":        {"strategy=replicated sink=state output=total", []string{"crash:replica/0@after:record.processed~9"}},
	"replicated job":    {"strategy=replicated sink=state output=total", []string{"crash-job@after:record.processed~9"}},
	"xa":                {"strategy=xa topology=LOOP sink=transactional", []string{"crash:coordinator@after:participant.prepared~2"}},
	"xa no log":         {"strategy=xa topology=LOOP sink=transactional coordinator.log=off", []string{"crash:coordinator@after:participant.prepared~2"}},
	"dedup id first":    {"sink=dedup dedup.write=id-first", []string{"crash-job@after:dedup.id~4"}},
	"dedup value first": {"sink=dedup dedup.write=value-first output=total", []string{"crash-job@after:dedup.value~4"}},
	"dedup":             {"sink=dedup", []string{"crash-job@before:checkpoint.complete~1"}},
	"guard":             {"sink=offset-with-output output=total", []string{"crash-job@before:checkpoint.complete~1"}},
	"pause":             {"sink=append", []string{"pause:count/0:100ms@after:record.processed~3"}},
	"zombie":            {"sink=upsert output=total", []string{"pause:sink/0:8s@after:checkpoint.complete~1"}},
	"zombie fenced":     {"sink=upsert output=total fencing=on", []string{"pause:sink/0:8s@after:checkpoint.complete~1"}},
	"zombie streams":    {"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional", []string{"pause:sink/0:8s@60"}},
	"zombie micro":      {"strategy=microbatch sink=dedup", []string{"pause:sink/0:8s@80"}},
	"zombie txn":        {"sink=transactional", []string{"pause:sink/0:8s@after:checkpoint.complete~1"}},
	"files":             {"sink=files topology=J2", []string{"crash:sink/0@after:txn.precommit~2"}},
	"mail keys":         {"sink=email idempotency.key=from-input", []string{"crash-job@before:checkpoint.complete~1"}},
	"reinjected":        {"topology=K checkpoint.unaligned=on backlog=on checkpoint.interval=60ms sink=append", []string{"crash-job@after:checkpoint.complete~1"}},
	"unaligned":         {"topology=J2 checkpoint.unaligned=on backlog=on sink=transactional", []string{"crash-job@after:checkpoint.complete~1"}},
}
