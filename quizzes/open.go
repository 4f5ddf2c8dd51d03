package quizzes

import (
	"strings"

	"effectivelyonce/lessons/strict"
)

// An open question is answered in the learner's own words and graded by the
// learner: its options are the points of a checklist, and those that the answer
// had are ticked. Four fifths of them, and all that are essential, is right; fewer
// is partly, none is missed. An essential point begins with "! " in the file.

// essential marks a point without which an answer is not right.
const essential = "! "

// readOpen reads what only an open question has.
func (q *Question) readOpen(m strict.Map) {
	for i, v := range m.List("checklist") {
		t := ValueText(v)
		needed := strings.HasPrefix(t.Text, essential)
		t.Text = strings.TrimPrefix(t.Text, essential)
		q.Options = append(q.Options, Option{ID: OptionID(i), Text: t, Right: true, Essential: needed})
	}
	for _, v := range m.List("model") {
		q.Model = append(q.Model, ValueText(v))
	}
	for _, v := range m.List("gaps") {
		q.Gaps = append(q.Gaps, ValueText(v))
	}
}

func (q *Question) checkOpen() (what, do string) {
	switch {
	case len(q.Options) < 3 || len(q.Options) > 20:
		return "a checklist of " + Figure(float64(len(q.Options))), "allowed: 3 to 20 points under checklist"
	case len(q.Model) == 0:
		return "the model answer is missing", "write it as a list of paragraphs under model"
	case len(q.Gaps) == 0:
		return "the usual gaps are missing", "list them under gaps"
	}
	return "", ""
}

// Outcome is the word for a grade: right, partly, missed.
func (g *Grade) Outcome() string {
	switch {
	case g.Right:
		return "right"
	case g.Partly:
		return "partly"
	}
	return "missed"
}

// gradeOpen takes the points that the learner ticked.
func (q *Question) gradeOpen(r Reply) (*Grade, error) {
	if err := q.known(r.Options); err != nil {
		return nil, err
	}
	g := &Grade{Right: 5*len(r.Options) >= 4*len(q.Options)}
	for i := range q.Options {
		o := &q.Options[i]
		chosen := contains(r.Options, o.ID)
		g.Lines = append(g.Lines, Line{Option: o, Chosen: chosen})
		g.Right = g.Right && (chosen || !o.Essential)
	}
	g.Partly = len(r.Options) > 0 && !g.Right
	g.count()
	return g, nil
}

func contains(ids []string, id string) bool {
	for _, x := range ids {
		if x == id {
			return true
		}
	}
	return false
}
