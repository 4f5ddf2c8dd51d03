package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"

	"effectivelyonce/quizzes/progress"
)

// File is the name of the database in the data folder.
const File = "progress.db"

// Primary result codes of SQLite 3 (sqlite.org/rescode.html) that say what a
// person can do something about.
const (
	codeBusy     = 5
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// SQLite keeps progress in a file of the folder, which is made when something is
// first asked of it. Several processes of one machine may share it; a network
// file system must not hold it, because the write-ahead log needs shared memory.
//
// synchronous=FULL makes a commit wait for the disk: what was said to be saved
// survives a power failure, not only kill -9.
func SQLite(dir string, opt Options) (*Store, error) {
	path, err := filepath.Abs(filepath.Join(dir, File))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	v := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(8000)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: v.Encode()}).String())
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", dir, err)
	}
	db.SetMaxOpenConns(8)
	db.SetMaxIdleConns(8)
	return newStore(db, dialect{
		name:     "SQLite",
		prepare:  func() error { return makeFolder(dir) },
		examine:  examineSQLite,
		types:    strings.NewReplacer("NUMBER", "INTEGER", "BYTES", "BLOB"),
		why:      sqliteWhy,
		oneWrite: true,
	}, opt), nil
}

func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &progress.Trouble{Why: "the data folder cannot be made", Cause: err}
	}
	return nil
}

// examineSQLite reads every page once. A damaged page that is only met later
// would otherwise lose what is written around it.
func examineSQLite(ctx context.Context, db *sql.DB) error {
	if err := useLog(ctx, db); err != nil {
		return err
	}
	var says string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&says); err != nil {
		return err
	}
	if says != "ok" {
		return &progress.Trouble{Why: corrupted, Cause: errors.New("quick_check: " + says)}
	}
	return nil
}

// useLog makes the file use a write-ahead log; that stays so. Two processes that
// switch at once do not wait for each other as they do elsewhere: SQLite refuses
// one of them at once, and that one tries again.
func useLog(ctx context.Context, db *sql.DB) error {
	for try := 0; ; try++ {
		var mode string
		err := db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode)
		if err == nil && mode != "wal" {
			return fmt.Errorf("journal_mode is %s; the write-ahead log needs a file system with shared memory", mode)
		}
		var e *sqlite.Error
		if err == nil || !errors.As(err, &e) || e.Code()&0xff != codeBusy || try == switchTries {
			return err
		}
		select {
		case <-time.After(switchPause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

const (
	switchTries = 250
	switchPause = 20 * time.Millisecond
)

const corrupted = "the database file is damaged"

func sqliteWhy(err error) string {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code() & 0xff {
	case codeCorrupt, codeNotADB:
		return corrupted
	case codeFull:
		return "the disk is full"
	case codeReadOnly:
		return "the database file may not be written"
	case codeCantOpen:
		return "the database file cannot be opened"
	case codeIO:
		return "the disk failed, or is full"
	case codeBusy:
		return "the database is busy"
	}
	return ""
}
