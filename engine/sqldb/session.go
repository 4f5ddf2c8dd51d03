package sqldb

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"strconv"
	"strings"
	"time"
)

// session is one connection with its prepared statements, and the transactions on
// it. BEGIN and COMMIT are statements of ours, so that it is known whether an
// error came before the commit, when nothing took hold, or from it. It is used by
// one goroutine at a time.
type session struct {
	db       *DB
	patience time.Duration
	answer   time.Duration // how long one try may take; 0: answerTime
	notice   func(*Trouble)
	inject   func(query string) error  // a test's: fails a statement before it is sent
	answered func(query string) error  // a test's: loses the answer to a statement
	rewrite  func(query string) string // a test's: a mistake in a statement

	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	last  Kind // the trouble that was told last, 0 none
}

// transact runs do in one transaction and returns nil when it is durable. Trouble
// that passes is waited for, as long as the session's patience lasts: nothing took
// hold, so do is run again from its start. After a commit without an answer that
// is not known; then it is run again only if that is the same as once (again).
//
// Do must change nothing but the database and what it hands back.
func (s *session) transact(ctx context.Context, doing string, again bool, do func(context.Context) error) error {
	return s.retry(ctx, doing, again, func(ctx context.Context) error { return s.try(ctx, do) })
}

func (s *session) retry(ctx context.Context, doing string, again bool, try func(context.Context) error) error {
	giveUp := time.Now().Add(s.patience)
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		t := s.limited(ctx, doing, try)
		s.tell(t)
		switch {
		case t == nil:
			return nil
		case !t.Passes() || t.Unsure && !again || time.Now().Add(pause).After(giveUp):
			return t
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return t
		}
	}
}

// limited gives a try its time. A database that does not answer within it cannot
// be reached: a network that swallows packets says nothing else.
func (s *session) limited(ctx context.Context, doing string, try func(context.Context) error) *Trouble {
	within := s.answer
	if within == 0 {
		within = answerTime
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	t := s.db.trouble(doing, try(limited))
	if t != nil && t.Kind == Cancelled && ctx.Err() == nil {
		t.Kind = Unreachable
	}
	return t
}

const (
	firstPause   = 10 * time.Millisecond
	longestPause = 250 * time.Millisecond
	answerTime   = 15 * time.Second
)

// tell says what is wrong when that changes, and nil when all is well again.
func (s *session) tell(t *Trouble) {
	kind := Kind(0)
	if t != nil {
		kind = t.Kind
	}
	if kind != s.last && s.notice != nil {
		s.notice(t)
	}
	s.last = kind
}

func (s *session) try(ctx context.Context, do func(context.Context) error) error {
	if err := s.connect(ctx); err != nil {
		s.drop()
		return s.db.trouble("connect", err)
	}
	if s.db.d.oneWrite {
		select {
		case s.db.writing <- struct{}{}:
			defer func() { <-s.db.writing }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if _, err := s.exec(ctx, s.db.d.begin); err != nil {
		s.rollback(ctx)
		return err
	}
	if err := do(ctx); err != nil {
		s.rollback(ctx)
		return err
	}
	if _, err := s.exec(ctx, "COMMIT"); err != nil {
		s.rollback(ctx)
		t := s.db.trouble("commit", err)
		t.Unsure = s.db.d.unsure(t.Kind, err)
		return t
	}
	return nil
}

// rollback ends a transaction that did not go well. Where that fails, the
// connection is given up, and the database ends the transaction.
func (s *session) rollback(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTime)
	defer cancel()
	if s.conn == nil {
		return
	}
	if _, err := s.conn.ExecContext(ctx, "ROLLBACK"); err != nil {
		s.drop()
	}
}

const rollbackTime = 2 * time.Second

func (s *session) connect(ctx context.Context) error {
	if s.conn != nil {
		return nil
	}
	if err := s.db.d.prepare(); err != nil {
		return err
	}
	c, err := s.db.pool.Conn(ctx)
	if err != nil {
		return err
	}
	s.conn, s.stmts = c, map[string]*sql.Stmt{}
	return s.db.make(ctx, c)
}

// drop closes the connection instead of giving it back to the pool.
func (s *session) drop() { s.part(false) }

// release gives the connection back to the pool. No transaction is open on it: one
// that did not end well has been rolled back, or its connection was dropped.
func (s *session) release() { s.part(true) }

// part closes the statements first: SQLite's are part of the connection's memory.
func (s *session) part(keep bool) {
	if s.conn == nil {
		return
	}
	for _, st := range s.stmts {
		_ = st.Close()
	}
	if !keep {
		_ = s.conn.Raw(func(any) error { return sqldriver.ErrBadConn })
	}
	_ = s.conn.Close()
	s.conn, s.stmts = nil, nil
}

// querier is a prepared statement, or a query on a connection.
type querier struct {
	stmt *sql.Stmt
	conn *sql.Conn
	text string
}

func (q querier) exec(ctx context.Context, args []any) (sql.Result, error) {
	if q.stmt != nil {
		return q.stmt.ExecContext(ctx, args...)
	}
	return q.conn.ExecContext(ctx, q.text, args...)
}

func (q querier) rows(ctx context.Context, args []any) (*sql.Rows, error) {
	if q.stmt != nil {
		return q.stmt.QueryContext(ctx, args...)
	}
	return q.conn.QueryContext(ctx, q.text, args...)
}

// query prepares a statement once for this connection. The driver of PostgreSQL
// does that itself, and keeps it when the connection goes back to the pool.
func (s *session) query(ctx context.Context, text string) (querier, error) {
	if s.inject != nil {
		if err := s.inject(text); err != nil {
			return querier{}, err
		}
	}
	if s.rewrite != nil {
		text = s.rewrite(text)
	}
	if s.db.d.dollars {
		return querier{conn: s.conn, text: s.db.sql(text)}, nil
	}
	if st, ok := s.stmts[text]; ok {
		return querier{stmt: st}, nil
	}
	st, err := s.conn.PrepareContext(ctx, text)
	if err == nil {
		s.stmts[text] = st
	}
	return querier{stmt: st}, err
}

// exec runs a statement and tells how many rows it has changed.
func (s *session) exec(ctx context.Context, text string, args ...any) (int64, error) {
	q, err := s.query(ctx, text)
	if err != nil {
		return 0, err
	}
	res, err := q.exec(ctx, args)
	if err == nil && s.answered != nil {
		err = s.answered(text)
	}
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// number is the one number that a query finds; false: no row.
func (s *session) number(ctx context.Context, text string, args ...any) (n int64, found bool, err error) {
	err = s.each(ctx, text, func(r *sql.Rows) error {
		found = true
		return r.Scan(&n)
	}, args...)
	return n, found && err == nil, err
}

// each calls scan for every row of a query.
func (s *session) each(ctx context.Context, text string, scan func(*sql.Rows) error, args ...any) error {
	q, err := s.query(ctx, text)
	if err != nil {
		return err
	}
	rows, err := q.rows(ctx, args)
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

// sql spells parameters as the database wants them.
func (d *DB) sql(query string) string {
	if !d.d.dollars {
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
