package sqldb

import (
	"context"
	"database/sql"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
)

// Reader reads what stands in one place of a database, over a connection of its
// own that cannot write, and knows nothing of the job. All queries of one call see
// the same moment.
type Reader struct {
	place string
	ses   *session
	pool  *sql.DB
}

var _ live.Reader = (*Reader)(nil)

// NewReader opens nothing yet. An error means that the address is not understood.
func NewReader(address, place string) (*Reader, error) {
	d, err := dialectOf(address)
	if err != nil {
		return nil, err
	}
	pool, err := d.open(true)
	if err != nil {
		return nil, err
	}
	d.begin, d.oneWrite = d.read, false
	db := &DB{address: address, d: d, pool: pool, made: true} // who reads makes no tables
	return &Reader{place: place, pool: pool, ses: &session{db: db, patience: defaultPatience}}, nil
}

// Close ends the connection.
func (r *Reader) Close() error {
	r.ses.drop()
	return r.pool.Close()
}

// Rows is every row that stands: of an append in the order in which the database
// took them, otherwise by key. A balance and a total sum up many records and name
// none. A place that nobody has written to has no rows.
func (r *Reader) Rows(ctx context.Context) ([]live.Row, error) {
	return r.read(ctx,
		`SELECT part, off, key, value, attempt FROM eo_rows WHERE place = ? ORDER BY seq`,
		`SELECT part, off, key, value, attempt FROM eo_cells WHERE place = ? ORDER BY key, part, off`,
		`SELECT -1, -1, key, value, attempt FROM eo_balances WHERE place = ? ORDER BY key`)
}

// Changes is every change of a balance, in order, if the sink kept a journal: the
// value is what was added, or what the balance was set to.
func (r *Reader) Changes(ctx context.Context) ([]live.Row, error) {
	return r.read(ctx, `SELECT part, off, key, value, attempt FROM eo_changes WHERE place = ? ORDER BY seq`)
}

func (r *Reader) read(ctx context.Context, queries ...string) ([]live.Row, error) {
	var out []live.Row
	err := r.ses.transact(ctx, "read", true, func(ctx context.Context) error {
		out = nil
		there, _, err := r.ses.number(ctx, r.ses.db.d.exists)
		if err != nil || there == 0 {
			return err
		}
		for _, q := range queries {
			if err := r.ses.each(ctx, q, func(rows *sql.Rows) error {
				var row live.Row
				err := rows.Scan(&row.ID.Part, &row.ID.Off, &row.Key, &row.Value, &row.Attempt)
				if row.ID.Part < 0 {
					row.ID = engine.NoRecord
				}
				out = append(out, row)
				return err
			}, r.place); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}
