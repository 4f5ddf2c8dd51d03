package sim

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// cards is the input cards-16 of curriculum 1.7.
func cards() *engine.Input {
	rows := [2]string{"ana 12,ben 30,ana 5,cleo 44,ben 9,ana 20,cleo 3,ben 15", "dan 18,ana 7,eve 25,ben 11,dan 6,eve 40,ana 9,cleo 21"}
	in := &engine.Input{Name: "cards-16", Keys: []string{"ana", "ben", "cleo", "dan", "eve"}}
	for _, row := range rows {
		var part []engine.Datum
		for _, cell := range strings.Split(row, ",") {
			var key string
			var v int64
			if _, err := fmt.Sscanf(cell, "%s %d", &key, &v); err != nil {
				panic(err)
			}
			for id, k := range in.Keys {
				if k == key {
					part = append(part, engine.Datum{Key: engine.KeyID(id), Value: v * engine.ValueScale})
				}
			}
		}
		in.Parts = append(in.Parts, part)
	}
	return in
}

// job builds a job on cards-16 from base settings and KEY=VALUE changes.
func job(t testing.TB, seed uint64, changes ...string) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range changes {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	j, err := engine.NewJob("test", set, cards(), seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func faults(t testing.TB, specs ...string) []engine.Fault {
	t.Helper()
	var out []engine.Fault
	for _, s := range specs {
		f, err := engine.ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

func run(t testing.TB, j *engine.Job, specs ...string) *trace.Trace {
	t.Helper()
	tr, err := Run(j, faults(t, specs...))
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// list prints the events of some kinds, one per line: task kind and what changed.
func list(tr *trace.Trace, kinds ...engine.Kind) string {
	var b strings.Builder
	for n := 1; n <= tr.Len(); n++ {
		e := tr.At(n)
		for _, k := range kinds {
			if e.Kind == k {
				fmt.Fprintf(&b, "%s %s ckpt=%d txn=%d.%d %d>%d %s\n", tr.Job.Plan.Name(e.Task), e.Kind, e.Ckpt, e.Txn.No, e.Txn.Attempt, e.Before, e.After, e.Reason)
			}
		}
	}
	return b.String()
}

func count(tr *trace.Trace, k engine.Kind) int {
	n := 0
	for i := 1; i <= tr.Len(); i++ {
		if tr.At(i).Kind == k {
			n++
		}
	}
	return n
}

func last(tr *trace.Trace) *engine.Event { return tr.At(tr.Len()) }
