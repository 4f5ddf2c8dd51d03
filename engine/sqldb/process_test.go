package sqldb

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/world"
)

const childRecords = 120

// child is another process of the test binary, one life of a sink task: it writes
// the records from the first on, as a replay does, and says which are acknowledged.
func child(order string) int {
	f := strings.Split(order, "|")
	address, words, place := f[0], f[1], f[2]
	token, err := strconv.Atoi(f[3])
	if err == nil {
		err = live1(address, words, place, int16(token))
	}
	if err != nil {
		fmt.Println("error", err)
		return 1
	}
	return 0
}

func live1(address, words, place string, token int16) error {
	db, err := Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	p := &player{ctx: context.Background(), job: sinkOf(words), db: db}
	p.job.Settings.Sinks[0].DedupRetention = engine.Hour // the clock is a real one
	sink, err := db.Sink(p.job, 0, Options{Place: place, Journal: true})
	if err != nil {
		return err
	}
	if _, err := sink.Open(p.ctx, live.Life{Name: "sink/0", Attempt: token, Token: int64(token)}); err != nil {
		return err
	}
	for n := range childRecords {
		r := engine.Record{ID: engine.RecordID{Off: int32(n)}, Attempt: token, Key: engine.KeyID(n % conformKeys), Value: 1}
		for _, e := range p.effects(r) {
			if op, ok := e.Op.(*world.PositionWrite); ok {
				op.Guard = true // sequences leave some out
			}
			if op, err := sink.Perform(p.ctx, &e, &engine.Event{}); err != nil {
				return err
			} else if op.Refused {
				return fmt.Errorf("record %d is refused", n)
			}
		}
		fmt.Println("saved", n)
	}
	return nil
}

// runChild starts a life and kills it with SIGKILL after some acknowledgements,
// wherever it is by then; -1: it ends by itself. It returns how many it had.
func runChild(t *testing.T, order string, kill int) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env, cmd.Stderr = append(os.Environ(), "SQLDB_CHILD="+order), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	saved := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if word, rest, _ := strings.Cut(lines.Text(), " "); word == "error" {
			t.Error(rest)
		}
		if saved++; saved == kill {
			_ = cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); kill >= 0 && (err == nil || !strings.Contains(err.Error(), "killed")) || kill < 0 && err != nil {
		t.Fatalf("the life ended with %v", err)
	}
	return saved
}

// Processes are killed with SIGKILL, and others replay everything. What was
// acknowledged is there at once; in the end nothing is lost, and nothing there
// twice but in a plain append.
func TestKilledProcesses(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		r := rand.New(rand.NewPCG(8, 9))
		for i, words := range []string{"append", "upsert fencing", "dedup atomic fencing", "offset-with-output partition fencing"} {
			place, twice := fmt.Sprint("process", i), 0
			for life := 1; life <= 4; life++ {
				kill := 1 + r.IntN(childRecords/2)
				if life == 4 {
					kill = -1
				}
				saved := runChild(t, strings.Join([]string{address, words, place, strconv.Itoa(life)}, "|"), kill)
				times := map[string]int{}
				for _, id := range strings.Fields(applied(t, address, place)) {
					times[id]++
				}
				twice = 0
				for n := range childRecords {
					id := engine.RecordID{Off: int32(n)}.String()
					if n < saved && times[id] == 0 {
						t.Errorf("%s, life %d: %s was acknowledged and is not there", words, life, id)
					}
					twice += max(0, times[id]-1)
				}
			}
			if twice > 0 != (words == "append") {
				t.Errorf("%s: %d repeats", words, twice)
			}
		}
	})
}

// Nothing is left of sinks and readers that are closed.
func TestNothingIsLeftOpen(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		before := runtime.NumGoroutine()
		for n := range 10 {
			db, err := Open(address)
			if err != nil {
				t.Fatal(err)
			}
			s, err := db.Sink(sinkOf("append"), 0, Options{Place: "p"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Open(context.Background(), live.Life{Name: "sink/0", Token: int64(n)}); err != nil {
				t.Fatal(err)
			}
			if n%2 == 0 { // a sink whose process has not closed it
				_ = s.Close()
			} else {
				s.ses.drop()
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		end, tick := time.After(10*time.Second), time.NewTicker(5*time.Millisecond)
		defer tick.Stop()
		for runtime.NumGoroutine() > before {
			select {
			case <-tick.C:
			case <-end:
				t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
			}
		}
	})
}
