//go:build soak

package explore_test

import (
	"strings"
	"testing"
)

// What reads its size from soaking, under names that make soak picks out.

func TestSoakEveryWayToGetStateBack(t *testing.T) { TestEveryWayToGetStateBack(t) }
func TestSoakLostAnswers(t *testing.T)            { TestALostAnswerAtEveryWrite(t) }
func TestSoakExpiryWindowsAndNames(t *testing.T)  { TestExpiryWindowsAndNames(t) }
func TestSoakTimeoutsWithoutAFault(t *testing.T) {
	TestATimeoutShorterThanTheIntervalNeedsNoFault(t)
}

// Over fifty seeds no operator leads to a class that docs/operators.md does not name.
func TestSoakOperators(t *testing.T) {
	for _, row := range operatorRows {
		for i, cell := range row.cells {
			t.Run(row.name+"/"+strings.ReplaceAll(operatorSinks[i], " ", ","), func(t *testing.T) {
				for seed := uint64(1); seed <= 50 && cell != "x"; seed++ {
					job := operatorJob(t, &row, operatorSinks[i], seed)
					if job == nil {
						t.Fatal("cannot be built")
					}
					if err := everyGap(t, job, crashesOfOperators(job.Plan.TaskNames())...).against(cell, seed == 1); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			})
		}
	}
}

func crashesOfOperators(tasks []string) []string {
	kinds := []string{"crash-job"}
	for _, name := range tasks {
		kinds = append(kinds, "crash:"+name)
	}
	return kinds
}
