package sim

import (
	"fmt"
	"strings"
	"testing"
)

// A fork at any gap goes on as a run from the start does: for the machines of the
// plain loop, of batch jobs and of replicated tables, into the same memory again
// and again, as an exploration does.
func TestForksOfLoopsBatchesAndReplicasEqualRunsFromStart(t *testing.T) {
	for _, settings := range []string{
		"strategy=offset-commit topology=LOOP sink=dedup dedup.write=id-first output=total commit=before",
		"strategy=offset-commit topology=LOOP sink=transactional output=total commit=auto",
		"strategy=offset-commit topology=LOOP sink=offset-with-output output=total state.recovery=remote",
		"strategy=batch topology=BATCH sink=files output=total",
		"strategy=batch topology=BATCH sink=email idempotency.key=from-input",
		"strategy=replicated sink=state k=2 command.log=async output=total",
		"strategy=replicated sink=state k=1 restart.delay=5ms",
	} {
		j := job(t, 1, strings.Fields(settings)...)
		s, err := New(j, nil)
		if err != nil {
			t.Fatal(err)
		}
		targets := []string{"crash-job", "crash-node:node/0"}
		for _, name := range j.Plan.TaskNames() {
			targets = append(targets, "crash:"+name)
		}
		fork := &Sim{}
		for gap := 0; ; gap++ {
			f := faults(t, fmt.Sprintf("%s@%d", targets[gap%len(targets)], gap))[0]
			if err := f.Resolve(j); err != nil {
				t.Fatal(err)
			}
			s.Fork(fork)
			fork.Inject(f)
			for fork.Step() {
			}
			equal(t, settings+" "+f.String(), run(t, j, f.String()), fork.Trace())
			if !s.Step() {
				break
			}
		}
	}
}
