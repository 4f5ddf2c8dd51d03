package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
)

// pauseTable is curriculum 3.5: a sleeping sink is replaced and wakes up.
var pauseTable = []struct{ sink, cell string }{
	{"sink=append output=event", "e d!"},
	{"sink=append output=total", "e d! w"},
	{"sink=email output=event", "e d!"},
	{"sink=dedup output=total", "e l r"},
	{"sink=dedup output=total fencing=on", "e l r"},
	{"sink=offset-with-output output=total", "e l r"},
	{"sink=offset-with-output output=total fencing=on", "e l r"},
	{"sink=email output=total idempotency.key=from-input", "e w"},
	{"sink=upsert output=event", "e"},
	{"sink=upsert output=event fencing=on", "e"},
	{"sink=dedup output=event", "e"},
	{"sink=dedup output=event fencing=on", "e"},
	{"sink=offset-with-output output=event", "e"},
	{"sink=offset-with-output output=event fencing=on", "e"},
	{"sink=email output=event idempotency.key=from-input", "e"},
	{"sink=upsert output=total", "e l! r"},
	{"sink=upsert output=total fencing=on", "e r"},
	{"sink=transactional output=event", "e"},
	{"sink=transactional output=total", "e"},
	{"sink=files output=event", "e"},
}

// pauses are the three lengths of a pause of a task, as faults without a moment.
func pauses(job *engine.Job, task string) []string {
	var out []string
	for _, d := range explore.PauseLengths(job) {
		out = append(out, "pause:"+task+":"+d.String())
	}
	return out
}

func checkPauses(t *testing.T, seeds int) {
	for _, c := range pauseTable {
		t.Run(strings.ReplaceAll(c.sink, " ", ","), func(t *testing.T) {
			for seed := 1; seed <= seeds; seed++ {
				job, err := jobOf(uint64(seed), c.sink)
				if err != nil {
					t.Fatal(err)
				}
				f := everyGap(t, job, pauses(job, "sink/0")...)
				if err := f.against(c.cell, seed == 1); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
				if seed == 1 {
					t.Logf("%d runs %v rewound %d", f.runs, f.classes, f.rewound)
				}
			}
		})
	}
}

func TestPauseOfTheSink(t *testing.T) { checkPauses(t, 1) }

// A run that is forked where a task falls asleep is the run that has the pause from
// the start, and a fork of it beside a sleeping zombie goes on as the original does.
func TestPausedRunsFork(t *testing.T) {
	for _, sink := range []string{"sink=upsert output=total", "sink=transactional output=total", "sink=upsert output=total checkpoint.unaligned=on"} {
		job, err := jobOf(1, sink)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range pauses(job, "sink/0") {
			for gap := 0; gap < 160; gap += 7 {
				f, err := engine.ParseFault(fmt.Sprintf("%s@%d", kind, gap))
				if err != nil {
					t.Fatal(err)
				}
				whole, err := sim.Run(job, []engine.Fault{f})
				if err != nil {
					t.Fatal(err)
				}
				walker, err := sim.New(job, []engine.Fault{f})
				if err != nil {
					t.Fatal(err)
				}
				var fork sim.Sim
				for walker.Step() {
					if walker.Trace().Len()%9 != 0 {
						continue
					}
					walker.Fork(&fork)
					for fork.Step() {
					}
					if !sameEvents(whole, fork.Trace()) {
						t.Fatalf("%s: the fork at %d goes another way", f, walker.Trace().Len())
					}
				}
			}
		}
	}
}

func sameEvents(a, b *trace.Trace) bool {
	if a.Len() != b.Len() {
		return false
	}
	for n := 1; n <= a.Len(); n++ {
		if *a.At(n) != *b.At(n) {
			return false
		}
	}
	return true
}
