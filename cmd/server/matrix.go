package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/explore"
	"effectivelyonce/lessons"
)

// maxSeeds bounds server matrix --seeds: more take hours.
const maxSeeds = 1000

func matrixCommand(ctx context.Context, args []string, s Streams) (int, error) {
	f := newFlags()
	seeds, format := f.text("seeds", "1"), f.text("format", "text")
	rest, err := f.parse(args)
	if err != nil {
		return 0, err
	}
	if len(rest) > 0 {
		return 0, usagef("found argument %q; matrix takes flags only", rest[0])
	}
	if err := oneOf("format", format.value, "text", "markdown", "json"); err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(seeds.value)
	if err != nil || n < 1 || n > maxSeeds {
		return 0, usagef("flag --seeds: found %q; allowed: a whole number from 1 to %d", seeds.value, maxSeeds)
	}
	cells, err := matrixCells(ctx, n)
	if err != nil {
		return 0, err
	}
	switch format.value {
	case "json":
		return exitDone, explore.WriteMatrix(s.Out, cells)
	case "markdown":
		return exitDone, writeMatrixMarkdown(s.Out, cells, n)
	}
	return exitDone, writeMatrixText(s.Out, cells, n)
}

// matrixInput is the input of the matrix (curriculum 3).
func matrixInput() (*engine.Input, error) {
	cat, problems := lessons.Load(content.FS)
	if len(problems) > 0 {
		return nil, fmt.Errorf("the embedded content is broken:\n%w", lessons.Problems(problems))
	}
	for _, id := range cat.ScenarioIDs() {
		if in := cat.Scenario(id).Input; in.Name == "cards-16" {
			return in, nil
		}
	}
	return nil, fmt.Errorf("no scenario of the embedded content has the input cards-16")
}

// matrixCells explores the matrix over the seeds 1 to n and adds the cells up.
func matrixCells(ctx context.Context, n int) ([]explore.MatrixCell, error) {
	in, err := matrixInput()
	if err != nil {
		return nil, err
	}
	var cells []explore.MatrixCell
	for seed := 1; seed <= n; seed++ {
		at := 0
		err := explore.Matrix(ctx, in, explore.MatrixOptions{Seed: uint64(seed)}, func(found []explore.MatrixCell) {
			for i := range found {
				if seed == 1 {
					cells = append(cells, found[i])
				} else {
					cells[at].Add(&found[i])
				}
				at++
			}
		})
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return cells, nil
}

func matrixHelp(w io.Writer) {
	_, _ = fmt.Fprint(w, `server matrix [--seeds N] [--format text|markdown|json]

The guarantee matrix: every strategy against every sink, event and total output.
In each cell every task and the whole job crash at every moment, one run each, and
each run is judged. What cannot be combined says why.

  --seeds   explore the seeds 1 to N and add them up (1)
  --format  text, markdown, or json with one cell a line
`)
}
