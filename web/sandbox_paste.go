package web

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
)

// handleSandboxPaste takes own records for the job in the form and sends the
// browser on to a URL that holds them, or their hash.
func (s *Server) handleSandboxPaste(c echo.Context) error {
	form, err := readPaste(c.Request())
	if err != nil {
		return err
	}
	v, err := url.ParseQuery(c.Request().PostFormValue("query"))
	if err != nil {
		return bad("query", "what is not a query", "the query of the page")
	}
	p, err := readParams(v)
	if err != nil {
		return err
	}
	setup, err := s.catalogue.Setup(p.Query)
	if err != nil {
		return problemOf(err)
	}
	refused := func(why string) error {
		page, err := s.newSandbox(c, p)
		if err != nil {
			return err
		}
		page.Pasted, page.BadPaste = form.records, why
		return s.render(c, http.StatusBadRequest, sandbox(page))
	}
	words := setup.Scenario.Input.Words
	if in := s.catalogue.Input(setup.Input); in != nil {
		words = in.Words
	}
	if _, err := lessons.ParseInput("records", strings.NewReader(form.records), words); err != nil {
		return refused(err.Error())
	}
	if p.Query.Input, err = s.name(c.Request().Context(), []byte(form.records)); err != nil {
		return refused(err.Error())
	}
	return c.Redirect(http.StatusSeeOther, string(sandboxURL(p.Query)))
}
