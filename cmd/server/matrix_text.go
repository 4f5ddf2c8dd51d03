package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// matrixPart is what one table of the matrix is called.
type matrixPart struct{ id, title, note string }

func matrixParts() []matrixPart {
	return []matrixPart{
		{explore.PartSinks, "Strategies and sinks", "Topology J: two sources, a counter, a sink. The loop and the batch job have shapes of their own; the skewed row runs on K, one enricher twenty times slower."},
		{explore.PartLoop, "Where a plain loop keeps its totals", "offset-commit, commit=after; the node, with its disk, crashes as well. What survives decides what the next total is."},
		{explore.PartTrident, "trident: spout and state", "The engine's own table is what others read."},
		{explore.PartReplicated, "replicated: copies and a command log", "The engine's own table is what others read."},
		{explore.PartXA, "xa: broker and database in one transaction", "The coordinator is a process of its own."},
		{explore.PartPause, "A sink falls asleep", "barriers, aligned. Each of three lengths at every gap: unnoticed, waking while the replacement is being started, waking long after. A broker always checks the epoch; a store checks a token with fencing=on."},
		{explore.PartOutage, "Other single faults", "barriers, aligned. lose-response: at every gap, the next write of the sink takes effect and its answer is lost. Short memories and new names: every task and the whole job crash. transaction.timeout shorter than checkpoint.interval: nothing fails; one run a cell, endless means the input 16 times over."},
	}
}

// matrixCoverage says what was tried.
func matrixCoverage(seeds int) string {
	which := "seed 1"
	if seeds > 1 {
		which = fmt.Sprintf("seeds 1 to %d", seeds)
	}
	return "Every gap between two events × every task and the whole job, one crash a run, " + which + ", input cards-16. Where a row names who dies, only that."
}

// classCounts are a cell's classes with their counts, the worst first.
func classCounts(c *explore.MatrixCell) string {
	var out []string
	for _, class := range check.Classes() {
		if n := c.Classes[class]; n > 0 {
			out = append(out, fmt.Sprintf("%s %d", class, n))
		}
	}
	if c.Rewound > 0 {
		out = append(out, fmt.Sprintf("went back %d", c.Rewound))
	}
	return strings.Join(out, ", ")
}

// columnName says which sink and who reads.
func columnName(c *explore.MatrixCell) string {
	if c.Sink == string(engine.SinkTransactional) {
		return c.Column + ", " + c.Isolation
	}
	return c.Column
}

func writeMatrixText(w io.Writer, cells []explore.MatrixCell, seeds int) error {
	_, err := fmt.Fprintf(w, "The guarantee matrix\n%s\n", matrixCoverage(seeds))
	if err != nil {
		return fmt.Errorf("write the matrix: %w", err)
	}
	for _, part := range matrixParts() {
		_, _ = fmt.Fprintf(w, "\n== %s ==\n%s\n", part.title, part.note)
		row := ""
		for i := range cells {
			c := &cells[i]
			if c.Part != part.id {
				continue
			}
			if name := c.Row + ", " + string(c.Output) + " output"; name != row {
				row = name
				_, _ = fmt.Fprintf(w, "\n%s\n", row)
			}
			if c.Refused != "" {
				_, _ = fmt.Fprintf(w, "  %-34s  cannot be built: %s Nearest legal choice: %s.\n", columnName(c), c.Refused, c.Nearest)
				continue
			}
			_, _ = fmt.Fprintf(w, "  %-34s  %s\n", columnName(c), classCounts(c))
		}
	}
	return nil
}

// writeMatrixMarkdown writes a table a part and output.
func writeMatrixMarkdown(w io.Writer, cells []explore.MatrixCell, seeds int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# The guarantee matrix\n\nWritten by `server matrix --format markdown`; do not edit.\n\n%s\n\n", matrixCoverage(seeds))
	b.WriteString("A cell counts runs by what one reader of the outside world saw once the run had come to rest. *went back* counts runs in which a reader saw a total go down. ")
	b.WriteString("What is not named did not occur. ✗ cannot be built; the reasons stand below.\n")
	var reasons []string
	for _, part := range matrixParts() {
		for _, out := range []engine.Output{engine.EventOutput, engine.TotalOutput} {
			writeMarkdownTable(&b, cells, part, out, &reasons)
		}
	}
	b.WriteString("\n## What cannot be built\n\n")
	for i, r := range reasons {
		fmt.Fprintf(&b, "%d. %s\n", i+1, r)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeMarkdownTable(b *strings.Builder, cells []explore.MatrixCell, part matrixPart, out engine.Output, reasons *[]string) {
	var rows, columns []string
	at := map[[2]string]string{}
	for i := range cells {
		c := &cells[i]
		if c.Part != part.id || c.Output != out {
			continue
		}
		if !slices.Contains(rows, c.Row) {
			rows = append(rows, c.Row)
		}
		if !slices.Contains(columns, columnName(c)) {
			columns = append(columns, columnName(c))
		}
		text := classCounts(c)
		if c.Refused != "" {
			n := slices.Index(*reasons, c.Refused)
			if n < 0 {
				n = len(*reasons)
				*reasons = append(*reasons, c.Refused)
			}
			text = fmt.Sprintf("✗ %d", n+1)
		}
		at[[2]string{c.Row, columnName(c)}] = text
	}
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s, %s output\n\n%s\n\n|  | %s |\n|---|%s\n", part.title, out, part.note, strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		b.WriteString("| " + row)
		for _, col := range columns {
			text := at[[2]string{row, col}]
			if text == "" {
				text = "–"
			}
			b.WriteString(" | " + text)
		}
		b.WriteString(" |\n")
	}
}
