package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// lessonPage is one lesson at one of its steps.
type lessonPage struct {
	*runPage
	Lesson  *lessons.Lesson
	Chapter *lessons.Chapter
	Of      int           // lessons in the course
	Way     *lessons.Path // the path that the reader is on; nil: none
	Steps   []*lessonStep
	Now     int // index of the current step
	Level   *levelView
	Hints   int // of the level, that were opened
	Quiz    []*quizView
	Choices []crumb
	Trouble string // why nothing can be kept at the moment
}

// Kinds of steps. A lesson is its segments, then its level, its questions, and
// where to go from there.
const (
	stepSegment = "segment"
	stepLevel   = "level"
	stepQuiz    = "quiz"
	stepEnd     = "end"
)

// lessonStep is one section of the prose and the run that belongs to it.
type lessonStep struct {
	ID, Title, Kind string
	Segment         *lessons.Segment
	Query           lessons.Query
	Start, Until    int
	Do              string // label of the button that leads there
	Bet             *betView
	Crashed         bool        // the crash that the step asks for is in the URL
	CrashURL        string      // of the page after that crash
	Ledger          *ledgerView // of the record the step tells of
	Reveal          *revealView // what happened, at the end of the step's run
	HTML            string      // the segment's text, with what the page draws into it
}

func (s *Server) handleLesson(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	l := s.catalogue.Lesson(c.Param("slug"))
	if l == nil || l.Coming {
		return s.noLesson(c.Param("slug"), l)
	}
	page := &lessonPage{Lesson: l, Of: len(s.catalogue.Lessons()), Steps: lessonSteps(l)}
	if err = page.place(p.Seg); err != nil {
		return err
	}
	if page.Way, err = s.onPath(l, p.Way); err != nil {
		return err
	}
	for _, ch := range s.catalogue.Chapters() {
		if ch.Number == l.Chapter {
			page.Chapter = ch
		}
	}
	step := page.Steps[page.Now]
	q := step.Query
	if p.hasRun() {
		q = p.Query
		if q.Scenario == "" {
			q.Scenario = step.Query.Scenario
		}
	}
	if page.runPage, err = s.newRunPage(c, p, q, step.Start); err != nil {
		return err
	}
	if p.FromForm {
		q.Set = s.differing(q)
		return c.Redirect(http.StatusSeeOther, string(page.link(q, 0, [2]string{"seg", page.segOf(step)}))+"#step-"+step.ID)
	}
	page.chrome = s.chrome(l.Title+" · Effectively Once", "lesson")
	page.Crumbs = []crumb{{Text: page.Chapter.Title, Href: "/#chapter-" + strconv.Itoa(l.Chapter)}, {Text: fmt.Sprintf("Lesson %d: %s", l.Number, l.Title)}}
	if page.Way != nil {
		page.Crumbs[0] = crumb{Text: page.Way.Title, Href: page.course()}
	}
	page.chrome.Run, page.Share, page.Projector, page.Heading = true, true, p.Projector, l.Title
	page.Skips = runSkips()
	page.Keep.Set("seg", page.segOf(step))
	page.Meta = s.metaOf(c, page.runPage, fmt.Sprintf("Lesson %d: %s", l.Number, l.Title))
	if err := s.fillSteps(c, page, p); err != nil {
		return err
	}
	s.keepVisit(c, page)
	page.Hidden = page.Hidden || step.Crashed && step.Bet != nil && step.Bet.Open
	return s.render(c, http.StatusOK, lesson(page))
}

func runSkips() []crumb {
	return []crumb{{"Skip to the text", "#prose"}, {"Skip to the stage", "#stage"}, {"Skip to the controls", "#transport"}, {"Skip to the verdict", "#verdict"}}
}

func (s *Server) noLesson(slug string, l *lessons.Lesson) error {
	if l != nil {
		return &Problem{Status: 404, Param: "lesson", Found: slug, Without: "/", Msg: fmt.Sprintf("Lesson %d, %q, is not written yet.", l.Number, l.Title)}
	}
	var slugs []string
	for _, l := range s.catalogue.Lessons() {
		if !l.Coming {
			slugs = append(slugs, l.Slug)
		}
	}
	p := &Problem{Status: 404, Param: "lesson", Found: slug, Allowed: strings.Join(slugs, ", "), Nearest: engine.Nearest(slug, slugs), Without: "/"}
	if p.Nearest != "" {
		p.Without = "/lessons/" + p.Nearest
	}
	return p
}

// hasRun reports whether the URL says itself what to run; then it says all of it.
func (p *params) hasRun() bool {
	return p.Scenario != "" || len(p.Set) > 0 || len(p.Faults) > 0 || p.Seed != "" || p.Input != ""
}

// lessonSteps lays a lesson out in steps that follow each other.
func lessonSteps(l *lessons.Lesson) []*lessonStep {
	var out []*lessonStep
	for _, seg := range l.Segments {
		st := &lessonStep{ID: seg.ID, Title: seg.Title, Kind: stepSegment, Segment: seg, Query: l.Query(seg), Until: seg.UntilEvent, Do: seg.Do}
		if len(out) > 0 && sameStage(out[len(out)-1].Query, st.Query) {
			st.Start = min(out[len(out)-1].Until, seg.UntilEvent) // a step may go back: it opens where it stops
		}
		if seg.StartEvent >= 0 {
			st.Start = seg.StartEvent // the segment says itself where it begins
		}
		out = append(out, st)
	}
	last := lessons.Query{Scenario: l.Scenario}
	end := 0
	if n := len(out); n > 0 {
		last, end = out[n-1].Query, out[n-1].Until
	}
	if l.Level != nil {
		q := lessons.Query{Scenario: l.Level.Scenario, Set: l.Level.Set}
		if q.Scenario == "" {
			q.Scenario = l.Scenario
		}
		out = append(out, &lessonStep{ID: stepLevel, Title: l.Level.Title, Kind: stepLevel, Query: q})
	}
	if len(l.Quiz) > 0 {
		out = append(out, &lessonStep{ID: stepQuiz, Title: "Can you say why?", Kind: stepQuiz, Query: last, Start: end, Until: end})
	}
	out = append(out, &lessonStep{ID: stepEnd, Title: "Where to go from here", Kind: stepEnd, Query: last, Start: end, Until: end})
	label(out)
	return out
}

// label fills in what the button says that leads on from each step.
func label(steps []*lessonStep) {
	labels := map[string]string{stepLevel: "Try it yourself", stepQuiz: "To the questions", stepEnd: "Finish the lesson", stepSegment: "Continue"}
	for i, st := range steps[:len(steps)-1] {
		if st.Do == "" {
			st.Do = labels[steps[i+1].Kind]
		}
	}
}

// sameStage reports whether two runs have the same job, so that one can go on
// where the other stopped.
func sameStage(a, b lessons.Query) bool {
	return a.Scenario == b.Scenario && a.Seed == b.Seed && a.Input == b.Input && slices.Equal(a.Set, b.Set)
}

func (p *lessonPage) find(id string) (int, error) {
	var ids []string
	for i, st := range p.Steps {
		if st.ID == id || id == "" {
			return i, nil
		}
		ids = append(ids, st.ID)
	}
	return 0, &Problem{Status: 404, Param: "seg", Found: id, Allowed: strings.Join(ids, ", "), Nearest: engine.Nearest(id, ids), Without: "/lessons/" + p.Lesson.Slug}
}

// fillSteps works out what the sections show beside their prose: bets, ledgers,
// verdicts, the level and the questions.
func (s *Server) fillSteps(c echo.Context, page *lessonPage, p *params) error {
	bets, err := readBets(page.Lesson, p.Bets)
	if err != nil {
		return err
	}
	for i, st := range page.Steps {
		if st.Kind != stepSegment {
			continue
		}
		if err := s.fillSegment(c, page, st, bets); err != nil {
			return err
		}
		if st.Bet != nil {
			st.Bet.Here = i >= page.Now
			st.Bet.unsaved(p, i == page.Now)
			st.Bet.Open = i == page.Now && st.Bet.Chosen == "" && (st.Segment.Crash == nil || st.Crashed)
		}
	}
	page.Choices = page.choices(s.catalogue)
	if page.Quiz, err = s.quizViews(c, page, p); err != nil {
		return err
	}
	if page.Steps[page.Now].Kind == stepLevel {
		page.Level, err = s.newLevel(c, page)
	}
	return err
}

func (s *Server) fillSegment(c echo.Context, page *lessonPage, st *lessonStep, bets map[string]string) error {
	seg, l := st.Segment, page.Lesson
	played := st.Query
	if seg.Crash != nil {
		played.Faults = append(slices.Clone(played.Faults), seg.Crash.Fault)
		st.Crashed = page.Steps[page.Now] == st && slices.Contains(page.Run.Query.Faults, seg.Crash.Fault)
		st.CrashURL = page.to("seg="+escape(st.ID)+"&"+queryOf(played)) + "&at=" + strconv.Itoa(seg.Crash.Event+1) + "#step-" + escape(st.ID)
	}
	if seg.Bet != nil {
		st.Bet = &betView{Segment: seg, Action: "/lessons/" + l.Slug, Chosen: bets[seg.ID]}
		if st == page.Steps[page.Now] {
			st.Bet.Fields = append(page.fields(page.Run.Query), field{"at", strconv.Itoa(page.At)})
		}
	}
	var err error
	if st.HTML, err = withPlots(c.Request().Context(), seg); err != nil {
		return err
	}
	bars := ganttHere.MatchString(seg.HTML)
	if seg.LedgerID == "" && !seg.Reveal && !bars {
		return nil
	}
	r, err := s.runOf(c, played)
	if err != nil {
		return err
	}
	sub := &runPage{Run: r, At: r.Last(), Path: page.Path, Keep: page.Keep}
	if bars {
		if st.HTML, err = withGantt(c.Request().Context(), sub, st.HTML); err != nil {
			return err
		}
	}
	if seg.LedgerID != "" {
		id, err := engine.ParseRecordID(seg.LedgerID)
		if err != nil {
			return fmt.Errorf("segment %s, ledger: %w", seg.ID, err)
		}
		st.Ledger = newLedger(sub, check.LedgerOf(r.Trace, id))
	}
	if seg.Reveal {
		st.Reveal = newStory(sub)
	}
	return nil
}

// choices are the ways on from a lesson's end.
func (p *lessonPage) choices(cat *lessons.Catalogue) []crumb {
	if p.Way != nil {
		return p.pathChoices()
	}
	var out []crumb
	l := p.Lesson
	for _, c := range l.Choices {
		to := c.To
		if !strings.HasPrefix(to, "/") {
			if other := cat.Lesson(to); other == nil || other.Coming {
				continue
			}
			to = "/lessons/" + to
		}
		out = append(out, crumb{Text: c.Label, Href: to})
	}
	if next := nextLesson(cat, l); len(out) == 0 && next != nil {
		out = append(out, crumb{Text: fmt.Sprintf("Lesson %d: %s", next.Number, next.Title), Href: "/lessons/" + next.Slug})
	}
	return append(out, crumb{Text: "Back to the course", Href: "/"})
}

// nextLesson is the one that the lesson names, or the next that is ready.
func nextLesson(cat *lessons.Catalogue, l *lessons.Lesson) *lessons.Lesson {
	if next := cat.Lesson(l.Next); next != nil && !next.Coming {
		return next
	}
	for _, other := range cat.Lessons() {
		if other.Number > l.Number && !other.Coming {
			return other
		}
	}
	return nil
}

// href is the URL of a step: its own run, at its start.
func (st *lessonStep) href(p *lessonPage) string {
	return p.to("seg="+escape(st.ID)) + "#step-" + escape(st.ID)
}

func joinWords(w []string) string { return strings.Join(w, " ") }
