package lab

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live/proc"
)

// A frozen worker is replaced; when it is thawed after its replacement has restored,
// the broker's epoch or the table's token fences it, and the result is exact.
func TestFrozenWorkerIsReplacedAndFenced(t *testing.T) {
	for _, setup := range []string{"transactional", "dedup"} {
		t.Run(setup, func(t *testing.T) {
			l, err := newPool(t, Config{}).Start(Spec{Setup: setup, Records: 200, Seed: 2}, 100)
			if err != nil {
				t.Fatal(err)
			}
			s := when(t, l, "rows are out", func(s *Status) bool { return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 0 })
			frozen := process(&s, "node/1").PID
			if err := l.Freeze(frozen); err != nil {
				t.Fatal(err)
			}
			when(t, l, "it is replaced", func(s *Status) bool {
				p := process(s, "node/1")
				return p.Earlier == frozen && p.Haunts == proc.Frozen && p.Ready && p.PID != frozen
			})
			when(t, l, "the replacement works", func(s *Status) bool { return told(s, "attempt 2 starts") })
			if err := l.Thaw(frozen); err != nil {
				t.Fatal(err)
			}
			when(t, l, "the zombie ends", func(s *Status) bool { return process(s, "node/1").Earlier == 0 })
			if s := when(t, l, "the end", final); s.Verdicts[0].Class != check.Exact {
				t.Errorf("%+v", s.Verdicts)
			}
		})
	}
}

func told(s *Status, words string) bool {
	for _, line := range s.Lines {
		if strings.Contains(line.Text, words) {
			return true
		}
	}
	return false
}

// What the lab must not do, and whom it does not find.
func TestDeedsRefused(t *testing.T) {
	p := newPool(t, Config{Limits: Limits{Labs: 1}})
	l, err := p.Start(Spec{Setup: "append", Records: 10}, 10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Start(Spec{Setup: "append", Records: 10}, 10); err != ErrBusy {
		t.Errorf("a second lab: %v", err)
	}
	s := when(t, l, "the broker serves", func(s *Status) bool { return process(s, "broker").Ready })
	for what, err := range map[string]error{
		"the broker is killed":    l.Kill(process(&s, "broker").PID),
		"the broker is frozen":    l.Freeze(process(&s, "broker").PID),
		"the server is killed":    l.Kill(os.Getpid()),
		"a long cut":              l.CutBroker(time.Hour),
		"a rate without end":      l.SetRate(1e9),
		"an unknown setup":        second(p.Start(Spec{Setup: "dedupe", Records: 10}, 1)),
		"no records":              second(p.Start(Spec{Setup: "dedup"}, 1)),
		"more records than there": second(p.Start(Spec{Setup: "dedup", Records: MostRecords + 1}, 1)),
	} {
		if err == nil {
			t.Errorf("%s: allowed", what)
		}
	}
	if err := second(p.Start(Spec{Setup: "dedupe", Records: 10}, 1)); !strings.Contains(err.Error(), `did you mean "dedup"`) {
		t.Error(err)
	}
	if p.Get("nobody") != nil || p.Get(l.ID) != l {
		t.Error("labs are not found by their id")
	}
}

func second(_ *Lab, err error) error { return err }

// Labs that are started and closed leave no goroutine, no open file, no process and
// no folder, at whatever moment they are closed.
func TestClosedLabsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	p := newPool(t, Config{Dir: dir, Limits: Limits{Labs: 1}})
	before, files := 0, 0
	for i := range labRuns {
		l, err := p.Start(Spec{Setup: Setups()[i%len(Setups())].ID, Records: 50, Seed: uint64(i)}, 0)
		if err != nil {
			t.Fatal(err)
		}
		stage := i % 5
		s := when(t, l, "some stage", func(s *Status) bool {
			return stage == 0 || process(s, [...]string{"", "broker", "coordinator", "node/0", "node/1"}[stage]).Ready
		})
		if stage == 4 {
			_ = l.Freeze(process(&s, "node/1").PID)
		}
		l.Close()
		<-l.Ended()
		for _, at := range s.Processes {
			if at.PID != 0 && proc.Look(at.PID) != proc.Gone {
				t.Errorf("run %d: process %d (%s) is %s after the lab was closed", i, at.PID, at.Name, proc.Look(at.PID))
			}
		}
		waitFor(t, func() bool { return p.Running() == 0 })
		if i == 0 { // what the program keeps for good is there now
			before, files = settled(), openFiles(t)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("left in the folder: %v %v", list, err)
	}
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
	if now := openFiles(t); now > files {
		t.Errorf("%d open files after the first run, %d after the last", files, now)
	}
}

// settled is the number of goroutines once it has not changed for a moment.
func settled() int {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for n, same := runtime.NumGoroutine(), 0; ; {
		<-tick.C
		if now := runtime.NumGoroutine(); now != n {
			n, same = now, 0
		} else if same++; same == 5 {
			return n
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
