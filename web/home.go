package web

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
)

// homePage is the course map.
type homePage struct {
	chrome
	Chapters []*lessons.Chapter
	Lessons  int
	Ready    int
	Minutes  int             // of the lessons that are ready
	First    *lessons.Lesson // the first one that is ready; nil before there is any
	Glossary bool
	Paths    []*lessons.Path
	Standing *standing
	Keeps    bool
	Trouble  string
}

// outcomeRow is one line of the figure: five orders, one crash, what came out.
type outcomeRow struct {
	Class, Name, How string
	Chips            []string // class of each chip beside its key
	Glyph, Result    string
}

func (s *Server) handleHome(c echo.Context) error {
	p := homePage{chrome: s.chrome("Effectively Once: crash it, see what the world saw", "home"), Chapters: s.catalogue.Chapters(), Glossary: s.hasGlossary(), Paths: s.catalogue.Paths()}
	p.Nav = "/"
	for _, l := range s.catalogue.Lessons() {
		p.Lessons++
		if l.Coming {
			continue
		}
		p.Ready++
		p.Minutes += l.Minutes
		if p.First == nil {
			p.First = l
		}
	}
	h, why := s.history(c)
	p.Keeps, p.Standing, p.Trouble = s.keeps(), s.newStanding(&h, s.now()), cmp.Or(why, s.trouble(c.Request().Context()))
	p.Skips = []crumb{{"Skip to the lessons", "#lessons"}}
	return s.render(c, http.StatusOK, home(&p))
}

// progress says what there is to do, in one line.
func (p *homePage) progress() string {
	if p.Ready == p.Lessons {
		return fmt.Sprintf("About %d minutes. Every lesson is a run you can crash.", p.Minutes)
	}
	return fmt.Sprintf("%d ready now, about %s; the others are being written. Every lesson is a run you can crash.", p.Ready, count(p.Minutes, "minute", "minutes"))
}

func outcomeRows() []outcomeRow {
	none := []string{"", "", "", "", ""}
	return []outcomeRow{
		{Class: "truth", Name: "Truth", How: "five orders arrive", Chips: none, Result: "5 orders"},
		{Class: "lost", Name: "At most once", How: "no replay", Chips: []string{"", "", "lost", "lost", ""}, Glyph: "lost", Result: "2 lost"},
		{Class: "dup", Name: "At least once", How: "replay, no care", Chips: []string{"", "", "twice", "", ""}, Glyph: "duplicated", Result: "1 counted twice"},
		{Class: "exact", Name: "Exactly once", How: "replay + safe output", Chips: none, Glyph: "exact", Result: "exact"},
	}
}

// count is a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// meta is the line under a lesson: how far it has come, or how long it takes.
func (p *homePage) meta(l *lessons.Lesson) string {
	switch ls := p.Standing.Lessons[l.Slug]; {
	case ls == nil:
		return lessonMeta(l, l == p.First && p.Standing.Empty)
	case ls == p.Standing.Resume:
		return fmt.Sprintf("you are here, %d of %d steps", ls.Step, ls.Of)
	case ls.Done:
		return "done"
	default:
		return fmt.Sprintf("%d of %d steps", ls.Step, ls.Of)
	}
}

// framed is the lesson to go on with: the current one, or the first for who is new.
func (p *homePage) framed(l *lessons.Lesson) bool {
	if p.Standing.Empty {
		return l == p.First
	}
	return p.Standing.Resume != nil && p.Standing.Resume.Lesson == l
}

func (p *homePage) done(l *lessons.Lesson) bool {
	ls := p.Standing.Lessons[l.Slug]
	return ls != nil && ls.Done
}

func lessonMeta(l *lessons.Lesson, first bool) string {
	takes := "½ min"
	if l.Takes == 0 || l.Takes >= time.Minute {
		takes = fmt.Sprintf("%d min", l.Minutes)
	}
	if first {
		return takes + ", start here"
	}
	return takes
}
