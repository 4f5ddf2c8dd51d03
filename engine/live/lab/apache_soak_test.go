//go:build soak

package lab

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"effectivelyonce/engine/check"
)

// apache is the real broker that tools/kafka.sh has started, and its process.
func apache(t *testing.T) (brokers []string, pid int) {
	t.Helper()
	brokers = strings.Split(os.Getenv("TEST_KAFKA_BROKERS"), ",")
	pid, err := strconv.Atoi(os.Getenv("TEST_KAFKA_PID"))
	if err != nil || brokers[0] == "" {
		t.Fatalf("TEST_KAFKA_BROKERS %q, TEST_KAFKA_PID %q: run it as make soak does, with tools/kafka.sh run", brokers, os.Getenv("TEST_KAFKA_PID"))
	}
	return brokers, pid
}

// TestSoakApacheStops freezes the process of a real Kafka for 30 s. That is worse than
// a cut: connections stay, and what was sent before is still carried out afterwards.
// The lab says that the broker is silent, and since when it answers again; nothing is
// lost, and what is written in transactions is not there twice.
func TestSoakApacheStops(t *testing.T) {
	brokers, pid := apache(t)
	for _, setup := range []string{"transactional", "exactly-once-v2", "append"} {
		t.Run(setup, func(t *testing.T) {
			l, err := newPool(t, Config{Brokers: brokers}).Start(Spec{Setup: setup, Records: 900, Seed: 5}, 20)
			if err != nil {
				t.Fatal(err)
			}
			when(t, l, "rows are out", func(s *Status) bool { return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 20 })
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
			thaw := time.AfterFunc(30*time.Second, func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			defer thaw.Stop()
			when(t, l, "it is said", func(s *Status) bool { return s.Silent > 0 && told(s, "has given no answer") })
			when(t, l, "it is over", func(s *Status) bool { return s.Silent == 0 && told(s, "answers again") })
			s := when(t, l, "the end", final)
			if v := s.Verdicts[0]; !s.AtRest || v.Lost > 0 || v.Wrong > 0 || setup != "append" && v.Class != check.Exact {
				t.Errorf("at rest %t (%s), %+v", s.AtRest, s.DoneWhy, v)
			}
			for _, line := range s.Lines {
				t.Logf("%8s %-12s %s", line.T.Round(100*time.Millisecond), line.Who, line.Text)
			}
		})
	}
}

// TestSoakApacheKills kills workers and coordinators of labs whose broker is real.
func TestSoakApacheKills(t *testing.T) {
	brokers, _ := apache(t)
	for i, done := 0, 0; done < 40; i++ {
		setup, run := []string{"transactional", "exactly-once-v2", "append"}[i%3], *seed+uint64(i)
		n, v := soakRun(t, Config{Brokers: brokers}, setup, run)
		done += n
		t.Logf("seed %d, %-13s %2d kills: %s, %d lost, %d twice, %d observed of %d", run, setup, n, v.Class, v.Lost, v.Duplicated, v.Observed, v.Expected)
		if v.Lost > 0 || v.Wrong > 0 || setup != "append" && v.Class != check.Exact {
			t.Errorf("seed %d, %s: %+v", run, setup, v)
		}
	}
}
