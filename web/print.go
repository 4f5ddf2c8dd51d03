package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/web/stage"
)

// printPage is a lesson on two sheets of paper: what is asked on the first, the
// answers on the second.
type printPage struct {
	chrome
	Lesson  *lessons.Lesson
	Back    string
	Bet     *lessons.Bet // nil: the lesson has none
	Frame   *runPage     // the deciding frame
	Caption string
	Ledger  *ledgerView // up to the deciding frame
	Story   *revealView
	Chain   *chainView // why the outside is not as it should be; nil: it is
	Quiz    []*quizView
}

// printedQuestions is how many questions fit on the first sheet.
const printedQuestions = 3

// handlePrint answers /lessons/{slug}/print.
func (s *Server) handlePrint(c echo.Context) error {
	l := s.catalogue.Lesson(c.Param("slug"))
	if l == nil || l.Coming {
		return s.noLesson(c.Param("slug"), l)
	}
	p := &printPage{chrome: s.chrome(l.Title+", to print · Effectively Once", "print"), Lesson: l, Back: "/lessons/" + l.Slug}
	p.Crumbs = []crumb{{Text: fmt.Sprintf("Lesson %d: %s", l.Number, l.Title), Href: p.Back}, {Text: "To print"}}
	for _, seg := range l.Segments {
		if p.Bet == nil && seg.Bet != nil {
			p.Bet = seg.Bet
		}
	}
	if err := s.decide(c, p, decidingSegment(l)); err != nil {
		return err
	}
	page := &lessonPage{runPage: p.Frame, Lesson: l}
	all, err := quizViews(page, &params{})
	if err != nil {
		return err
	}
	for _, v := range all {
		if k := v.Question.Kind; len(p.Quiz) < printedQuestions && (k == quizzes.Single || k == quizzes.Multi) {
			v.Number = len(p.Quiz) + 1
			p.Quiz = append(p.Quiz, v)
		}
	}
	return s.render(c, http.StatusOK, printLesson(p))
}

// decidingSegment is the step whose run the sheet shows: the one with a ledger,
// else the one that ends with the verdict, else the last with a crash or at all.
func decidingSegment(l *lessons.Lesson) *lessons.Segment {
	tests := []func(*lessons.Segment) bool{
		func(s *lessons.Segment) bool { return s.LedgerID != "" },
		func(s *lessons.Segment) bool { return s.Reveal },
		func(s *lessons.Segment) bool { return s.Crash != nil || len(s.Faults) > 0 },
		func(*lessons.Segment) bool { return true },
	}
	for _, ok := range tests {
		if i := slices.IndexFunc(l.Segments, ok); i >= 0 {
			return l.Segments[i]
		}
	}
	return nil
}

// decide plays the step's run and finds the frame in which it is decided: the
// moment before the crash, or where the step stops.
func (s *Server) decide(c echo.Context, p *printPage, seg *lessons.Segment) error {
	q := lessons.Query{Scenario: p.Lesson.Scenario}
	if seg != nil {
		q = p.Lesson.Query(seg)
		if seg.Crash != nil {
			q.Faults = append(slices.Clone(q.Faults), seg.Crash.Fault)
		}
	}
	r, err := s.runOf(c, q)
	if err != nil {
		return err
	}
	at, crash := r.Last(), lastCrash(r)
	if seg != nil && seg.Crash == nil {
		at = min(seg.UntilEvent, at)
	}
	if at == r.Last() && crash > 0 {
		at = crash - 1
	}
	p.Frame = &runPage{chrome: p.chrome, Run: r, At: at, Path: "/run", Keep: url.Values{}, Now: trace.At(r.Trace, at)}
	p.Frame.draw = newDrawing(p.Frame)
	p.Caption = momentText(p.Frame)
	if crash == at+1 {
		p.Caption += " Then " + lower(trace.Sentence(r.Trace, r.Trace.At(crash)))
	}
	whole := &runPage{Run: r, At: r.Last(), Path: "/run", Keep: url.Values{}}
	p.Story = newStory(whole)
	p.Chain, p.Story.Chain = p.Story.Chain, nil
	id := engine.NoRecord
	if seg != nil && seg.LedgerID != "" {
		if id, err = engine.ParseRecordID(seg.LedgerID); err != nil {
			return fmt.Errorf("segment %s, ledger: %w", seg.ID, err)
		}
	} else if i := slices.IndexFunc(r.Verdicts, func(v check.Verdict) bool { return v.Class != check.Exact }); i >= 0 {
		if w := check.Why(r.Trace, &r.Verdicts[i]); w != nil && len(w.Records) > 0 {
			id = w.Records[0]
		}
	}
	if id != engine.NoRecord {
		p.Ledger = newLedger(p.Frame, check.LedgerAt(r.Trace, id, at))
	}
	return nil
}

func (p *printPage) picture() templ.Component { return stage.SVG(p.Frame.draw.stage) }

// described is the frame in words, for readers of text.
func (p *printPage) described() string { return strings.Join(p.Frame.draw.stage.Describe(), " ") }

// letter is an option's letter on paper.
func letter(i int) string { return string(rune('A' + i)) }

// rightOnes are the letters of a question's right options.
func rightOnes(v *quizView) string {
	var out []string
	for n, i := range v.Order {
		if v.Question.Options[i].Right {
			out = append(out, letter(n))
		}
	}
	return strings.Join(out, ", ")
}

// rightWord marks the right option without colour.
func rightWord(right bool) string {
	if right {
		return "right"
	}
	return ""
}
