package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// row is one line of what just happened.
type row struct {
	N     string
	Href  string
	Group string
	Task  string // "t3": its number in the plan; empty: no task's
	Glyph string
	Actor string
	Rest  string
}

func (s *Stage) row(e *engine.Event) row {
	g := trace.GlyphOf(s.tr, e)
	r := row{N: num(e.N), Group: g.Group, Glyph: g.Name, Href: "#" + num(e.N)}
	r.Actor, r.Rest = trace.Phrase(s.tr, e)
	if e.Task >= 0 && int(e.Task) < len(s.Job.Plan.Tasks) {
		r.Task = "t" + itoa(int(e.Task))
	}
	if s.opt.Href != nil {
		r.Href = s.opt.Href(int(e.N))
	}
	return r
}

// rows are the last events, newest first.
func (s *Stage) rows(limit int) []row {
	var out []row
	for i := len(s.events) - 1; i >= 0 && len(out) < limit; i-- {
		out = append(out, s.row(&s.events[i]))
	}
	return out
}
