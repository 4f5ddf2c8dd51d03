package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	driver "modernc.org/sqlite"
)

// Primary result codes of SQLite 3 (sqlite.org/rescode.html).
const (
	codeBusy      = 5
	codeLocked    = 6
	codeReadOnly  = 8
	codeInterrupt = 9
	codeIO        = 10
	codeCorrupt   = 11
	codeFull      = 13
	codeCantOpen  = 14
	codeNotADB    = 26
)

// busyTimeout is how long one statement waits for a lock, in milliseconds, in both
// databases (PostgreSQL: lock_timeout, which by default waits for ever). The
// session tries again after it, and says meanwhile what is wrong.
const busyTimeout = 1000

// sqlite is a file. Several processes of one machine may share it; a network file
// system must not hold it, because the write-ahead log needs shared memory.
//
// BEGIN IMMEDIATE takes the lock of the writer before anything is read: a
// transaction that read first and wrote later would be refused at once, without
// waiting, when another wrote in between (SQLITE_BUSY_SNAPSHOT).
func sqlite(path, synchronous string) (dialect, error) {
	full, err := filepath.Abs(path)
	if err != nil {
		return dialect{}, fmt.Errorf("database file %s: %w", path, err)
	}
	open := func(readOnly bool) (*sql.DB, error) {
		pragmas := []string{fmt.Sprintf("busy_timeout(%d)", busyTimeout), "synchronous(" + synchronous + ")"}
		if readOnly {
			pragmas = append(pragmas, "query_only(1)")
		}
		v := url.Values{"_pragma": pragmas}
		return sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(full), RawQuery: v.Encode()}).String())
	}
	return dialect{
		name:     "SQLite",
		open:     open,
		begin:    "BEGIN IMMEDIATE",
		read:     "BEGIN",
		exists:   `SELECT COUNT(*) FROM sqlite_master WHERE name = 'eo_rows'`,
		types:    strings.NewReplacer("SERIAL", "INTEGER PRIMARY KEY AUTOINCREMENT", "NUMBER", "INTEGER"),
		prepare:  func() error { return os.MkdirAll(filepath.Dir(full), 0o700) },
		settle:   useLog,
		kind:     sqliteKind,
		unsure:   sqliteUnsure,
		oneWrite: true,
	}, nil
}

// useLog makes the file use a write-ahead log; that stays so. A process that
// switches while another does is refused at once, and tries again.
func useLog(ctx context.Context, c *sql.Conn) error {
	var mode string
	if err := c.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return fmt.Errorf("journal_mode is %s; the write-ahead log needs a file system with shared memory", mode)
	}
	return nil
}

func sqliteKind(err error) Kind {
	var e *driver.Error
	if !errors.As(err, &e) {
		return Failed
	}
	switch e.Code() & 0xff {
	case codeBusy, codeLocked:
		return Locked
	case codeFull:
		return DiskFull
	case codeIO:
		return DiskFailed
	case codeCorrupt, codeNotADB:
		return Damaged
	case codeReadOnly:
		return Forbidden
	case codeCantOpen:
		return Unreachable
	case codeInterrupt:
		return Cancelled
	}
	return Failed
}

// sqliteUnsure is about a COMMIT that failed. Busy: nothing was written. Full: the
// frames of the transaction did not get into the log as a whole, the index of the
// log does not name them, and the next transaction of any process overwrites them.
// After a failed fsync alone SQLite cannot say what the disk has.
func sqliteUnsure(kind Kind, _ error) bool { return kind != Locked && kind != DiskFull }
