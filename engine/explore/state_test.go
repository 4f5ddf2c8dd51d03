package explore_test

import (
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// stateCells are ways to get state back, with costs, and what a crash of every
// process, of the job and of the node may lead to (curriculum 3.4 and L19).
var stateCells = map[string]string{
	// 3.4: where the totals of a plain loop live.
	"strategy=offset-commit topology=LOOP state.recovery=none sink=append":                    "d! w!",
	"strategy=offset-commit topology=LOOP state.recovery=none sink=upsert":                    "l! r",
	"strategy=offset-commit topology=LOOP state.recovery=remote sink=append":                  "d! w!",
	"strategy=offset-commit topology=LOOP state.recovery=remote sink=upsert":                  "d!",
	"strategy=offset-commit topology=LOOP state.recovery=replay-input sink=append":            "d!",
	"strategy=offset-commit topology=LOOP state.recovery=replay-input sink=upsert":            "r",
	"strategy=offset-commit topology=LOOP state.recovery=remote sink=offset-with-output":      "",
	"strategy=offset-commit topology=LOOP state.recovery=cdc sink=offset-with-output" + heavy: "",

	// What lies beside the totals: the place that counts, and the hand-off.
	"strategy=offset-commit topology=LOOP commit.handoff=async sink=append output=event":                    "d! l!",
	"strategy=offset-commit topology=LOOP commit.handoff=async commit=auto sink=upsert output=event":        "l!",
	"strategy=offset-commit topology=LOOP position.use=guard sink=offset-with-output output=event":          "",
	"strategy=offset-commit topology=LOOP position.use=resume sink=offset-with-output":                      "",
	"strategy=offset-commit topology=LOOP position.use=guard state.recovery=remote sink=offset-with-output": "d!",
	"strategy=offset-commit topology=LOOP state.recovery=replay-input input.retention=600ms sink=upsert":    "l! r",

	"state.recovery=snapshot sink=upsert checkpoint.interval=150ms" + heavy:                                    "r",
	"state.recovery=snapshot-incremental sink=upsert checkpoint.interval=80ms" + heavy:                         "r",
	"state.recovery=snapshot-incremental sink=transactional checkpoint.interval=60ms" + heavy:                  "",
	"state.recovery=snapshot-incremental sink=upsert checkpoint.unaligned=on checkpoint.interval=60ms" + heavy: "r",
	"state.recovery=remote sink=upsert remote.latency=4ms" + heavy:                                             "r",
	"restore.from=none sink=upsert checkpoint.interval=150ms":                                                  "r",
	"restore.from=none sink=append checkpoint.interval=150ms":                                                  "d!",

	"strategy=microbatch state.recovery=snapshot-incremental sink=transactional trigger.interval=100ms" + heavy: "",
	"strategy=microbatch state.recovery=snapshot-incremental sink=upsert trigger.interval=60ms" + heavy:         "r",

	"strategy=kafka-streams state.recovery=standby sink=upsert commit.interval=80ms " + eos + heavy:                                            "r",
	"strategy=kafka-streams num.standby.replicas=1 sink=transactional commit.interval=60ms " + eos + heavy:                                     "",
	"strategy=kafka-streams num.standby.replicas=1 sink=upsert commit.interval=80ms" + heavy:                                                   "d!",
	"strategy=kafka-streams changelog.head=2 sink=transactional commit.interval=60ms " + eos + heavy:                                           "",
	"strategy=kafka-streams changelog.head=2 state.delete=when-complete delete.retention=0ms sink=upsert commit.interval=60ms " + eos:          "r",
	"strategy=kafka-streams changelog.head=2 state.delete=when-complete state.recovery=standby sink=transactional commit.interval=60ms " + eos: "",
}

const heavy = " state.key.bytes=40000"

func crashesOf(settings string) []string {
	if strings.Contains(settings, "topology=LOOP") {
		return []string{"crash-job", "crash:loop/0", "crash-node:node/0"}
	}
	kinds := append([]string{"crash-node:node/0", "crash-node:node/1"}, crashesOfJ...)
	return kinds
}

// Seed 1 shows every class that must occur; none shows one that must not.
func TestEveryWayToGetStateBack(t *testing.T) {
	for settings, cell := range stateCells {
		t.Run(settings, func(t *testing.T) {
			for seed := range uint64(soak(1, 50)) {
				job, err := jobOf(seed+1, "output=total "+settings)
				if err != nil {
					t.Fatal(err)
				}
				if err := everyGap(t, job, crashesOf(settings)...).against(cell, seed == 0); err != nil {
					t.Errorf("seed %d: %v", seed+1, err)
				}
			}
		})
	}
}

// Whoever is struck again on the way back starts the way back anew.
func TestCrashesWhileStateComesBack(t *testing.T) {
	for settings, first := range map[string]string{
		"sink=upsert state.recovery=snapshot-incremental checkpoint.interval=80ms" + heavy:                   "crash-node:node/0@before:checkpoint.complete~3",
		"sink=transactional state.recovery=snapshot checkpoint.interval=80ms" + heavy:                        "crash:count/0@before:checkpoint.complete~3",
		"strategy=kafka-streams num.standby.replicas=1 sink=upsert commit.interval=80ms " + eos + heavy:      "crash-node:node/0@before:txn.commit~4",
		"strategy=kafka-streams changelog.head=2 sink=transactional commit.interval=60ms " + eos + heavy:     "crash-job@before:txn.commit~4",
		"strategy=offset-commit topology=LOOP state.recovery=cdc sink=offset-with-output" + heavy:            "crash:loop/0@before:offset.commit~3",
		"strategy=microbatch state.recovery=snapshot-incremental sink=upsert trigger.interval=100ms" + heavy: "crash-job@before:commitlog.written~2",
	} {
		job, err := jobOf(1, "output=total "+settings)
		if err != nil {
			t.Fatal(err)
		}
		fault, err := engine.ParseFault(first)
		if err == nil {
			err = fault.Resolve(job)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := everyGapAfter(t, job, []engine.Fault{fault}, crashesOf(settings)...).against("r", false); err != nil {
			t.Errorf("%s: %v", settings, err)
		}
	}
	const settings = "output=total strategy=kafka-streams num.standby.replicas=1 sink=upsert commit.interval=80ms" + heavy
	job, err := jobOf(1, settings)
	if err != nil {
		t.Fatal(err)
	}
	fault, err := engine.ParseFault("crash-node:node/0@after:offset.commit~4")
	if err == nil {
		err = fault.Resolve(job)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := everyGapAfter(t, job, []engine.Fault{fault}, crashesOf(settings)...).against("d!", false); err != nil {
		t.Errorf("%s: %v", settings, err)
	}
}
