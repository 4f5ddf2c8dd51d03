package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// frozenTimeout is how long PostgreSQL lets a transaction stand in which nothing
// happens, in milliseconds (by default for ever). A process that was frozen inside
// a transaction keeps its rows locked, the one of its token among them: without
// this its replacement could not come to life before it goes on. SQLite has no
// such thing: the file is locked until the frozen process goes on or is killed.
const frozenTimeout = 3000

// postgres is a server. Its transactions run at read committed, PostgreSQL's
// default: a conditional write waits for the transaction that holds its row and
// then looks at the row again, which is all that the writes of this package need.
func postgres(address string) (dialect, error) {
	cfg, err := pgx.ParseConfig(address)
	if err != nil {
		return dialect{}, fmt.Errorf("found no address of a PostgreSQL database; allowed: postgres://user@host:port/database (%w)", err)
	}
	open := func(readOnly bool) (*sql.DB, error) {
		c := cfg.Copy()
		c.RuntimeParams["lock_timeout"] = strconv.Itoa(busyTimeout)
		c.RuntimeParams["idle_in_transaction_session_timeout"] = strconv.Itoa(frozenTimeout)
		if readOnly {
			c.RuntimeParams["default_transaction_read_only"] = "on"
		}
		return stdlib.OpenDB(*c), nil
	}
	return dialect{
		name:    "PostgreSQL",
		open:    open,
		begin:   "BEGIN",
		read:    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
		lock:    `SELECT pg_advisory_xact_lock(5307821164479)`, // any number, the same in every process
		exists:  `SELECT COUNT(*) FROM pg_class WHERE oid = to_regclass('eo_rows')`,
		dollars: true,
		types:   strings.NewReplacer("SERIAL", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "NUMBER", "BIGINT"),
		prepare: func() error { return nil },
		settle:  func(context.Context, *sql.Conn) error { return nil },
		kind:    postgresKind,
		unsure:  postgresUnsure,
	}, nil
}

// postgresKind goes by the classes of SQLSTATE, PostgreSQL 15 appendix A.
func postgresKind(err error) Kind {
	var connect *pgconn.ConnectError
	var broken *net.OpError // an open connection that ended
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if errors.As(err, &connect) || errors.As(err, &broken) || lostWords(err) {
			return Unreachable
		}
		return Failed
	}
	switch {
	case e.Code == "53100":
		return DiskFull
	case e.Code == "55P03", e.Code == "40001", e.Code == "40P01": // lock not available, serialization, deadlock
		return Locked
	case e.Code == "25006", e.Code == "42501", e.Code == "3D000", strings.HasPrefix(e.Code, "28"):
		return Forbidden
	case e.Code == "58030":
		return DiskFailed
	case strings.HasPrefix(e.Code, "XX"):
		return Damaged
	case e.Code == "25P03", strings.HasPrefix(e.Code, "57P"), strings.HasPrefix(e.Code, "53"), strings.HasPrefix(e.Code, "08"):
		return Unreachable // ended while idle; starting, stopping, no room for a connection
	case e.Code == "57014":
		return Cancelled
	}
	return Failed
}

// lostWords finds an ended connection in what the driver says without a type of
// its own: the end of the stream in the middle of a message, or a connection that
// it has closed after an error.
func lostWords(err error) bool {
	for _, w := range []string{"unexpected EOF", "conn closed", "bad connection", "connection is already closed"} {
		if strings.Contains(err.Error(), w) {
			return true
		}
	}
	return false
}

// postgresUnsure is about a COMMIT that failed. What the server itself answers is
// the end of the transaction; where no answer came, it may have committed.
func postgresUnsure(_ Kind, err error) bool {
	var e *pgconn.PgError
	return !errors.As(err, &e) || strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08")
}
