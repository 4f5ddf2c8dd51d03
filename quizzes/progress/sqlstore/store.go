// Package sqlstore keeps progress in SQLite or in PostgreSQL. It is the only
// package that knows their drivers.
//
// Both speak almost the same SQL, so there is one Store; what differs is a
// dialect: how to connect, the types of columns, and what an error means.
//
//	store.go     one database: opened late, migrated, its trouble remembered
//	history.go   add, load, erase
//	inputs.go    pasted inputs and counts of answers
//	schema.go    the tables, version by version
//	sqlite.go, postgres.go  the dialects
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"effectivelyonce/quizzes/progress"
)

// Options are what all databases have in common. The zero value is fine.
type Options struct {
	Now   func() time.Time // nil: the wall clock; for the lifetime of inputs
	Count bool             // keep counts of answers by question and choice
}

// dialect is what differs between databases.
type dialect struct {
	name     string
	dollars  bool                                        // parameters are $1, not ?
	prepare  func() error                                // before the first connection
	examine  func(ctx context.Context, db *sql.DB) error // is what is there whole?
	lock     string                                      // statement that makes migrations wait for each other; "" none
	types    *strings.Replacer                           // of the schema
	why      func(error) string                          // in words; "" unknown
	oneWrite bool                                        // writers of this process queue here, not in the database
}

// Store is a progress.Store in a database. It connects and migrates at the first
// use, and again after a failure, so that a server starts without its database
// and is well as soon as the database is.
type Store struct {
	db      *sql.DB
	d       dialect
	opt     Options
	opening chan struct{} // held while the tables are made
	writing chan struct{}

	mu     sync.Mutex
	opened bool

	versions [][]string // of the tables; a test has fewer
	inside   func()     // a test's, called in the middle of an Add
}

var _ progress.Store = (*Store)(nil)

func newStore(db *sql.DB, d dialect, opt Options) *Store {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	return &Store{db: db, d: d, opt: opt, versions: schema(), opening: make(chan struct{}, 1), writing: make(chan struct{}, 1)}
}

// Close ends all connections.
func (s *Store) Close() error { return s.db.Close() }

// padding is more than an answer needs, in bytes: the pages of its row, of two
// indexes and of their splits. With less, a disk that is all but full looks well
// and refuses the next answer.
const padding = 24_000

// Ready implements progress.Store. It writes a row as large as a few answers,
// because a full disk can be read and so can a corrupted index.
func (s *Store) Ready(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		return s.exec(ctx, tx, `INSERT INTO probe (one, at, pad) VALUES (1, ?, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at, pad = excluded.pad`,
			s.opt.Now().UnixMilli(), strings.Repeat("room ", padding/5))
	})
}

// open makes the tables once. Waiting ends with the context.
func (s *Store) open(ctx context.Context) error {
	if s.isOpen() {
		return nil
	}
	select {
	case s.opening <- struct{}{}:
		defer func() { <-s.opening }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.isOpen() {
		return nil
	}
	if err := s.d.prepare(); err != nil {
		return err
	}
	if err := s.d.examine(ctx, s.db); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	s.opened = true
	s.mu.Unlock()
	return nil
}

func (s *Store) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// write runs one transaction. When it returns nil the transaction is durable.
func (s *Store) write(ctx context.Context, do func(tx *sql.Tx) error) error {
	if err := s.open(ctx); err != nil {
		return s.trouble("open", err)
	}
	if s.d.oneWrite {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return s.trouble("wait to write", ctx.Err())
		}
	}
	return s.trouble("write", s.transact(ctx, do))
}

func (s *Store) transact(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // the first error is the one that says why
		return err
	}
	return tx.Commit()
}

// read runs queries, each for itself: an entry that arrives between two of them is
// in the answer to one and not the other, and nobody can tell.
func (s *Store) read(ctx context.Context, do func() error) error {
	if err := s.open(ctx); err != nil {
		return s.trouble("open", err)
	}
	return s.trouble("read", do())
}

// trouble wraps what the database said in words for learners.
func (s *Store) trouble(doing string, err error) error {
	var known *progress.Trouble
	if err == nil || errors.As(err, &known) {
		return err
	}
	why := s.d.why(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		why = "the database did not answer in time"
	case why == "":
		why = "the database failed"
	}
	return &progress.Trouble{Why: why, Cause: fmt.Errorf("%s: %s: %w", s.d.name, doing, err)}
}

// sql spells parameters as the database wants them.
func (s *Store) sql(query string) string {
	if !s.d.dollars {
		return query
	}
	var b strings.Builder
	n := 0
	for _, c := range query {
		if c != '?' {
			b.WriteRune(c)
			continue
		}
		n++
		b.WriteString("$" + strconv.Itoa(n))
	}
	return b.String()
}

func (s *Store) exec(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	_, err := tx.ExecContext(ctx, s.sql(query), args...)
	return err
}

// rows calls scan for each row of a query.
func (s *Store) rows(ctx context.Context, query string, scan func(*sql.Rows) error, args ...any) error {
	rows, err := s.db.QueryContext(ctx, s.sql(query), args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
