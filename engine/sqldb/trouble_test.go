package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/tests/pgtest"
)

// writer is one life of a task that writes the records of the conformance input.
type writer struct {
	t    *testing.T
	p    *player
	l    *lifeOf
	told []string // what Notice said; "" when all was well again
	wake chan struct{}
}

func newWriter(t *testing.T, db *DB, words, place string, token int16, opt Options) *writer {
	t.Helper()
	w := &writer{t: t, p: &player{ctx: context.Background(), job: sinkOf(words), db: db}, wake: make(chan struct{}, 100)}
	opt.Place, opt.Journal = place, true
	opt.Now = func() engine.Time { return 1000 }
	opt.Notice = func(tr *Trouble) {
		word := ""
		if tr != nil {
			word = tr.Kind.String()
		}
		w.told = append(w.told, word)
		w.wake <- struct{}{}
	}
	sink, err := db.Sink(w.p.job, 0, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sink.Close() })
	task := w.p.job.Plan.Tasks[len(w.p.job.Plan.Tasks)-1].ID
	w.l = &lifeOf{task: task, attempt: token, token: token, sink: sink}
	if _, err := sink.Open(w.p.ctx, live.Life{Task: task, Name: w.p.job.Plan.Name(task), Attempt: token, Token: int64(token)}); err != nil {
		t.Fatal(err)
	}
	return w
}

// write writes record n, both halves of it if there are two.
func (w *writer) write(n int) (ev engine.Event, err error) {
	effects := w.p.effects(w.p.record(w.l, n))
	known := false
	for i := range effects {
		if known && effects[i].Depends {
			continue
		}
		ev = w.p.event(w.l, &effects[i])
		ans, err := w.l.sink.Perform(w.p.ctx, &effects[i], &ev)
		if err != nil {
			return ev, err
		}
		known = ans.Op.Known
	}
	return ev, nil
}

func (w *writer) must(ns ...int) {
	w.t.Helper()
	for _, n := range ns {
		if _, err := w.write(n); err != nil {
			w.t.Fatal(err)
		}
	}
}

// applied is how often each record was, by the journal or by the rows.
func applied(t *testing.T, address, place string) string {
	t.Helper()
	r := reader(t, address, place)
	rows, err := r.Changes(context.Background())
	if err == nil && len(rows) == 0 {
		rows, err = r.Rows(context.Background())
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range rows {
		out = append(out, row.ID.String())
	}
	return strings.Join(out, " ")
}

func all() []string {
	return []string{"append", "upsert fencing", "dedup atomic fencing", "dedup id-first", "offset-with-output partition fencing"}
}

// Another writer holds the lock for longer than a statement waits: the state is
// said, the write waits, and when the lock is free it goes through, once.
func TestLockedDatabase(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for i, words := range all() {
			place := fmt.Sprint("locked", i)
			w := newWriter(t, db, words, place, 1, Options{})
			w.must(0)
			release := hold(t, db)
			done := make(chan error)
			go func() { _, err := w.write(1); done <- err }()
			<-w.wake
			release()
			if err := <-done; err != nil {
				t.Errorf("%s: %v", words, err)
			}
			if got := strings.Join(w.told, "|"); got != Locked.String()+"|" {
				t.Errorf("%s: told %q", words, got)
			}
			if got := applied(t, address, place); got != "P0:0 P1:0" {
				t.Errorf("%s: applied %q", words, got)
			}
		}
	})
}

// hold locks the tables until it is told to let go.
func hold(t *testing.T, db *DB) func() {
	t.Helper()
	ctx := context.Background()
	c, err := db.pool.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stmts := []string{db.d.begin}
	if db.d.dollars {
		stmts = append(stmts, `LOCK TABLE eo_rows, eo_cells, eo_ids, eo_positions, eo_tokens IN EXCLUSIVE MODE`)
	}
	for _, s := range stmts {
		if _, err := c.ExecContext(ctx, s); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if _, err := c.ExecContext(ctx, "ROLLBACK"); err != nil {
			t.Error(err)
		}
		_ = c.Close()
	}
}

// A writer that is told not to wait hands the trouble on, by its kind.
func TestLockedDatabaseWithoutPatience(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		w := newWriter(t, db, "dedup atomic", "p", 1, Options{Patience: -1})
		release := hold(t, db)
		_, err := w.write(0)
		release()
		var trouble *Trouble
		if !errors.As(err, &trouble) || trouble.Kind != Locked || trouble.Unsure || !trouble.Passes() {
			t.Errorf("says %v", err)
		}
		w.must(0)
		if got := applied(t, address, "p"); got != "P0:0" {
			t.Errorf("applied %q", got)
		}
	})
}

// The disk of SQLite is full (its own limit of pages, which every connection has
// here, gives the same error as a file system without room): the write waits and
// says so, and goes through when there is room, once.
func TestFullDiskOfSQLite(t *testing.T) {
	for _, words := range all() {
		t.Run(words, func(t *testing.T) {
			address := filepath.Join(t.TempDir(), "out.db")
			w := newWriter(t, hasty(t, address), words, "p", 1, Options{})
			for k := range w.p.job.Input.Keys {
				w.p.job.Input.Keys[k] = strings.Repeat(string(rune('a'+k)), 9000) // each row needs pages of its own
			}
			w.must(0)
			var pages atomic.Int64
			pages.Store(1) // as many as there are
			ses := w.l.sink.ses
			ses.inject = func(query string) error {
				if query != ses.db.d.begin {
					return nil
				}
				_, err := ses.conn.ExecContext(w.p.ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages.Load()))
				return err
			}
			var want []string
			done := make(chan error)
			for n := range conformParts * conformEach {
				want = append(want, w.p.record(w.l, n).ID.String())
				if n == 0 {
					continue // written above
				}
				go func() { _, err := w.write(n); done <- err }()
				select {
				case err := <-done:
					if err != nil {
						t.Fatal(err)
					}
					continue
				case <-w.wake:
				}
				pages.Store(1 << 20)
				if err := <-done; err != nil {
					t.Fatal(err)
				}
			}
			got := strings.Fields(applied(t, address, "p"))
			slices.Sort(got)
			slices.Sort(want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("applied %v, want %v", got, want)
			}
			if got := strings.Join(w.told, "|"); got != DiskFull.String()+"|" {
				t.Errorf("told %q", got)
			}
		})
	}
}

// A full disk of PostgreSQL is an answer of the server. It is given here in the
// driver's place, at every statement of a write in turn; nothing is written twice.
func TestFullDiskOfPostgreSQL(t *testing.T) {
	address := shared.Get().URL(t)
	db := hasty(t, address)
	for i, words := range all() {
		for at := range 5 {
			place := fmt.Sprint("full", i, ".", at)
			w := newWriter(t, db, words, place, 1, Options{})
			n := 0
			w.l.sink.ses.inject = func(string) error {
				if n++; n == at+1 {
					return &pgconn.PgError{Code: "53100", Message: "No space left on device"}
				}
				return nil
			}
			w.must(0, 1)
			if got := applied(t, address, place); got != "P0:0 P1:0" {
				t.Errorf("%s, full at statement %d: applied %q", words, at, got)
			}
			if got := strings.Join(w.told, "|"); got != DiskFull.String()+"|" {
				t.Errorf("%s: told %q", words, got)
			}
		}
	}
}

// The connection ends when the commit is done and its answer under way. What
// recognises itself is run again; a new row would be there twice, so that its
// writer gets an error that says what is not known.
func TestCommitWithoutAnAnswer(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		db := hasty(t, address)
		for i, words := range all() {
			place := fmt.Sprint("unsure", i)
			w := newWriter(t, db, words, place, 1, Options{})
			lost := false
			w.l.sink.ses.answered = func(query string) error {
				if query != "COMMIT" || lost {
					return nil
				}
				lost = true
				w.l.sink.ses.drop()
				return unanswered(db)
			}
			_, err := w.write(0)
			w.l.sink.ses.answered = nil
			var trouble *Trouble
			unsure := errors.As(err, &trouble) && trouble.Unsure
			wantUnsure := words == "append" || words == "dedup id-first"
			if unsure != wantUnsure || !unsure && err != nil {
				t.Errorf("%s: says %v", words, err)
			}
			got, want := applied(t, address, place), "P0:0"
			if words == "dedup id-first" {
				want = "" // its id is known and its value was never written: the flaw of two writes
			}
			if got != want {
				t.Errorf("%s: applied %q, want %q", words, got, want)
			}
		}
	})
}

// unanswered is what the driver says about a connection that ended, or, of SQLite,
// about a disk whose fsync failed.
func unanswered(db *DB) error {
	if db.d.dollars {
		return &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}
	}
	return &Trouble{Kind: DiskFailed, Database: "SQLite", Doing: "commit"}
}

// The server is killed and started again under its writers: they say that they
// cannot reach it, wait, and lose nothing.
func TestPostgreSQLGoesAndComesBack(t *testing.T) {
	c := pgtest.Start(false)
	t.Cleanup(c.Remove)
	address := c.URL(t)
	db := open(t, address)
	var writers []*writer
	for i, words := range all() {
		w := newWriter(t, db, words, fmt.Sprint("gone", i), 1, Options{Patience: time.Minute})
		w.must(0)
		writers = append(writers, w)
	}
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, len(writers))
	for _, w := range writers {
		go func() { _, err := w.write(1); done <- err }()
		<-w.wake
	}
	if err := c.Up(); err != nil {
		t.Fatal(err)
	}
	for range writers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for i, w := range writers {
		if got := applied(t, address, fmt.Sprint("gone", i)); got != "P0:0 P1:0" {
			t.Errorf("%s: applied %q", all()[i], got)
		}
		if w.told[0] != Unreachable.String() || w.told[len(w.told)-1] != "" {
			t.Errorf("%s: told %q", all()[i], w.told)
		}
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	for _, a := range []string{"", "mysql://host/base", "postgres://host:port:port/base"} {
		if _, err := Open(a); err == nil || !strings.Contains(err.Error(), "allowed: postgres://") {
			t.Errorf("%q says %v", a, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	db := open(t, filepath.Join(file, "sub", "out.db"))
	s, err := db.Sink(sinkOf("append"), 0, Options{Patience: -1})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Open(context.Background(), live.Life{Name: "sink/0", Token: 1})
	var trouble *Trouble
	if !errors.As(err, &trouble) || trouble.Kind != Unreachable {
		t.Errorf("a folder that cannot be made says %v", err)
	}
}
