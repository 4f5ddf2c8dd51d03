package sqldb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
)

const (
	killKeys    = 10
	killRecords = 300 // a partition; there are two
)

func killJob(t *testing.T, words string) (*engine.Job, live.MemoryLog) {
	t.Helper()
	in := &engine.Input{Name: "live", Parts: make([][]engine.Datum, 2), Open: true}
	for k := range killKeys {
		in.Keys = append(in.Keys, fmt.Sprintf("key-%03d", k))
	}
	set := engine.BaseSettings()
	set.Sinks = []engine.SinkSettings{engine.BaseSink("sink")}
	set.RestartDelay, set.CrashDetection = engine.Millisecond, engine.Millisecond
	f := strings.Fields("topology J2 checkpoint.interval 3ms sink " + words)
	for i := 0; i < len(f); i += 2 {
		if err := set.Set(f[i], f[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	job, err := engine.NewJob("own", set, in, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	log := make(live.MemoryLog, len(in.Parts))
	for p := range log {
		for o := range killRecords {
			log[p] = append(log[p], engine.Record{ID: engine.RecordID{Part: int16(p), Off: int32(o)}, Key: engine.KeyID((o*7 + p*3) % killKeys), Value: int64(o) * engine.ValueScale})
		}
	}
	return job, log
}

// A live job runs while its database is locked for longer than its sinks have
// patience, and then has no room: tasks fail and are restarted, the states are
// told, and when the causes are gone the job comes to rest with every record
// applied once.
func TestTroubleUnderALiveJob(t *testing.T) {
	for name, sink := range map[string]string{"upsert": "upsert", "dedup": "dedup dedup.write atomic fencing on", "positions": "offset-with-output fencing on"} {
		t.Run(name, func(t *testing.T) {
			address := filepath.Join(t.TempDir(), "out.db")
			db := hasty(t, address)
			job, log := killJob(t, sink)
			newWriter(t, db, "append", "elsewhere", 1, Options{}).must(0) // the tables are there
			told, pages, again := make(chan Kind, 1000), atomic.Int64{}, atomic.Int64{}
			pages.Store(1 << 20)
			release, done := hold(t, db), make(chan error)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			go func() {
				res, err := live.Run(ctx, job, live.Config{Host: live.HostConfig{Store: &live.Memory{}, Batch: 8,
					Source: func(_ engine.TaskID, part int) (live.Source, error) { return log.Source(part), nil },
					Outside: func(engine.TaskID) (live.Outside, error) {
						again.Add(1)
						return roomy(db, job, told, &pages)
					}}})
				if err == nil && res.Reason != engine.AtRest {
					err = fmt.Errorf("%+v", res)
				}
				done <- err
			}()
			await(t, told, Locked)
			await(t, told, Locked) // and again, after a restart
			pages.Store(1)         // no more than there are now
			release()
			await(t, told, DiskFull)
			pages.Store(1 << 20)
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if lost, twice := count(t, address, "lab", log); lost+twice > 0 || again.Load() < 3 {
				t.Errorf("%d lost, %d twice, %d lives", lost, twice, again.Load())
			}
		})
	}
}

// roomy is a sink that has little patience, and room for a number of pages.
func roomy(db *DB, job *engine.Job, told chan<- Kind, pages *atomic.Int64) (live.Outside, error) {
	s, err := db.Sink(job, 0, Options{Place: "lab", Journal: true, Patience: 30 * time.Millisecond, Notice: func(tr *Trouble) {
		if tr != nil {
			told <- tr.Kind
		}
	}})
	if err != nil {
		return nil, err
	}
	s.ses.inject = func(query string) error {
		if query != db.d.begin {
			return nil
		}
		_, err := s.ses.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA max_page_count = %d", pages.Load()))
		return err
	}
	return s, nil
}

func await(t *testing.T, told <-chan Kind, want Kind) {
	t.Helper()
	end := time.After(time.Minute)
	for {
		select {
		case k := <-told:
			if k == want {
				return
			}
		case <-end:
			t.Fatalf("never told that %s", want)
		}
	}
}

// killed runs a live job into a place of the database to its end, although tasks
// of it die at random effects, and tells how many did.
func killed(t *testing.T, db *DB, job *engine.Job, log live.MemoryLog, place string, batch int, seed uint64) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	r, n, kills := rand.New(rand.NewPCG(seed, 8)), atomic.Int64{}, atomic.Int64{}
	at := map[int64]bool{}
	halves := job.Settings.Sinks[0].DedupWrite != "atomic" // die between the two writes only
	within := int64(12 * killRecords)
	if halves {
		within = killRecords
	}
	for range 5 {
		at[1+r.Int64N(within)] = true
	}
	res, err := live.Run(ctx, job, live.Config{Host: live.HostConfig{Store: &live.Memory{}, Batch: 8,
		Source: func(_ engine.TaskID, part int) (live.Source, error) { return log.Source(part), nil },
		Outside: func(engine.TaskID) (live.Outside, error) {
			return db.Sink(job, 0, Options{Place: place, Journal: true, Batch: batch})
		},
		Crash: func(_ engine.TaskID, _ int16, e *machine.Effect) bool {
			if halves && !e.Depends || !at[n.Add(1)] {
				return false
			}
			kills.Add(1)
			return true
		}}})
	if err != nil || res.Reason != engine.AtRest {
		t.Fatalf("%s, seed %d: %+v, %v", place, seed, res, err)
	}
	return int(kills.Load())
}

// A live job writes into real tables while its tasks are killed. By the journal,
// or by the rows, each record has taken effect once, whoever was killed and
// whenever, one by one and in batches. A plain append shows repeats and loses none;
// of a dedup that is not atomic, id first loses what it had not yet applied, value
// first applies it again.
func TestKillsOfALiveJob(t *testing.T) {
	sinks := []struct {
		words         string
		loses, repeat bool
	}{{words: "upsert"}, {words: "dedup dedup.write atomic fencing on"}, {words: "offset-with-output fencing on"}, {words: "append", repeat: true},
		{words: "dedup dedup.write id-first", loses: true}, {words: "dedup dedup.write value-first", repeat: true}}
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for i, sink := range sinks {
			kills, losses, repeats := 0, 0, 0
			for seed := range uint64(3) {
				job, log := killJob(t, sink.words)
				place := fmt.Sprint("kills", i, ".", seed)
				kills += killed(t, db, job, log, place, 1+int(seed%2)*15, seed)
				lost, twice := count(t, address, place, log)
				losses, repeats = losses+lost, repeats+twice
			}
			if kills < 10 || losses > 0 != sink.loses || repeats > 0 != sink.repeat {
				t.Errorf("%s: %d kills, %d lost, %d repeats", sink.words, kills, losses, repeats)
			}
			t.Logf("%s: 3 runs of %d records, %d kills, %d lost, %d repeats", sink.words, 2*killRecords, kills, losses, repeats)
		}
	})
}

func count(t *testing.T, address, place string, log live.MemoryLog) (lost, twice int) {
	t.Helper()
	times := map[string]int{}
	for _, id := range strings.Fields(applied(t, address, place)) {
		times[id]++
	}
	for p := range log {
		for o := range log[p] {
			switch n := times[log[p][o].ID.String()]; {
			case n == 0:
				lost++
			case n > 1:
				twice += n - 1
			}
		}
	}
	return lost, twice
}
