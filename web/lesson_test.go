package web_test

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/lessons"
)

// withBet finds a step of some lesson that asks for a bet.
func withBet(t *testing.T) (*lessons.Lesson, *lessons.Segment) {
	t.Helper()
	for _, l := range catalogue().Lessons() {
		for _, seg := range l.Segments {
			if seg.Bet != nil {
				return l, seg
			}
		}
	}
	t.Fatal("the content has no bet")
	return nil, nil
}

func TestABetIsAnsweredByAForm(t *testing.T) {
	s := newServer(t)
	l, seg := withBet(t)
	path := "/lessons/" + l.Slug + "?seg=" + url.QueryEscape(seg.ID)
	if seg.Crash != nil {
		path += "&scenario=" + l.Query(seg).Scenario + "&fault=" + url.QueryEscape(seg.Crash.Fault)
	}
	p := open(t, s, path)
	whys := func(p *page) (open int) {
		for _, n := range p.all(func(n *html.Node) bool { _, ok := attr(n, "data-why"); return ok }) {
			if _, hidden := attr(n, "hidden"); !hidden {
				open++
			}
		}
		return open
	}
	if n := whys(p); n != 0 {
		t.Fatalf("%d explanations are open before the bet", n)
	}
	if _, hidden := attr(p.byID("place-bet"), "hidden"); hidden {
		t.Fatal("the page's primary button does not place the bet")
	}
	p = open(t, s, formURL(t, p.byID("bet-"+seg.ID), url.Values{"bet": {seg.ID + ":a"}, "confidence": {"low"}, "reason": {"<i>because</i>"}}))
	if n := whys(p); n != len(seg.Bet.Options) {
		t.Errorf("%d of %d options are explained", n, len(seg.Bet.Options))
	}
	if _, hidden := attr(p.byID("place-bet"), "hidden"); !hidden {
		t.Error("a placed bet can be placed again")
	}
}

// The primary button alone leads from the first step of each lesson to its end.
func TestThePrimaryButtonLeadsThroughEveryLesson(t *testing.T) {
	s := newServer(t)
	for _, l := range catalogue().Lessons() {
		if l.Coming {
			continue
		}
		href := "/lessons/" + l.Slug
		seen := 0
		for ; strings.HasPrefix(href, "/lessons/"+l.Slug) && seen < 3*len(l.Segments)+8; seen++ {
			path, _, _ := strings.Cut(href, "#")
			p := open(t, s, path)
			next := p.byID("next")
			if next == nil {
				t.Fatalf("%s: no primary button", path)
			}
			href, _ = attr(next, "href")
		}
		if seen < len(l.Segments) || strings.HasPrefix(href, "/lessons/"+l.Slug) {
			t.Errorf("%s: after %d pages the button leads to %s", l.Slug, seen, href)
		}
	}
}

// What comes later in a lesson is not shown before.
func TestLaterStepsAreHidden(t *testing.T) {
	s := newServer(t)
	l := firstLesson(t)
	p := open(t, s, "/lessons/"+l.Slug+"?seg="+url.QueryEscape(l.Segments[1].ID))
	for i, seg := range l.Segments {
		if _, hidden := attr(p.byID("step-"+seg.ID), "hidden"); hidden != (i > 1) {
			t.Errorf("step %d hidden: %v", i+1, hidden)
		}
	}
}

func TestQuestionsAreExplainedWhateverIsAnswered(t *testing.T) {
	s := newServer(t)
	for _, l := range catalogue().Lessons() {
		for _, q := range l.Quiz {
			if len(q.Options) == 0 || q.Kind != "single" {
				continue
			}
			p := open(t, s, "/lessons/"+l.Slug+"?seg=quiz&quiz="+url.QueryEscape(q.ID+":"+q.Options[0].ID))
			said := text(p.byID("quiz-" + q.ID))
			if !strings.Contains(said, "Your answer") && !strings.Contains(said, "Correct") {
				t.Errorf("%s: %s", q.ID, said)
			}
		}
	}
}

// An answer in one's own words may have lines; it comes back as it was written.
func TestAnAnswerOfSeveralLinesIsTaken(t *testing.T) {
	s := newServer(t)
	const q = "/lessons/two-phase-commit?seg=quiz&quiz=q11.5:compare&answer="
	r := get(t, s, q+"first+a+promise%0D%0A%0D%0Athen+a+decision")
	if b := body(t, r); r.StatusCode != 200 || !strings.Contains(strings.ReplaceAll(b, "\r", ""), "first a promise\n\nthen a decision</textarea>") || !strings.Contains(b, "Model answer") {
		t.Errorf("status %d, and the answer did not come back", r.StatusCode)
	}
	if r := get(t, s, q+"a%00b"); r.StatusCode != 400 {
		t.Errorf("a control character: status %d", r.StatusCode)
	}
}

// A step never opens behind the moment at which it stops: its crash and its bet
// would be behind the learner, and be passed over.
func TestStepsOpenBeforeTheyStop(t *testing.T) {
	s := newServer(t)
	span := regexp.MustCompile(`data-segment="([^"]*)"[^>]*data-start-event="(\d+)"[^>]*data-until-event="(\d+)"`)
	for _, l := range catalogue().Lessons() {
		for _, m := range span.FindAllStringSubmatch(body(t, get(t, s, "/lessons/"+l.Slug)), -1) {
			start, _ := strconv.Atoi(m[2])
			if until, _ := strconv.Atoi(m[3]); start > until {
				t.Errorf("%s: step %s opens at event %d and stops at %d", l.Slug, m[1], start, until)
			}
		}
	}
}
