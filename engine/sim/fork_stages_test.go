package sim

import (
	"fmt"
	"strings"
	"testing"
)

// A fork at any gap goes on as a run from the start does, and so does a fork of
// one that was forked at another gap before: barriers that let pass or overtake,
// microbatches and stream threads.
func TestForksOfCutsBatchesAndThreadsEqualRunsFromStart(t *testing.T) {
	for _, settings := range []string{
		"checkpoint.mode=at_least_once topology=K sink=transactional",
		"checkpoint.unaligned=on backlog=on checkpoint.interval=40ms sink=transactional output=total",
		"checkpoint.unaligned=on topology=K backlog=on checkpoint.interval=60ms sink=upsert",
		"strategy=microbatch sink=transactional output=total",
		"strategy=microbatch topology=J2 sink=offset-with-output",
		"strategy=microbatch topology=K sink=files",
		"strategy=microbatch topology=MAP async.progress=on",
		"strategy=kafka-streams sink=upsert output=total",
		"strategy=kafka-streams topology=J2 processing.guarantee=exactly_once_v2 sink=transactional commit.interval=60ms",
		"strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=dedup dedup.write=id-first transaction.timeout=320ms",
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
		targets := []string{"crash-job", "crash-node:node/0", "crash:coordinator"}
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
