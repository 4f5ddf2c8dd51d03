package web

import (
	"bytes"
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
)

// chrome is what surrounds every page: the head, the bar at the top, the scripts.
type chrome struct {
	Title     string // of the window
	Page      string // body[data-page]
	Nav       string // path of the current entry of the bar; "" with crumbs
	Crumbs    []crumb
	Run       bool      // the page shows a run: it is painted when it is all there, so that nothing moves
	Share     bool      // the page shows a moment that can be shared
	Keys      []keyHelp // single keys of a page that shows no run of its own; nil: none
	Projector bool
	Embed     bool
	Skips     []crumb // skip links
	Meta      *meta   // what link previews say; nil: what they say of the site
	Refresh   string  // without scripts: the page that is complete; "" is this one
	Trouble   ContentTrouble
	assets    func(string) string
}

type crumb struct{ Text, Href string }

// mainEntries are the places that every page leads to.
func mainEntries() []crumb {
	return []crumb{{"Lessons", "/"}, {"Run", "/run"}, {"Crash map", "/map"}, {"Sandbox", "/sandbox"}, {"Guarantees", "/matrix"},
		{"Interview", "/interview"}, {"Incidents", "/incidents"}, {"Live", "/live"}}
}

func (s *Server) chrome(title, page string) chrome {
	return chrome{Title: title, Page: page, Trouble: s.mending(), assets: s.assets.URL}
}

// shownProblems is how many problems of the content a page lists; the log has all.
const shownProblems = 5

func (t *ContentTrouble) some() []lessons.Problem {
	return t.Problems[:min(len(t.Problems), shownProblems)]
}

func (c *chrome) asset(name string) string { return c.assets(name) }

// render draws a component into memory first, so that a failure becomes an error
// page and never half a page.
func (s *Server) render(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}

// markup draws a component to a string; used for parts whose text is kept.
func markup(ctx context.Context, part templ.Component) (string, error) {
	var b bytes.Buffer
	err := part.Render(ctx, &b)
	return b.String(), err
}

// isFragment reports whether the request is for a part of a page, whose errors
// must be parts of pages too.
func isFragment(r *http.Request) bool {
	return len(r.URL.Path) > 6 && r.URL.Path[:6] == "/card/"
}
