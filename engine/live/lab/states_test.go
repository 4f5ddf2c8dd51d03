package lab

import (
	"context"
	"database/sql"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // locks the table from outside

	"effectivelyonce/engine/check"
)

// trouble is something that goes wrong around a job, and passes.
type trouble struct {
	name, setup string
	begin       func(t *testing.T, l *Lab) (end func())
	says        string // in the story, while it lasts
}

// newestOf is the file of the newest sealed checkpoint.
func newestOf(t *testing.T, l *Lab) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(l.dir, "checkpoints", "checkpoint-*[0-9]"))
	newest := ""
	for _, f := range list {
		if len(f) > len(newest) || len(f) == len(newest) && f > newest {
			newest = f
		}
	}
	if err != nil || newest == "" {
		t.Fatalf("no checkpoint is there: %v %v", list, err)
	}
	return newest
}

// damaged stops the job, changes its newest checkpoint, and mends it later.
func damaged(change func(file string) error) func(*testing.T, *Lab) func() {
	return func(t *testing.T, l *Lab) func() {
		s, _ := l.Status()
		if err := l.Freeze(process(&s, "coordinator").PID); err != nil { // so that no newer one comes
			t.Fatal(err)
		}
		file := newestOf(t, l)
		whole, err := os.ReadFile(file)
		if err == nil {
			err = change(file)
		}
		if err == nil {
			err = l.Kill(process(&s, "coordinator").PID)
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := os.WriteFile(file, whole, 0o600); err != nil {
				t.Error(err)
			}
		}
	}
}

func troubles() []trouble {
	return []trouble{
		{"the disk is full", "transactional", func(t *testing.T, l *Lab) func() {
			quota := filepath.Join(l.dir, "checkpoints", "quota")
			if err := os.WriteFile(quota, []byte("1"), 0o600); err != nil {
				t.Fatal(err)
			}
			return func() { _ = os.Remove(quota) }
		}, "no space left"},
		{"a snapshot is torn", "dedup", damaged(func(file string) error { return os.Truncate(file, 9) }), "is damaged"},
		{"a snapshot is missing", "position", damaged(os.Remove), "is damaged"},
		{"the broker is cut off", "transactional", func(t *testing.T, l *Lab) func() {
			if err := l.CutBroker(cutFor); err != nil {
				t.Fatal(err)
			}
			return func() {}
		}, "has failed at"},
		{"the database is locked", "dedup", func(t *testing.T, l *Lab) func() {
			db, err := sql.Open("sqlite", filepath.Join(l.dir, "table.db"))
			if err != nil {
				t.Fatal(err)
			}
			c, err := db.Conn(context.Background())
			if err == nil {
				_, err = c.ExecContext(context.Background(), "PRAGMA busy_timeout=20000")
			}
			if err == nil {
				_, err = c.ExecContext(context.Background(), "BEGIN IMMEDIATE")
			}
			if err != nil {
				t.Fatal(err)
			}
			return func() { _ = c.Close(); _ = db.Close() }
		}, "SQLite: "},
	}
}

// Each trouble is said in words while it lasts; when it has passed, the job goes on
// and nothing is lost.
func TestTroublesPass(t *testing.T) {
	for _, x := range troubles() {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			l, err := newPool(t, Config{}).Start(Spec{Setup: x.setup, Records: 150, Seed: 3}, 50)
			if err != nil {
				t.Fatal(err)
			}
			when(t, l, "a checkpoint is sealed", func(s *Status) bool {
				list, _ := filepath.Glob(filepath.Join(l.dir, "checkpoints", "checkpoint-*[0-9]"))
				return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 20 && len(list) > 0
			})
			end := x.begin(t, l)
			when(t, l, "it is said", func(s *Status) bool { return told(s, x.says) })
			when(t, l, "it is the state", func(s *Status) bool {
				return s.Cut > 0 || len(s.Troubles) > 0 && strings.Contains(s.Troubles[0], x.says)
			})
			end()
			s := when(t, l, "the end", final)
			if !s.AtRest || s.Verdicts[0].Class != check.Exact {
				t.Errorf("at rest %t (%s), %+v", s.AtRest, s.DoneWhy, s.Verdicts)
			}
			if len(s.Troubles) > 0 {
				t.Errorf("still in trouble: %q", s.Troubles)
			}
		})
	}
}

// A broker whose process is stopped keeps its connections and answers nothing. That is
// said while it lasts; what was under way is carried out once.
func TestStoppedBrokerIsSaidAndPasses(t *testing.T) {
	t.Parallel()
	l, err := newPool(t, Config{}).Start(Spec{Setup: "transactional", Records: 150, Seed: 4}, 25)
	if err != nil {
		t.Fatal(err)
	}
	s := when(t, l, "rows are out", func(s *Status) bool { return len(s.Verdicts) > 0 && s.Verdicts[0].Observed > 10 })
	broker := process(&s, "broker").PID
	if err := syscall.Kill(broker, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	when(t, l, "it is said", func(s *Status) bool { return s.Silent > 0 && told(s, "has given no answer") })
	if err := syscall.Kill(broker, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	when(t, l, "it is over", func(s *Status) bool { return s.Silent == 0 && told(s, "answers again") })
	if s := when(t, l, "the end", final); !s.AtRest || s.Verdicts[0].Class != check.Exact {
		t.Errorf("at rest %t (%s), %+v", s.AtRest, s.DoneWhy, s.Verdicts)
	}
}

// A broker whose port is taken is started again until the port is free.
func TestPortIsTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l, err := newPool(t, Config{Port: taken.Addr().(*net.TCPAddr).Port}).Start(Spec{Setup: "append", Records: 20}, 0)
	if err != nil {
		t.Fatal(err)
	}
	when(t, l, "it is said", func(s *Status) bool { return told(s, "address already in use") })
	when(t, l, "it is the state", func(s *Status) bool { return len(s.Troubles) > 0 && strings.HasPrefix(s.Troubles[0], "broker: ") })
	_ = taken.Close()
	if s := when(t, l, "the end", final); !s.AtRest || s.Verdicts[0].Lost > 0 || len(s.Troubles) > 0 {
		t.Errorf("%+v, %q", s.Verdicts, s.Troubles)
	}
}

// Nothing of a lab reaches its parent's folder after its end, and one that nobody
// looks at ends.
func TestIdleLabEnds(t *testing.T) {
	l, err := newPool(t, Config{Limits: Limits{Idle: time.Nanosecond}}).Start(Spec{Setup: "append", Records: 20}, 1)
	if err != nil {
		t.Fatal(err)
	}
	<-l.Ended()
	if s, _ := l.Status(); !strings.Contains(s.Why, "nobody looked") {
		t.Errorf("it ended because %q", s.Why)
	}
}
