package explore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// Row is one way to survive: a line of the guarantee matrix.
type Row struct {
	Name     string // what people call it
	Strategy string
	Settings []string // KEY=VALUE, beside strategy
	Slow     string   // a condition of every run; "" for none
	Kinds    []string // faults explored; nil: crash of every task, and crash-job
	Columns  []string // names of the columns it has; nil: all of Columns
	Outputs  []engine.Output
}

// MatrixColumn is one kind of sink with its settings and reader.
type MatrixColumn struct {
	Name     string
	Sink     engine.SinkKind
	Settings []string
	Readers  []string // what Verdict.Reader says, one cell each
}

// MatrixCell is what became of one row and column under every crash.
type MatrixCell struct {
	Row       string                 `json:"row"`
	Column    string                 `json:"column"`
	Strategy  string                 `json:"strategy"`
	Settings  map[string]string      `json:"settings"`
	Sink      string                 `json:"sink"`
	Output    engine.Output          `json:"output"`
	Isolation string                 `json:"isolation"`
	Points    int                    `json:"points"`
	Classes   map[check.Class]int    `json:"classes"`
	Rewound   int                    `json:"rewound"`
	Examples  map[check.Class]string `json:"examples,omitempty"`
	Refused   string                 `json:"refused,omitempty"` // the combination cannot be built: why
	Nearest   string                 `json:"nearest,omitempty"`
}

// shortTimeout are the settings of the row whose promises expire.
var shortTimeout = []string{"transaction.timeout=1s", "restart.delay=3s"}

// skew are the settings of the row that needs records waiting behind a barrier.
var skew = []string{"topology=K", "gap=40ms", "checkpoint.interval=150ms", "checkpoint.mode=at_least_once"}

// Rows are the lines of the matrix whose outside world is a sink.
func Rows() []Row {
	loop := func(mode string) []string {
		return []string{"topology=LOOP", "commit=" + mode, "state.recovery=replay-input"}
	}
	return []Row{
		{Name: "batch", Strategy: "batch", Settings: []string{"topology=BATCH"}},
		{Name: "offset-commit, before", Strategy: "offset-commit", Settings: loop("before")},
		{Name: "offset-commit, after", Strategy: "offset-commit", Settings: loop("after")},
		{Name: "offset-commit, auto", Strategy: "offset-commit", Settings: loop("auto")},
		{Name: "microbatch", Strategy: "microbatch"},
		{Name: "microbatch, async progress", Strategy: "microbatch", Settings: []string{"async.progress=on"}},
		{Name: "barriers exactly_once, aligned", Strategy: "barriers"},
		{Name: "barriers exactly_once, unaligned", Strategy: "barriers", Settings: []string{"checkpoint.unaligned=on"}},
		{Name: "barriers at_least_once", Strategy: "barriers", Settings: skew, Slow: "slow:enrich/1:x20@0s"},
		{Name: "barriers exactly_once, timeout shorter than outage", Strategy: "barriers", Settings: shortTimeout, Columns: []string{"transactional"}},
		{Name: "kafka-streams at_least_once", Strategy: "kafka-streams"},
		{Name: "kafka-streams exactly_once_v2", Strategy: "kafka-streams", Settings: []string{"processing.guarantee=exactly_once_v2"}},
		{Name: "dataflow exactly_once, strong", Strategy: "dataflow"},
		{Name: "dataflow exactly_once, weak", Strategy: "dataflow", Settings: []string{"production=weak"}},
		{Name: "dataflow at_least_once", Strategy: "dataflow", Settings: []string{"mode=at_least_once"}},
	}
}

// MatrixColumns are the sinks of the matrix.
func MatrixColumns() []MatrixColumn {
	anyone := []string{check.AnyReader}
	return []MatrixColumn{
		{Name: "append", Sink: engine.SinkAppend, Readers: anyone},
		{Name: "upsert", Sink: engine.SinkUpsert, Readers: anyone},
		{Name: "dedup atomic", Sink: engine.SinkDedup, Readers: anyone},
		{Name: "dedup id-first", Sink: engine.SinkDedup, Settings: []string{"dedup.write=id-first"}, Readers: anyone},
		{Name: "dedup value-first", Sink: engine.SinkDedup, Settings: []string{"dedup.write=value-first"}, Readers: anyone},
		{Name: "offset-with-output", Sink: engine.SinkPosition, Readers: anyone},
		{Name: "transactional", Sink: engine.SinkTransactional, Settings: []string{"readers=read_committed+read_uncommitted"},
			Readers: []string{string(engine.ReadCommitted), string(engine.ReadUncommitted)}},
		{Name: "email none", Sink: engine.SinkEmail, Readers: anyone},
		{Name: "email random", Sink: engine.SinkEmail, Settings: []string{"idempotency.key=random"}, Readers: anyone},
		{Name: "email from-input", Sink: engine.SinkEmail, Settings: []string{"idempotency.key=from-input"}, Readers: anyone},
		{Name: "files, log honoured", Sink: engine.SinkFiles, Settings: []string{"reader.honours.log=true"}, Readers: []string{""}},
		{Name: "files, log ignored", Sink: engine.SinkFiles, Settings: []string{"reader.honours.log=false"}, Readers: []string{""}},
	}
}

// Matrix explores every cell of Rows × MatrixColumns over an input, event and
// total output, at one seed. Told is called for each cell as it is done, in
// order. A combination that cannot be built is a cell that says why.
func Matrix(ctx context.Context, in *engine.Input, seed uint64, told func(*MatrixCell)) error {
	for _, row := range Rows() {
		outputs := row.Outputs
		if outputs == nil {
			outputs = []engine.Output{engine.EventOutput, engine.TotalOutput}
		}
		for _, out := range outputs {
			for _, col := range MatrixColumns() {
				if row.Columns != nil && !slices.Contains(row.Columns, col.Name) {
					continue
				}
				cells, err := ExploreCell(ctx, in, seed, &row, &col, out)
				if err != nil {
					return err
				}
				for i := range cells {
					told(&cells[i])
				}
			}
		}
	}
	return nil
}

// ExploreCell explores one row and column: a cell for each reader.
func ExploreCell(ctx context.Context, in *engine.Input, seed uint64, row *Row, col *MatrixColumn, out engine.Output) ([]MatrixCell, error) {
	job, err := cellJob(in, seed, row, col, out)
	blank := MatrixCell{Row: row.Name, Column: col.Name, Strategy: row.Strategy, Sink: string(col.Sink), Output: out, Settings: cellSettings(row, col)}
	var impossible *engine.Impossible
	if errors.As(err, &impossible) {
		blank.Refused, blank.Nearest = impossible.Why, impossible.Nearest
		return refusals(blank, col), nil
	}
	if err != nil {
		return nil, err
	}
	res, err := Explore(ctx, job, nil, Options{Kinds: row.Kinds, Budget: -1})
	if err != nil {
		return nil, err
	}
	var cells []MatrixCell
	for i, c := range res.Columns {
		cell := blank
		cell.Isolation, cell.Points, cell.Classes, cell.Rewound = c.Reader, res.Points, c.Classes, c.Rewound
		cell.Examples = examplesOf(res, i)
		cells = append(cells, cell)
	}
	return cells, nil
}

func refusals(blank MatrixCell, col *MatrixColumn) []MatrixCell {
	var out []MatrixCell
	for _, r := range col.Readers {
		blank.Isolation = r
		out = append(out, blank)
	}
	return out
}

// examplesOf is, for each class of a column, the fault of the run with the fewest
// events.
func examplesOf(res *Result, column int) map[check.Class]string {
	out, events := map[check.Class]string{}, map[check.Class]int{}
	for i := range res.Cells {
		c := &res.Cells[i]
		class := c.Outcomes[column].Class
		if n, ok := events[class]; !ok || c.Events < n {
			events[class], out[class] = c.Events, res.FaultOf(c)
		}
	}
	return out
}

func cellSettings(row *Row, col *MatrixColumn) map[string]string {
	out := map[string]string{}
	for _, list := range [][]string{row.Settings, col.Settings} {
		for _, kv := range list {
			k, v, _ := strings.Cut(kv, "=")
			out[k] = v
		}
	}
	return out
}

func cellJob(in *engine.Input, seed uint64, row *Row, col *MatrixColumn, out engine.Output) (*engine.Job, error) {
	set := engine.BaseSettings()
	sink := engine.BaseSink("sink")
	sink.Kind, sink.Output = col.Sink, out
	set.Strategy, set.Sinks = row.Strategy, []engine.SinkSettings{sink}
	for _, list := range [][]string{row.Settings, col.Settings} {
		for _, kv := range list {
			k, v, _ := strings.Cut(kv, "=")
			if err := set.Set(k, v); err != nil {
				return nil, err
			}
		}
	}
	var conditions []engine.Fault
	if row.Slow != "" {
		f, err := engine.ParseFault(row.Slow)
		if err != nil {
			return nil, err
		}
		conditions = append(conditions, f)
	}
	return engine.NewJob("matrix", set, in, seed, conditions)
}
