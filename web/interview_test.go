package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/engine/sim"
	"effectivelyonce/quizzes"
)

// begin starts an interview and returns the address of its first question.
func (p *person) begin(query string) string {
	p.t.Helper()
	res := p.send(httptest.NewRequest(http.MethodGet, "/interview?"+query, nil))
	to := res.Header.Get("Location")
	if res.StatusCode != http.StatusSeeOther || !strings.Contains(to, "plan=") {
		p.t.Fatalf("%s: status %d, to %q", query, res.StatusCode, to)
	}
	return to
}

// reply is a form's right answer, and a wrong one where there is one.
func reply(q *quizzes.Question) url.Values {
	v := url.Values{}
	add := func(s string) { v.Add("quiz", q.ID+":"+s) }
	for i, o := range q.Options {
		switch {
		case q.Kind == quizzes.Order:
			add(fmt.Sprintf("%s=%d", o.ID, i+1))
		case o.Right:
			add(o.ID)
		}
	}
	switch q.Kind {
	case quizzes.Open:
		add("done")
	case quizzes.Numeric:
		v.Set("answer", fmt.Sprint(q.Derived.Number))
		v.Set("quiz", q.ID)
	case quizzes.PickOne, quizzes.PickEvt:
		v.Set("answer", fmt.Sprint(q.Derived.Set[0]))
		v.Set("quiz", q.ID)
	}
	return v
}

// seeds are the questions of a plan, worked out.
func seeds(t *testing.T, at string) (out []*quizzes.Question) {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(u.Query().Get("plan"), ",") {
		var seed uint64
		id, n, _ := strings.Cut(part, "~")
		if _, err := fmt.Sscan(n, &seed); err != nil {
			t.Fatal(err)
		}
		q, _ := catalogue().Question(id)
		d, err := catalogue().Ask(sim.Run, q, seed)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	return out
}

func isQuiz(n *html.Node) bool {
	_, ok := attr(n, "data-quiz")
	return n.Data == "form" && ok
}

// An interview is played to its end without scripts, every question right.
func TestInterviewWithoutScripts(t *testing.T) {
	store := newStore(t)
	p := newPerson(t, newServer(t, withStore(store)))
	at := p.begin("minutes=45&focus=all&timer=1")
	qs := seeds(t, at)
	kinds := map[quizzes.Kind]bool{}
	for i, q := range qs {
		kinds[q.Template()] = true
		pg, _ := p.visit(at)
		v := hidden(t, pg.all(isQuiz)[0])
		v.Del("quiz")
		v.Del("answer")
		for name, values := range reply(q) {
			v[name] = values
		}
		status, to := p.post("/interview", v)
		if status != http.StatusSeeOther || !strings.Contains(to, fmt.Sprintf("a=%d", i+1)) {
			t.Fatalf("%s: status %d, to %s", q.ID, status, to)
		}
		_, said := p.visit(to)
		if !strings.Contains(said, "data-answered") || !strings.Contains(said, "Read lesson") {
			t.Errorf("%s: the page after the answer explains nothing", q.ID)
		}
		at = strings.Replace(to, fmt.Sprintf("&n=%d", i+1), fmt.Sprintf("&n=%d", i+2), 1)
	}
	pg, _ := p.visit(at)
	if want := fmt.Sprintf("%d of %d right", len(qs), len(qs)); !strings.Contains(text(pg.byID("main")), want) {
		t.Errorf("the review does not say %q: %s", want, text(pg.byID("main")))
	}
	if len(kinds) < 6 {
		t.Errorf("45 minutes mix %d kinds", len(kinds))
	}
	if n := len(p.history(store).Answers); n != len(qs) {
		t.Errorf("%d of %d answers were kept", n, len(qs))
	}
}

// Wrong answers lead to the lessons that explain them, and what is open is
// compared before it is graded.
func TestInterviewReviewNamesWeakThemes(t *testing.T) {
	p := newPerson(t, newServer(t))
	q, l := catalogue().Question("q10.4")
	at := "/interview?minutes=15&since=1&plan=q10.4~5,q01.1~7&n=1"
	pg, _ := p.visit(at)
	v := hidden(t, pg.all(isQuiz)[0])
	v.Set("answer", "It was sent\nby accident.")
	status, to := p.post("/interview", v)
	_, said := p.visit(to)
	if status != http.StatusSeeOther || !strings.Contains(said, "Model answer") || !strings.Contains(said, "by accident.") || strings.Contains(said, "data-answered") {
		t.Fatalf("status %d at %s: no comparison", status, to)
	}
	pg, _ = p.visit(to)
	v = hidden(t, pg.all(isQuiz)[0])
	v.Set("quiz", q.ID+":done")
	v.Add("quiz", q.ID+":a")
	_, to = p.post("/interview", v)
	_, said = p.visit(to)
	if !strings.Contains(said, fmt.Sprintf("You had 1 of %d points: partly.", len(q.Options))) {
		t.Errorf("no grade at %s", to)
	}
	pg, _ = p.visit(strings.Replace(to, "&n=1", "&n=3", 1))
	if s := text(pg.byID("main")); !strings.Contains(s, "1 partly") || !strings.Contains(s, "1 not answered") || !strings.Contains(s, l.Title) {
		t.Errorf("the review says %s", s)
	}
}

// The review names a question with the numbers it was asked with, and a question
// outside its lesson says what runs.
func TestInterviewReviewShowsWhatWasAsked(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q01.2~4339,q22.3~8373"
	pg, said := p.visit(at + "&n=1")
	if !strings.Contains(said, "The job:") {
		t.Error("nothing says what runs")
	}
	asked := text(pg.byID("quiz-q01.2"))
	pg, _ = p.visit(at + "&n=3&a=1:0")
	for _, q := range seeds(t, at) {
		stem := html2text(string(q.Stem.HTML))
		if !strings.Contains(text(pg.byID("main")), stem) {
			t.Errorf("the review does not say %q", stem)
		}
		if q.ID == "q01.2" && !strings.Contains(asked, stem) {
			t.Errorf("the question itself is another: %s", asked)
		}
	}
}

func html2text(s string) string {
	n, err := html.Parse(strings.NewReader(s))
	if err != nil {
		return err.Error()
	}
	return text(n)
}

// Half an hour asks for words twice, three quarters three times.
func TestInterviewAsksForWords(t *testing.T) {
	p := newPerson(t, newServer(t))
	for minutes, want := range map[int]int{15: 1, 30: 2, 45: 3} {
		open := 0
		for _, q := range seeds(t, p.begin(fmt.Sprintf("minutes=%d&focus=all", minutes))) {
			if q.Kind == quizzes.Open {
				open++
			}
		}
		if open != want {
			t.Errorf("%d minutes ask %d open questions, want %d", minutes, open, want)
		}
	}
}

func TestInterviewRefusesWhatItDoesNotKnow(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]string{
		"/interview?minutes=20":                          "15, 30, 45",
		"/interview?minutes=15&focus=99":                 "the number of a chapter",
		"/interview?hours=1":                             "There is no parameter",
		"/interview?minutes=15&plan=q99.9~1":             "QUESTION~SEED",
		"/interview?minutes=15&plan=q01.1~1&n=7":         "1 to 2",
		"/interview?minutes=15&plan=q01.1~1&n=1&a=9:b":   "NUMBER:ANSWER",
		"/interview?minutes=15&plan=q01.1~1&n=1&n=2":     "one value",
		"/interview?minutes=15&plan=q01.1~1&since=never": "seconds since 1970",
	} {
		res := get(t, s, path)
		said := html.UnescapeString(body(t, res))
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(said, want) && !strings.Contains(said, "hours") {
			t.Errorf("%s: status %d, without %q", path, res.StatusCode, want)
		}
	}
}

// The same question with another seed is another question, on the lesson's page too.
func TestDrawnQuestionsDifferBySeed(t *testing.T) {
	p := newPerson(t, newServer(t))
	_, l := catalogue().Question("q03.3")
	stems := map[string]bool{}
	for _, draw := range []string{"1", "2", "3", "4"} {
		pg, _ := p.visit("/lessons/" + l.Slug + "?seg=quiz&draw=" + draw)
		stems[text(pg.byID("quiz-q03.3"))] = true
	}
	if len(stems) < 3 {
		t.Errorf("four seeds ask %d different questions", len(stems))
	}
}
