package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"effectivelyonce/lessons"
)

// glossaryPage lists the words of the course.
type glossaryPage struct {
	chrome
	Terms []*lessons.Term
}

func (s *Server) hasGlossary() bool { return len(s.catalogue.Terms()) > 0 }

func (s *Server) handleGlossary(c echo.Context) error {
	if !s.hasGlossary() {
		return s.noPage("/glossary")
	}
	p := &glossaryPage{chrome: s.chrome("Glossary · Effectively Once", "glossary"), Terms: s.catalogue.Terms()}
	p.Crumbs = []crumb{{Text: "Lessons", Href: "/"}, {Text: "Glossary"}}
	return s.render(c, http.StatusOK, glossary(p))
}
