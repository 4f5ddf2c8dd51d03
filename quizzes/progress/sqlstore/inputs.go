package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"effectivelyonce/quizzes/progress"
)

// Pasted inputs are kept this long, and this many; beyond that the ones whose
// time ends first go first. An input has at most 64 KiB.
const (
	inputLifetime = 30 * 24 * time.Hour
	inputsKept    = 4000
)

// Put implements progress.Store.
func (s *Store) Put(ctx context.Context, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	now := s.opt.Now()
	if data == nil {
		data = []byte{} // NULL is no input
	}
	err := s.write(ctx, func(tx *sql.Tx) error {
		if err := s.exec(ctx, tx, `DELETE FROM inputs WHERE until < ?`, now.UnixMilli()); err != nil {
			return err
		}
		if err := s.exec(ctx, tx, `INSERT INTO inputs (hash, data, until) VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE SET until = excluded.until`,
			hash, data, now.Add(inputLifetime).UnixMilli()); err != nil {
			return err
		}
		return s.exec(ctx, tx, `DELETE FROM inputs WHERE hash IN (SELECT hash FROM inputs ORDER BY until DESC, hash LIMIT 1000 OFFSET ?)`, inputsKept)
	})
	return hash, err
}

// Get implements progress.Store.
func (s *Store) Get(ctx context.Context, hash string) ([]byte, bool, error) {
	var data []byte
	found := false
	err := s.read(ctx, func() error {
		err := s.db.QueryRowContext(ctx, s.sql(`SELECT data FROM inputs WHERE hash = ? AND until >= ?`), hash, s.opt.Now().UnixMilli()).Scan(&data)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		found = err == nil
		return err
	})
	return data, found, err
}

// Counts implements progress.Store.
func (s *Store) Counts(ctx context.Context) ([]progress.Count, error) {
	var out []progress.Count
	err := s.read(ctx, func() error {
		return s.rows(ctx, `SELECT question, chosen, outcome, times FROM counts ORDER BY question, outcome, chosen`, func(r *sql.Rows) error {
			var c progress.Count
			err := r.Scan(&c.Question, &c.Chosen, &c.Outcome, &c.Times)
			out = append(out, c)
			return err
		})
	})
	return out, err
}
