package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"effectivelyonce/lessons"
)

// end is the address of a lesson's last step, on the path that the link names.
func end(t *testing.T, link string) (slug, path, query string) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil || !strings.HasPrefix(u.Path, "/lessons/") {
		t.Fatalf("%q is no lesson (%v)", link, err)
	}
	q := u.Query()
	q.Set("seg", "end")
	return strings.TrimPrefix(u.Path, "/lessons/"), u.Path + "?" + q.Encode(), q.Get("path")
}

// From the front page on, the last button of each lesson of a path leads to the
// path's next lesson, and in the end back to the path. No script runs here.
func TestAPathLeadsFromLessonToLesson(t *testing.T) {
	s := newServer(t)
	front := open(t, s, "/")
	if len(catalogue().Paths()) == 0 {
		t.Fatal("the content has no path")
	}
	for _, way := range catalogue().Paths() {
		var links []string
		for n := range front.byID("path-" + way.ID).Descendants() {
			if href, ok := attr(n, "href"); ok {
				links = append(links, href)
			}
		}
		if len(links) != len(way.Lessons) {
			t.Fatalf("path %s: %d links for %d lessons", way.ID, len(links), len(way.Lessons))
		}
		href := links[0]
		for _, l := range way.Lessons {
			slug, last, on := end(t, href)
			if slug != l.Slug || on != way.ID {
				t.Fatalf("path %s leads to %s, want %s", way.ID, href, l.Slug)
			}
			href, _ = attr(open(t, s, last).byID("next"), "href")
		}
		if href != "/#path-"+way.ID {
			t.Errorf("path %s ends at %q", way.ID, href)
		}
	}
}

// Whatever a reader on a path presses in a lesson, the path is still in the address.
func TestEveryButtonOfALessonKeepsThePath(t *testing.T) {
	s := newServer(t)
	way := catalogue().Paths()[0]
	on := "path=" + way.ID
	for _, l := range way.Lessons {
		for _, seg := range []string{l.Segments[0].ID, "level", "quiz", "end"} {
			if seg == "level" && l.Level == nil {
				continue
			}
			keeps(t, open(t, s, "/lessons/"+l.Slug+"?"+on+"&seg="+seg), l, on)
		}
		crashed := "/lessons/" + l.Slug + "?" + on + "&scenario=" + l.Scenario + "&fault=crash-job@9&at=10&card="
		keeps(t, open(t, s, crashed+"predict"), l, on)
		keeps(t, open(t, s, crashed+"reveal"), l, on)
	}
}

// keeps reports what of a page leads to its own lesson and leaves the path.
func keeps(t *testing.T, p *page, l *lessons.Lesson, on string) {
	t.Helper()
	own := "/lessons/" + l.Slug
	for n := range p.root.Descendants() {
		for _, name := range []string{"href", "data-href"} {
			if to, ok := attr(n, name); ok && strings.HasPrefix(to, own+"?") && !strings.Contains(to, on) {
				t.Errorf("%s: %s leaves the path", l.Slug, to)
			}
		}
		if id, _ := attr(n, "id"); strings.HasPrefix(id, "bet-") && formURL(t, n, nil) == own+"?" {
			continue // of a step that is not open: only a script sends it, and stays on the page
		}
		if action, _ := attr(n, "action"); n.Data == "form" && strings.HasPrefix(action, own) && !strings.Contains(formURL(t, n, nil), on) {
			t.Errorf("%s: a form leaves the path: %s", l.Slug, formURL(t, n, nil))
		}
	}
}

// A bet that a form gives comes back on the path.
func TestABetStaysOnThePath(t *testing.T) {
	s := newServer(t)
	way := catalogue().Paths()[0]
	for _, l := range way.Lessons {
		for _, seg := range l.Segments {
			if seg.Bet == nil {
				continue
			}
			form := url.Values{"path": {way.ID}, "seg": {seg.ID}, "bet": {seg.ID + ":a"}}
			r := httptest.NewRequest(http.MethodPost, "/lessons/"+l.Slug, strings.NewReader(form.Encode()))
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || !strings.Contains(to, "path="+way.ID) {
				t.Errorf("%s: status %d, on to %q", l.Slug, w.Code, to)
			}
			return
		}
	}
	t.Fatal("no lesson of the path asks for a bet")
}
