package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
)

// interviewPage is the interview room: its door, a question, or the review.
type interviewPage struct {
	chrome
	*interviewState
	Chapters []*lessons.Chapter
	Due      int // reviews that are due, and come first
	Rows     []interviewRow
	View     *quizView
	Clock    string // when it ends, in words; "" no timer
	Left     string // how long that is; "" it is over
	Ends     int64  // the same, in seconds since 1970
	Trouble  string // why an answer could not be saved
	Themes   []interviewTheme
}

// interviewRow is a question in the list beside the page.
type interviewRow struct {
	planned
	N       int
	Href    string
	Title   string
	Outcome string // right, partly, missed; "" not answered
	Had, Of int    // points
	Share   float64
	Reply   *interviewReply // in the review; nil before, and where nothing was answered
}

func (s *Server) handleInterview(c echo.Context) error {
	v, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return bad("URL", clipped(c.Request().URL.RawQuery, 60), "pairs name=value, percent-encoded")
	}
	st, err := readInterview(s.catalogue, v)
	if err != nil {
		return err
	}
	if len(st.Plan) == 0 && v.Has("minutes") {
		return s.beginInterview(c, st)
	}
	return s.showInterview(c, st)
}

// beginInterview plans an interview and sends the browser to its first question.
func (s *Server) beginInterview(c echo.Context, st *interviewState) error {
	h, _ := s.history(c)
	now := s.now()
	st.Since, st.Now = now.Unix(), 1
	st.Plan = planInterview(s.catalogue, st.Minutes, st.Chapter, uint64(now.UnixNano()), progress.Due(h.Answers, now))
	if len(st.Plan) == 0 {
		return bad("focus", fmt.Sprint(st.Chapter), "a chapter that has lessons")
	}
	return c.Redirect(http.StatusSeeOther, st.href(1))
}

// handleInterviewForm takes an answer, keeps it, and sends the browser on to the
// page that shows it. That page's URL holds all answers so far.
func (s *Server) handleInterviewForm(c echo.Context) error {
	if err := c.Request().ParseForm(); err != nil {
		return &Problem{Status: 400, Param: "form", Msg: "The form could not be read."}
	}
	st, err := readInterview(s.catalogue, c.Request().PostForm)
	if err != nil {
		return err
	}
	if len(st.Plan) == 0 || st.Now > len(st.Plan) {
		return bad("plan", "", "an interview that has begun")
	}
	view, err := s.interviewView(c, st)
	if err != nil {
		return err
	}
	var options []string
	for _, x := range st.quiz {
		_, o, _ := strings.Cut(x, ":")
		options = append(options, o)
	}
	open := view.Question.Kind == quizzes.Open
	if open && strings.TrimSpace(st.answer) == "" && !slices.Contains(options, openDone) {
		view.Problem = "Write at least a few words, and the model answer is shown. Or skip the question."
		return s.renderInterview(c, st, view)
	}
	if err := view.grade(options, st.answer); err != nil {
		return err
	}
	if open && !st.keepWords(st.answer) && view.Grade == nil {
		return s.renderInterview(c, st, view) // the form of this page holds them
	}
	switch {
	case view.Grade != nil:
		a := view.answer(&params{forStore: forStore{Ticket: st.ticket}}, s.now())
		st.Until = s.now().Unix()
		st.Given[st.Now] = clipped(strings.ReplaceAll(a.Chosen, " ", "."), 60)
		st.unsaved = s.save(c, progress.History{Answers: []progress.Answer{a}}) != "" // the next page says so, and its form can send it again
		st.ticket = a.Ticket[:strings.LastIndexByte(a.Ticket, '-')]
	case view.Problem != "":
		return s.renderInterview(c, st, view)
	}
	to := st.href(st.Now)
	if st.unsaved {
		to += "&unsaved=1&ticket=" + url.QueryEscape(st.ticket)
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// interviewView is the current question, worked out for its seed.
func (s *Server) interviewView(c echo.Context, st *interviewState) (*quizView, error) {
	p := st.Plan[st.Now-1]
	q, err := s.ask(c, p.Question, p.Seed)
	if err != nil {
		return nil, err
	}
	v := &quizView{Question: q, Number: st.Now, Of: len(st.Plan), Action: "/interview", Fields: st.fields(st.Now), Seed: p.Seed, Order: q.Shuffled(p.Seed), Ticket: progress.NewTicket()}
	v.Job = jobWords(q)
	if q.Asks.Scenario != "" {
		v.Proof = "/run?" + queryOf(queryOfQuestion(q))
	}
	return v, nil
}

// answered grades a question from what the URL keeps of the reply.
func (v *quizView) answered(reply, text string) error {
	options := strings.Split(reply, ".")
	switch v.Question.Kind {
	case quizzes.Open:
		if reply == openNone {
			options = nil
		}
		return v.grade(append(options, openDone), text)
	case quizzes.Order:
		for i, o := range options {
			options[i] = fmt.Sprintf("%s=%d", o, i+1)
		}
		return v.grade(options, "")
	case quizzes.Single, quizzes.Multi:
		return v.grade(options, "")
	}
	return v.grade(nil, reply)
}

func (s *Server) showInterview(c echo.Context, st *interviewState) error {
	if len(st.Plan) == 0 || st.Now > len(st.Plan) {
		return s.renderInterview(c, st, nil)
	}
	v, err := s.interviewView(c, st)
	if err != nil {
		return err
	}
	if reply, ok := st.Given[st.Now]; ok {
		if err = v.answered(reply, st.Words[st.Now]); st.unsaved && st.ticket != "" {
			v.Unsaved, v.Ticket = true, st.ticket
		}
	} else if words := st.Words[st.Now]; words != "" && v.Question.Kind == quizzes.Open {
		err = v.grade([]string{openCompare}, words)
	}
	if err != nil {
		return err
	}
	return s.renderInterview(c, st, v)
}

func (s *Server) renderInterview(c echo.Context, st *interviewState, v *quizView) error {
	p := &interviewPage{chrome: s.chrome("", "interview"), interviewState: st, Chapters: s.readyChapters(), View: v, Trouble: s.trouble(c.Request().Context())}
	p.Nav = "/interview"
	if v != nil {
		v.Line = newLine(v)
		v.prove()
		v.Terms = usedTerms(v, s.catalogue.Terms())
		p.Skips = []crumb{{"Skip to the question", "#quiz-" + v.Question.ID}}
	}
	p.Title = p.windowTitle()
	if len(st.Plan) == 0 {
		h, why := s.history(c)
		p.Due, p.Trouble = len(progress.Due(h.Answers, s.now())), cmp.Or(why, p.Trouble)
		return s.render(c, http.StatusOK, interviewDoor(p))
	}
	if st.Timer {
		end := time.Unix(st.Since, 0).Add(time.Duration(st.Minutes) * time.Minute)
		p.Ends = end.Unix()
		p.Clock, p.Left = clockWords(end, s.now())
	}
	if err := s.interviewRows(c, p); err != nil {
		return err
	}
	if st.Now > len(st.Plan) {
		p.themes()
		return s.render(c, http.StatusOK, interviewReview(p))
	}
	return s.render(c, http.StatusOK, interviewQuestion(p))
}

// interviewRows grades what was answered, for the list and the review.
func (s *Server) interviewRows(c echo.Context, p *interviewPage) error {
	for i, x := range p.Plan {
		r := interviewRow{planned: x, N: i + 1, Href: p.href(i + 1), Title: x.Lesson.Title}
		reply, given := p.Given[i+1]
		if given || p.Now > len(p.Plan) { // the review names each question with the numbers it was asked with
			q, err := s.ask(c, x.Question, x.Seed)
			if err != nil {
				return err
			}
			r.Question = q
		}
		if given {
			v := &quizView{Question: r.Question}
			if err := v.answered(reply, ""); err != nil {
				return err
			}
			if g := v.Grade; g != nil {
				r.Outcome, r.Had, r.Of, r.Share = g.Outcome(), g.Had, g.Of, g.Share()
				if p.Now > len(p.Plan) {
					r.Reply = v.replied(p.Words[i+1])
				}
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return nil
}

func (s *Server) readyChapters() []*lessons.Chapter {
	var out []*lessons.Chapter
	for _, ch := range s.catalogue.Chapters() {
		if slices.ContainsFunc(ch.Lessons, func(l *lessons.Lesson) bool { return !l.Coming && len(l.Quiz) > 0 }) {
			out = append(out, ch)
		}
	}
	return out
}

// clockWords is what the clock says without scripts; where they run, they count
// the second part down.
func clockWords(end, now time.Time) (clock, left string) {
	d := end.Sub(now)
	if d <= 0 {
		return timeIsOver, ""
	}
	return fmt.Sprintf("Ends at %s UTC.", end.UTC().Format("15:04")), count(int((d+time.Minute-1)/time.Minute), "minute", "minutes") + " left when this page was drawn."
}

const timeIsOver = "The time is over. You may go on, or look at the review."

// rowWords is what the list says of a question: before the answer how it is
// answered, since the title of its lesson would tell what it is about.
func (p *interviewPage) rowWords(r *interviewRow) string {
	if r.Outcome == "" && p.Now <= len(p.Plan) {
		v := quizView{Question: r.planned.Question}
		return v.ask()
	}
	return r.Title
}

// shortWords says so when the chapters asked for hold fewer questions than fit into
// the time; "" when they fill it.
func (p *interviewPage) shortWords() string {
	sum := 0
	for _, x := range p.Plan {
		sum += tenths(x.Question.Template())
	}
	if p.Chapter == 0 || sum >= p.Minutes*8 {
		return ""
	}
	return fmt.Sprintf("This chapter has no more: about %s of questions.", count((sum+5)/10, "minute", "minutes"))
}

// ask works a question out for a seed, or takes it from the cache.
func (s *Server) ask(c echo.Context, q *quizzes.Question, seed uint64) (*quizzes.Question, error) {
	if !q.Differs() || seed == lessons.QuizSeed {
		return q, nil
	}
	key := fmt.Sprintf("%s~%d", q.ID, seed)
	if known, ok := s.asked.get(key); ok {
		return known, nil
	}
	ctx := c.Request().Context()
	leave, err := s.gate.enter(ctx, c.RealIP())
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	out, err := s.catalogue.Ask(s.runFunc(ctx), q, seed)
	if err != nil {
		return nil, err
	}
	size := 64
	if d := out.Derived; d != nil && d.Run != nil {
		size += d.Run.Trace.Len()
	}
	s.asked.put(key, out, size)
	return out, nil
}

func (s *Server) runFunc(ctx context.Context) quizzes.RunFunc {
	return func(job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
		return s.runner.Run(ctx, job, faults)
	}
}
