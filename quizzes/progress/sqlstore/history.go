package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"effectivelyonce/quizzes/progress"
)

// key is what stands for a learner in the tables. A copy of the database is no
// set of cookies: the number cannot be worked out from its hash.
func key(who progress.Learner) string {
	sum := sha256.Sum256([]byte(who))
	return hex.EncodeToString(sum[:16])
}

// Add implements progress.Store.
func (s *Store) Add(ctx context.Context, who progress.Learner, more progress.History) error {
	if err := more.Check(); err != nil {
		return &progress.Trouble{Why: "it is not what a page of this program sends", Cause: err}
	}
	k := key(who)
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, step := range []func(context.Context, *sql.Tx, string, *progress.History) error{s.addSeen, s.addBets, s.addAnswers, s.addLevels} {
			if err := step(ctx, tx, k, &more); err != nil {
				return err
			}
		}
		if s.inside != nil {
			s.inside()
		}
		return nil
	})
}

func (s *Store) addSeen(ctx context.Context, tx *sql.Tx, k string, h *progress.History) error {
	for _, e := range h.Seen {
		if err := s.exec(ctx, tx, `INSERT INTO seen (learner, lesson, segment, at) VALUES (?, ?, ?, ?)
			ON CONFLICT (learner, lesson, segment) DO UPDATE SET at = excluded.at WHERE excluded.at > seen.at`,
			k, e.Lesson, e.Segment, e.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) addBets(ctx context.Context, tx *sql.Tx, k string, h *progress.History) error {
	for _, e := range h.Bets {
		if err := s.exec(ctx, tx, `INSERT INTO bets (learner, lesson, segment, option, confidence, reason, correct, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (learner, lesson, segment) DO NOTHING`,
			k, e.Lesson, e.Segment, e.Option, e.Confidence, e.Reason, bit(e.Right), e.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// addAnswers counts an answer only where it was not there yet.
func (s *Store) addAnswers(ctx context.Context, tx *sql.Tx, k string, h *progress.History) error {
	for i := range h.Answers {
		e := &h.Answers[i]
		res, err := tx.ExecContext(ctx, s.sql(`INSERT INTO answers (learner, ticket, question, seed, chosen, correct, partly, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (learner, ticket) DO NOTHING`),
			k, e.Ticket, e.Question, strconv.FormatUint(e.Seed, 10), e.Chosen, bit(e.Right), bit(e.Partly), e.At.UnixMilli())
		if err != nil {
			return err
		}
		added, err := res.RowsAffected()
		if err != nil {
			return err
		}
		if added == 0 || h.Imported || !s.opt.Count {
			continue
		}
		if err := s.exec(ctx, tx, `INSERT INTO counts (question, chosen, outcome, times) VALUES (?, ?, ?, 1)
			ON CONFLICT (question, chosen, outcome) DO UPDATE SET times = counts.times + 1`, e.Question, countable(e.Chosen), e.Outcome()); err != nil {
			return err
		}
	}
	return nil
}

// countable is a choice as it may stand in counts: ids of options and numbers.
// Sentences and long numbers are left out, because they may be about somebody.
func countable(chosen string) string {
	if len(chosen) > 40 || strings.Trim(chosen, "abcdefghijklmnopqrstuvwxyz0123456789 .,+-") != "" || strings.Count(chosen, " ") > 12 {
		return ""
	}
	for _, word := range strings.Fields(chosen) {
		if len(word) > 9 || len(word) > 2 && strings.Trim(word, "0123456789.,+-e") != "" { // a longer number may be somebody's
			return ""
		}
	}
	return chosen
}

func (s *Store) addLevels(ctx context.Context, tx *sql.Tx, k string, h *progress.History) error {
	for _, e := range h.Levels {
		if err := s.exec(ctx, tx, `INSERT INTO levels (learner, lesson, won, score, hints, at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (learner, lesson) DO UPDATE SET won = excluded.won, score = excluded.score, hints = excluded.hints, at = excluded.at
			WHERE excluded.won > levels.won OR excluded.won = levels.won AND excluded.score < levels.score`,
			k, e.Lesson, bit(e.Won), e.Score, e.Hints, e.At.UnixMilli()); err != nil {
			return err
		}
	}
	return nil
}

// Load implements progress.Store.
func (s *Store) Load(ctx context.Context, who progress.Learner) (progress.History, error) {
	var h progress.History
	k := key(who)
	err := s.read(ctx, func() error {
		err := s.rows(ctx, `SELECT lesson, segment, at FROM seen WHERE learner = ? ORDER BY at, lesson, segment`, func(r *sql.Rows) error {
			var e progress.Seen
			var at int64
			err := r.Scan(&e.Lesson, &e.Segment, &at)
			e.At = when(at)
			h.Seen = append(h.Seen, e)
			return err
		}, k)
		if err != nil {
			return err
		}
		err = s.rows(ctx, `SELECT lesson, segment, option, confidence, reason, correct, at FROM bets WHERE learner = ? ORDER BY at, lesson, segment`, func(r *sql.Rows) error {
			var e progress.Bet
			var right, at int64
			err := r.Scan(&e.Lesson, &e.Segment, &e.Option, &e.Confidence, &e.Reason, &right, &at)
			e.Right, e.At = right == 1, when(at)
			h.Bets = append(h.Bets, e)
			return err
		}, k)
		if err != nil {
			return err
		}
		return s.loadAnswers(ctx, k, &h)
	})
	if err != nil {
		return progress.History{}, err
	}
	return h, nil
}

func (s *Store) loadAnswers(ctx context.Context, k string, h *progress.History) error {
	err := s.rows(ctx, `SELECT ticket, question, seed, chosen, correct, partly, at FROM answers WHERE learner = ? ORDER BY at, ticket`, func(r *sql.Rows) error {
		var e progress.Answer
		var seed string
		var right, partly, at int64
		err := r.Scan(&e.Ticket, &e.Question, &seed, &e.Chosen, &right, &partly, &at)
		if err == nil {
			e.Seed, err = strconv.ParseUint(seed, 10, 64)
		}
		e.Right, e.Partly, e.At = right == 1, partly == 1, when(at)
		h.Answers = append(h.Answers, e)
		return err
	}, k)
	if err != nil {
		return err
	}
	return s.rows(ctx, `SELECT lesson, won, score, hints, at FROM levels WHERE learner = ? ORDER BY at, lesson`, func(r *sql.Rows) error {
		var e progress.Level
		var won, at int64
		err := r.Scan(&e.Lesson, &won, &e.Score, &e.Hints, &at)
		e.Won, e.At = won == 1, when(at)
		h.Levels = append(h.Levels, e)
		return err
	}, k)
}

// Erase implements progress.Store.
func (s *Store) Erase(ctx context.Context, who progress.Learner) error {
	k := key(who)
	return s.write(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"seen", "bets", "answers", "levels"} {
			if err := s.exec(ctx, tx, `DELETE FROM `+table+` WHERE learner = ?`, k); err != nil {
				return err
			}
		}
		return nil
	})
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func when(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
