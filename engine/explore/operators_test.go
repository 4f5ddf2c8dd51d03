package explore_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// operatorRow is one operator with its settings and input, and what may come of one
// crash at each sink, in the order of operatorSinks; docs/operators.md gives the
// reasons. "x" cannot be built.
type operatorRow struct {
	name, settings string
	input          func() *engine.Input
	cells          [6]string
}

var operatorSinks = [6]string{"sink=append", "sink=upsert", "sink=dedup", "sink=offset-with-output",
	"sink=transactional isolation.level=read_committed", "sink=transactional isolation.level=read_uncommitted"}

var operatorRows = []operatorRow{
	{"window aligned", "operator=window", cards16, [6]string{"d!", "", "", "x", "", "d!"}},
	{"window unaligned", "operator=window checkpoint.unaligned=on backlog=on checkpoint.interval=40ms", cards16, [6]string{"d!", "", "", "x", "", "d!"}},
	{"window microbatch", "operator=window strategy=microbatch", cards16, [6]string{"d!", "", "", "x", "", "d!"}},
	{"window in K", "operator=window topology=K", cards16, [6]string{"d!", "", "", "x", "", "d!"}},
	{"join aligned", "operator=join", withTable, [6]string{"d! w", "w!", "w!", "w!", "w!", "d! w"}},
	{"join microbatch", "operator=join strategy=microbatch", withTable, [6]string{"d! w", "w", "w", "w", "w", "d! w"}},
	{"join in event time", "operator=join join.time=event", withTable, [6]string{"d!", "", "", "", "", "d!"}},
	{"join in event time unaligned", "operator=join join.time=event checkpoint.unaligned=on checkpoint.interval=40ms", withTable, [6]string{"d!", "", "", "", "", "d!"}},
	{"join in event time microbatch", "operator=join join.time=event strategy=microbatch", withTable, [6]string{"d!", "", "", "", "", "d!"}},
	{"dedup aligned", "operator=dedup", sentTwice, [6]string{"d!", "", "", "d", "", "d!"}},
	{"dedup unaligned", "operator=dedup checkpoint.unaligned=on backlog=on checkpoint.interval=40ms", sentTwice, [6]string{"d!", "", "", "d", "", "d!"}},
	{"dedup microbatch", "operator=dedup strategy=microbatch", sentTwice, [6]string{"d!", "", "", "", "", "d!"}},
	{"lookup aligned", "lookup=external topology=K", cards16, [6]string{"d!", "w!", "", "", "", "d!"}},
	{"lookup microbatch", "lookup=external topology=K strategy=microbatch", cards16, [6]string{"d!", "w!", "", "", "", "d!"}},
	{"lookup stored", "lookup=stored topology=K", cards16, [6]string{"d!", "", "", "", "", "d!"}},
	{"lookup stored microbatch", "lookup=stored topology=K strategy=microbatch", cards16, [6]string{"d!", "", "", "", "", "d!"}},
}

// withTable is cards-16 with a third partition, the changelog of a price table: it
// is complete before the first card is read.
func withTable() *engine.Input {
	in := cards16()
	in.Timed = true
	for p := range in.Parts {
		for o := range in.Parts[p] {
			in.Parts[p][o].Time = 1000 * engine.Millisecond
		}
	}
	var table []engine.Datum
	for k := range in.Keys {
		table = append(table, engine.Datum{Key: engine.KeyID(k), Value: int64(k+2) * engine.ValueScale})
	}
	in.Parts = append(in.Parts, table)
	return in
}

// sentTwice is an input in which producers have sent some records again: what
// matters is the key, and each is on both partitions or twice on one.
func sentTwice() *engine.Input {
	in := &engine.Input{Name: "sent-twice", Parts: make([][]engine.Datum, 2)}
	for k := range 8 {
		in.Keys = append(in.Keys, "o"+string(rune('1'+k)))
	}
	for i, k := range []engine.KeyID{0, 1, 0, 2, 3, 1, 2, 4, 5, 0, 6, 7, 7, 3, 5, 6} {
		in.Parts[i/8] = append(in.Parts[i/8], engine.Datum{Key: k, Value: int64(k+1) * engine.ValueScale})
	}
	return in
}

func operatorJob(t testing.TB, row *operatorRow, sink string, seed uint64) *engine.Job {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	for _, c := range strings.Fields(row.settings + " " + sink) {
		k, v, _ := strings.Cut(c, "=")
		if err := set.Set(k, v); err != nil {
			t.Fatal(err)
		}
	}
	job, err := engine.NewJob("operators", set, row.input(), seed, nil)
	if err != nil {
		return nil
	}
	return job
}

// Every operator at every sink keeps what docs/operators.md promises, whichever
// process dies at whichever moment.
func TestOperatorsKeepTheirPromises(t *testing.T) {
	for _, row := range operatorRows {
		for i, cell := range row.cells {
			t.Run(row.name+"/"+strings.ReplaceAll(operatorSinks[i], " ", ","), func(t *testing.T) {
				t.Parallel()
				job := operatorJob(t, &row, operatorSinks[i], 1)
				if (job == nil) != (cell == "x") {
					t.Fatalf("built: %v", job != nil)
				}
				if job == nil {
					return
				}
				kinds := []string{"crash-job"}
				for _, name := range job.Plan.TaskNames() {
					kinds = append(kinds, "crash:"+name)
				}
				f := everyGap(t, job, kinds...)
				if err := f.against(cell, true); err != nil {
					t.Error(err)
				}
				t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
			})
		}
	}
}
