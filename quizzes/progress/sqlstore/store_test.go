package sqlstore

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"effectivelyonce/quizzes/progress"
	"effectivelyonce/tests/pgtest"
)

// shared is the PostgreSQL of this package's tests.
var shared pgtest.Shared

func TestMain(m *testing.M) {
	if mode := os.Getenv("PROGRESS_CHILD"); mode != "" {
		os.Exit(child(mode))
	}
	code := m.Run()
	shared.Stop()
	os.Exit(code)
}

// noon is the time of all tests.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// base is a kind of database. place makes an empty one and says where; open opens
// it, as often as a test wants.
type base struct {
	name  string
	place func(t *testing.T) string
	open  func(place string, opt Options) (*Store, error)
}

func bases() []base {
	return []base{
		{"SQLite", func(t *testing.T) string { return t.TempDir() }, SQLite},
		{"PostgreSQL", func(t *testing.T) string { return shared.Get().URL(t) }, PostgreSQL},
	}
}

func (b base) must(t *testing.T, place string, opt Options) *Store {
	t.Helper()
	if opt.Now == nil {
		opt.Now = func() time.Time { return noon }
	}
	s, err := b.open(place, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// each runs a test against both databases, the real ones.
func each(t *testing.T, test func(t *testing.T, b base, place string)) {
	for _, b := range bases() {
		t.Run(b.name, func(t *testing.T) { test(t, b, b.place(t)) })
	}
}

func answer(n int) progress.Answer {
	return progress.Answer{Ticket: fmt.Sprintf("t%d", n), Question: "q1.1", Seed: uint64(1)<<63 + uint64(n), Chosen: "a", Right: n%2 == 0, Partly: n%4 == 1,
		At: noon.Add(time.Duration(n) * time.Minute)}
}

func add(t *testing.T, s *Store, who progress.Learner, h progress.History) {
	t.Helper()
	if err := s.Add(context.Background(), who, h); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s *Store, who progress.Learner) progress.History {
	t.Helper()
	h, err := s.Load(context.Background(), who)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestWhatIsAddedIsLoaded(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s := b.must(t, place, Options{})
		who, other := progress.NewLearner(), progress.NewLearner()
		if h := load(t, s, who); !h.Empty() {
			t.Errorf("of a new learner there is %+v", h)
		}
		want := progress.History{
			Seen:    []progress.Seen{{Lesson: "alignment", Segment: "barriers", At: noon}, {Lesson: "alignment", Segment: "quiz", At: noon.Add(time.Hour)}},
			Bets:    []progress.Bet{{Lesson: "alignment", Segment: "b", Option: "a", Confidence: "sure", Reason: `it "must"; 'so' <b> ☂`, Right: true, At: noon}},
			Answers: []progress.Answer{answer(0), answer(1), answer(2)},
			Levels:  []progress.Level{{Lesson: "alignment", Won: true, Score: 3, Hints: 1, At: noon}},
		}
		add(t, s, who, want)
		if got := load(t, s, who); !reflect.DeepEqual(got, want) {
			t.Errorf("loaded\n%+v\nwant\n%+v", got, want)
		}
		if h := load(t, s, other); !h.Empty() {
			t.Errorf("another learner has %+v", h)
		}
		if err := s.Ready(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

func TestSavingAgainChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s := b.must(t, place, Options{Count: true})
		who := progress.NewLearner()
		first := progress.History{
			Seen:    []progress.Seen{{Lesson: "l", Segment: "s", At: noon.Add(time.Minute)}},
			Bets:    []progress.Bet{{Lesson: "l", Segment: "s", Option: "a", At: noon}},
			Answers: []progress.Answer{answer(0)},
			Levels:  []progress.Level{{Lesson: "l", Won: true, Score: 4, At: noon}},
		}
		add(t, s, who, first)
		later := noon.Add(time.Hour)
		again := answer(0)
		again.Chosen, again.At = "b", later
		add(t, s, who, progress.History{
			Seen:    []progress.Seen{{Lesson: "l", Segment: "s", At: noon}},
			Bets:    []progress.Bet{{Lesson: "l", Segment: "s", Option: "b", Right: true, At: later}},
			Answers: []progress.Answer{again},
			Levels:  []progress.Level{{Lesson: "l", Won: false, Score: 1, At: later}, {Lesson: "l", Won: true, Score: 5, At: later}},
		})
		if got := load(t, s, who); !reflect.DeepEqual(got, first) {
			t.Errorf("after saving again:\n%+v\nwant\n%+v", got, first)
		}
		if got, err := s.Counts(context.Background()); err != nil || len(got) != 1 || got[0].Times != 1 {
			t.Errorf("counts: %+v %v", got, err)
		}
		add(t, s, who, progress.History{Levels: []progress.Level{{Lesson: "l", Won: true, Score: 2, At: later}}})
		if got := load(t, s, who).Levels[0]; got.Score != 2 {
			t.Errorf("a better result of the level was not kept: %+v", got)
		}
	})
}

func TestEraseForgets(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s := b.must(t, place, Options{})
		who, other := progress.NewLearner(), progress.NewLearner()
		h := progress.History{Seen: []progress.Seen{{Lesson: "l", Segment: "s", At: noon}}, Answers: []progress.Answer{answer(1)},
			Bets: []progress.Bet{{Lesson: "l", Segment: "s", Option: "a", At: noon}}, Levels: []progress.Level{{Lesson: "l", At: noon}}}
		add(t, s, who, h)
		add(t, s, other, h)
		if err := s.Erase(context.Background(), who); err != nil {
			t.Fatal(err)
		}
		if got := load(t, s, who); !got.Empty() {
			t.Errorf("left after erasing: %+v", got)
		}
		if got := load(t, s, other); !reflect.DeepEqual(got, h) {
			t.Errorf("erasing one learner changed another: %+v", got)
		}
	})
}

func TestInputsAreKeptThirtyDays(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		now := noon
		s := b.must(t, place, Options{Now: func() time.Time { return now }})
		ctx := context.Background()
		data := bytes.Repeat([]byte("{\"key\":\"a\"}\n\x00"), 5000)
		hash, err := s.Put(ctx, data)
		if err != nil {
			t.Fatal(err)
		}
		look := func(when time.Time, want bool) {
			t.Helper()
			now = when
			got, ok, err := s.Get(ctx, hash)
			if err != nil || ok != want || ok && !bytes.Equal(got, data) {
				t.Errorf("after %v: there %v, %d bytes, %v; want there %v", when.Sub(noon), ok, len(got), err, want)
			}
		}
		look(noon.AddDate(0, 0, 29), true)
		if again, err := s.Put(ctx, data); err != nil || again != hash {
			t.Errorf("pasted again: %s %v, want %s", again, err, hash)
		}
		look(noon.AddDate(0, 0, 58), true)
		look(noon.AddDate(0, 0, 60), false)
		if _, err := s.Put(ctx, nil); err != nil {
			t.Errorf("an empty input: %v", err)
		}
		if _, ok, err := s.Get(ctx, strings.Repeat("0", 64)); ok || err != nil {
			t.Errorf("an unknown hash: %v %v", ok, err)
		}
	})
}

func TestCountsAreOptIn(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		off, on := b.must(t, place, Options{}), b.must(t, place, Options{Count: true})
		ctx := context.Background()
		add(t, off, progress.NewLearner(), progress.History{Answers: []progress.Answer{answer(0)}})
		if got, err := on.Counts(ctx); err != nil || len(got) != 0 {
			t.Errorf("counted without being asked: %+v %v", got, err)
		}
		wordy := answer(3)
		wordy.Chosen = "my name is nobody"
		imported := progress.History{Answers: []progress.Answer{answer(2)}, Imported: true}
		for range 3 {
			add(t, on, progress.NewLearner(), progress.History{Answers: []progress.Answer{answer(0), wordy}})
			add(t, on, progress.NewLearner(), imported)
		}
		got, err := on.Counts(ctx)
		want := []progress.Count{{Question: "q1.1", Chosen: "", Outcome: "missed", Times: 3}, {Question: "q1.1", Chosen: "a", Outcome: "right", Times: 3}}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("counts %+v %v, want %+v", got, err, want)
		}
	})
}

// Counts have four columns, and what may be about somebody is not in them.
func TestCountsHoldNothingPersonal(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s, ctx, who := b.must(t, place, Options{Count: true}), context.Background(), progress.NewLearner()
		for i, chosen := range []string{"my name is nobody", "0123456789", "+4915112345678", "Ana", "158", "a b c", "-0.5"} {
			a := answer(i)
			a.Chosen = chosen
			add(t, s, who, progress.History{Answers: []progress.Answer{a}})
		}
		got, err := s.Counts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for _, c := range got {
			if c.Chosen != "" {
				kept = append(kept, c.Chosen)
			}
		}
		slices.Sort(kept)
		if want := []string{"-0.5", "158", "a b c"}; !slices.Equal(kept, want) {
			t.Errorf("counts hold %q, want %q", kept, want)
		}
		rows, err := s.db.Query(`SELECT * FROM counts`)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		if cols, err := rows.Columns(); err != nil || !slices.Equal(cols, []string{"question", "chosen", "outcome", "times"}) {
			t.Errorf("counts have columns %v %v", cols, err)
		}
		if err := rows.Close(); err != nil {
			t.Fatal(err)
		}
		before := len(got)
		if err := s.Erase(ctx, who); err != nil {
			t.Fatal(err)
		}
		if got, err = s.Counts(ctx); err != nil || len(got) != before {
			t.Errorf("after erasing a learner: %+v %v", got, err)
		}
	})
}

func TestRefusesWhatNoPageWrites(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s := b.must(t, place, Options{})
		bad := answer(1)
		bad.Ticket = "a\x00b"
		who := progress.NewLearner()
		if err := s.Add(context.Background(), who, progress.History{Answers: []progress.Answer{answer(0), bad}}); err == nil || !strings.Contains(err.Error(), "answers[1].ticket") {
			t.Errorf("refused with %v", err)
		}
		if h := load(t, s, who); !h.Empty() {
			t.Errorf("half of it was saved: %+v", h)
		}
	})
}

// A database of the first version is brought up to date, and keeps what it has.
func TestOlderTablesAreBroughtUpToDate(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		old := b.must(t, place, Options{})
		old.versions = schema()[:1]
		who := progress.NewLearner()
		add(t, old, who, progress.History{Answers: []progress.Answer{answer(1), answer(2)}})
		s := b.must(t, place, Options{})
		if err := s.Ready(context.Background()); err != nil {
			t.Fatal(err)
		}
		if got := tickets(load(t, s, who)); got != "t1 t2" {
			t.Errorf("after the migration %q is left", got)
		}
		var have int
		if err := s.db.QueryRow(`SELECT MAX(version) FROM progress_version`).Scan(&have); err != nil || have != len(schema()) {
			t.Errorf("version %d %v, want %d", have, err, len(schema()))
		}
	})
}

func TestNewerTablesAreLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, b base, place string) {
		s := b.must(t, place, Options{})
		if err := s.Ready(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := s.db.Exec(s.sql(`INSERT INTO progress_version (version, at) VALUES (?, 0)`), len(schema())+1); err != nil {
			t.Fatal(err)
		}
		err := b.must(t, place, Options{}).Ready(context.Background())
		if err == nil || progress.WhyNot(err) != "the database was written by a newer version of this program" {
			t.Errorf("opened with %v", err)
		}
	})
}
