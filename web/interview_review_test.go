package web_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Own words survive Next and Back, and stand in the review, in an alphabet that
// takes more room than ours too.
func TestOwnWordsAreKept(t *testing.T) {
	p := newPerson(t, newServer(t))
	words := strings.TrimSpace(strings.Repeat("Письмо ушло до сбоя, и потому дважды. ", 76))
	pg, _ := p.visit("/interview?minutes=15&since=1&plan=q10.4~5,q01.1~7&n=1")
	v := hidden(t, pg.all(isQuiz)[0])
	v.Set("answer", words)
	status, to := p.post("/interview", v)
	if status != http.StatusSeeOther || len(to) > 9000 {
		t.Fatalf("status %d, %d characters", status, len(to))
	}
	pg, said := p.visit(to)
	if !strings.Contains(said, "Model answer") || !strings.Contains(said, words) {
		t.Fatal("the comparison does not show what was written")
	}
	v = hidden(t, pg.all(isQuiz)[0])
	v.Set("answer", words)
	v.Set("quiz", "q10.4:done")
	v.Add("quiz", "q10.4:a")
	_, to = p.post("/interview", v)
	next := strings.Replace(to, "&n=1", "&n=2", 1)
	pg, _ = p.visit(next)
	back := ""
	for _, a := range pg.all(func(n *html.Node) bool { return n.Data == "a" }) {
		if text(a) == "Back" {
			back, _ = attr(a, "href")
		}
	}
	if _, said = p.visit(back); !strings.Contains(said, words) || strings.Contains(said, "are not kept") {
		t.Error("after Next and Back the words are gone")
	}
	pg, _ = p.visit(strings.Replace(to, "&n=1", "&n=3", 1))
	if s := text(pg.byID("main")); !strings.Contains(s, "Письмо ушло до сбоя") || !strings.Contains(s, "Time used, up to the last answer") {
		t.Errorf("the review says %s", s)
	}
}

// What does not fit is said, and is still in the field of the page that says it.
func TestOwnWordsWithoutRoom(t *testing.T) {
	p := newPerson(t, newServer(t))
	noise := func(seed uint64) string {
		var b strings.Builder
		for range 1500 {
			seed = seed*6364136223846793005 + 1442695040888963407
			b.WriteRune(rune('一' + seed>>40%20000)) // letters that no packing makes smaller
		}
		return b.String()
	}
	at := "/interview?minutes=45&since=1&plan=q10.4~5,q11.5~7,q18.5~3&n=1"
	for n, id := range []string{"q10.4", "q11.5", "q18.5"} {
		pg, _ := p.visit(at)
		v := hidden(t, pg.all(isQuiz)[0])
		v.Set("answer", noise(uint64(n+1)))
		r := p.form("/interview", v)
		said := body(t, r)
		if r.StatusCode == http.StatusSeeOther {
			at = strings.Replace(r.Header.Get("Location"), fmt.Sprintf("&n=%d", n+1), fmt.Sprintf("&n=%d", n+2), 1)
			continue
		}
		if n == 0 || !strings.Contains(said, noise(uint64(n+1))) || !strings.Contains(said, "There is no room for your own words: an address holds at most 9216 characters.") {
			t.Fatalf("%s: status %d says %.300s", id, r.StatusCode, said)
		}
		v.Set("quiz", id+":done")
		_, to := p.post("/interview", v)
		if _, said = p.visit(to); !strings.Contains(said, "Your own words to this question are not kept.") {
			t.Error("after the grade nothing says that the words are gone")
		}
		return
	}
	t.Error("three answers without any pattern fitted into one address")
}

func (p *person) form(path string, v url.Values) *http.Response {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(v.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return p.send(r)
}

// Limits are named: of an address, of an answer; and an empty field says what to do.
func TestInterviewNamesItsLimits(t *testing.T) {
	p := newPerson(t, newServer(t))
	const plan = "/interview?minutes=15&since=1&plan=q10.4~5,q22.3~8373&n="
	res := p.send(httptest.NewRequest(http.MethodGet, plan+"1&text="+strings.Repeat("%D0%B6", 2900), nil))
	if said := body(t, res); res.StatusCode != 414 || !strings.Contains(said, "This link is too long") || !strings.Contains(said, "at most 9216") || strings.Contains(said, "pasted on /run") {
		t.Errorf("status %d: %.200s", res.StatusCode, said)
	}
	for at, c := range map[string]struct{ answer, want string }{
		plan + "1": {" ", "Write at least a few words"},
		plan + "2": {"", "Write a number, for example 3."},
	} {
		pg, _ := p.visit(at)
		v := hidden(t, pg.all(isQuiz)[0])
		v.Set("answer", c.answer)
		if said := body(t, p.form("/interview", v)); !strings.Contains(said, c.want) {
			t.Errorf("%s: the page does not say %q", at, c.want)
		}
	}
	pg, _ := p.visit(plan + "1")
	v := hidden(t, pg.all(isQuiz)[0])
	v.Set("answer", strings.Repeat("ж", 3001))
	if said := body(t, p.form("/interview", v)); !strings.Contains(said, "3001 characters") || !strings.Contains(said, "at most 3000 characters") {
		t.Error("an answer that is too long is not told the limit")
	}
	for _, w := range []string{"9:AA", "1:***", "x", "1:AA"} {
		if res := p.send(httptest.NewRequest(http.MethodGet, plan+"1&w="+url.QueryEscape(w), nil)); res.StatusCode != http.StatusBadRequest {
			t.Errorf("w=%s: status %d", w, res.StatusCode)
		}
	}
}

// The review ranks by shares and says of each question what was answered, what would
// have been right, why, and what was left out.
func TestReviewExplains(t *testing.T) {
	p := newPerson(t, newServer(t))
	// q10.4: one point; q13.5: two of three; q22.3: wrong; q01.1: not answered
	pg, _ := p.visit("/interview?minutes=30&since=1&until=1261&plan=q10.4~5,q13.5~7,q22.3~8373,q01.1~7&n=5&a=1:a&a=2:a.b&a=3:900")
	said := text(pg.byID("main"))
	for _, want := range []string{
		"Time used, up to the last answer: 21 minutes of 30.",
		"Begin with lesson 1.",
		"partly, 2 of 3", "You missed: ledger in test and in production, on one cluster",
		"Yours900", "partly, 1 of 1", "8 % of 1 question",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the review does not say %q", want)
		}
	}
	if a, b := strings.Index(said, "67 % of 1 question"), strings.Index(said, "0 % of 1 question"); a < b || b < 0 {
		t.Errorf("two thirds stand before nothing: %s", said)
	}
	if !strings.Contains(said, "Lesson 22") || !strings.Contains(said, "That would be a transaction that begins with the outage.") {
		t.Errorf("the wrong number is not explained: %s", said)
	}
	if t.Failed() {
		t.Log(said)
	}
}

// Of all that apply the page says how many were found, and marks what was missed
// otherwise than what was ticked.
func TestMultiSaysWhatWasMissed(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q13.5~7&n=1&a=1:"
	for given, want := range map[string]string{"a.b": "2 of 3 found: partly.", "a.c": "1 of 3 found, and 1 chosen that is not: missed.", "a.b.d": "3 of 3 found: right."} {
		pg, said := p.visit(at + given)
		if s := text(pg.byID("main")); !strings.Contains(s, want) || strings.Contains(s, "Also right") {
			t.Errorf("%s: the page does not say %q", given, want)
		}
		if missed := strings.Count(said, "overlooked"); (missed > 0) != (given != "a.b.d") || missed > 0 && !strings.Contains(said, "You missed this one") {
			t.Errorf("%s: %d are marked as missed", given, missed)
		}
	}
	if pg, _ := p.visit(at + "a.b"); !strings.Contains(text(pg.byID("main")), "2/3") {
		t.Error("the list shows no fraction")
	}
}

// The words of an explanation lead to the glossary; before the answer nothing is listed.
func TestInterviewLinksTheGlossary(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q13.5~7&n=1"
	_, said := p.visit(at)
	if strings.Contains(said, "/glossary#") {
		t.Error("before the answer words are listed, which may tell what it is about")
	}
	_, said = p.visit(at + "&a=1:a")
	for _, id := range []string{"naming-strategy", "transactional-id"} {
		if !strings.Contains(said, "/glossary#term-"+id) {
			t.Errorf("nothing leads to %s", id)
		}
	}
	for plan, id := range map[string]string{"q19.5~3&n=1&a=1:none": "determinism", "q11.5~3&n=1&a=1:none": "handle", "q03.3~3&n=1&a=1:7": "plain-sink"} {
		if _, said = p.visit("/interview?minutes=15&since=1&plan=" + plan); !strings.Contains(said, "/glossary#term-"+id+`"`) {
			t.Errorf("%s: nothing leads to %s", plan, id)
		}
	}
	if _, said = p.visit("/interview?minutes=15&since=1&plan=q22.4~3&n=1&a=1:none"); strings.Contains(said, "/glossary#term-ledger") {
		t.Error("the ledger of an accountant leads to the ledger of a record")
	}
	if _, all := p.visit("/glossary"); !strings.Contains(all, `id="term-repartition-log"`) || !strings.Contains(all, `id="term-poll"`) {
		t.Error("the glossary lacks words")
	}
}

// The legend of a timeline explains the marks that it has, and no others.
func TestTheLegendIsOfWhatIsDrawn(t *testing.T) {
	p := newPerson(t, newServer(t))
	for _, plan := range []string{"q08.4~4126", "q14.4~9496", "q16.4~865"} {
		_, said := p.visit("/interview?minutes=15&since=1&plan=" + plan + "&n=1")
		for class, words := range map[string]string{"seal": "Tall: a checkpoint is sealed", "barrier": "Middle: barriers", "write": "Short: a row"} {
			if strings.Contains(said, `"tick `+class) != strings.Contains(said, words) {
				t.Errorf("%s: %q and the marks do not go together", plan, words)
			}
		}
	}
}
