package sim

import (
	"fmt"
	"strings"
	"testing"
)

// TestForksOfStagesStatesAndVotersEqualRunsFromStart forks into the same memory
// again and again, as an exploration does, for the strategies that keep more in
// their machines than the barriers do.
func TestForksOfStagesStatesAndVotersEqualRunsFromStart(t *testing.T) {
	for _, settings := range []string{
		"strategy=dataflow sink=dedup output=total",
		"strategy=dataflow sink=upsert output=total production=weak topology=K",
		"strategy=dataflow mode=at_least_once topology=J2",
		"strategy=trident sink=state output=total spout=opaque state=opaque topology=J2",
		"strategy=trident sink=state output=total spout=non-transactional state=transactional",
		"strategy=xa topology=LOOP sink=transactional output=total",
		"strategy=xa topology=LOOP sink=transactional coordinator.log=off restart.delay=5ms",
	} {
		j := job(t, 1, strings.Fields(settings)...)
		s, err := New(j, nil)
		if err != nil {
			t.Fatal(err)
		}
		fork := &Sim{}
		targets := append([]string{"crash-job", "crash:coordinator"}, "crash:"+j.Plan.Tasks[0].Name, "crash:"+j.Plan.Tasks[len(j.Plan.Tasks)-1].Name)
		for gap := 0; ; gap++ {
			target := targets[gap%len(targets)]
			f := faults(t, fmt.Sprintf("%s@%d", target, gap))[0]
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
