package lab

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live/proc"
)

// The test binary is the program of the labs' processes too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		if run := map[string]func(io.Reader) error{"broker": RunBroker, "coordinator": RunCoordinator, "worker": RunWorker}[os.Args[1]]; run != nil {
			if err := run(os.Stdin); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func newPool(t *testing.T, cfg Config) *Pool {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	cfg.Replace, cfg.Beat = orElse(cfg.Replace, 20*time.Millisecond), orElse(cfg.Beat, 700*time.Millisecond)
	p := NewPool(cfg)
	t.Cleanup(p.Close)
	return p
}

// when waits for a state of the lab.
func when(t *testing.T, l *Lab, what string, ok func(*Status) bool) Status {
	t.Helper()
	late := time.After(90 * time.Second)
	for {
		s, changed := l.Status()
		if ok(&s) {
			return s
		}
		select {
		case <-changed:
		case <-late:
			for _, line := range s.Lines {
				t.Logf("%8s %-12s %s", line.T.Round(time.Millisecond), line.Who, line.Text)
			}
			t.Fatalf("%s: did not happen within 90 s; %+v", what, s.Processes)
		}
	}
}

func process(s *Status, name string) Process {
	for _, p := range s.Processes {
		if p.Name == name {
			return p
		}
	}
	return Process{}
}

func final(s *Status) bool { return s.Done && len(s.Verdicts) > 0 && s.Verdicts[0].Final }

func TestKilledWorkerAndCoordinator(t *testing.T) {
	for _, setup := range Setups() {
		if strings.HasPrefix(setup.ID, "short-") {
			continue // on a slow machine a restart may take longer than their transactions live
		}
		t.Run(setup.ID, func(t *testing.T) {
			t.Parallel()
			l, err := newPool(t, Config{}).Start(Spec{Setup: setup.ID, Records: 120, Seed: 1}, 60)
			if err != nil {
				t.Fatal(err)
			}
			names := []string{"node/1", "coordinator", "node/0"}
			if setup.Loop {
				names[1] = "node/1" // there is no coordinator
			}
			for _, name := range names {
				s := when(t, l, "something is out", func(s *Status) bool { return len(s.Verdicts) > 0 && process(s, name).Ready })
				victim := process(&s, name).PID
				if err := l.Kill(victim); err != nil {
					t.Fatal(err)
				}
				when(t, l, "it is gone and another serves", func(s *Status) bool {
					p := process(s, name)
					return p.Ready && p.PID != victim && proc.Look(victim) == proc.Gone
				})
			}
			s := when(t, l, "the end", final)
			v := s.Verdicts[0]
			want := map[string]check.Class{"append": check.Duplicated}[setup.ID]
			if want == "" {
				want = check.Exact
			}
			if !s.AtRest || v.Lost > 0 || v.Class != want && v.Class != check.Exact {
				t.Errorf("at rest %t, %s: %+v", s.AtRest, s.DoneWhy, v)
			}
		})
	}
}
