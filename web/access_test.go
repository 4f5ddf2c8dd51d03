package web_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The title is what is read first of a new page: it says where in the interview this
// is, and how the last answer went.
func TestInterviewTitlesSayWhereAndHow(t *testing.T) {
	p := newPerson(t, newServer(t))
	const plan = "/interview?minutes=15&since=1&plan=q13.5~7,q22.3~8373&n="
	for at, want := range map[string]string{
		"1":         "Question 1 of 2 · ",
		"1&a=1:a.b": "Partly: question 1 of 2 · ",
		"2&a=1:a.b": "Question 2 of 2 · ",
		"3&a=1:a.b": "Review · ",
	} {
		pg, _ := p.visit(plan + at)
		for _, n := range pg.all(func(n *html.Node) bool { return n.Data == "title" && n.Parent.Data == "head" }) {
			if got := text(n); !strings.HasPrefix(got, want) || !strings.Contains(got, "Interview room") {
				t.Errorf("%s: the title is %q, want it to begin with %q", at, got, want)
			}
		}
	}
}

// What is no answer is told at its field: the message describes it, and it has the focus.
func TestARefusedAnswerIsToldAtItsField(t *testing.T) {
	p := newPerson(t, newServer(t))
	for plan, field := range map[string]string{"q10.4~5": "textarea", "q22.3~8373": "input", "q05.2~7": "fieldset"} {
		pg, _ := p.visit("/interview?minutes=15&since=1&n=1&plan=" + plan)
		v := hidden(t, pg.all(isQuiz)[0])
		v.Set("answer", " ")
		said := body(t, p.form("/interview", v))
		id, _, _ := strings.Cut(plan, "~")
		told := 0
		for tag := range strings.SplitSeq(said, "<") {
			if strings.HasPrefix(tag, field) && strings.Contains(tag, `aria-describedby="problem-`+id+`"`) && strings.Contains(tag, " autofocus") {
				told++
			}
		}
		if told != 1 || !strings.Contains(said, `id="problem-`+id+`"`) || !strings.Contains(said, "<title>Not answered yet: question 1 of 1") {
			t.Errorf("%s: %d fields of kind %s are described by the message: %.300s", plan, told, field, said)
		}
	}
}

// The sandbox puts a new page in the place of the old one. Only what stays can say
// something of it, and only the outcome is said: not the whole result.
func TestSandboxSpeaksFromOutside(t *testing.T) {
	pg, said := newPerson(t, newServer(t)).visit("/sandbox?scenario=hook-charges")
	say := pg.byID("say")
	if say == nil {
		t.Fatal("nothing on the page can say what a change did")
	}
	for n := say.Parent; n != nil; n = n.Parent {
		if n.Data == "main" {
			t.Error("what says it is replaced together with the page")
		}
	}
	if strings.Contains(said, `id="result" aria-live`) {
		t.Error("the whole result is read out at each change")
	}
}
