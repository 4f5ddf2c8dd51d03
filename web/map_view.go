package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
	"effectivelyonce/web/stage"
)

// mapChoosePage is /map without a scenario.
type mapChoosePage struct {
	chrome
	Choose []*lessons.Scenario
}

func (s *Server) chooseMap(c echo.Context) error {
	page := &mapChoosePage{chrome: s.chrome("Crash map · Effectively Once", "choose"), Choose: s.scenarios()}
	page.Nav = "/map"
	return s.render(c, http.StatusOK, chooseMapPage(page))
}

// lead is the line under the headline.
func (m *crashMap) lead() string {
	_, of := m.coverage()
	out := "Each cell is one complete run: that task crashed at that moment. "
	if m.blow() != "crash" {
		out = "Each cell is one complete run: the fault of its row strikes at that moment. "
	}
	if crashes := len(m.Query.Faults); crashes > 0 {
		out = "Each cell is one complete run with a second " + m.blow() + ": that task, at that moment, after " + strings.Join(m.Query.Faults, " and ") + ". "
	}
	each := thousands(of/len(m.Panels)) + " runs"
	if len(m.Panels) > 1 {
		return out + "About " + each + " a panel, all on the same input."
	}
	return out + capitalised(each) + ", all on the same input."
}

// heading is the page's headline.
func (m *crashMap) heading() string {
	words := [...]string{"Crash it everywhere", "Same crash, two choices", "Same crash, three choices"}
	if len(m.Query.Faults) > 0 && len(m.Panels) == 1 {
		return "The second crash"
	}
	return words[len(m.Panels)-1]
}

// colMarks are the marks over one column of a panel.
type colMarks struct {
	Barrier  bool
	No       string // of the barrier, where there is one only
	Glyph    string // the mark that counts most of the others
	Text     string
	barriers int
}

// marks puts a panel's barriers, completions and commits over its columns. The
// mark of event n stands over the moment that follows it.
func (m *crashMap) marks(p *mapPanel) []colMarks {
	out := make([]colMarks, m.bins())
	rank := map[string]int{"checkpoint": 3, "commit": 2}
	for _, k := range stage.Marks(p.trace) {
		col := p.columnOf(k.N)
		if col < m.From || col > m.To {
			continue
		}
		c := &out[m.binOf(col)]
		if c.Text != "" {
			c.Text += " "
		}
		c.Text += "Event " + strconv.Itoa(k.N) + ": " + k.Text
		if k.Kind == "barrier.injected" {
			c.barriers++
			c.Barrier, c.No = true, strconv.Itoa(k.No)
			if c.barriers > 1 || k.No > 99 {
				c.No = ""
			}
			continue
		}
		if c.Glyph == "" || rank[k.Glyph] > rank[c.Glyph] {
			c.Glyph = k.Glyph
		}
	}
	return out
}

// comparisons are links to maps that compare something this job has, each with at
// most three choices that can be built.
func (s *Server) comparisons(m *crashMap) []crumb {
	sets := map[string][]string{"barriers": {"checkpoint.mode", "exactly_once", "at_least_once"}, "kafka-streams": {"processing.guarantee", "at_least_once", "exactly_once_v2"},
		"offset-commit": {"commit", "before", "after"}, "dataflow": {"mode", "exactly_once", "at_least_once"}, "trident": {"state", "non-transactional", "transactional", "opaque"}}
	try := [][]string{{"sink", "append", "upsert", "dedup", "transactional", "email"}}
	if set := sets[m.Panels[0].trace.Job.Settings.Strategy]; set != nil {
		try = append(try, set)
	}
	var out []crumb
	for _, t := range try {
		var good []string
		for _, v := range t[1:] {
			q := m.Query
			q.Set = append(append([]string(nil), q.Set...), t[0]+"="+v)
			if _, _, err := s.catalogue.Compile(q); err == nil && v != "dedup" || err == nil && len(good) < 2 && t[0] != "sink" {
				good = append(good, v)
			}
		}
		if len(good) < 2 {
			continue
		}
		var w links
		w.WriteString(queryOf(m.Query))
		good = good[:min(len(good), maxChoices)]
		for _, v := range good {
			w.add("choice", t[0]+"="+v)
		}
		out = append(out, crumb{Text: t[0] + ": " + listOf(good), Href: "/map?" + w.String()})
	}
	return out
}

// choiceAt is what the form shows in one of its fields.
func (m *crashMap) choiceAt(i int) string {
	if i >= len(m.Choices) || len(m.Choices) == 1 && m.Choices[0] == baseChoice {
		return ""
	}
	return m.Choices[i]
}

// setupFields are the hidden inputs of the form that changes the choices.
func (m *crashMap) setupFields() []field { return queryFields(m.Query) }

func (m *crashMap) countsOf(t *panelTally) []crumb {
	var out []crumb
	for _, c := range check.Classes() {
		if n := t.Classes[c]; n > 0 {
			out = append([]crumb{{Text: thousands(n) + " " + mapWord(c), Href: string(c)}}, out...)
		}
	}
	return out
}

func safe(s string) templ.SafeURL { return templ.SafeURL(s) }
