package lab

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/live/proc"
)

// A frozen worker is replaced, the replacement finishes the whole job, and then the
// frozen one is thawed: it goes on where it was. Where the outside world fences it, a
// fence is seen and the verdict stays exact; where nothing does, a reader that knows
// nothing of the job finds the damage.
func TestZombieOfAFinishedJob(t *testing.T) {
	for _, x := range []struct {
		setup, fence string
		before       func(*check.Verdict) bool
		damage       func(before, after *check.Verdict) bool
	}{
		{"transactional", "the broker refuses an older epoch", exact, nil},
		{"dedup", "the table has seen token", exact, nil},
		{"totals", "the table has seen token", exact, nil},
		{"totals-open", "", exact, func(_, after *check.Verdict) bool { return after.Class == check.Lost && after.Lost > 0 }},
		{"append", "", func(v *check.Verdict) bool { return v.Lost == 0 }, func(before, after *check.Verdict) bool { return after.Duplicated > before.Duplicated }},
	} {
		t.Run(x.setup, func(t *testing.T) {
			t.Parallel()
			for range 4 { // a zombie whose counter aligns for ever writes nothing, and proves nothing
				before, after, s := thawedAtTheEnd(t, x.setup)
				if !x.before(&before) || x.damage == nil && !exact(&after) {
					t.Fatalf("before: %+v, after: %+v", before, after)
				}
				t.Logf("before: %s, %d lost, %d twice; after: %s, %d lost, %d twice", before.Class, before.Lost, before.Duplicated, after.Class, after.Lost, after.Duplicated)
				fenced := told(&s, "fenced")
				if x.damage == nil && fenced && told(&s, x.fence) || x.damage != nil && !fenced && x.damage(&before, &after) {
					return
				}
			}
			t.Error("neither fence nor damage was seen")
		})
	}
}

// thawedAtTheEnd thaws the frozen worker of a finished job, and returns what the
// readers found before and after.
func thawedAtTheEnd(t *testing.T, setup string) (before, after check.Verdict, s Status) {
	t.Helper()
	l, frozen, s := finishedWithoutZombie(t, setup)
	defer l.Close()
	if before = s.Verdicts[0]; !s.AtRest || told(&s, "fenced") {
		t.Fatalf("at rest %t (%s), before the zombie wakes: %+v", s.AtRest, s.DoneWhy, before)
	}
	if err := l.Thaw(frozen); err != nil {
		t.Fatal(err)
	}
	s = when(t, l, "the zombie has ended, and the readers have read since", func(s *Status) bool {
		return process(s, "node/1").Earlier == 0 && s.ReadAt > l.gone()
	})
	return before, s.Verdicts[0], s
}

func exact(v *check.Verdict) bool { return v.Class == check.Exact }

// finishedWithoutZombie runs a job to its end while a worker of it is frozen.
func finishedWithoutZombie(t *testing.T, setup string) (l *Lab, frozen int, s Status) {
	t.Helper()
	l, err := newPool(t, Config{}).Start(Spec{Setup: setup, Records: 400, Seed: 2}, 40)
	if err != nil {
		t.Fatal(err)
	}
	when(t, l, "rows are out", func(s *Status) bool { return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 0 })
	// A barrier that waits for the frozen worker would hold back what the zombie writes:
	// its counter would align for ever. So it is frozen just after a checkpoint.
	last := sealed(l)
	waitFor(t, func() bool { return sealed(l) != last })
	s, _ = l.Status()
	frozen = process(&s, "node/1").PID
	if err := l.Freeze(frozen); err != nil {
		t.Fatal(err)
	}
	when(t, l, "it is replaced, and the replacement works", func(s *Status) bool {
		p := process(s, "node/1")
		return p.Earlier == frozen && p.Haunts == proc.Frozen && p.Ready && p.PID != frozen && told(s, "attempt 2 starts")
	})
	if err := l.SetRate(0); err != nil {
		t.Fatal(err)
	}
	return l, frozen, when(t, l, "the end", final)
}

// sealed names the checkpoint that was sealed last.
func sealed(l *Lab) string {
	list, _ := filepath.Glob(filepath.Join(l.dir, "checkpoints", "checkpoint-*[0-9]"))
	return strings.Join(list, " ")
}

// gone is when the zombie was reaped.
func (l *Lab) gone() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.haunted
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
		if l.setup.Loop && stage == 2 {
			stage = 3 // there is no coordinator
		}
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
