package sqlstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"effectivelyonce/quizzes/progress"
	"effectivelyonce/tests/pgtest"
)

// filled is a closed SQLite database with some pages.
func filled(t *testing.T, who progress.Learner) string {
	t.Helper()
	dir := t.TempDir()
	s, err := SQLite(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var h progress.History
	for n := range 400 {
		h.Answers = append(h.Answers, answer(n))
	}
	add(t, s, who, h)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestDamagedFileIsTroubleNotACrash(t *testing.T) {
	who := progress.NewLearner()
	cases := map[string]func(b []byte) []byte{
		"not a database":  func(b []byte) []byte { return bytes.Repeat([]byte("no database "), 1000) },
		"a page in it":    func(b []byte) []byte { copy(b[3*4096:], bytes.Repeat([]byte{0xa7}, 8*4096)); return b },
		"the second half": func(b []byte) []byte { return b[:len(b)/2] },
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			dir := filled(t, who)
			path := filepath.Join(dir, File)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, damage(b), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := SQLite(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			for what, err := range map[string]error{
				"Add":   s.Add(context.Background(), who, progress.History{Answers: []progress.Answer{answer(1000)}}),
				"Ready": s.Ready(context.Background()),
				"Load":  func() error { _, err := s.Load(context.Background(), who); return err }(),
			} {
				if progress.WhyNot(err) != corrupted {
					t.Errorf("%s says %v", what, err)
				}
			}
		})
	}
}

// The disk is full: the answer is refused in words, what was saved can be read,
// and when there is room again the same answer is saved.
func TestFullDiskRefusesAndRecovers(t *testing.T) {
	who := progress.NewLearner()
	dir := filled(t, who)
	s, err := SQLite(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	s.db.SetMaxOpenConns(1) // the limit is one of a connection
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	limit := func(pages int) {
		t.Helper()
		if _, err := s.db.Exec(fmt.Sprintf(`PRAGMA max_page_count = %d`, pages)); err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // as many as there are: no new page
	var last progress.History
	for n := 1000; err == nil; n += 100 {
		last = progress.History{}
		for i := range 100 {
			last.Answers = append(last.Answers, answer(n+i))
		}
		err = s.Add(context.Background(), who, last)
	}
	if progress.WhyNot(err) != "the disk is full" {
		t.Errorf("a full disk says %v", err)
	}
	kept := len(load(t, s, who).Answers)
	if kept%100 != 0 {
		t.Errorf("%d answers are kept: a part of a refused save", kept)
	}
	limit(1 << 20)
	add(t, s, who, last)
	if got := len(load(t, s, who).Answers); got != kept+100 {
		t.Errorf("with room again %d answers, want %d", got, kept+100)
	}
}

func TestFolderThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := SQLite(filepath.Join(file, "data"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	err = s.Ready(context.Background())
	var trouble *progress.Trouble
	if !errors.As(err, &trouble) || trouble.Why != "the data folder cannot be made" {
		t.Errorf("says %v", err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(context.Background()); err != nil {
		t.Errorf("the way is free, and still: %v", err)
	}
}

// The database server is killed and started again under a running store.
func TestPostgresGoesAndComesBack(t *testing.T) {
	c := pgtest.Start(false) // its own: others must not notice
	t.Cleanup(c.Remove)
	s, err := PostgreSQL(c.URL(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	who := progress.NewLearner()
	add(t, s, who, progress.History{Answers: []progress.Answer{answer(0)}})
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	more := progress.History{Answers: []progress.Answer{answer(1)}}
	err = s.Add(context.Background(), who, more)
	if err == nil {
		t.Fatal("saved without a database")
	}
	if again := s.Add(context.Background(), who, more); progress.WhyNot(again) != "the database cannot be reached" {
		t.Errorf("without a database: first %v, then %v", err, again)
	}
	if err := c.Up(); err != nil {
		t.Fatal(err)
	}
	add(t, s, who, more)
	if got := tickets(load(t, s, who)); got != "t0 t1" {
		t.Errorf("after the database came back: %q", got)
	}
}

func TestAddressThatIsNone(t *testing.T) {
	_, err := PostgreSQL("mysql://host/base", Options{})
	if err == nil || !strings.Contains(err.Error(), "allowed: postgres://") {
		t.Errorf("says %v", err)
	}
}
