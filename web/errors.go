package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
)

// errorPage is a refusal, or our own mistake, as a page.
type errorPage struct {
	chrome
	*Problem
	Where   string // "in the part fault="
	Retry   string // URL: the request again
	Details string // for a report to us
}

// fail answers a request that a handler could not: as a page, as plain words for
// a fragment, as JSON for scripts.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed || errors.Is(err, context.Canceled) {
		return
	}
	p := s.asProblem(err, c)
	if p.Status == http.StatusServiceUnavailable {
		c.Response().Header().Set("Retry-After", "2")
	}
	path := c.Request().URL.Path
	var out error
	switch {
	case strings.HasPrefix(path, "/api/") || path == "/window" || path == "/twin/clock":
		out = sendJSON(c, p.Status, map[string]any{"error": map[string]string{"param": p.Param, "found": p.Found,
			"allowed": p.Allowed, "nearest": p.Nearest, "message": p.Error()}})
	case isFragment(c.Request()):
		out = c.String(p.Status, p.Error())
	default:
		out = s.render(c, p.Status, errorView(s.errorPage(c, p)))
	}
	if out != nil {
		s.log.Error("error page", "err", out)
	}
}

// asProblem turns whatever a handler or the router says into a Problem.
func (s *Server) asProblem(err error, c echo.Context) *Problem {
	var he *echo.HTTPError
	if errors.As(err, &he) {
		switch he.Code {
		case http.StatusNotFound:
			return s.noPage(c.Request().URL.Path)
		case http.StatusMethodNotAllowed:
			return &Problem{Status: he.Code, Param: "method", Found: c.Request().Method, Allowed: "GET"}
		}
		return &Problem{Status: he.Code, Msg: fmt.Sprint(he.Message)}
	}
	p := problemOf(err)
	if p.Status >= 500 && p.Status != http.StatusServiceUnavailable && p.Mistake == "" {
		q := ourMistake(strconv.FormatInt(s.mistakes.Add(1), 10))
		s.log.Error("failed", "mistake", q.Mistake, "uri", c.Request().URL.RequestURI(), "err", err)
		return q
	}
	return p
}

// noPage names the nearest page that exists.
func (s *Server) noPage(path string) *Problem {
	pages := []string{"/", "/run", "/sandbox", "/twin", "/matrix", "/incidents", "/interval", "/progress"}
	if s.hasGlossary() {
		pages = append(pages, "/glossary")
	}
	for _, l := range s.catalogue.Lessons() {
		if !l.Coming {
			pages = append(pages, "/lessons/"+l.Slug)
		}
	}
	for _, in := range s.catalogue.Incidents() {
		pages = append(pages, "/incidents/"+in.Slug)
	}
	if len(path) > 200 {
		path = path[:200]
	}
	p := &Problem{Status: http.StatusNotFound, Param: "page", Found: path, Nearest: engine.Nearest(path, pages), Without: "/"}
	if p.Nearest != "" {
		p.Without = p.Nearest
	}
	return p
}

func (s *Server) errorPage(c echo.Context, p *Problem) *errorPage {
	e := &errorPage{chrome: s.chrome(p.Title()+" · Effectively Once", "error"), Problem: p}
	e.Embed = c.QueryParam("embed") == "1"
	e.Retry = retryURL(c.Request().URL)
	if p.Without == "" && p.Status < 500 {
		q := *p
		if q.Without = withoutPart(c.Request().URL, p); len(p.Pair) > 0 {
			q.Without = withNearest(c.Request().URL, p.Nearest)
		}
		e.Problem = &q
	}
	if p.Mistake != "" {
		e.Details = fmt.Sprintf("mistake %s at %s", p.Mistake, clipped(c.Request().URL.RequestURI(), 300))
	}
	return e
}

func retryURL(u *url.URL) string { return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String() }

// withoutPart is the request without the part that was not understood: the value
// itself where it is one of several, else the whole parameter. When the scenario
// is the part, only the page stays.
func withoutPart(u *url.URL, p *Problem) string {
	v, err := url.ParseQuery(u.RawQuery)
	name := strings.TrimSuffix(strings.TrimPrefix(strings.Fields(p.Param + " ")[0], "parameter"), ":")
	if strings.HasPrefix(p.Param, "parameter ") {
		name = p.Found
	}
	if err != nil || name == "scenario" || !v.Has(name) {
		return u.Path
	}
	values := v[name]
	left := slices.DeleteFunc(slices.Clone(values), func(x string) bool { return x == p.Found })
	if len(left) == len(values) {
		left = nil
	}
	if v[name] = left; len(left) == 0 {
		v.Del(name)
	}
	return again(u.Path, v)
}

// withNearest is the request with one setting changed, which is what a refused
// pair of settings suggests. Faults stay: where they do not fit the next page says
// so.
func withNearest(u *url.URL, setting string) string {
	v, err := url.ParseQuery(u.RawQuery)
	key, value, ok := strings.Cut(setting, "=")
	if err != nil || !ok {
		return u.Path
	}
	set, _ := settings(v)
	v["set"] = slices.DeleteFunc(set, func(x string) bool { return strings.HasPrefix(x, key+"=") })
	v.Add("set", key+"="+value)
	return again(u.Path, v)
}

// again writes a query in the usual order.
func again(path string, v url.Values) string {
	var w links
	for _, k := range []string{"seg", "scenario", "set", "seed", "fault", "input", "at", "embed", "projector"} {
		for _, x := range v[k] {
			w.add(k, x)
		}
	}
	if w.Len() == 0 {
		return path
	}
	return path + "?" + w.String()
}

// clipped shortens what a stranger sent, on a boundary of runes.
func clipped(s string, n int) string {
	if len(s) <= n {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}

// way is what the button says that leads on.
func (p *errorPage) way() string {
	switch {
	case p.Status == http.StatusNotFound && p.Nearest != "":
		return "Go to " + p.Nearest
	case p.Status == http.StatusGone:
		return "The scenario with its own records"
	case len(p.Pair) > 0:
		return "Use " + p.Nearest
	}
	return "Open it without that part"
}

// lead is the sentence under the headline: what the list below does not say.
func (p *errorPage) lead() string {
	switch {
	case p.Msg == "" || p.Allowed != "" && strings.Contains(p.Msg, p.Allowed):
		return fmt.Sprintf("The part %s holds something that it cannot mean.", clipped(p.Param, 60))
	}
	return clipped(p.Msg, 600)
}
