package sqldb

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// A sink task is frozen, replaced by a newer life that does all its work, and goes
// on. With fencing the store refuses it; without, what it writes is the damage: an
// older total stands again, an amount is added whose id the store has forgotten by
// then.
func TestZombieIsRefusedByTheStore(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for sink, want := range map[string][2]string{"upsert total": {"[{ ana 1 1}]", "[{ ana 3 2}]"}, "dedup atomic": {"[{ ana 6000 1}]", "[{ ana 5000 2}]"}} {
			for i, fencing := range []string{"", " fencing"} {
				place := sink + fencing
				first := newWriter(t, db, place, place, 1, Options{})
				first.l.sink.opt.Now = func() engine.Time { return 1000 + keepIDs + 1 } // when it wakes
				second := newWriter(t, db, place, place, 2, Options{})
				second.must(0, 6) // of ana: 1 and 4, or the totals 1 and 3
				ev, err := first.write(0)
				if err != nil {
					t.Fatal(err)
				}
				if refused := ev.Kind == engine.Fenced && ev.Before == 1 && ev.After == 2; refused != (fencing != "") {
					t.Errorf("%s: recorded as %s", place, say(&ev))
				}
				if got := ana(t, address, place); got != want[i] {
					t.Errorf("%s: %s, want %s", place, got, want[i])
				}
			}
		}
	})
}

// ana is what stands for the first key.
func ana(t *testing.T, address, place string) string {
	t.Helper()
	rows, err := reader(t, address, place).Rows(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var out []live.Row
	for _, r := range rows {
		if r.Key == "ana" {
			out = append(out, r)
		}
	}
	return fmt.Sprint(out)
}

// A newer life cannot register while a write of the older one is under way: it
// waits until that one is durable, and reads it. Nothing comes after it.
func TestRegisteringWaitsForAWriteUnderWay(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		const words = "offset-with-output partition fencing"
		old, elsewhere := newWriter(t, hasty(t, address), words, "p", 1, Options{}), hasty(t, address)
		begun, finish, wrote := make(chan struct{}), make(chan struct{}), make(chan error)
		old.l.sink.ses.inject = func(query string) error {
			if query == "COMMIT" {
				close(begun)
				<-finish
			}
			return nil
		}
		go func() { _, err := old.write(0); wrote <- err }()
		<-begun
		early, err := elsewhere.Sink(old.p.job, 0, Options{Place: "p", Patience: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = early.Open(context.Background(), live.Life{Task: old.l.task, Name: old.p.job.Plan.Name(old.l.task), Attempt: 2, Token: 2})
		var trouble *Trouble
		if !errors.As(err, &trouble) || trouble.Kind != Locked {
			t.Errorf("while a write of the older life is under way, the newer one opens with %v", err)
		}
		close(finish)
		if err := <-wrote; err != nil {
			t.Fatal(err)
		}
		w := newWriter(t, elsewhere, words, "p", 2, Options{})
		got, err := w.l.sink.Stored(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if p := got.(interface{ Resume(int) int32 }).Resume(0); p != 1 {
			t.Errorf("the newer life resumes at %d, want 1: behind the write it waited for", p)
		}
	})
}

// A buffer of an old life is refused as a whole, with an error that says so.
func TestBufferOfAZombieIsRefused(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		old := newWriter(t, db, "dedup atomic fencing", "p", 1, Options{Batch: 10})
		old.must(0, 1, 2)
		newWriter(t, db, "dedup atomic fencing", "p", 2, Options{}).must(0)
		err := old.l.sink.Flush(context.Background())
		var trouble *Trouble
		if !errors.As(err, &trouble) || trouble.Kind != Fenced || trouble.Passes() {
			t.Errorf("says %v", err)
		}
		if got := applied(t, address, "p"); got != "P0:0" {
			t.Errorf("applied %q", got)
		}
	})
}

// What is written in batches is what is written one by one, also when lives die
// with a full buffer and others replay.
func TestBatchesAreTheSame(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for i, words := range append(all(), "upsert total", "offset-with-output single total", "dedup value-first") {
			if words == "append" {
				continue // a replay shows in it, whatever the batches
			}
			var got [2]string
			for b, batch := range []int{1, 4} {
				place := fmt.Sprint("batch", i, ".", batch)
				for life := int16(1); life <= 3; life++ {
					w := newWriter(t, db, words, place, life, Options{Batch: batch})
					for n := range 12 {
						if life < 3 && n == int(life)*3 {
							break // dies, with what waits
						}
						w.must(n, n)
					}
					if life == 3 {
						if err := w.l.sink.Flush(w.p.ctx); err != nil {
							t.Fatal(err)
						}
					}
				}
				rows, err := reader(t, address, place).Rows(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				for k := range rows {
					rows[k].Attempt = 0
				}
				got[b] = fmt.Sprint(rows)
			}
			if got[0] != got[1] || len(got[0]) < 10 {
				t.Errorf("%s: one by one %s, in batches %s", words, got[0], got[1])
			}
		}
	})
}

// The two writes of a dedup that is not atomic never share a transaction.
func TestHalvesAreNeverBatched(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for _, words := range []string{"dedup id-first", "dedup value-first"} {
			w, commits := newWriter(t, db, words, words, 1, Options{Batch: 50}), 0
			w.l.sink.ses.answered = func(query string) error {
				if query == "COMMIT" {
					commits++
				}
				return nil
			}
			w.must(0, 1)
			if commits != 4 {
				t.Errorf("%s: %d transactions for two records, want 4", words, commits)
			}
		}
	})
}
