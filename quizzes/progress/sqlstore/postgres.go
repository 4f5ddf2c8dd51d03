package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// PostgreSQL keeps progress in a database that several servers share, on several
// machines too. The URL is postgres://user@host/database, or what libpq takes.
// An error means that the URL is not understood; a database that does not answer
// is trouble that passes.
//
// The transactions need no more than read committed, PostgreSQL's default: each
// statement either adds a row by its key or leaves the one that is there.
func PostgreSQL(url string, opt Options) (*Store, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("found no address of a PostgreSQL database; allowed: postgres://user@host:port/database (%w)", err)
	}
	db := stdlib.OpenDB(*cfg)
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(16)
	return newStore(db, dialect{
		name:    "PostgreSQL",
		dollars: true,
		prepare: func() error { return nil },
		examine: func(ctx context.Context, db *sql.DB) error { return db.PingContext(ctx) },
		lock:    `SELECT pg_advisory_xact_lock(7246118930152)`, // any number, the same in every server
		types:   strings.NewReplacer("NUMBER", "BIGINT", "BYTES", "BYTEA"),
		why:     postgresWhy,
	}, opt), nil
}

// postgresWhy goes by the classes of SQLSTATE, PostgreSQL 15 appendix A.
func postgresWhy(err error) string {
	var connect *pgconn.ConnectError
	var broken *net.OpError // an open connection that ended
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
	case errors.As(err, &connect), errors.As(err, &broken):
		return "the database cannot be reached"
	default:
		return ""
	}
	switch {
	case e.Code == "53100":
		return "the disk of the database is full"
	case e.Code == "25006":
		return "the database takes no changes at the moment"
	case strings.HasPrefix(e.Code, "XX"):
		return "the database is damaged"
	case strings.HasPrefix(e.Code, "57P"):
		return "the database is starting or stopping"
	case strings.HasPrefix(e.Code, "28"), e.Code == "3D000", e.Code == "42501":
		return "the database does not let this server in"
	case strings.HasPrefix(e.Code, "53"):
		return "the database has no room for another connection"
	}
	return ""
}
