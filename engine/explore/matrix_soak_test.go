//go:build soak

package explore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
)

// No class that the table forbids occurs over fifty seeds. What may occur is
// reported with its frequency.
func TestSoakWholeMatrixOverSeeds(t *testing.T) {
	const seeds = 50
	want, sums := expectations(), map[string]*explore.MatrixCell{}
	for seed := uint64(1); seed <= seeds; seed++ {
		err := explore.Matrix(context.Background(), cards16(), explore.MatrixOptions{Seed: seed}, func(cells []explore.MatrixCell) {
			for i := range cells {
				c := &cells[i]
				key := keyOf(c)
				if err := against(c, want[key], seed == 1); err != nil {
					t.Errorf("seed %d, %s: %v", seed, key, err)
				}
				if sums[key] == nil {
					sums[key] = c
				} else {
					sums[key].Add(c)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	letters := map[check.Class]string{check.Duplicated: "d", check.Lost: "l", check.Mixed: "m", check.Wrong: "w", check.Stuck: "s"}
	var lines []string
	for key, c := range sums {
		for class, letter := range letters {
			if slices.Contains(strings.Fields(want[key]), letter) {
				lines = append(lines, frequency(key, c, class))
			}
		}
	}
	slices.Sort(lines)
	t.Logf("what may occur, over %d seeds:\n%s", seeds, strings.Join(lines, "\n"))
}

func frequency(key string, c *explore.MatrixCell, class check.Class) string {
	n := c.Classes[class]
	line := fmt.Sprintf("%-70s %-10s %7d of %7d runs (%.2f %%)", key, class, n, c.Points, 100*float64(n)/float64(c.Points))
	if ex, ok := c.Examples[class]; ok {
		line += fmt.Sprintf(", first %s at seed %d", ex.Fault, ex.Seed)
	}
	return line
}
