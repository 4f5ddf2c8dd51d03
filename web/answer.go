package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
)

// handleLessonForm takes a bet or an answer, saves it, and sends the browser on to
// the page that shows it. The URL of that page holds the answer, as it always did:
// it can be copied, and it is still there when saving failed. Then the page says
// so, and its form sends the same answer again, under the same ticket.
func (s *Server) handleLessonForm(c echo.Context) error {
	p, err := atOnce(c)
	if err != nil {
		return err
	}
	l := s.catalogue.Lesson(c.Param("slug"))
	if l == nil || l.Coming {
		return s.noLesson(c.Param("slug"), l)
	}
	more, anchor, err := s.given(c, l, p)
	if err != nil {
		return err
	}
	why := s.save(c, more)
	if fromScript(c.Request()) {
		if why != "" {
			return c.String(http.StatusServiceUnavailable, why+"\n")
		}
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, shown("/lessons/"+l.Slug, p, why != "", anchor))
}

// given is what a form answers: the last bet in it, or a question.
func (s *Server) given(c echo.Context, l *lessons.Lesson, p *params) (h progress.History, anchor string, err error) {
	if len(p.Quiz) > 0 {
		page := &lessonPage{Lesson: l, runPage: &runPage{Path: "/lessons/" + l.Slug}}
		views, err := s.quizViews(c, page, p)
		for _, v := range views {
			if v.Grade != nil {
				h.Answers = append(h.Answers, v.answer(p, s.now()))
			}
			if v.Grade != nil || v.Problem != "" || v.Compare {
				anchor = "#quiz-" + v.Question.ID
			}
		}
		return h, anchor, err
	}
	if len(p.Bets) == 0 {
		return h, "", bad("form", "neither a bet nor an answer", "bet=STEP:OPTION, or quiz=QUESTION:OPTION")
	}
	if _, err := readBets(l, p.Bets); err != nil {
		return h, "", err
	}
	id, option, _ := strings.Cut(p.Bets[len(p.Bets)-1], ":")
	bet := progress.Bet{Lesson: l.Slug, Segment: id, Option: option, Confidence: p.Confidence, Reason: p.Reason, At: s.now()}
	for _, seg := range l.Segments {
		for i := 0; seg.ID == id && i < len(seg.Bet.Options); i++ {
			bet.Right = bet.Right || seg.Bet.Options[i].ID == option && seg.Bet.Options[i].Right
		}
	}
	h.Bets = append(h.Bets, bet)
	return h, "#step-" + id, nil
}

// answer is what is kept of a graded question. The ticket holds the choice: the
// same form sent again is the same answer, another choice is another one.
func (v *quizView) answer(p *params, now time.Time) progress.Answer {
	chosen := strings.Join(v.Given, " ")
	if chosen == "" && v.Question.Kind == quizzes.Open {
		chosen = openNone
	}
	if chosen == "" {
		chosen = strings.TrimSpace(v.Answer)
	}
	ticket := p.Ticket
	if ticket == "" {
		ticket = progress.NewTicket()
	}
	sum := sha256.Sum256([]byte(v.Question.ID + "\n" + chosen))
	return progress.Answer{Ticket: ticket + "-" + hex.EncodeToString(sum[:6]), Question: v.Question.ID, Seed: v.Seed, Chosen: chosen,
		Right: v.Grade.Right, Partly: v.Grade.Partly, At: now}
}

// shown is the URL of the page that shows what a form answered. What is only for
// the store stays out of it, unless it could not be saved.
func shown(path string, p *params, unsaved bool, anchor string) string {
	var w links
	for _, f := range []field{{"path", p.Way}, {"seg", p.Seg}} {
		if f.Value != "" {
			w.add(f.Name, f.Value)
		}
	}
	if p.hasRun() {
		w.WriteString(sep(&w) + queryOf(p.Query))
	}
	if p.At >= 0 {
		w.add("at", strconv.Itoa(p.At))
	}
	if p.Projector {
		w.add("projector", "1")
	}
	for _, b := range p.Bets {
		w.add("bet", b)
	}
	for _, q := range p.Quiz {
		w.add("quiz", q)
	}
	for _, f := range []field{{"answer", p.Answer}, {"draw", p.Draw}} {
		if f.Value != "" {
			w.add(f.Name, f.Value)
		}
	}
	if unsaved {
		w.add("unsaved", "1")
		for _, f := range []field{{"ticket", p.Ticket}, {"confidence", p.Confidence}, {"reason", p.Reason}} {
			if f.Value != "" {
				w.add(f.Name, f.Value)
			}
		}
	}
	return path + "?" + w.String() + anchor
}

func sep(w *links) string {
	if w.Len() > 0 {
		return "&"
	}
	return ""
}

// handleSeen notes a step that a script showed without asking for its page.
func (s *Server) handleSeen(c echo.Context) error {
	p, err := atOnce(c)
	if err != nil {
		return err
	}
	l := s.catalogue.Lesson(c.Param("slug"))
	if l == nil || l.Coming {
		return s.noLesson(c.Param("slug"), l)
	}
	page := &lessonPage{Lesson: l, Steps: lessonSteps(l)}
	if err := page.place(p.Seg); err != nil {
		return err
	}
	if why := s.save(c, progress.History{Seen: []progress.Seen{{Lesson: l.Slug, Segment: page.Steps[page.Now].ID, At: s.now()}}}); why != "" {
		return c.String(http.StatusServiceUnavailable, why+"\n")
	}
	return c.NoContent(http.StatusNoContent)
}

// keepVisit notes that a step was seen, and how its level went.
func (s *Server) keepVisit(c echo.Context, page *lessonPage) {
	page.Trouble = s.trouble(c.Request().Context())
	if page.Steps[page.Now].Kind == stepQuiz {
		h, why := s.history(c)
		page.Trouble = cmp.Or(why, page.Trouble)
		before(page.Quiz, &h)
	}
	if !s.keeps() || !visited(c.Request()) {
		return
	}
	slug, now := page.Lesson.Slug, s.now()
	more := progress.History{Seen: []progress.Seen{{Lesson: slug, Segment: page.Steps[page.Now].ID, At: now}}}
	if v := page.Level; v != nil && v.Tried && played(c.Request()) {
		more.Levels = []progress.Level{{Lesson: slug, Won: v.Won, Score: v.Score, Hints: page.Hints, At: now}}
	}
	if why := s.save(c, more); why != "" {
		page.Trouble = why
	}
}

// before says of each question how it went the last time.
func before(views []*quizView, h *progress.History) {
	for _, v := range views {
		for _, a := range h.Answers { // in order of time: the last one stays
			if a.Question == v.Question.ID {
				v.Before = "You answered this on " + a.At.Format("2 January 2006") + ": " + map[string]string{"right": "right", "partly": "partly right", "missed": "not right"}[a.Outcome()] + "."
			}
		}
	}
}

// forStore are the parameters that say what is to be kept, and how.
type forStore struct {
	Draw       string // the number that shuffles the questions; "" is 1
	Ticket     string // of the answer that a form gives, so that it is kept once
	Confidence string // of a bet
	Reason     string
	Unsaved    bool // what the URL answers could not be saved
}

func readForStore(v url.Values) (forStore, error) {
	f := forStore{Draw: v.Get("draw"), Ticket: v.Get("ticket"), Confidence: v.Get("confidence"), Reason: v.Get("reason")}
	switch f.Confidence {
	case "", "low", "middle", "sure":
	default:
		return f, bad("confidence", f.Confidence, "low, middle, sure")
	}
	if len(f.Reason) > progress.MaxText {
		return f, bad("reason", clipped(f.Reason, 60), fmt.Sprintf("at most %d bytes", progress.MaxText))
	}
	if len(f.Ticket) > 40 {
		return f, bad("ticket", clipped(f.Ticket, 60), "at most 40 characters")
	}
	if n, err := strconv.ParseUint(f.Draw, 10, 32); f.Draw != "" && (err != nil || n == 0) {
		return f, bad("draw", clipped(f.Draw, 60), "a number from 1")
	}
	var err error
	f.Unsaved, err = flag("unsaved", v)
	return f, err
}

// drawn shuffles a question as the URL says, and gives its answer a ticket.
func (v *quizView) drawn(p *params) {
	v.Seed, v.Ticket = 1, p.Ticket
	if n, err := strconv.ParseUint(p.Draw, 10, 32); err == nil {
		v.Seed = n
		v.Fields = append(v.Fields, field{"draw", p.Draw})
	}
	if v.Ticket == "" {
		v.Ticket = progress.NewTicket()
	}
	v.Unsaved = p.Unsaved
	v.Order = v.Question.Shuffled(v.Seed)
}

// unsaved marks the bet of the current step that could not be kept.
func (b *betView) unsaved(p *params, here bool) {
	if p.Unsaved && here && b.Chosen != "" {
		b.Unsaved, b.How, b.Reason = true, p.Confidence, p.Reason
	}
}
