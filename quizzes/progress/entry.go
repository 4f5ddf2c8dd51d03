package progress

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Learner is a random number that names nobody: 32 hexadecimal digits.
type Learner string

// NewLearner draws a learner: 128 random bits, so that nobody guesses another's.
func NewLearner() Learner {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	return Learner(hex.EncodeToString(b[:]))
}

// NewTicket draws the ticket of an answer that is about to be given.
func NewTicket() string { return string(NewLearner()) }

// ParseLearner reads the value of a cookie. What no server of ours wrote is
// nobody.
func ParseLearner(s string) (Learner, bool) {
	if b, err := hex.DecodeString(s); err != nil || len(b) != 16 || s != strings.ToLower(s) {
		return "", false
	}
	return Learner(s), true
}

// Seen is a step of a lesson that the learner had before them. The newest time
// counts.
type Seen struct {
	Lesson  string    `json:"lesson"`
	Segment string    `json:"segment"`
	At      time.Time `json:"at"`
}

// Bet is what the learner expected before they saw it. One bet a step: the first.
type Bet struct {
	Lesson     string    `json:"lesson"`
	Segment    string    `json:"segment"`
	Option     string    `json:"option"`
	Confidence string    `json:"confidence,omitempty"` // low, middle, sure, or none given
	Reason     string    `json:"reason,omitempty"`
	Right      bool      `json:"right"`
	At         time.Time `json:"at"`
}

// Answer is one answer to one question. Answers with the same ticket are one.
type Answer struct {
	Ticket   string    `json:"ticket"`
	Question string    `json:"question"`
	Seed     uint64    `json:"seed"`
	Chosen   string    `json:"chosen"`
	Right    bool      `json:"right"`
	Partly   bool      `json:"partly,omitempty"`
	At       time.Time `json:"at"`
}

// Level is the best result at the level of a lesson: won before not won, then the
// lower score.
type Level struct {
	Lesson string    `json:"lesson"`
	Won    bool      `json:"won"`
	Score  int       `json:"score"`
	Hints  int       `json:"hints"`
	At     time.Time `json:"at"`
}

// History is what is kept of one learner, or what is to be added to it.
type History struct {
	Seen    []Seen   `json:"seen"`
	Bets    []Bet    `json:"bets"`
	Answers []Answer `json:"answers"`
	Levels  []Level  `json:"levels"`

	// Imported says that this came from a file: it was answered elsewhere, and
	// is left out of the counts of answers.
	Imported bool `json:"-"`
}

// Empty reports whether nothing is kept.
func (h History) Empty() bool {
	return len(h.Seen)+len(h.Bets)+len(h.Answers)+len(h.Levels) == 0
}

// Bounds of one entry and of a whole history.
const (
	MaxID      = 120 // bytes of an id
	MaxText    = 400 // bytes of a reason, or of what was chosen
	MaxEntries = 20_000
)

// Check refuses what no page of ours writes. The error names the entry, what was
// found and what is allowed.
func (h History) Check() error {
	if n := len(h.Seen) + len(h.Bets) + len(h.Answers) + len(h.Levels); n > MaxEntries {
		return fmt.Errorf("found %d entries; allowed: at most %d", n, MaxEntries)
	}
	c := checker{}
	for i, e := range h.Seen {
		c.at("seen", i).id("lesson", e.Lesson).id("segment", e.Segment).when(e.At)
	}
	for i, e := range h.Bets {
		c.at("bets", i).id("lesson", e.Lesson).id("segment", e.Segment).id("option", e.Option).text("reason", e.Reason).when(e.At)
		if e.Confidence != "" && e.Confidence != "low" && e.Confidence != "middle" && e.Confidence != "sure" {
			c.refuse("confidence", fmt.Sprintf("%q", clip(e.Confidence)), "low, middle, sure, or none")
		}
	}
	for i, e := range h.Answers {
		c.at("answers", i).id("ticket", e.Ticket).id("question", e.Question).text("chosen", e.Chosen).when(e.At)
		if e.Right && e.Partly {
			c.refuse("partly", "right and partly right at once", "one of the two")
		}
	}
	for i, e := range h.Levels {
		c.at("levels", i).id("lesson", e.Lesson).when(e.At).count("score", e.Score).count("hints", e.Hints)
	}
	return c.err
}

// checker remembers the first thing that is wrong.
type checker struct {
	place string
	err   error
}

func (c *checker) at(list string, i int) *checker {
	c.place = fmt.Sprintf("%s[%d]", list, i)
	return c
}

func (c *checker) refuse(field, found, allowed string) *checker {
	if c.err == nil {
		c.err = fmt.Errorf("%s.%s: found %s; allowed: %s", c.place, field, found, allowed)
	}
	return c
}

func (c *checker) id(field, s string) *checker {
	if s == "" || len(s) > MaxID || !printable(s) {
		return c.refuse(field, fmt.Sprintf("%q", clip(s)), fmt.Sprintf("1 to %d bytes of printable text", MaxID))
	}
	return c
}

func (c *checker) text(field, s string) *checker {
	if len(s) > MaxText || !printable(s) {
		return c.refuse(field, fmt.Sprintf("%q", clip(s)), fmt.Sprintf("at most %d bytes of printable text", MaxText))
	}
	return c
}

func (c *checker) when(t time.Time) *checker {
	if t.Year() < 2020 || t.Year() > 2200 {
		return c.refuse("at", t.Format(time.RFC3339), "a time from 2020 to 2200")
	}
	return c
}

func (c *checker) count(field string, n int) *checker {
	if n < 0 || n > 1_000_000 {
		return c.refuse(field, fmt.Sprint(n), "0 to 1000000")
	}
	return c
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func clip(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
