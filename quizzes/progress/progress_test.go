package progress_test

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
	"time"

	"effectivelyonce/quizzes/progress"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// on is an answer some days after the first, at noon. The sign says how it went.
func on(day float64, outcome string) progress.Answer {
	at := noon.Add(time.Duration(day * 24 * float64(time.Hour)))
	return progress.Answer{Ticket: at.String() + outcome, Question: "q", Seed: 1, Right: outcome == "right", Partly: outcome == "partly", At: at}
}

func TestReviewsComeBackAtEvenDistances(t *testing.T) {
	cases := []struct {
		name    string
		answers []progress.Answer
		due     int // days after the first answer; -1: never
		missed  bool
	}{
		{"right", []progress.Answer{on(0, "right")}, 4, false},
		{"missed: also the next day", []progress.Answer{on(0, "missed")}, 1, true},
		{"partly: also the next day", []progress.Answer{on(0, "partly")}, 1, true},
		{"missed, right the next day", []progress.Answer{on(0, "missed"), on(1, "right")}, 4, false},
		{"missed, missed again", []progress.Answer{on(0, "missed"), on(1, "missed")}, 2, true},
		{"right, first review", []progress.Answer{on(0, "right"), on(4, "right")}, 8, false},
		{"second review", []progress.Answer{on(0, "right"), on(4, "right"), on(8, "right")}, 12, false},
		{"third and last review", []progress.Answer{on(0, "right"), on(4, "right"), on(8, "right"), on(12, "right")}, -1, false},
		{"the last one missed", []progress.Answer{on(0, "right"), on(4, "right"), on(8, "right"), on(12, "missed")}, 13, true},
		{"the last one missed, then right", []progress.Answer{on(0, "right"), on(4, "right"), on(8, "right"), on(12, "missed"), on(13, "right")}, -1, false},
		{"a review missed: the next day, then on", []progress.Answer{on(0, "right"), on(4, "missed")}, 5, true},
		{"and right then", []progress.Answer{on(0, "right"), on(4, "missed"), on(5, "right")}, 8, false},
		{"a late review moves the others", []progress.Answer{on(0, "right"), on(9, "right")}, 13, false},
		{"practice before it is due moves nothing", []progress.Answer{on(0, "right"), on(1, "right"), on(2, "right")}, 4, false},
		{"practice that fails comes back", []progress.Answer{on(0, "right"), on(1, "missed")}, 2, true},
		{"early in the day counts", []progress.Answer{on(0.4, "right"), on(3.6, "right")}, 8, false},
		{"in any order", []progress.Answer{on(4, "right"), on(0, "right")}, 8, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := progress.Reviews(c.answers)
			if c.due < 0 {
				if len(got) != 0 {
					t.Fatalf("still due: %+v", got)
				}
				return
			}
			want := time.Date(2026, 11, 30+c.due, 0, 0, 0, 0, time.UTC)
			if len(got) != 1 || !got[0].Due.Equal(want) || got[0].Missed != c.missed || got[0].Seed != 2 {
				t.Fatalf("got %+v, want due %v, missed %v, seed 2", got, want, c.missed)
			}
			if before := progress.Due(c.answers, want.Add(-time.Nanosecond)); len(before) != 0 {
				t.Errorf("due before its day: %+v", before)
			}
			if then := progress.Due(c.answers, want); len(then) != 1 {
				t.Errorf("not due on its day")
			}
		})
	}
}

func TestReviewsAreInOrder(t *testing.T) {
	var answers []progress.Answer
	for _, q := range []string{"c", "a", "b"} {
		a := on(0, "right")
		a.Question = q
		answers = append(answers, a)
	}
	late := on(-2, "right")
	late.Question = "z"
	var got []string
	for _, r := range progress.Reviews(append(answers, late)) {
		got = append(got, r.Question)
	}
	if strings.Join(got, "") != "zabc" {
		t.Errorf("order %v", got)
	}
}

func sample() progress.History {
	return progress.History{
		Seen:    []progress.Seen{{Lesson: "alignment", Segment: "quiz", At: noon}},
		Bets:    []progress.Bet{{Lesson: "alignment", Segment: "b", Option: "a", Confidence: "low", Reason: "a < b & ☂", At: noon}},
		Answers: []progress.Answer{on(0, "partly"), on(1, "right")},
		Levels:  []progress.Level{{Lesson: "alignment", Won: true, Score: 2, At: noon}},
	}
}

func TestFileComesBackAsItWas(t *testing.T) {
	for name, h := range map[string]progress.History{"some": sample(), "nothing": {}} {
		b, err := progress.Write(h, noon)
		if err != nil {
			t.Fatal(err)
		}
		got, err := progress.Read(b)
		if err != nil || !got.Imported {
			t.Fatalf("%s: %v", name, err)
		}
		again, err := progress.Write(got, noon)
		if err != nil || !bytes.Equal(b, again) {
			t.Errorf("%s: written again it differs:\n%s\n%s", name, b, again)
		}
		got.Imported = false
		if name == "some" && !reflect.DeepEqual(got, h) {
			t.Errorf("read %+v, want %+v", got, h)
		}
	}
}

func TestDamagedFileIsRefusedWithTheReason(t *testing.T) {
	good, err := progress.Write(sample(), noon)
	if err != nil {
		t.Fatal(err)
	}
	swap := func(old, new string) []byte {
		if !bytes.Contains(good, []byte(old)) {
			t.Fatalf("no %q in %s", old, good)
		}
		return bytes.Replace(good, []byte(old), []byte(new), 1)
	}
	bad := sample()
	bad.Answers[1].Ticket = ""
	unchecked, err := progress.Write(bad, noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		data  []byte
		wants string
	}{
		{"empty", nil, "it is empty"},
		{"cut off", good[:len(good)/2], "it ends in the middle, after"},
		{"no JSON", []byte("PK\x03\x04"), "byte 1"},
		{"more after it", append(bytes.Clone(good), '{'), "something follows the end"},
		{"another kind", swap(`"effectively-once progress"`, `"bookmarks"`), `kind: found "bookmarks"; allowed:`},
		{"newer", swap(`"version": 1`, `"version": 2`), "version: found 2; allowed: 1"},
		{"one letter", swap(`"option": "a"`, `"option": "b"`), "was changed after it was written, or is damaged"},
		{"one bit", swap(`"right": true`, `"right": false`), "was changed after it was written, or is damaged"},
		{"a field nobody knows", swap(`"kind"`, `"sort"`), `unknown field "sort"`},
		{"an entry no page writes", unchecked, "answers[1].ticket"},
		{"too large", bytes.Repeat([]byte(" "), progress.MaxFile+1), "more than 4 MiB"},
	} {
		h, err := progress.Read(c.data)
		if err == nil || !strings.Contains(err.Error(), c.wants) || !h.Empty() {
			t.Errorf("%s: %v, %+v; want %q and nothing read", c.name, err, h, c.wants)
		}
	}
}

// Every cut and every changed byte of a file is either found or changes nothing.
func TestNoDamageGoesUnseen(t *testing.T) {
	good, err := progress.Write(sample(), noon)
	if err != nil {
		t.Fatal(err)
	}
	want, err := progress.Read(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range good {
		if h, err := progress.Read(good[:i]); err == nil && i < len(good)-1 {
			t.Errorf("cut after %d bytes it is read as %+v", i, h)
		}
		flipped := bytes.Clone(good)
		flipped[i] ^= 4
		if h, err := progress.Read(flipped); err == nil && !reflect.DeepEqual(h, want) {
			t.Errorf("byte %d changed, and it is read as %+v", i, h)
		}
	}
}

func TestLearnersAreRandomAndReadStrictly(t *testing.T) {
	a, b := progress.NewLearner(), progress.NewLearner()
	if a == b {
		t.Error("two learners are one")
	}
	if got, ok := progress.ParseLearner(string(a)); !ok || got != a {
		t.Errorf("%q is not read back", a)
	}
	for _, s := range []string{"", "x", strings.Repeat("0", 31), strings.Repeat("g", 32), strings.Repeat("A", 32), string(a) + "00"} {
		if _, ok := progress.ParseLearner(s); ok {
			t.Errorf("%q is taken for a learner", s)
		}
	}
}
