package live_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
)

// killer kills whoever performs the effects with these numbers, counted over all
// processes of a run.
type killer struct {
	n     atomic.Int64
	at    []int64
	kills atomic.Int32
}

func newKiller(seed uint64, kills int, within int64) *killer {
	rng := rand.New(rand.NewPCG(seed, 8))
	k := &killer{}
	for range kills {
		k.at = append(k.at, 1+rng.Int64N(within))
	}
	return k
}

func (k *killer) strikes() bool {
	n := k.n.Add(1)
	for _, at := range k.at {
		if n == at {
			k.kills.Add(1)
			return true
		}
	}
	return false
}

// killed runs a job to its end although its processes are killed, tasks and
// coordinator alike, and returns how many were.
func killed(t *testing.T, job *engine.Job, log live.MemoryLog, topic *live.Topic, seed uint64) int {
	t.Helper()
	return killedOver(t, job, log, topic, &live.Memory{}, seed)
}

func killedOver(t *testing.T, job *engine.Job, log live.MemoryLog, topic *live.Topic, store live.Store, seed uint64) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cfg, within := config(log, topic, store), int64(36000)
	if seed%2 == 0 { // somebody watches: then each record has two deeds more
		cfg.Host.Tap, within = func(live.Seen) {}, 60000
	}
	k := newKiller(seed, 6, within)
	cfg.Host.Batch = 16
	cfg.Host.Crash = func(_ engine.TaskID, _ int16, _ *machine.Effect) bool { return k.strikes() }
	var now atomic.Pointer[live.Leader]
	cfg.Host.Report = func(r live.Report) {
		if l := now.Load(); l != nil {
			l.Report(r)
		}
	}
	host := live.NewHost(job, cfg.Host)
	defer host.Close()
	lead := live.LeaderConfig{Store: cfg.Host.Store, Tell: host.Do, Crash: func(int16, *machine.Effect) bool {
		return k.n.Load()%3 == 0 && k.strikes()
	}}
	for {
		l, err := live.NewLeader(job, lead)
		if err != nil {
			t.Fatal(err)
		}
		now.Store(l)
		l.Joined(host.Tasks()...)
		res, err := l.Run(ctx)
		if errors.Is(err, live.ErrCrashed) {
			continue
		}
		if err != nil || res.Reason != engine.AtRest {
			t.Fatalf("seed %d: %+v, %v", seed, res, err)
		}
		return int(k.kills.Load())
	}
}

// totals counts the rows whose count is not the next one of their key: state that
// holds a record twice, or not at all.
func totals(t *testing.T, job *engine.Job, log live.MemoryLog, topic *live.Topic) (wrong int) {
	t.Helper()
	rows, err := topic.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int64{}
	for p := range log {
		for o := range log[p] {
			want[job.Input.Keys[log[p][o].Key]]++
		}
	}
	seen := map[string]bool{}
	for _, r := range rows {
		at := fmt.Sprintf("%s=%d", r.Key, r.Value)
		if seen[at] || r.Value < 1 || r.Value > want[r.Key] {
			wrong++
		}
		seen[at] = true
	}
	return wrong
}

// seeds is how many runs a property is tried on; SEEDS asks for more.
func seeds(n int) int {
	if s, err := strconv.Atoi(os.Getenv("SEEDS")); err == nil {
		return s
	}
	return n
}

// Transactional rows read with read_committed: each record's effect is there once,
// and every count is right, whoever was killed and whenever.
func TestKillsLoseAndRepeatNothingWithTransactions(t *testing.T) {
	kills := 0
	for seed := range uint64(seeds(40)) {
		job := liveJob(t, 10, "topology", "J2", "sink", "transactional", "output", "total", "checkpoint.interval", "1ms")
		log, topic := memoryLog(job, 5000), live.NewTopic(job, 0)
		kills += killed(t, job, log, topic, seed)
		lost, twice := verdict(t, log, topic)
		if wrong := totals(t, job, log, topic); lost+twice+wrong > 0 {
			t.Fatalf("seed %d: %d lost, %d twice, %d counts wrong", seed, lost, twice, wrong)
		}
	}
	if kills < seeds(40) {
		t.Fatalf("only %d processes were killed", kills)
	}
}

// Plain rows: nothing is lost, and repeats are seen.
func TestKillsRepeatPlainRows(t *testing.T) {
	repeats := 0
	for seed := range uint64(seeds(20)) {
		job := liveJob(t, 10, "topology", "J2", "sink", "append", "checkpoint.interval", "1ms")
		log, topic := memoryLog(job, 5000), live.NewTopic(job, 0)
		killed(t, job, log, topic, seed)
		lost, twice := verdict(t, log, topic)
		if lost > 0 {
			t.Fatalf("seed %d: %d lost", seed, lost)
		}
		repeats += twice
	}
	if repeats == 0 {
		t.Fatal("no row was repeated")
	}
}
