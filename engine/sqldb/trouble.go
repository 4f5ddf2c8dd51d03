package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
)

// Kind is what is wrong with a database.
type Kind uint8

// Kinds of trouble. Those up to Unreachable pass by themselves, or when a person
// has done something about the cause.
const (
	Locked Kind = iota + 1
	DiskFull
	DiskFailed
	Unreachable
	Cancelled
	Forbidden
	Damaged
	Fenced // a newer life of the task has its token in the store
	Failed // none of these
)

var kindWords = [...]string{Locked: "the database is locked by another writer", DiskFull: "the disk of the database is full",
	DiskFailed: "the disk of the database failed, or is full", Unreachable: "the database cannot be reached",
	Cancelled: "the database was told to stop waiting", Forbidden: "the database does not allow this", Damaged: "the database is damaged",
	Fenced: "a newer process has taken over: the database refuses this one's token", Failed: "the database failed"}

// String is the kind in words for people.
func (k Kind) String() string { return kindWords[k] }

// Trouble is the error of everything in this package that a database has to do
// with. Nothing that was acknowledged is lost by it.
type Trouble struct {
	Kind     Kind
	Database string // SQLite, PostgreSQL
	Doing    string // write, read, connect …
	Unsure   bool   // the connection ended while the commit was under way: it may have taken hold
	Err      error  // what the database said
}

// Error names the database, what was being done, what is wrong, and the cause.
func (t *Trouble) Error() string {
	s := fmt.Sprintf("%s: %s: %s", t.Database, t.Doing, t.Kind)
	if t.Unsure {
		s += "; it is not known whether the commit took hold"
	}
	if t.Err != nil {
		s += " (" + t.Err.Error() + ")"
	}
	return s
}

// Unwrap is what the database said.
func (t *Trouble) Unwrap() error { return t.Err }

// Passes reports whether it makes sense to try again later.
func (t *Trouble) Passes() bool { return t.Kind <= Unreachable }

// trouble is err in this package's words, nil for nil.
func (d *DB) trouble(doing string, err error) *Trouble {
	var t *Trouble
	switch {
	case err == nil:
		return nil
	case errors.As(err, &t):
		return t
	}
	kind := d.d.kind(err)
	var path *fs.PathError // of the folder of a database file
	if errors.As(err, &path) {
		kind = Unreachable
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = Cancelled
	}
	return &Trouble{Kind: kind, Database: d.d.name, Doing: doing, Err: err}
}
