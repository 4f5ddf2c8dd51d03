package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
)

// standing is a learner's history beside the course.
type standing struct {
	Lessons map[string]*lessonStanding // by slug; only those begun
	Resume  *lessonStanding            // the lesson seen last of those not done; nil none
	Due     []reviewView
	Next    string // when the next review is due, in words; "" none
	Weak    []themeView
	Bets    []betStanding
	Given   int // answers
	Right   int
	Empty   bool
}

// lessonStanding is how far a lesson has come.
type lessonStanding struct {
	Lesson *lessons.Lesson
	Done   bool
	Step   int // number of the step seen last, from 1
	Of     int
	Href   string // of that step
	Last   time.Time
	Level  *progress.Level // nil: not played, or none
}

// reviewView is a question to answer again.
type reviewView struct {
	Title, Href, Why string
}

// themeView is a chapter in which answers were missed.
type themeView struct {
	Title      string
	Missed, Of int
	Lessons    []*lessons.Lesson
}

// betStanding is how often a feeling was right.
type betStanding struct {
	How       string
	Right, Of int
}

// weakShare is the share of last answers that were not right from which a theme
// counts as weak.
const weakShare = 0.3

func (s *Server) newStanding(h *progress.History, now time.Time) *standing {
	st := &standing{Lessons: map[string]*lessonStanding{}, Empty: h.Empty()}
	st.steps(s.catalogue, h)
	for i := range h.Levels {
		if ls := st.Lessons[h.Levels[i].Lesson]; ls != nil {
			ls.Level = &h.Levels[i]
		}
	}
	where := questionsOf(s.catalogue)
	st.reviews(where, h, now)
	st.weak(s.catalogue, where, h)
	for _, how := range []string{"sure", "middle", "low"} {
		b := betStanding{How: how}
		for _, bet := range h.Bets {
			if bet.Confidence == how {
				b.Of++
				b.Right += one(bet.Right)
			}
		}
		if b.Of > 0 {
			st.Bets = append(st.Bets, b)
		}
	}
	for _, a := range h.Answers {
		st.Given++
		st.Right += one(a.Right)
	}
	return st
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// steps finds how far each lesson has come. Steps that a lesson has no more are
// left out; a lesson is done when its end was seen.
func (st *standing) steps(cat *lessons.Catalogue, h *progress.History) {
	for _, seen := range h.Seen { // in order of time
		l := cat.Lesson(seen.Lesson)
		if l == nil || l.Coming {
			continue
		}
		steps := lessonSteps(l)
		i := slices.IndexFunc(steps, func(s *lessonStep) bool { return s.ID == seen.Segment })
		if i < 0 {
			continue
		}
		ls := st.Lessons[l.Slug]
		if ls == nil {
			ls = &lessonStanding{Lesson: l, Of: len(steps)}
			st.Lessons[l.Slug] = ls
		}
		ls.Done = ls.Done || steps[i].Kind == stepEnd
		ls.Step, ls.Last = i+1, seen.At
		ls.Href = "/lessons/" + l.Slug + "?seg=" + escape(seen.Segment) + "#step-" + escape(seen.Segment)
	}
	for _, ls := range st.begun(false) {
		if st.Resume == nil || ls.Last.After(st.Resume.Last) {
			st.Resume = ls
		}
	}
}

// place is where a question is asked.
type place struct {
	lesson   *lessons.Lesson
	question *quizzes.Question
}

func questionsOf(cat *lessons.Catalogue) map[string]place {
	out := map[string]place{}
	for _, l := range cat.Lessons() {
		for _, q := range l.Quiz {
			out[q.ID] = place{l, q}
		}
	}
	return out
}

func (st *standing) reviews(where map[string]place, h *progress.History, now time.Time) {
	for _, r := range progress.Reviews(h.Answers) {
		at, ok := where[r.Question]
		if !ok {
			continue
		}
		if r.Due.After(now) {
			st.Next = inDays(now, r.Due)
			return
		}
		v := reviewView{Title: fmt.Sprintf("Lesson %d: %s", at.lesson.Number, clipped(at.question.Stem.Text, 110)), Why: "planned review",
			Href: "/lessons/" + at.lesson.Slug + "?seg=" + stepQuiz + "&draw=" + strconv.FormatUint(r.Seed, 10) + "#quiz-" + r.Question}
		if r.Missed {
			v.Why = "not right last time"
		}
		st.Due = append(st.Due, v)
	}
}

func inDays(now, then time.Time) string {
	day := func(t time.Time) time.Time {
		y, m, d := t.UTC().Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	switch n := int(day(then).Sub(day(now)).Hours() / 24); n {
	case 0:
		return "today"
	case 1:
		return "tomorrow"
	default:
		return fmt.Sprintf("in %d days", n)
	}
}

// weak are the chapters in which many last answers were not right, worst first.
func (st *standing) weak(cat *lessons.Catalogue, where map[string]place, h *progress.History) {
	last := map[string]progress.Answer{}
	for _, a := range h.Answers { // in order of time
		last[a.Question] = a
	}
	for _, ch := range cat.Chapters() {
		t := themeView{Title: ch.Title}
		for _, l := range ch.Lessons {
			missed := 0
			for _, q := range l.Quiz {
				if a, ok := last[q.ID]; ok && where[q.ID].lesson == l {
					t.Of++
					missed += one(!a.Right)
				}
			}
			if t.Missed += missed; missed > 0 {
				t.Lessons = append(t.Lessons, l)
			}
		}
		if t.Missed > 0 && float64(t.Missed) >= weakShare*float64(t.Of) {
			st.Weak = append(st.Weak, t)
		}
	}
	slices.SortStableFunc(st.Weak, func(a, b themeView) int { return cmp.Compare(b.Missed*a.Of, a.Missed*b.Of) })
}

// begun lists the lessons that were begun, in the order of the course.
func (st *standing) begun(done bool) []*lessonStanding {
	var out []*lessonStanding
	for _, ls := range st.Lessons {
		if ls.Done == done {
			out = append(out, ls)
		}
	}
	slices.SortFunc(out, func(a, b *lessonStanding) int { return cmp.Compare(a.Lesson.Number, b.Lesson.Number) })
	return out
}
