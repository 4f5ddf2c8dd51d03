package sqldb

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"effectivelyonce/tests/pgtest"
)

// shared is the PostgreSQL of this package's tests.
var shared = pgtest.Shared{Hasty: true}

func TestMain(m *testing.M) {
	if order := os.Getenv("SQLDB_CHILD"); order != "" {
		os.Exit(child(order))
	}
	code := m.Run()
	shared.Stop()
	os.Exit(code)
}

// addresses are new, empty databases of both kinds.
func addresses(t testing.TB) map[string]string {
	return map[string]string{"SQLite": filepath.Join(t.TempDir(), "sub", "out.db"), "PostgreSQL": shared.Get().URL(t)}
}

// each runs a test against both databases, the real ones.
func each(t *testing.T, test func(t *testing.T, address string)) {
	for name, address := range addresses(t) {
		t.Run(name, func(t *testing.T) { test(t, address) })
	}
}

// hasty opens a database that does not wait for the disk: what is compared are
// answers and rows, after crashes of processes and not of the machine.
func hasty(t testing.TB, address string) *DB {
	t.Helper()
	if strings.Contains(address, "://") {
		return open(t, address)
	}
	d, err := sqlite(address, "OFF")
	if err != nil {
		t.Fatal(err)
	}
	db, err := openAs(address, d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func open(t testing.TB, address string) *DB {
	t.Helper()
	db, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func reader(t testing.TB, address, place string) *Reader {
	t.Helper()
	r, err := NewReader(address, place)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// places makes the places of sequences different.
var places atomic.Int64

func newPlace() string { return "place" + strconv.FormatInt(places.Add(1), 10) }

func playOn(db *DB, r *Reader, q sequence) error {
	p := &player{ctx: context.Background(), job: sinkOf(q.sink), db: db, reader: r, place: newPlace()}
	return p.play(q)
}

// shrink makes a sequence that fails shorter and its numbers smaller as long as it
// still fails. What it returns fails.
func shrink(q sequence, fails func(sequence) bool) sequence {
	for size := len(q.steps) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(q.steps); {
			c := sequence{sink: q.sink, steps: append(append([]step(nil), q.steps[:at]...), q.steps[at+size:]...)}
			if fails(c) {
				q = c
			} else {
				at += size
			}
		}
	}
	for i := range q.steps {
		for _, smaller := range [][2]int{{0, 0}, {0, q.steps[i].b}, {q.steps[i].a, 0}, {q.steps[i].a / 2, q.steps[i].b}, {q.steps[i].a, q.steps[i].b / 2}} {
			c := sequence{sink: q.sink, steps: append([]step(nil), q.steps...)}
			c.steps[i].a, c.steps[i].b = smaller[0], smaller[1]
			if (smaller[0] < q.steps[i].a || smaller[1] < q.steps[i].b) && fails(c) {
				q = c
			}
		}
	}
	return q
}

// compare plays generated sequences on both databases and reports the first
// difference of each, made small, in the form of testdata/sequences.txt.
func compare(t *testing.T, from, to uint64) {
	for name, address := range addresses(t) {
		t.Run(name, func(t *testing.T) {
			db, r := hasty(t, address), reader(t, address, "")
			kinds := map[string]int{}
			for seed := from; seed < to; seed++ {
				q := generate(seed, sinkWords())
				kinds[strings.Fields(q.sink)[0]]++
				if err := playOn(db, r, q); err != nil {
					small := shrink(q, func(c sequence) bool { return playOn(db, r, c) != nil })
					t.Fatalf("seed %d: %v\nmade small: %s\n%v", seed, err, small, playOn(db, r, small))
				}
			}
			t.Logf("%d sequences agree: %v", to-from, kinds)
		})
	}
}

func TestGeneratedSequencesAgree(t *testing.T) { compare(t, 0, 200) }
