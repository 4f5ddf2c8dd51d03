package web

import "effectivelyonce/quizzes"

// What an open question's form says beside the points that were ticked.
const (
	openCompare = "compare" // show the model answer
	openDone    = "done"    // the points are ticked
	openNone    = "none"    // no point was: what is kept of such an answer
)

// compared reports whether the model answer is shown.
func (v *quizView) compared() bool { return v.Compare || v.Grade != nil }

// gradeOpen takes the ticked points; without openDone the learner has only written.
func (v *quizView) gradeOpen(options []string, answer string) error {
	v.Answer = answer
	done := false
	for _, o := range options {
		switch o {
		case "", openCompare:
		case openDone:
			done = true
		default:
			v.Given = append(v.Given, o)
		}
	}
	if v.Compare = true; !done {
		v.Given = nil
		return nil
	}
	return v.graded(quizzes.Reply{Options: v.Given})
}

func openWord(g *quizzes.Grade) string {
	switch g.Outcome() {
	case "right":
		if g.Had < g.Of {
			return "right, nothing essential is missing"
		}
		return "you had it all"
	case "partly":
		if 5*g.Had >= 4*g.Of {
			return "partly, an essential one is missing"
		}
		return "partly"
	}
	return "missed"
}

// buttonWord is what the form's button does.
func (v *quizView) buttonWord() string {
	switch {
	case v.Question.Kind != quizzes.Open:
		return "Answer"
	case v.compared():
		return "Grade myself"
	}
	return "Compare with the model answer"
}
