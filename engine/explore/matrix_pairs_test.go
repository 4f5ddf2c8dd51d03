package explore_test

import (
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
)

// Two faults. What one fault cannot break, two do not break either; and what comes
// back from a first fault is as good as new for the second.
func TestPairsOfFaults(t *testing.T) {
	for _, c := range []struct {
		settings, cell string
		kinds          []string
	}{
		{"strategy=replicated sink=state k=2 command.log=sync output=total", "", []string{"crash-job", "crash-node:node/0", "crash-node:node/1", "crash-node:node/2"}},
		{"strategy=replicated sink=state k=2 command.log=off", "", []string{"crash-node:node/0", "crash-node:node/2", "crash:client/1"}},
		{"strategy=batch topology=BATCH sink=files output=total", "", []string{"crash-job", "crash:map/0", "crash:reduce/0", "crash:coordinator"}},
		{"strategy=batch topology=BATCH sink=dedup", "", []string{"crash-job", "crash:map/1", "crash:reduce/0"}},
		{"strategy=offset-commit topology=LOOP sink=offset-with-output output=total state.recovery=remote", "", []string{"crash-job", "crash:loop/0"}},
		{"strategy=offset-commit topology=LOOP sink=upsert output=total", "r", []string{"crash-job", "crash:loop/0"}},
		{"strategy=dataflow sink=dedup output=total", "", []string{"crash-job", "crash:count/0", "crash:sink/0", "crash:coordinator"}},
		{"strategy=dataflow sink=upsert production=weak topology=K", "", []string{"crash-job", "crash:enrich/1", "crash:count/0", "crash:sink/0"}},
		{"strategy=trident sink=state", "", []string{"crash-job", "crash:count/0", "crash:coordinator"}},
		{"strategy=trident sink=state spout=opaque state=opaque output=total", "", []string{"crash-job", "crash:source/1", "crash:count/0"}},
		{"strategy=xa topology=LOOP sink=transactional output=total", "", []string{"crash-job", "crash:coordinator"}},
		{"strategy=xa topology=LOOP sink=transactional restart.delay=5ms coordinator.log=off", "s", []string{"crash-job", "crash:coordinator"}},
		{"strategy=offset-commit topology=LOOP sink=transactional output=total", "d", []string{"crash-job", "crash:loop/0"}},
	} {
		t.Run(c.settings, func(t *testing.T) {
			job, err := jobOf(1, c.settings)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := sim.Run(job, nil)
			if err != nil {
				t.Fatal(err)
			}
			const stride = 41
			for gap := 0; gap <= plain.Len(); gap += stride {
				for _, kind := range c.kinds {
					first, err := engine.ParseFault(fmt.Sprintf("%s@%d", kind, gap))
					if err != nil {
						t.Fatal(err)
					}
					if err := everyGapAfter(t, job, []engine.Fault{first}, c.kinds...).against(c.cell, false); err != nil {
						t.Errorf("after %s: %v", first, err)
					}
				}
			}
		})
	}
}
