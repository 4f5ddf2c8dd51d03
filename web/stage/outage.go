package stage

import (
	"slices"
	"strings"

	"effectivelyonce/engine"
)

// unreadable is said beside a partition that cannot be read.
func (s *Stage) unreadable(p int) string {
	switch o := &s.view.Outages; {
	case o.Broker > 0:
		return " \u00b7 broker down"
	case o.Unreadable(p):
		return " \u00b7 unavailable"
	}
	return ""
}

// withStoreDown puts a card before the others that says that nothing can be stored;
// three cards at the most, so the oldest gives way.
func (s *Stage) withStoreDown(sh shelf) shelf {
	if s.view.Outages.Storage == 0 {
		return sh
	}
	if len(sh.Cards) > 2 {
		sh.Cards, sh.Older = sh.Cards[1:], sh.Older+1
	}
	down := shelfCard{Class: "gone", Glyph: "cross", Title: "Store is down", Words: "parts wait", Body: "What it holds can be read."}
	sh.Cards = append([]shelfCard{down}, sh.Cards...)
	return sh
}

// brokerWords adds to the notes of a topic what its broker does not do now.
func (s *Stage) brokerWords(sink int, notes []note) []note {
	word := ""
	txns := s.Job.Settings.Sinks[sink].Kind == engine.SinkTransactional
	switch o := &s.view.Outages; {
	case len(notes) == 0:
	case s.unheard(sink):
		word = " \u00b7 next answer lost"
	case !txns:
	case o.Broker > 0:
		word = " \u00b7 broker down"
	case slices.Contains(o.Late, engine.CommitMessage):
		word = " \u00b7 next commit late"
	case slices.Contains(o.Late, engine.AbortMessage):
		word = " \u00b7 next abort late"
	case o.SecondJob:
		word = " \u00b7 second job"
	}
	if n := len(notes) - 1; word != "" { // two things on one line: the first in short
		notes[n].Text = strings.Replace(notes[n].Text, "see everything", "see all", 1)
		if _, seen, cut := strings.Cut(notes[n].After, " only: "); cut {
			number, rest, _ := strings.Cut(seen, " result")
			notes[n].After = " (" + number + ")" + strings.TrimPrefix(rest, "s")
		}
	}
	switch n := len(notes) - 1; {
	case word == "":
	case notes[n].Tick:
		notes[n].After += word
	default:
		notes[n].Text += word
	}
	return notes
}

// unheard reports whether the answer to the next write of one of a sink's tasks
// will be lost.
func (s *Stage) unheard(sink int) bool {
	return slices.ContainsFunc(s.view.Outages.Unheard, func(id engine.TaskID) bool { return id >= 0 && s.Job.Plan.Tasks[id].Sink == sink })
}
