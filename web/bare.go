package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
)

// barePage is /run: the stage without a lesson.
type barePage struct {
	*runPage
	Scenario *lessons.Scenario
	Choose   []*lessons.Scenario
	Differs  [][2]string // settings that are not the base values
	Paste    pasteView
	Step     string
}

// choosePage is /run without a scenario.
type choosePage struct {
	chrome
	Choose []*lessons.Scenario
	Paste  pasteView
}

// pasteView is the box for own records.
type pasteView struct {
	Scenario string
	Choose   []*lessons.Scenario // nil: the scenario is fixed
	Text     string
	Problem  string
}

func (s *Server) scenarios() []*lessons.Scenario {
	var out []*lessons.Scenario
	for _, id := range s.catalogue.ScenarioIDs() {
		out = append(out, s.catalogue.Scenario(id))
	}
	return out
}

func (s *Server) handleRun(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	if p.Scenario == "" {
		if p.hasRun() {
			return &Problem{Status: 400, Param: "scenario", Allowed: listed(s.catalogue.ScenarioIDs()), Msg: "A run needs a scenario, and this link names none."}
		}
		return s.chooser(c, http.StatusOK, pasteView{})
	}
	page := &barePage{Scenario: s.catalogue.Scenario(p.Scenario), Choose: s.scenarios()}
	if page.runPage, err = s.newRunPage(c, p, p.Query, 0); err != nil {
		return err
	}
	if p.FromForm {
		return c.Redirect(http.StatusSeeOther, string(page.href(page.At)))
	}
	page.chrome = s.chrome(page.Scenario.Title+" · Effectively Once", "run")
	page.Crumbs = []crumb{{Text: "Run", Href: "/run"}, {Text: page.Scenario.Title}}
	page.Share, page.Projector, page.Embed = !p.Embed, p.Projector, p.Embed
	page.chrome.Run, page.Heading = true, page.Scenario.Title
	page.Differs = lessons.Differences(page.Run.Job)
	page.Paste = pasteView{Scenario: p.Scenario}
	page.Skips = runSkips()
	page.Meta = s.metaOf(c, page.runPage, page.Scenario.Title)
	return s.render(c, http.StatusOK, bare(page))
}

func (s *Server) chooser(c echo.Context, status int, paste pasteView) error {
	page := &choosePage{chrome: s.chrome("Run any scenario · Effectively Once", "choose"), Choose: s.scenarios(), Paste: paste}
	page.Nav = "/run"
	page.Paste.Choose = page.Choose
	return s.render(c, status, chooseScenario(page))
}

// handlePaste takes own records and sends the browser on to a URL that holds
// them, or their hash.
func (s *Server) handlePaste(c echo.Context) error {
	form, err := readPaste(c.Request())
	if err != nil {
		return err
	}
	paste := pasteView{Scenario: form.scenario, Text: form.records}
	sc := s.catalogue.Scenario(form.scenario)
	if sc == nil {
		_, _, err := s.catalogue.Compile(lessons.Query{Scenario: form.scenario})
		return problemOf(err)
	}
	if _, err := lessons.ParseInput("records", strings.NewReader(form.records), sc.Input.Words); err != nil {
		paste.Problem = err.Error()
		return s.chooser(c, http.StatusBadRequest, paste)
	}
	name, err := s.name(c.Request().Context(), []byte(form.records))
	if err != nil {
		paste.Problem = err.Error()
		return s.chooser(c, http.StatusBadRequest, paste)
	}
	return c.Redirect(http.StatusSeeOther, "/run?"+queryOf(lessons.Query{Scenario: form.scenario, Input: name}))
}

type pasteForm struct{ scenario, records string }

// readPaste reads the form within the bounds of a request.
func readPaste(r *http.Request) (pasteForm, error) {
	var f pasteForm
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" && kind != "application/x-www-form-urlencoded" {
		return f, &Problem{Status: http.StatusUnsupportedMediaType, Param: "Content-Type", Found: r.Header.Get("Content-Type"), Allowed: "multipart/form-data, application/x-www-form-urlencoded"}
	}
	err = r.ParseMultipartForm(maxForm)
	if errors.Is(err, http.ErrNotMultipart) {
		err = r.ParseForm()
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return f, &Problem{Status: http.StatusRequestEntityTooLarge, Param: "records", Found: "more than 64 KiB", Allowed: "at most 64 KiB and 500 records"}
	case err != nil && !errors.Is(err, io.EOF):
		return f, &Problem{Status: 400, Param: "form", Msg: "The form could not be read: " + err.Error() + "."}
	}
	f.scenario, f.records = r.PostFormValue("scenario"), strings.ReplaceAll(r.PostFormValue("records"), "\r\n", "\n")
	if len(f.records) > maxBody {
		return f, &Problem{Status: http.StatusRequestEntityTooLarge, Param: "records", Found: "more than 64 KiB", Allowed: "at most 64 KiB and 500 records"}
	}
	if why := unclean(f.scenario); why != "" {
		return f, bad("scenario", clipped(f.scenario, 60), "the id of a scenario")
	}
	return f, nil
}
