package web

import (
	"errors"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// quizView is one question of a lesson, asked or answered.
type quizView struct {
	Question *quizzes.Question
	Number   int
	Of       int
	Order    []int // of the options on the page
	Fields   []field
	Action   string
	Grade    *quizzes.Grade // nil: not answered
	Given    []string       // options chosen, or in the learner's order
	Answer   string
	Problem  string // the answer was no answer to this question
	Proof    string // URL of the run that proves it; "" none
	Seed     uint64 // shuffles the options
	Ticket   string // under which the answer is kept
	Unsaved  bool   // it is graded, and could not be kept
	Compare  bool   // open: the model answer is shown, nothing is graded yet
	Line     *quizLine
	Job      string          // what runs, for a question outside of its lesson; "" the page shows it
	Terms    []*lessons.Term // interview: words of the glossary that the page uses
	Before   string          // how it went the last time; "" not answered before
}

// quizViews reads quiz=QUESTION:OPTION (repeated), or quiz=QUESTION with answer=,
// and grades what was answered.
func (s *Server) quizViews(c echo.Context, page *lessonPage, p *params) ([]*quizView, error) {
	given := map[string][]string{}
	for _, q := range p.Quiz {
		id, option, _ := strings.Cut(q, ":")
		given[id] = append(given[id], option)
	}
	var out []*quizView
	for i, q := range page.Lesson.Quiz {
		v := &quizView{Question: q, Number: i + 1, Of: len(page.Lesson.Quiz), Action: page.Path, Fields: []field{{"seg", stepQuiz}}}
		if p.Way != "" {
			v.Fields = append(v.Fields, field{"path", p.Way})
		}
		v.drawn(p)
		var err error
		if v.Question, err = s.ask(c, q, v.Seed); err != nil {
			return nil, err
		}
		q = v.Question
		if q.Asks.Scenario != "" {
			v.Proof = "/run?" + queryOf(queryOfQuestion(q))
		}
		if options, ok := given[q.ID]; ok {
			delete(given, q.ID)
			if err := v.grade(options, p.Answer); err != nil {
				return nil, err
			}
		}
		v.Line = newLine(v)
		v.prove()
		out = append(out, v)
	}
	for id := range given {
		return nil, bad("quiz", id, "a question of this lesson: "+strings.Join(questionIDs(page), ", "))
	}
	return out, nil
}

func questionIDs(page *lessonPage) (ids []string) {
	for _, q := range page.Lesson.Quiz {
		ids = append(ids, q.ID)
	}
	return ids
}

func (v *quizView) grade(options []string, answer string) error {
	r := quizzes.Reply{Number: answer}
	switch v.Question.Kind {
	case quizzes.Open:
		return v.gradeOpen(options, answer)
	case quizzes.Order:
		r.Options = inOrder(options)
	case quizzes.PickOne, quizzes.PickEvt:
		n, err := strconv.Atoi(strings.TrimSpace(answer))
		if err != nil {
			v.Problem, v.Answer = "Write the number of an event.", answer
			return nil
		}
		r.Moment = n
	default:
		for _, o := range options {
			if o != "" {
				r.Options = append(r.Options, o)
			}
		}
	}
	v.Given, v.Answer = r.Options, answer
	return v.graded(r)
}

// graded compares the reply with the answer.
func (v *quizView) graded(r quizzes.Reply) error {
	g, err := v.Question.Grade(r)
	var wrong *quizzes.BadReply
	if errors.As(err, &wrong) {
		v.Problem = "Found " + wrong.Found + "; allowed: " + wrong.Allowed + "."
		if v.Question.Kind == quizzes.Numeric {
			v.Problem = "Write a number, for example 3."
		}
		return nil
	}
	v.Grade = g
	return err
}

// inOrder turns OPTION=PLACE of the order form into the options by place.
func inOrder(options []string) []string {
	out := make([]string, len(options))
	for _, o := range options {
		id, place, _ := strings.Cut(o, "=")
		n, err := strconv.Atoi(place)
		if err != nil || n < 1 || n > len(out) || out[n-1] != "" {
			return nil // not every place once: Grade says what is allowed
		}
		out[n-1] = id
	}
	return out
}

func (v *quizView) chosen(id string) bool { return contains(v.Given, id) }

func (v *quizView) place(id string) int {
	for i, g := range v.Given {
		if g == id {
			return i + 1
		}
	}
	return 0
}

// ask says how the question is answered.
func (v *quizView) ask() string {
	switch v.Question.Kind {
	case quizzes.Open:
		return "in your own words"
	case quizzes.Multi:
		return "choose all that apply"
	case quizzes.Order:
		return "put in order"
	case quizzes.Numeric:
		return "write a number"
	case quizzes.PickOne:
		return "pick a moment"
	case quizzes.PickEvt:
		return "pick an event"
	}
	return "choose one"
}
