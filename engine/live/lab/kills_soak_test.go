//go:build soak

package lab

import (
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine/check"
)

var (
	kills = flag.Int("kills", 500, "how many processes are killed")
	seed  = flag.Uint64("seed", 1, "of the moments and the victims")
	under = flag.String("setups", "transactional,exactly-once-v2,dedup,position,append", "that run in turn")
)

// TestSoakKills kills workers and coordinators with SIGKILL at random moments, never
// the broker, and judges what an independent reader finds at the end of each run.
func TestSoakKills(t *testing.T) {
	setups := strings.Split(*under, ",")
	twice, sum := 0, map[string][4]int{}
	for i, done := 0, 0; done < *kills; i++ {
		setup, run := setups[i%len(setups)], *seed+uint64(i)
		n, v := soakRun(t, Config{}, setup, run)
		done += n
		t.Logf("seed %d, %-15s %2d kills, %3d of %d: %s, %d lost, %d twice, %d observed of %d", run, setup, n, done, *kills, v.Class, v.Lost, v.Duplicated, v.Observed, v.Expected)
		s := sum[setup]
		sum[setup] = [4]int{s[0] + 1, s[1] + n, s[2] + v.Lost, s[3] + v.Duplicated}
		if v.Lost > 0 || v.Wrong > 0 || setup != "append" && v.Class != check.Exact {
			t.Errorf("seed %d, %s: %+v", run, setup, v)
		}
		if setup == "append" {
			twice += v.Duplicated
		}
	}
	for _, s := range setups {
		t.Logf("%-15s %3d runs, %3d kills, %d lost, %d twice", s, sum[s][0], sum[s][1], sum[s][2], sum[s][3])
	}
	if twice == 0 && slices.Contains(setups, "append") {
		t.Error("plain appends were never seen twice: the kills hit nothing")
	}
}

// mostKills is how many a run sees at most: on a machine that is busy, workers may
// otherwise be killed faster than they come to anything.
const mostKills = 12

// soakRun runs one lab to its end under kills, and says how many there were.
func soakRun(t *testing.T, cfg Config, setup string, seed uint64) (n int, v check.Verdict) {
	cfg.Limits.Idle = time.Hour
	p := newPool(t, cfg)
	defer p.Close()
	l, err := p.Start(Spec{Setup: setup, Records: 1500, Seed: seed}, 150)
	if err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(seed, 8))
	for n < mostKills {
		pause := time.NewTimer(time.Duration(500+dice.IntN(2000)) * time.Millisecond)
		<-pause.C
		victim := []string{"node/0", "node/1", "coordinator"}[dice.IntN(3)]
		s, _ := l.Status()
		if s.Done {
			break
		}
		if pid := process(&s, victim).PID; pid != 0 && l.Kill(pid) == nil {
			n++
		}
	}
	s := when(t, l, "the end", final)
	return n, s.Verdicts[0]
}
