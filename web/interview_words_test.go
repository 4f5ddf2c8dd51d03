package web_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"effectivelyonce/quizzes"
	"effectivelyonce/web"
)

// offered are the events that a page narrows its question to.
func offered(t *testing.T, pg *page) []int {
	t.Helper()
	var out []int
	for _, ol := range pg.all(func(n *html.Node) bool { c, _ := attr(n, "class"); return c == "line-offers" }) {
		for _, li := range (&page{ol}).all(func(n *html.Node) bool { return n.Data == "li" }) {
			v, _ := attr(li, "value")
			n, err := strconv.Atoi(v)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, n)
		}
	}
	return out
}

// No question about an event or a moment is hopeless for who guesses: where the
// right ones are rare the page names a few events, right ones among them, and says
// after the answer what the chosen one was.
func TestRareEventsAreNarrowed(t *testing.T) {
	p := newPerson(t, newServer(t))
	narrowed := 0
	for _, l := range catalogue().Lessons() {
		for _, q := range l.Quiz {
			if q.Kind != quizzes.PickOne && q.Kind != quizzes.PickEvt {
				continue
			}
			for seed := 2; seed < 4; seed++ {
				at := fmt.Sprintf("/interview?minutes=15&since=1&plan=%s~%d&n=1", q.ID, seed)
				d := seeds(t, at)[0].Derived
				pg, _ := p.visit(at)
				list := offered(t, pg)
				if list == nil && float64(len(d.Set)) < 0.08*float64(d.Last) {
					t.Errorf("%s, seed %d: %d of %d events are right, and nothing narrows them", q.ID, seed, len(d.Set), d.Last)
				}
				if list == nil {
					continue
				}
				narrowed++
				right := 0
				for _, n := range list {
					if slices.Contains(d.Set, n) {
						right++
					}
				}
				if right < 1 || right > 2 || len(list) < 7 || len(list) > 9 || !slices.IsSorted(list) || list[len(list)-1] < d.Last/4 {
					t.Errorf("%s, seed %d: of %v %d are right", q.ID, seed, list, right)
				}
				if _, said := p.visit(at + fmt.Sprintf("&a=1:%d", wrongEvent(list, d.Set))); !strings.Contains(said, "You chose "+place(q.Kind)) || !strings.Contains(said, "Right would be "+place(q.Kind)) {
					t.Errorf("%s, seed %d: the page does not say what was chosen", q.ID, seed)
				}
			}
		}
	}
	if narrowed < 4 {
		t.Errorf("%d questions are narrowed", narrowed)
	}
}

func place(k quizzes.Kind) string {
	if k == quizzes.PickOne {
		return "the moment after event "
	}
	return "event "
}

func wrongEvent(list, right []int) int {
	for _, n := range list {
		if !slices.Contains(right, n) {
			return n
		}
	}
	return 0
}

// Before the answer neither the list nor the job tells the theme: no title of a
// lesson, no story. What came before a drawn crash can be read in words.
func TestInterviewGivesNoHints(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q16.4~865,q14.4~9496,q08.4~4126,q11.5~3&n="
	for n := 1; n <= 4; n++ {
		pg, _ := p.visit(at + strconv.Itoa(n))
		said := text(pg.byID("main"))
		for _, q := range seeds(t, at) {
			_, l := catalogue().Question(q.ID)
			if strings.Contains(said, l.Title) {
				t.Errorf("question %d: the page says %q", n, l.Title)
			}
			if sc := catalogue().Scenario(q.Asks.Scenario); sc != nil && strings.Contains(said, sc.Story) {
				t.Errorf("question %d: the page tells the story %q", n, sc.Story)
			}
		}
	}
	pg, said := p.visit(at + "3")
	if !strings.Contains(said, "checkpoint.unaligned on") || !strings.Contains(said, "All 219 events up to the crash, in words") {
		t.Errorf("the page does not say what runs and what came before the crash")
	}
	for _, li := range pg.all(func(n *html.Node) bool { return n.Data == "li" }) {
		if strings.Contains(text(li), "put") && strings.Contains(text(li), "back into its queue") {
			t.Errorf("the page tells what comes after the crash: %s", text(li))
		}
	}
	_, l := catalogue().Question("q16.4")
	if pg, _ = p.visit(at + "1&a=1:0"); !strings.Contains(text(pg.byID("main")), l.Title) {
		t.Error("after the answer the list does not name the lesson")
	}
}

// An answer that could not be saved says so in the room as well. Its form sends it
// again under the same ticket, and it is kept once.
func TestInterviewSavesAgain(t *testing.T) {
	store := newStore(t)
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := newPerson(t, newServer(t, withStore(store), func(c *web.Config) { c.Now = func() time.Time { return now } }))
	pg, _ := p.visit("/interview?minutes=15&since=1&plan=q01.1~3,q04.1~3&n=1")
	v := hidden(t, pg.all(isQuiz)[0])
	v.Set("quiz", "q01.1:b")
	store.ill.Store(true)
	_, to := p.post("/interview", v)
	pg, said := p.visit(to)
	if !strings.Contains(said, "This answer could not be saved") || !strings.Contains(said, "Save again") {
		t.Errorf("at %s nothing says that the answer was not saved", to)
	}
	again := hidden(t, pg.all(isQuiz)[0])
	again.Set("quiz", "q01.1:b")
	store.ill.Store(false)
	for range 2 {
		if _, to = p.post("/interview", again); strings.Contains(to, "unsaved") {
			t.Errorf("sent again it leads to %s", to)
		}
	}
	if v.Get("ticket") == "" || again.Get("ticket") != v.Get("ticket") || len(p.history(store).Answers) != 1 {
		t.Errorf("ticket %q, then %q; kept %+v", v.Get("ticket"), again.Get("ticket"), p.history(store).Answers)
	}
}

// A wrong order is told which step is the first in another's place, by the right
// order that it follows longest.
func TestAWrongOrderNamesTheStep(t *testing.T) {
	p := newPerson(t, newServer(t))
	for given, want := range map[string]string{
		"a.b.e.c.d": "Place 3: you had “The commit log gets its entry”. There belongs “The state version is stored”.",
		"a.b.d.e.c": "Place 4: you had “The commit log gets its entry”. There belongs “The state version is stored”.",
		"e.a.b.c.d": "Place 1: you had “The commit log gets its entry”. There belongs “The range is written into the offset log”.",
	} {
		if pg, _ := p.visit("/interview?minutes=15&since=1&plan=q04.1~3&n=1&a=1:" + given); !strings.Contains(text(pg.byID("main")), want) {
			t.Errorf("%s: the page does not say %q", given, want)
		}
	}
}

// Half an hour about a chapter with few questions says how many minutes they fill.
func TestInterviewSaysThatAChapterIsShort(t *testing.T) {
	p := newPerson(t, newServer(t))
	if _, said := p.visit(p.begin("minutes=30&focus=3")); !strings.Contains(said, "This chapter has no more: about 1") {
		t.Error("30 minutes about chapter 3: nothing says that it has no more")
	}
	if _, said := p.visit(p.begin("minutes=30&focus=all")); strings.Contains(said, "This chapter has no more") {
		t.Error("30 minutes about everything are said to be short")
	}
}

// The clock says without scripts when it ends; a script counts down from the same
// number. When the time is over it says that.
func TestInterviewClock(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p := newPerson(t, newServer(t, func(c *web.Config) { c.Now = func() time.Time { return now } }))
	at := fmt.Sprintf("/interview?minutes=15&timer=1&since=%d&plan=q01.1~3&n=1", now.Unix())
	_, said := p.visit(at)
	for _, want := range []string{"Ends at 12:15 UTC. <span data-left>15 minutes left when this page was drawn.</span>", fmt.Sprintf(`role="timer" data-ends="%d"`, now.Unix()+15*60)} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	now = now.Add(300 * time.Millisecond) // the door takes its time: no minute is gone by it
	if _, said = p.visit(at); !strings.Contains(said, "15 minutes left when") {
		t.Error("at once a minute is gone")
	}
	now = now.Add(15 * time.Minute)
	if _, said = p.visit(at); !strings.Contains(said, "The time is over.") {
		t.Error("after 15 minutes the time is not over")
	}
}
