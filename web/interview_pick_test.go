package web_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"effectivelyonce/web"
)

// No question is forced: of many interviews none is in more than about half, and no
// two questions of a lesson follow each other.
func TestNoQuestionComesInEveryInterview(t *testing.T) {
	const draws = 40
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	seen := map[string]int{}
	for range draws {
		now = now.Add(time.Minute + 7*time.Nanosecond)
		at := now
		p := newPerson(t, newServer(t, func(c *web.Config) { c.Now = func() time.Time { return at } }))
		u, err := url.Parse(p.begin("minutes=30&focus=all"))
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for part := range strings.SplitSeq(u.Query().Get("plan"), ",") {
			id, _, _ := strings.Cut(part, "~")
			_, l := catalogue().Question(id)
			if l.Slug == last {
				t.Errorf("%s follows another one of %s", id, l.Slug)
			}
			last = l.Slug
			seen[id]++
		}
	}
	for id, n := range seen {
		if n > draws*6/10 {
			t.Errorf("%s is in %d of %d interviews", id, n, draws)
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d interviews ask %d different questions", draws, len(seen))
	}
}

// What proves an answer opens in front of the right event, and with the crash that
// a moment is about. A wrong answer is told a right one that the page has listed.
func TestTheProofHoldsTheCrash(t *testing.T) {
	p := newPerson(t, newServer(t))
	for id, want := range map[string]string{"q11.3": "fault=crash-job@", "q16.4": "fault=crash:sink/0@", "q05.3": "&amp;at=", "q14.4": "&amp;at=", "q19.6": "fault=crash-node:node/0@"} {
		answer := "1"
		if id == "q14.4" {
			answer = "a"
		}
		at := "/interview?minutes=15&since=1&plan=" + id + "~8471&n=1"
		before, _ := p.visit(at)
		list := offered(t, before)
		_, said := p.visit(at + "&a=1:" + answer)
		if i := strings.Index(said, "/run?"); i < 0 || !strings.Contains(said, want) || !strings.Contains(said, "&amp;at=") {
			t.Errorf("%s: no run with %s and at=", id, want)
		}
		_, right, named := strings.Cut(strings.ReplaceAll(said, "be the moment after event", "be event"), "Right would be event ")
		for _, n := range list {
			if strings.HasPrefix(right, strconv.Itoa(n)+":") {
				named = false
			}
		}
		if list != nil && named {
			t.Errorf("%s: the right event it names is not listed: %.60s", id, right)
		}
	}
}
