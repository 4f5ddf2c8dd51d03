package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// dialect is what differs between the databases.
type dialect struct {
	name     string
	open     func(readOnly bool) (*sql.DB, error)
	begin    string // of a transaction that writes
	read     string // of one that reads and sees one moment
	lock     string // statement that makes those wait for each other who make the tables; "" none
	exists   string // query: are the tables there, 0 or 1
	dollars  bool   // parameters are $1, not ?
	types    *strings.Replacer
	prepare  func() error                                 // before the first connection
	settle   func(ctx context.Context, c *sql.Conn) error // once, before the tables are made
	kind     func(err error) Kind                         // what an error means
	unsure   func(kind Kind, err error) bool              // after this error of a COMMIT nobody knows whether it took hold
	oneWrite bool                                         // writers of this process queue here, not in the database
}

// DB is a database for the output of live jobs. Any number of sinks may share it,
// in several processes too. It connects when something is first asked of it, so
// that a job starts without its database and is well as soon as the database is.
type DB struct {
	address string
	d       dialect
	pool    *sql.DB
	writing chan struct{}

	mu   sync.Mutex
	made bool
}

// Open names a database: postgres://user@host:port/database (or what else libpq
// takes with that scheme), or the path of an SQLite file, whose folder is made if
// it is not there. An error means that the address is not understood; a database
// that does not answer is trouble that passes, and comes with the first use.
func Open(address string) (*DB, error) {
	d, err := dialectOf(address)
	if err != nil {
		return nil, err
	}
	return openAs(address, d)
}

func openAs(address string, d dialect) (*DB, error) {
	pool, err := d.open(false)
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", address, err)
	}
	pool.SetMaxIdleConns(8)
	return &DB{address: address, d: d, pool: pool, writing: make(chan struct{}, 1)}, nil
}

func dialectOf(address string) (dialect, error) {
	scheme, _, is := strings.Cut(address, "://")
	switch {
	case address == "":
		return dialect{}, fmt.Errorf("found no address of a database; allowed: postgres://user@host:port/database, or the path of a file")
	case !is:
		return sqlite(address, "FULL")
	case scheme == "postgres" || scheme == "postgresql":
		return postgres(address)
	}
	return dialect{}, fmt.Errorf("found a database of kind %q; allowed: postgres://user@host:port/database, or the path of a file for SQLite", scheme)
}

// Name is SQLite or PostgreSQL.
func (d *DB) Name() string { return d.d.name }

// Close ends all connections. What a sink has buffered and not flushed is gone, as
// with a crash.
func (d *DB) Close() error { return d.pool.Close() }

// make creates the tables, once for this DB.
func (d *DB) make(ctx context.Context, c *sql.Conn) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.made {
		return nil
	}
	if err := d.d.settle(ctx, c); err != nil {
		return err
	}
	stmts := []string{d.d.begin}
	if d.d.lock != "" {
		stmts = append(stmts, d.d.lock)
	}
	for _, s := range schema() {
		stmts = append(stmts, d.d.types.Replace(s))
	}
	for _, s := range append(stmts, "COMMIT") {
		if _, err := c.ExecContext(ctx, s); err != nil {
			return err // the session drops its connection, and the transaction with it
		}
	}
	d.made = true
	return nil
}
