package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"effectivelyonce/quizzes/progress"
)

// schema holds the statements of each version; version n is schema[n-1]. What was
// released is never changed: a change is a new version. Times are milliseconds
// since 1970 UTC, truth values 0 and 1. NUMBER and BYTES become the database's types.
func schema() [][]string {
	return [][]string{{
		`CREATE TABLE seen (learner TEXT NOT NULL, lesson TEXT NOT NULL, segment TEXT NOT NULL, at NUMBER NOT NULL, PRIMARY KEY (learner, lesson, segment))`,
		`CREATE TABLE bets (learner TEXT NOT NULL, lesson TEXT NOT NULL, segment TEXT NOT NULL, option TEXT NOT NULL, confidence TEXT NOT NULL,
			reason TEXT NOT NULL, correct NUMBER NOT NULL, at NUMBER NOT NULL, PRIMARY KEY (learner, lesson, segment))`,
		`CREATE TABLE answers (learner TEXT NOT NULL, ticket TEXT NOT NULL, question TEXT NOT NULL, seed TEXT NOT NULL, chosen TEXT NOT NULL,
			correct NUMBER NOT NULL, partly NUMBER NOT NULL, at NUMBER NOT NULL, PRIMARY KEY (learner, ticket))`,
		`CREATE TABLE levels (learner TEXT NOT NULL, lesson TEXT NOT NULL, won NUMBER NOT NULL, score NUMBER NOT NULL, hints NUMBER NOT NULL,
			at NUMBER NOT NULL, PRIMARY KEY (learner, lesson))`,
		`CREATE TABLE inputs (hash TEXT NOT NULL PRIMARY KEY, data BYTES NOT NULL, until NUMBER NOT NULL)`,
		`CREATE INDEX inputs_until ON inputs (until)`,
		`CREATE TABLE counts (question TEXT NOT NULL, chosen TEXT NOT NULL, outcome TEXT NOT NULL, times NUMBER NOT NULL, PRIMARY KEY (question, chosen, outcome))`,
		`CREATE TABLE probe (one NUMBER NOT NULL PRIMARY KEY, at NUMBER NOT NULL)`,
	}, {
		// A row of two numbers still fits where an answer does not.
		`ALTER TABLE probe ADD COLUMN pad TEXT NOT NULL DEFAULT ''`,
	}}
}

// migrate brings the tables to the newest version, all versions in one
// transaction. Servers that start together wait for each other.
func (s *Store) migrate(ctx context.Context) error {
	versions := s.versions
	return s.transact(ctx, func(tx *sql.Tx) error {
		if s.d.lock != "" {
			if _, err := tx.ExecContext(ctx, s.d.lock); err != nil {
				return err
			}
		}
		if err := s.exec(ctx, tx, s.d.types.Replace(`CREATE TABLE IF NOT EXISTS progress_version (version NUMBER NOT NULL PRIMARY KEY, at NUMBER NOT NULL)`)); err != nil {
			return err
		}
		var have int
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM progress_version`).Scan(&have); err != nil {
			return err
		}
		if have > len(versions) {
			return &progress.Trouble{Why: "the database was written by a newer version of this program",
				Cause: fmt.Errorf("%s: it has version %d, this program knows up to %d", s.d.name, have, len(versions))}
		}
		for n := have; n < len(versions); n++ {
			for _, stmt := range versions[n] {
				if err := s.exec(ctx, tx, s.d.types.Replace(stmt)); err != nil {
					return fmt.Errorf("version %d: %w", n+1, err)
				}
			}
			if err := s.exec(ctx, tx, `INSERT INTO progress_version (version, at) VALUES (?, ?)`, n+1, s.opt.Now().UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}
