package explore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// column is one column of the guarantee matrix: a sink, its settings, its reader.
type column struct {
	name   string
	kind   engine.SinkKind
	reader string
	set    func(*engine.SinkSettings)
}

// columns are those of curriculum 3.1 and 3.2, in their order.
var columns = []column{
	{"append", engine.SinkAppend, check.AnyReader, nil},
	{"upsert", engine.SinkUpsert, check.AnyReader, nil},
	{"dedup atomic", engine.SinkDedup, check.AnyReader, nil},
	{"dedup id-first", engine.SinkDedup, check.AnyReader, func(k *engine.SinkSettings) { k.DedupWrite = "id-first" }},
	{"dedup value-first", engine.SinkDedup, check.AnyReader, func(k *engine.SinkSettings) { k.DedupWrite = "value-first" }},
	{"offset-with-output", engine.SinkPosition, check.AnyReader, nil},
	{"transactional rc", engine.SinkTransactional, check.ReadCommitted, nil},
	{"transactional ru", engine.SinkTransactional, check.ReadUncommitted, nil},
	{"email none", engine.SinkEmail, check.AnyReader, nil},
	{"email from-input", engine.SinkEmail, check.AnyReader, func(k *engine.SinkSettings) { k.IdempotencyKey = "from-input" }},
	{"files honoured", engine.SinkFiles, check.AnyReader, nil},
	{"files ignored", engine.SinkFiles, check.AnyReader, func(k *engine.SinkSettings) { k.HonoursLog = false }},
}

// line is one row of the matrix: what it changes, and its cells as the curriculum
// writes them, separated by bars. "–" is a cell that the table leaves out, "✗"
// one that cannot be built.
type line struct {
	name         string
	change       func(*engine.Settings)
	conditions   []string
	event, total string
}

// job is the reference job of one cell, or the reason why it cannot be built.
func (l *line) job(t *testing.T, c *column, out engine.Output, seed uint64) (*engine.Job, error) {
	t.Helper()
	set := engine.BaseSettings()
	sink := engine.BaseSink("sink")
	sink.Kind, sink.Output = c.kind, out
	if c.reader != check.AnyReader {
		sink.Readers = []engine.Isolation{engine.Isolation(c.reader)}
	}
	if c.set != nil {
		c.set(&sink)
	}
	set.Sinks = []engine.SinkSettings{sink}
	l.change(&set)
	var conditions []engine.Fault
	for _, s := range l.conditions {
		f, err := engine.ParseFault(s)
		if err != nil {
			t.Fatal(err)
		}
		conditions = append(conditions, f)
	}
	return engine.NewJob(l.name, set, cards(), seed, conditions)
}

// prove explores every cell of the line with one seed. What must occur is asked
// of the first seed only.
func (l *line) prove(t *testing.T, seed uint64) {
	t.Helper()
	for _, half := range []struct {
		out   engine.Output
		cells string
	}{{engine.EventOutput, l.event}, {engine.TotalOutput, l.total}} {
		cells := strings.Split(half.cells, "|")
		if len(cells) != len(columns) {
			t.Fatalf("%s: %d cells, want %d", l.name, len(cells), len(columns))
		}
		for i := range columns {
			cell := strings.TrimSpace(cells[i])
			if cell == "–" {
				continue
			}
			name := fmt.Sprintf("%s, %s %s, seed %d", l.name, columns[i].name, half.out, seed)
			job, err := l.job(t, &columns[i], half.out, seed)
			var no *engine.Impossible
			switch {
			case cell == "✗" && !errors.As(err, &no):
				t.Errorf("%s: want a combination that cannot be built, got %v", name, err)
			case cell == "✗":
			case err != nil:
				t.Errorf("%s: %v", name, err)
			default:
				proveCell(t, name, job, cell, seed == 1)
			}
		}
	}
}

func proveCell(t *testing.T, name string, job *engine.Job, cell string, musts bool) {
	t.Helper()
	r, err := explore.Explore(context.Background(), job, nil, explore.Options{Budget: -1, Audit: true})
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	p := promise{cell: cell}
	if err := p.holds(&r.Columns[0], musts); err != nil {
		t.Errorf("%s: %v; %v; examples: %v", name, err, r.Columns[0].Classes, r.Examples)
	}
	if r.Breaches > 0 {
		t.Errorf("%s: %d of %d runs broke rules, e.g. %s: %v", name, r.Breaches, r.Points, r.Broken[0].Fault, r.Broken[0].Violations[0])
	}
	t.Logf("%s: %s: %v, rewound %d", name, cell, r.Columns[0].Classes, r.Columns[0].Rewound)
}
