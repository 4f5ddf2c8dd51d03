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
	return map[string]*trace.Trace{
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
}
