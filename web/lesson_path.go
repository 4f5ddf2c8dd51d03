package web

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// Who takes a path through the course carries it in the address, path=ID: it stays
// in every link and form of a lesson, and the end of the lesson leads on along it.
// The server remembers nothing, so it works without scripts, and a copied link
// takes a colleague along.

// onPath finds the path that the URL names, nil when it names none. The lesson has
// to be on it: there would be nothing to go on to.
func (s *Server) onPath(l *lessons.Lesson, id string) (*lessons.Path, error) {
	if id == "" {
		return nil, nil
	}
	var ids []string
	for _, way := range s.catalogue.Paths() {
		if !slices.Contains(way.Lessons, l) {
			continue
		}
		if way.ID == id {
			return way, nil
		}
		ids = append(ids, way.ID)
	}
	p := &Problem{Status: 404, Param: "path", Found: id, Allowed: strings.Join(ids, ", "), Nearest: engine.Nearest(id, ids), Without: "/lessons/" + l.Slug,
		Msg: fmt.Sprintf("Lesson %d is on no path %q.", l.Number, id)}
	if len(ids) == 0 {
		p.Allowed = "no path: this lesson is on none"
	}
	return nil, p
}

// to is the URL of this lesson with a query of its own; the path stays.
func (p *lessonPage) to(query string) string {
	if p.Way != nil {
		query = "path=" + escape(p.Way.ID) + "&" + query
	}
	return "/lessons/" + p.Lesson.Slug + "?" + query
}

// course is where a reader goes back to: the course, or the path on its page.
func (p *lessonPage) course() string {
	if p.Way != nil {
		return "/#path-" + escape(p.Way.ID)
	}
	return "/"
}

// along says how far the path has come; "" without one.
func (p *lessonPage) along() string {
	if p.Way == nil {
		return ""
	}
	return fmt.Sprintf("%s, %d of %d", p.Way.Title, 1+slices.Index(p.Way.Lessons, p.Lesson), len(p.Way.Lessons))
}

// pathNext is the lesson that comes next on the path and is there, nil at its end.
func (p *lessonPage) pathNext() *lessons.Lesson {
	for _, l := range p.Way.Lessons[1+slices.Index(p.Way.Lessons, p.Lesson):] {
		if !l.Coming {
			return l
		}
	}
	return nil
}

// pathLink is the URL of a lesson of a path, at its beginning.
func pathLink(way *lessons.Path, l *lessons.Lesson) string {
	return "/lessons/" + l.Slug + "?path=" + escape(way.ID)
}

// pathChoices are the ways on from a lesson's end for who is on a path: its next
// lesson first, then what the lesson offers besides other lessons.
func (p *lessonPage) pathChoices() []crumb {
	next := p.pathNext()
	first := crumb{Text: "The path ends here: back to the course", Href: p.course()}
	if next != nil {
		first = crumb{Text: fmt.Sprintf("Lesson %d: %s", next.Number, next.Title), Href: pathLink(p.Way, next)}
	}
	out := []crumb{first}
	for _, c := range p.Lesson.Choices {
		switch {
		case strings.HasPrefix(c.To, "/"):
			out = append(out, crumb{Text: c.Label, Href: c.To})
		case next != nil && c.To == next.Slug: // the lesson has words of its own for it
			out[0].Text = c.Label
		}
	}
	if next == nil {
		return out
	}
	return append(out, crumb{Text: "Back to the course", Href: p.course()})
}
