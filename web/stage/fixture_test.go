package stage

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// shape is a job to be drawn: records, settings and faults as text.
type shape struct {
	name   string
	rows   string
	set    []string
	titles map[string]string
	faults []string
}

const (
	cards  = "ana 12,ben 30,ana 5,cleo 44,ben 9,ana 20,cleo 3,ben 15|dan 18,ana 7,eve 25,ben 11,dan 6,eve 40,ana 9,cleo 21"
	tour   = "a 1,b 1,c 1,a 1,d 1,b 1,a 1,c 1,a 1,d 1,b 1,c 1,a 1|c 1,d 1,a 1,b 1,d 1,c 1,b 1,a 1,c 1,d 1,b 1,a 1,d 1"
	meters = "m1 3,m2 5,m1 2,m3 7,m2 1,m1 4,m3 2,m2 6,m1 1,m3 3|m4 2,m1 6,m4 3,m2 2,m5 8,m3 1,m4 4,m5 2,m2 3,m1 5"
	mails  = "ada welcome,bo welcome,ada receipt,cy welcome,bo receipt,ada reminder|di welcome,eli welcome,di receipt,bo reminder,eli receipt,cy receipt"
	money  = "customer-0001 12.5,customer-0002 1130.5,customer-0113 5,customer-0004 44.1|customer-0002 9,customer-0113 20,customer-0001 3.5"
	eight  = "a 1,b 2,c 3,d 4|e 1,f 2,g 3|h 1,a 2,b 3|c 1,d 2|e 4,f 5,g 6|h 1,a 1|b 2,c 2|d 9,e 9,f 9"
)

// long is more than fits anywhere: 120 records, 24 keys of forty letters.
var long = func() string {
	var b strings.Builder
	for i := range 120 {
		if i == 60 {
			b.WriteByte('|')
		} else if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s%02d%s %d", strings.Repeat("key-", 5), i*7%24, strings.Repeat("-end", 4), i*1000)
	}
	return b.String()
}()

var three = []string{"topology=J2", "sinks=topic+table+mailbox", "sinks.topic.sink=transactional", "sinks.topic.output=total",
	"sinks.table.sink=upsert", "sinks.table.output=total", "sinks.mailbox.sink=email", "sinks.mailbox.emit=at-count:3", "routing=count:a=0;b=0;c=1;d=1"}

// shapes are the jobs that every test of the drawing goes over.
func shapes() []shape {
	out := []shape{
		{name: "J", rows: cards, titles: map[string]string{"sink": "card network"}, faults: []string{"crash-job@before:checkpoint.complete~2"}},
		{name: "J txn", rows: cards, set: []string{"sink=transactional", "readers=read_committed+read_uncommitted"}, faults: []string{"crash:sink/0@before:checkpoint.complete~2"}},
		{name: "J table", rows: cards, set: []string{"sink=upsert", "output=total", "checkpoint.interval=150ms"}, faults: []string{"crash:count/0@before:checkpoint.complete~3"}},
		{name: "J ids", rows: cards, set: []string{"sink=upsert"}, faults: []string{"crash-job@60"}},
		{name: "J expired", rows: cards, set: []string{"sink=transactional", "backlog=on", "transaction.timeout=320ms", "restart.delay=1s"}, faults: []string{"crash-job@after:checkpoint.complete~1"}},
		{name: "J2", rows: cards, set: []string{"topology=J2", "sink=transactional"}, faults: []string{"crash:count/0@after:barrier.arrived~3"}},
		{name: "J2 mail", rows: cards, set: []string{"topology=J2", "sink=email"}, faults: []string{"crash:source/1@90"}},
		{name: "tour", rows: tour, set: three, titles: map[string]string{"topic": "topic totals", "table": "table balances"}, faults: []string{"crash:count/0@after:barrier.arrived~4"}},
		{name: "K", rows: meters, set: []string{"topology=K", "sink=upsert", "output=total", "gap=40ms", "checkpoint.interval=150ms"}, faults: []string{"slow:enrich/1:x10:1.5s@0s"}},
		{name: "K timeout", rows: meters, set: []string{"topology=K", "backlog=on", "checkpoint.interval=100ms", "checkpoint.timeout=400ms"}, faults: []string{"slow:enrich/1:x20@0s"}},
		{name: "MAP", rows: cards, set: []string{"topology=MAP", "sink=transactional"}, faults: []string{"crash:map/1@70"}},
		{name: "MAP 8", rows: eight, set: []string{"topology=MAP"}, faults: []string{"crash:sink/3@40"}},
		{name: "P3", rows: cards, set: []string{"parallelism=3", "backlog=on"}, faults: []string{"crash:count/2@30"}},
		{name: "P4", rows: cards, set: []string{"parallelism=4", "sink=transactional"}, faults: []string{"crash:count/3@60"}},
		{name: "P4 8", rows: eight, set: []string{"parallelism=4", "backlog=on"}, faults: []string{"crash-job@50"}},
		{name: "K4", rows: meters, set: []string{"topology=K", "parallelism=4", "parallelism=enrich:4", "sink=transactional"}},
		{name: "three 4", rows: tour, set: append([]string{"parallelism=count:4"}, three[:len(three)-1]...), faults: []string{"crash:topic/0@80"}},
		{name: "words", rows: mails, set: []string{"sink=email"}, titles: map[string]string{"sink": "outbox"}, faults: []string{"crash:sink/0@before:checkpoint.complete~1"}},
		{name: "word rows", rows: mails, set: []string{"sink=transactional", "parallelism=2"}},
		{name: "money", rows: money, set: []string{"parallelism=3", "sink=upsert"}, faults: []string{"crash:count/1@90"}},
		{name: "long", rows: long, set: []string{"sinks=" + strings.Repeat("warehouse-", 4) + "+" + strings.Repeat("ledger.", 5), "sink=transactional"}, faults: []string{"crash-job@200"}},
		{name: "one", rows: "solo 1", set: []string{"parallelism=1"}},
		{name: "full", rows: cards, set: []string{"backlog=on", "channel.capacity=1"}},
	}
	for name, st := range strategyShapes {
		out = append(out, shape{name: name, rows: cards, set: strings.Fields(st[0]), faults: []string{st[1]}})
	}
	return out
}

// strategyShapes are the strategies and sinks beside checkpoints: settings, and a
// fault where it hurts.
var strategyShapes = map[string][2]string{
	"loop mail":      {"strategy=offset-commit topology=LOOP sink=email", "crash:loop/0@before:offset.commit~2"},
	"loop before":    {"strategy=offset-commit topology=LOOP sink=append commit=before", "crash:loop/0@after:offset.commit~2"},
	"loop remote":    {"strategy=offset-commit topology=LOOP sink=upsert output=total state.recovery=remote", "crash:loop/0@before:offset.commit~2"},
	"loop positions": {"strategy=offset-commit topology=LOOP sink=offset-with-output", "crash:loop/0@after:sink.write~4"},
	"batch files":    {"strategy=batch topology=BATCH sink=files output=total", "crash:reduce/0@after:sink.write~3"},
	"batch mail":     {"strategy=batch topology=BATCH sink=email", "crash-job@after:map.done~1"},
	"micro":          {"strategy=microbatch sink=append", "crash-job@before:commitlog.written"},
	"micro txn":      {"strategy=microbatch sink=transactional", "crash-job@before:commitlog.written"},
	"micro position": {"strategy=microbatch sink=offset-with-output output=total", "crash-job@before:commitlog.written"},
	"streams":        {"strategy=kafka-streams topology=J2 sink=upsert output=total", "crash-job@before:offset.commit~2"},
	"streams eos":    {"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional output=total", "crash-job@before:txn.commit~3"},
	"streams gone":   {"strategy=kafka-streams sink=upsert output=total", "crash-node:node/0@before:offset.commit~2"},
	"dataflow":       {"strategy=dataflow topology=K sink=append", "crash:count/0@after:state.write~12"},
	"trident":        {"strategy=trident sink=state output=total", "crash-job@before:commitlog.written~1"},
	"replicated":     {"strategy=replicated sink=state output=total k=2", "crash-node:node/0@after:record.processed~9"},
	"xa":             {"strategy=xa topology=LOOP sink=transactional", "crash:coordinator@after:participant.prepared~2"},
	"dedup":          {"sink=dedup dedup.write=id-first", "crash-job@after:dedup.id~4"},
	"guard":          {"sink=offset-with-output output=total", "crash-job@before:checkpoint.complete~1"},
	"files":          {"sink=files topology=J2", "crash:sink/0@after:txn.precommit~2"},
	"at least once":  {"topology=K checkpoint.mode=at_least_once checkpoint.interval=60ms", "crash-job@after:checkpoint.complete~2"},
	"dataflow weak":  {"strategy=dataflow mode=at_least_once sink=upsert output=total", "crash:count/0@after:state.write~6"},
	"unaligned":      {"topology=K checkpoint.unaligned=on backlog=on checkpoint.interval=60ms", "crash-job@after:checkpoint.complete~1"},
}

func parseRows(t testing.TB, rows string) *engine.Input {
	t.Helper()
	in := &records{Input: &engine.Input{Name: "payments"}}
	ids := map[string]engine.KeyID{}
	for _, row := range strings.Split(rows, "|") {
		var part []engine.Datum
		for _, cell := range strings.Split(row, ",") {
			key, value, ok := strings.Cut(cell, " ")
			if !ok {
				t.Fatalf("record %q", cell)
			}
			v := in.value(value)
			id, ok := ids[key]
			if !ok {
				id = engine.KeyID(len(in.Keys))
				ids[key] = id
				in.Keys = append(in.Keys, key)
			}
			part = append(part, engine.Datum{Key: id, Value: v})
		}
		in.Parts = append(in.Parts, part)
	}
	return in.Input
}

// records is an input that is being read; values that are no numbers are words.
type records struct{ *engine.Input }

func (in *records) value(s string) int64 {
	var whole, frac int64
	if n, err := fmt.Sscanf(s, "%d.%d", &whole, &frac); err == nil || n == 1 {
		return whole*engine.ValueScale + frac*100
	}
	for i, w := range in.Words {
		if w == s {
			return int64(i)
		}
	}
	in.Words = append(in.Words, s)
	return int64(len(in.Words) - 1)
}

// build makes the job of a shape. sinks=a+b names the sinks, routing=count:a=0;b=1
// assigns keys.
func build(t testing.TB, sh shape) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range sh.set {
		k, v, _ := strings.Cut(c, "=")
		switch k {
		case "sinks":
			set.Sinks = nil
			for _, name := range strings.Split(v, "+") {
				set.Sinks = append(set.Sinks, engine.BaseSink(name))
			}
		case "routing":
			op, pairs, _ := strings.Cut(v, ":")
			set.Routing = map[string]map[string]int{op: {}}
			for _, p := range strings.Split(pairs, ";") {
				key, n, _ := strings.Cut(p, "=")
				set.Routing[op][key] = int(n[0] - '0')
			}
		default:
			if err := set.Set(k, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range set.Sinks {
		set.Sinks[i].Title = sh.titles[set.Sinks[i].Name]
	}
	j, err := engine.NewJob("test", set, parseRows(t, sh.rows), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func (sh shape) run(t testing.TB) *trace.Trace {
	t.Helper()
	var faults []engine.Fault
	for _, s := range sh.faults {
		f, err := engine.ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		faults = append(faults, f)
	}
	tr, err := sim.Run(build(t, sh), faults)
	if err != nil {
		t.Fatalf("%s: %v", sh.name, err)
	}
	return tr
}

func runOf(t testing.TB, name string) *trace.Trace {
	t.Helper()
	for _, sh := range shapes() {
		if sh.name == name {
			return sh.run(t)
		}
	}
	t.Fatalf("no shape %q", name)
	return nil
}
