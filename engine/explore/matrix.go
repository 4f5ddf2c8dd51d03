package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// MatrixCell is what became of one row and column under every crash, as one reader
// saw it. Points is 0 where the combination cannot be built.
type MatrixCell struct {
	Part      string                        `json:"part"`
	Row       string                        `json:"row"`
	Column    string                        `json:"column"`
	Strategy  string                        `json:"strategy"`
	Settings  map[string]string             `json:"settings"` // what is not base, beside strategy, sink and output
	Condition string                        `json:"condition,omitempty"`
	Faults    []string                      `json:"faults"` // kinds tried at every gap
	Sink      string                        `json:"sink"`
	Output    engine.Output                 `json:"output"`
	Isolation string                        `json:"isolation"` // who reads
	Points    int                           `json:"points"`
	Classes   map[check.Class]int           `json:"classes"`
	Rewound   int                           `json:"rewound"` // runs in which a reader saw a total go back
	Examples  map[check.Class]MatrixExample `json:"examples,omitempty"`
	Times     int                           `json:"times,omitempty"`   // the input so many times over, if more than once
	Refused   string                        `json:"refused,omitempty"` // the combination cannot be built: why
	Pair      []string                      `json:"pair,omitempty"`    // the two settings that do not go together
	Nearest   string                        `json:"nearest,omitempty"`
	Broken    []Broken                      `json:"-"` // with MatrixOptions.Audit
}

// MatrixExample is the run of a class with the fewest events.
type MatrixExample struct {
	Fault string `json:"fault"` // as a URL spells it
	Seed  uint64 `json:"seed"`
}

// MatrixOptions say how to explore the matrix.
type MatrixOptions struct {
	Seed    uint64
	Workers int  // cells explored at the same time; 0: one per processor
	Audit   bool // also check the invariants of every run; see MatrixCell.Broken
}

// place is a cell still to be explored.
type place struct {
	row Row
	col MatrixColumn
	out engine.Output
}

// places are all cells in order: row after row, event before total.
func places() (out []place) {
	for _, row := range Rows() {
		outputs := row.Outputs
		if outputs == nil {
			outputs = []engine.Output{engine.EventOutput, engine.TotalOutput}
		}
		for _, o := range outputs {
			for _, col := range append(MatrixColumns(), ownTable()) {
				if slices.Contains(row.Columns, col.Name) || row.Columns == nil && col.Sink != engine.SinkState {
					out = append(out, place{row, col, o})
				}
			}
		}
	}
	return out
}

// MatrixPlaces is how often Matrix calls told.
func MatrixPlaces() int { return len(places()) }

// Matrix explores every cell over an input at one seed. Told is called in the
// order of the rows, from this goroutine, with the cells of one row, column and
// output: one for each reader. A combination that cannot be built is a cell that
// says why. Cells are explored in goroutines of their own, which end before
// Matrix does; what is found does not depend on how many there are.
func Matrix(ctx context.Context, in *engine.Input, opt MatrixOptions, told func([]MatrixCell)) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type answer struct {
		cells []MatrixCell
		err   error
	}
	todo := places()
	answers := make([]chan answer, len(todo))
	for i := range answers {
		answers[i] = make(chan answer, 1)
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	defer workers.Wait()
	for range opt.Workers {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(todo); i = int(next.Add(1)) - 1 {
				p := &todo[i]
				cells, err := exploreCell(ctx, in, &opt, &p.row, &p.col, p.out)
				answers[i] <- answer{cells, err}
			}
		})
	}
	for i := range answers {
		a := <-answers[i]
		if a.err != nil {
			stop()
			return fmt.Errorf("%s, %s, %s: %w", todo[i].row.Name, todo[i].col.Name, todo[i].out, a.err)
		}
		told(a.cells)
	}
	return nil
}

// Add counts the runs of the same cell at another seed. The examples are those of
// the first seed that has one.
func (c *MatrixCell) Add(o *MatrixCell) {
	c.Points += o.Points
	c.Rewound += o.Rewound
	for class, n := range o.Classes {
		c.Classes[class] += n
	}
	for class, ex := range o.Examples {
		if _, ok := c.Examples[class]; !ok {
			c.Examples[class] = ex
		}
	}
}

// WriteMatrix writes cells as JSON, one a line, so that two versions can be
// compared.
func WriteMatrix(w io.Writer, cells []MatrixCell) error {
	var b strings.Builder
	b.WriteString("{\"cells\":[\n")
	for i := range cells {
		line, err := json.Marshal(&cells[i])
		if err != nil {
			return fmt.Errorf("cell %s: %w", cells[i].Row, err)
		}
		b.Write(line)
		if i < len(cells)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// exploreCell explores one row and column: a cell for each reader.
func exploreCell(ctx context.Context, in *engine.Input, opt *MatrixOptions, row *Row, col *MatrixColumn, out engine.Output) ([]MatrixCell, error) {
	job, err := cellJob(timesOver(in, row.Times), opt.Seed, row, col, out)
	blank := MatrixCell{Part: row.Part, Row: row.Name, Column: col.Name, Strategy: row.Strategy, Sink: string(col.Sink), Output: out,
		Settings: cellSettings(row, col), Faults: row.Kinds, Condition: row.Slow, Classes: map[check.Class]int{}}
	if row.Calm {
		blank.Faults = []string{}
	} else if blank.Faults == nil {
		blank.Faults = []string{string(engine.Crash), string(engine.CrashJob)}
	}
	var impossible *engine.Impossible
	if errors.As(err, &impossible) {
		blank.Refused, blank.Pair, blank.Nearest = impossible.Why, impossible.Settings[:], impossible.Nearest
		return refusals(blank, col), nil
	}
	if err != nil {
		return nil, err
	}
	if row.Times > 1 {
		blank.Times = row.Times
	}
	if row.Calm {
		return calmCells(job, &blank, opt)
	}
	res, err := Explore(ctx, job, nil, Options{Kinds: row.Kinds, Budget: -1, Audit: opt.Audit})
	if err != nil {
		return nil, err
	}
	var cells []MatrixCell
	for i, c := range res.Columns {
		cell := blank
		cell.Isolation, cell.Points, cell.Classes, cell.Rewound = c.Reader, res.Points, c.Classes, c.Rewound
		cell.Examples, cell.Broken = examplesOf(res, i, opt.Seed), res.Broken
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
func examplesOf(res *Result, column int, seed uint64) map[check.Class]MatrixExample {
	out, events := map[check.Class]MatrixExample{}, map[check.Class]int{}
	for i := range res.Cells {
		c := &res.Cells[i]
		class := c.Outcomes[column].Class
		if n, ok := events[class]; !ok || c.Events < n {
			events[class], out[class] = c.Events, MatrixExample{Fault: res.FaultOf(c), Seed: seed}
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
