package web

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// interviewTheme is how one lesson went: the shares of its questions, added up.
type interviewTheme struct {
	Lesson *lessons.Lesson
	Got    float64 // of All
	All    int
	Missed []string // what was not known, in a few words
}

// interviewReply is an answer as the review shows it.
type interviewReply struct {
	Yours, Key, Why string
	Missed          []string // points of an open question, or right options, that were left out
}

// themes counts by lesson, weakest first.
func (p *interviewPage) themes() {
	at := map[string]int{}
	for i := range p.Rows {
		r := &p.Rows[i]
		n, ok := at[r.Lesson.Slug]
		if !ok {
			n = len(p.Themes)
			at[r.Lesson.Slug] = n
			p.Themes = append(p.Themes, interviewTheme{Lesson: r.Lesson})
		}
		t := &p.Themes[n]
		t.All++
		t.Got += r.Share
		if r.Outcome == "right" {
			t.Got += 1 - r.Share // what is called right counts as right
		} else {
			t.Missed = append(t.Missed, r.weakness())
		}
	}
	p.Themes = slices.DeleteFunc(p.Themes, func(t interviewTheme) bool { return len(t.Missed) == 0 })
	slices.SortFunc(p.Themes, func(a, b interviewTheme) int { // of two as weak, the one that the other builds on
		return cmp.Or(cmp.Compare(a.percent(), b.percent()), cmp.Compare(a.Lesson.Number, b.Lesson.Number))
	})
}

func (t *interviewTheme) percent() int { return int(math.Round(100 * t.Got / float64(t.All))) }

// words is the score of a lesson. One question in parts is a part of one.
func (t *interviewTheme) words() string {
	return fmt.Sprintf("%d %% of %s", t.percent(), count(t.All, "question", "questions"))
}

// weakness says where a question went wrong, shortly.
func (r *interviewRow) weakness() string {
	at := fmt.Sprintf("Question %d, %s", r.N, r.verdict())
	if r.Reply == nil {
		return at + "."
	}
	if len(r.Reply.Missed) > 0 {
		return at + ". You missed: " + shortList(r.Reply.Missed, 3) + "."
	}
	return at + "."
}

// shortList names the first few.
func shortList(of []string, most int) string {
	if len(of) <= most {
		return strings.Join(of, "; ")
	}
	return strings.Join(of[:most], "; ") + fmt.Sprintf("; and %d more", len(of)-most)
}

// verdict is the outcome of a question with its points.
func (r *interviewRow) verdict() string {
	if r.Of > 1 && r.Outcome != "missed" {
		return fmt.Sprintf("%s, %d of %d", outcomeWord(r.Outcome), r.Had, r.Of)
	}
	return outcomeWord(r.Outcome)
}

// replied is the graded question in a few words: what was answered, what would have
// been right, why, and what was left out.
func (v *quizView) replied(words string) *interviewReply {
	out := &interviewReply{Yours: v.yours(words)}
	for _, l := range v.Grade.Lines {
		if l.Option.Right && !l.Chosen && (v.Question.Kind == quizzes.Open || v.Question.Kind == quizzes.Multi) {
			out.Missed = append(out.Missed, plainText(l.Option.Text))
		}
	}
	if v.Grade.Right || v.Question.Kind == quizzes.Open {
		return out
	}
	out.Key, out.Why = v.key(), plainText(v.Grade.Why)
	for _, l := range v.Grade.Lines {
		if out.Why == "" && l.Chosen != l.Option.Right {
			out.Why = plainText(l.Option.Why)
		}
	}
	return out
}

// yours is what was answered.
func (v *quizView) yours(words string) string {
	switch v.Question.Kind {
	case quizzes.Open:
		if words == "" {
			return "not kept"
		}
		return clipped(strings.Join(strings.Fields(words), " "), 300)
	case quizzes.Order:
		return v.optionTexts(v.Given, " → ")
	case quizzes.Single, quizzes.Multi:
		if len(v.Given) == 0 {
			return "none"
		}
		return v.optionTexts(v.Given, "; ")
	case quizzes.PickOne, quizzes.PickEvt:
		if n, ok := eventOf(v.Answer); ok {
			return cmp.Or(v.placeSaid(n), v.Answer)
		}
	}
	return clipped(v.Answer, 60)
}

// key is what would have been right.
func (v *quizView) key() string {
	var ids []string
	switch v.Question.Kind {
	case quizzes.Order:
		return v.optionTexts(strings.Fields(v.Grade.Key), " → ")
	case quizzes.Single, quizzes.Multi:
		for _, o := range v.Question.Options {
			if o.Right {
				ids = append(ids, o.ID)
			}
		}
		return v.optionTexts(ids, "; ")
	case quizzes.PickOne, quizzes.PickEvt:
		if len(v.Grade.Set) > 0 {
			return strings.TrimSpace(v.placeSaid(v.Grade.Set[0]) + " " + v.oneStep())
		}
	}
	return strings.TrimSpace(v.Grade.Key + " " + v.Question.Asks.Unit)
}

func (v *quizView) optionTexts(ids []string, between string) string {
	var out []string
	for _, id := range ids {
		for _, o := range v.Question.Options {
			if o.ID == id {
				out = append(out, plainText(o.Text))
			}
		}
	}
	return strings.Join(out, between)
}

// plainText is a text in one line, without markup.
func plainText(t quizzes.Text) string {
	return html.UnescapeString(stemTags.ReplaceAllString(string(t.HTML), ""))
}

// tally says how many of all that apply were found.
func (v *quizView) tally() string {
	if v.Question.Kind != quizzes.Multi || v.Grade == nil {
		return ""
	}
	s := fmt.Sprintf("%d of %d found", v.Grade.Had, v.Grade.Of)
	if wrong := len(v.Given) - v.Grade.Had; wrong > 0 {
		s += fmt.Sprintf(", and %d chosen that %s not", wrong, map[bool]string{true: "is", false: "are"}[wrong == 1])
	}
	return s + ": " + v.Grade.Outcome() + "."
}
