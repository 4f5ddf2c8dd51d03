package lessons_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// The level of the clicks team allows one repeat and asks for a delay.
func TestALevelBoundsRepeatsAndDelay(t *testing.T) {
	cat := catalogue(t)
	level := cat.Lesson("choose-and-tune").Level
	found := &lessons.Explored{Points: 9, Classes: map[check.Class]int{check.Exact: 8, check.Duplicated: 1}, Duplicated: 1, Worst: "crash:loop/0@7"}
	if won, why := level.Repaired(found); !won {
		t.Errorf("one repeat: %s", why)
	}
	found.Duplicated = 2
	if won, why := level.Repaired(found); won || !strings.Contains(why, "2 duplicated, at most 1 are allowed, for example crash:loop/0@7") {
		t.Errorf("two repeats: %v %s", won, why)
	}
	for sink, want := range map[string]bool{"upsert": true, "transactional": false} {
		job, faults, err := cat.Compile(lessons.Query{Scenario: "pick-clicks", Set: []string{"strategy=barriers", "topology=J", "sink=" + sink}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := quizzes.Play(sim.Run, job, faults)
		if err != nil {
			t.Fatal(err)
		}
		if won, why, err := level.WonBy(r); won != want || err != nil {
			t.Errorf("%s: won %v, want %v; %s %v", sink, won, want, why, err)
		}
	}
}
