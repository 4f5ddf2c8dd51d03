package explore_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
)

// randomSettings picks a job of barriers, microbatch or kafka-streams.
func randomSettings(rng *rand.Rand) string {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	s := pick("strategy=barriers", "strategy=barriers checkpoint.mode=at_least_once", "strategy=barriers checkpoint.unaligned=on",
		"strategy=microbatch", "strategy=kafka-streams", "strategy=kafka-streams processing.guarantee=exactly_once_v2")
	s += " " + pick(columns...) + " " + pick("output=event", "output=total") + " topology=" + pick("J", "J2", "K", "MAP")
	s += fmt.Sprintf(" checkpoint.interval=%dms trigger.interval=%dms commit.interval=%dms", 20+rng.IntN(300), 20+rng.IntN(300), 20+rng.IntN(300))
	s += fmt.Sprintf(" channel.capacity=%d gap=%dms backlog=%s restart.delay=%dms", 1+rng.IntN(8), rng.IntN(80), pick("on", "off", "off"), 1+rng.IntN(900))
	return s + " " + pick("", "checkpoint.timeout=120ms checkpoint.tolerable-failures=5", "transaction.timeout=900ms", "emit=at-count:2")
}

// randomFaults picks two crashes.
func randomFaults(t *testing.T, rng *rand.Rand, job *engine.Job, events int) []engine.Fault {
	var out []engine.Fault
	specs := []string{"crash-job"}
	for _, name := range job.Plan.TaskNames() {
		specs = append(specs, "crash:"+name, "crash:"+name)
	}
	specs = append(specs, "crash:coordinator")
	for range 2 {
		f, err := engine.ParseFault(fmt.Sprintf("%s@%d", specs[rng.IntN(len(specs))], rng.IntN(events+1)))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, f)
	}
	return out
}

// TestRandomJobsKeepTheirRules: whatever the settings and two crashes, no machine
// meets an impossible state and no rule is broken. A strategy that saves its
// position after the work loses nothing at a plain row sink.
func TestRandomJobsKeepTheirRules(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ran := map[string]int{}
	for range 1500 {
		settings := randomSettings(rng)
		job, err := jobOf(rng.Uint64N(1000), settings)
		var no *engine.Impossible
		if errors.As(err, &no) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", settings, err)
		}
		clean, err := sim.Run(job, nil)
		if errors.Is(err, sim.ErrEventLimit) {
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", settings, err)
		}
		faults := randomFaults(t, rng, job, clean.Len())
		tr, err := sim.Run(job, faults)
		var never *engine.NeverStruck
		if errors.As(err, &never) || errors.Is(err, sim.ErrEventLimit) {
			continue
		}
		if err != nil {
			t.Fatalf("%s %v: %v", settings, faults, err)
		}
		ran[job.Settings.Strategy]++
		if vs := check.Invariants(tr); len(vs) > 0 {
			t.Errorf("%s, seed %d, %v: %s", settings, job.Seed, faults, vs[0])
		}
		// A row for the second of a key is skipped where the count jumps over it.
		if v := check.Judge(tr)[0]; job.Settings.Sinks[0].Kind == engine.SinkAppend && job.Settings.Sinks[0].EmitAt == 0 && v.Lost > 0 {
			t.Errorf("%s, seed %d, %v: %d lost", settings, job.Seed, faults, v.Lost)
		}
		expires := job.Settings.Sinks[0].Kind == engine.SinkTransactional // a promise may, without any crash
		if v := check.Judge(clean)[0]; v.Class != check.Exact && v.Class != check.Stuck && (v.Class != check.Lost || !expires) {
			t.Errorf("%s, seed %d, no fault: %s", settings, job.Seed, v.Class)
		}
	}
	t.Logf("runs: %v", ran)
	for _, s := range []string{"barriers", "microbatch", "kafka-streams"} {
		if ran[s] < 50 {
			t.Errorf("only %d runs of %s", ran[s], s)
		}
	}
}
