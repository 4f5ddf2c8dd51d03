package lessons

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

// Path is a way through the course for people with a purpose or a limit of time:
// some of its lessons, in course order.
type Path struct {
	ID      string
	Title   string
	Line    string // for whom, in one sentence
	Lessons []*Lesson

	slugs []string
	place strict.Value
}

// Paths lists the ways through the course.
func (c *Catalogue) Paths() []*Path { return c.paths }

// Minutes is how long the path's lessons take; those that are coming are included.
func (p *Path) Minutes() int {
	n := 0
	for _, l := range p.Lessons {
		n += l.Minutes
	}
	return n
}

// Ready counts the lessons of the path that are there.
func (p *Path) Ready() int {
	n := 0
	for _, l := range p.Lessons {
		if !l.Coming {
			n++
		}
	}
	return n
}

func readPaths(m strict.Map) []*Path {
	var out []*Path
	seen := map[string]bool{}
	for _, v := range m.List("paths") {
		pm := v.Map("id", "title", "line", "lessons")
		p := &Path{ID: pm.NeedText("id"), Title: pm.NeedText("title"), Line: pm.NeedText("line"), slugs: pm.Texts("lessons"), place: v}
		switch {
		case p.ID != "" && !engine.IsName(p.ID):
			pm.Bad("id "+strict.Quote(p.ID), "allowed: 1 to 40 letters, digits, dots, dashes or underscores")
		case seen[p.ID]:
			pm.Bad("id "+strict.Quote(p.ID)+" occurs twice", "give each path its own")
		}
		seen[p.ID] = true
		out = append(out, p)
	}
	return out
}

// resolvePaths finds the lessons that the paths name.
func resolvePaths(paths []*Path, chapters []*Chapter) {
	course := map[string]*Lesson{}
	var all []string
	for _, ch := range chapters {
		for _, l := range ch.Lessons {
			course[l.Slug], all = l, append(all, l.Slug)
		}
	}
	for _, p := range paths {
		last := 0
		for _, slug := range p.slugs {
			l := course[slug]
			switch {
			case l == nil:
				p.place.Bad(fmt.Sprintf("path %s: no lesson %s", p.ID, strict.Quote(slug)), strict.Allowed(slug, all))
			case l.Number <= last:
				p.place.Bad(fmt.Sprintf("path %s: %s comes before the lesson in front of it", p.ID, slug), "keep the order of the course")
			default:
				last = l.Number
				p.Lessons = append(p.Lessons, l)
			}
		}
		if len(p.slugs) == 0 {
			p.place.Bad("path "+p.ID+" has no lessons", "name at least one slug")
		}
	}
}
