package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// The crash map: rows are what can fail, columns are moments, a cell is one run
// in which that failed then. One panel for each choice of settings.
//
//	map.go         what the URL says, panels and columns
//	map_align.go   the columns that several runs share
//	map_survey.go  the runs behind the cells, as far as they were made
//	map_fill.go    in which order they are made
//	map_cells.go   what a cell shows
//	map_words.go   the finding, the coverage and the table in words
//	map_detail.go  the selected cell
//	map_rows.go    what can fail, in words; ways here and from here to twin runs
//	map_stream.go  cells as they come

// maxChoices is how many panels stand side by side.
const maxChoices = 3

// baseChoice is the choice that changes nothing.
const baseChoice = "base"

// crashMap is a map at one selection.
type crashMap struct {
	chrome
	Query    lessons.Query
	Choices  []string
	Kind     string // as the URL gives it
	Scenario *lessons.Scenario
	Panels   []*mapPanel
	Rows     []string // what can fail, as faults without moments
	Columns  int      // in all
	From, To int      // those shown, both included
	Zoomed   bool
	Bin      int // columns in a bin
	Sel      *mapSelection
	Open     bool // runs are still to be made: a script asks for them
}

// mapPanel is one choice.
type mapPanel struct {
	Index int
	Title string
	Query lessons.Query
	survey
	known  *survey
	trace  *trace.Trace
	cols   []int32 // column → its first gap; see align
	target []int   // row → target of the survey; -1: this job has none
}

// mapSelection is a row and a column.
type mapSelection struct{ Row, Column int }

// splitChoice separates KEY=VALUE,KEY=VALUE at the commas that begin a setting;
// values may hold commas.
func splitChoice(s string) []string {
	var out []string
	for _, part := range strings.Split(s, ",") {
		if len(out) > 0 && !strings.Contains(part, "=") {
			out[len(out)-1] += "," + part
			continue
		}
		out = append(out, strings.TrimSpace(part))
	}
	return out
}

// mapChoices reads the panels that the URL asks for: at least one.
func mapChoices(p *params) ([]string, error) {
	var out []string
	for _, c := range p.Choices {
		if c = strings.TrimSpace(c); c != "" && !contains(out, c) { // an empty field of the form
			out = append(out, c)
		}
	}
	if len(out) > maxChoices {
		return nil, bad("choice", strconv.Itoa(len(out))+" choices", "at most "+strconv.Itoa(maxChoices))
	}
	if len(out) == 0 {
		out = []string{baseChoice}
	}
	return out, nil
}

// mapKinds reads what shall fail; nothing is every task and the whole job.
func mapKinds(p *params) []string {
	out := strings.FieldsFunc(p.Kind, func(r rune) bool { return r == ',' })
	if len(out) == 0 {
		return []string{string(engine.Crash), string(engine.CrashJob)}
	}
	return out
}

// newMap compiles the panels and finds their columns. Nothing is tried yet, but
// for the run without a crash of each panel.
func (s *Server) newMap(ctx context.Context, client string, p *params) (*crashMap, error) {
	list, err := mapChoices(p)
	if err != nil {
		return nil, err
	}
	m := &crashMap{Query: p.Query, Choices: list, Kind: p.Kind, Scenario: s.catalogue.Scenario(p.Scenario)}
	var traces []*trace.Trace
	for i, c := range list {
		panel := &mapPanel{Index: i, Title: choiceTitle(c), Query: p.Query}
		if c != baseChoice {
			panel.Query.Set = append(slices.Clip(panel.Query.Set), splitChoice(c)...)
		}
		if panel.known, err = s.surveyOf(ctx, client, panel.Query, mapKinds(p)); err != nil {
			return nil, ofChoice(err, p, c)
		}
		panel.trace = panel.known.runs.Base()
		panel.targets, panel.gaps = panel.known.targets, panel.known.gaps
		m.Panels, traces = append(m.Panels, panel), append(traces, panel.trace)
	}
	for i, cols := range align(traces) {
		m.Panels[i].cols = cols
	}
	m.Columns = len(m.Panels[0].cols) - 1
	m.rows()
	if err := m.show(p.Cols); err != nil {
		return nil, err
	}
	m.Open = true
	return m, m.choose(p.Sel)
}

// ofChoice says of a refusal which part of a map's URL it is about.
func ofChoice(err error, p *params, choice string) error {
	var bad *Problem
	var fault *engine.BadFault
	switch {
	case errors.As(err, &fault) && p.Kind != "" && strings.HasSuffix(fault.Spec, "@0"):
		words := []string{"crash", "crash:TASK", "crash:coordinator", "crash-job", "crash-node", "crash-node:NODE", "pause", "pause:TASK", "pause:TASK:D", "lose-response", "storage-down:D", "second-job"}
		return &Problem{Status: http.StatusBadRequest, Param: "kind", Found: p.Kind, Allowed: "a list of " + listed(words), Nearest: engine.Nearest(p.Kind, words), Msg: fault.Error() + "."}
	case errors.As(err, &bad) && bad.Param == "set" && choice != baseChoice:
		of := *bad
		of.Param = "choice"
		return &of
	}
	return problemOf(err)
}

// rows is what can fail in any panel: in the order of the first, then the others'.
func (m *crashMap) rows() {
	for _, p := range m.Panels {
		for _, t := range p.targets {
			if !contains(m.Rows, t) {
				m.Rows = append(m.Rows, t)
			}
		}
	}
	for _, p := range m.Panels {
		for _, r := range m.Rows {
			p.target = append(p.target, slices.Index(p.targets, r))
		}
	}
}

// binsAtMost is how many columns fit into a panel at ten pixels or more.
func (m *crashMap) binsAtMost() int { return [...]int{96, 48, 32}[len(m.Panels)-1] }

// show reads FROM-TO. Without it everything is shown or, where the run has a
// crash already, what follows that one.
func (m *crashMap) show(cols string) error {
	m.From, m.To = m.afterCrash(), m.Columns-1
	if cols != "" {
		from, to, ok := strings.Cut(cols, "-")
		a, errA := strconv.ParseUint(from, 10, 31)
		b, errB := strconv.ParseUint(to, 10, 31)
		if !ok || errA != nil || errB != nil || a > b || int(b) >= m.Columns {
			return bad("cols", cols, fmt.Sprintf("FROM-TO, columns 0 to %d of this map", m.Columns-1))
		}
		m.From, m.To, m.Zoomed = int(a), int(b), true
	}
	shown := m.To - m.From + 1
	m.Bin = (shown + m.binsAtMost() - 1) / m.binsAtMost()
	return nil
}

// afterCrash is the first column after the last crash that every run here has: the
// map of the second crash begins behind the first.
func (m *crashMap) afterCrash() int {
	first := 0
	for _, p := range m.Panels {
		t := p.trace
		for n := t.Len(); n >= 1; n-- {
			e := t.At(n)
			if f := t.FaultOf(e); e.Kind == engine.FaultInjected && f != nil && f.Kind != engine.Slow {
				first = max(first, p.columnOf(n))
				break
			}
		}
	}
	return first
}

// columnOf is the column in which a gap lies.
func (p *mapPanel) columnOf(gap int) int {
	i, exact := slices.BinarySearch(p.cols[:len(p.cols)-1], int32(gap))
	if !exact {
		i--
	}
	return i
}

// choose reads FAULT@COLUMN.
func (m *crashMap) choose(sel string) error {
	if sel == "" {
		return nil
	}
	fault, col, _ := strings.Cut(sel, "@")
	row := slices.Index(m.Rows, fault)
	if row < 0 {
		return &Problem{Status: 400, Param: "sel", Found: sel, Allowed: "FAULT@COLUMN with FAULT one of " + listed(m.Rows), Nearest: engine.Nearest(fault, m.Rows)}
	}
	n, err := strconv.ParseUint(col, 10, 31)
	if err != nil || int(n) >= m.Columns {
		return bad("sel", sel, fmt.Sprintf("%s@COLUMN, columns 0 to %d of this map", fault, m.Columns-1))
	}
	if int(n) < m.From || int(n) > m.To {
		m.From, m.To, m.Bin, m.Zoomed = 0, m.Columns-1, (m.Columns+m.binsAtMost()-1)/m.binsAtMost(), false
	}
	m.Sel = &mapSelection{Row: row, Column: m.startOf(m.binOf(int(n)))}
	return nil
}

// bins is how many columns are drawn.
func (m *crashMap) bins() int { return (m.To - m.From + m.Bin) / m.Bin }

func (m *crashMap) binOf(column int) int { return (column - m.From) / m.Bin }

// startOf and endOf are the first and the last column of a bin.
func (m *crashMap) startOf(bin int) int { return m.From + bin*m.Bin }

func (m *crashMap) endOf(bin int) int { return min(m.To, m.startOf(bin)+m.Bin-1) }

// gaps are the moments of a panel that a bin holds: from, up to but without to.
func (m *crashMap) gaps(p *mapPanel, bin int) (from, to int) {
	return int(p.cols[m.startOf(bin)]), int(p.cols[m.endOf(bin)+1])
}

// handleMap answers /map.
func (s *Server) handleMap(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	if p.Scenario == "" {
		if p.hasRun() || len(p.Choices) > 0 {
			return &Problem{Status: 400, Param: "scenario", Allowed: listed(s.catalogue.ScenarioIDs()), Msg: "A crash map needs a scenario, and this link names none."}
		}
		return s.chooseMap(c)
	}
	if p.At >= 0 && p.Sel == "" && p.Kind == "" && len(p.Choices) == 0 {
		to, err := s.mapOfMoment(c, p)
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, to)
	}
	ctx, client := c.Request().Context(), c.RealIP()
	m, err := s.newMap(ctx, client, p)
	if err != nil {
		return err
	}
	w := &work{runs: mapRuns, events: mapAtOnce, time: mapPageTime}
	if p.Full {
		w.events = mapEvents
	}
	if err := s.fill(ctx, client, m, w, nil); err != nil {
		return err
	}
	m.Open = !p.Full && m.missing()
	m.chrome = s.chrome("Crash map: "+m.Scenario.Title+" · Effectively Once", "map")
	m.Nav, m.Keys = "/map", mapKeys()
	m.Skips = []crumb{{"Skip to the map", "#map"}, {"Skip to the selected crash", "#map-detail"}}
	if m.Open {
		m.Refresh = "/map?" + m.query("full", "1")
	}
	detail, err := s.newMapDetail(c, m)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, mapView(m, detail, s.comparisons(m)))
}

// query writes the URL of this map with other values of cols, sel or full; an
// empty value leaves the parameter out.
func (m *crashMap) query(change ...string) string {
	var w links
	w.WriteString(queryOf(m.Query))
	for _, c := range m.Choices {
		if len(m.Choices) > 1 || c != baseChoice {
			w.add("choice", c)
		}
	}
	if m.Kind != "" {
		w.add("kind", m.Kind)
	}
	more := map[string]string{}
	if m.Zoomed {
		more["cols"] = fmt.Sprintf("%d-%d", m.From, m.To)
	}
	for i := 0; i+1 < len(change); i += 2 {
		more[change[i]] = change[i+1]
	}
	for _, k := range []string{"cols", "sel", "full"} {
		if more[k] != "" {
			w.add(k, more[k])
		}
	}
	return w.String()
}

// fields are the hidden inputs of the form that the cells belong to.
func (m *crashMap) fields() []field {
	out := queryFields(m.Query)
	for _, c := range m.Choices {
		out = append(out, field{"choice", c})
	}
	if m.Kind != "" {
		out = append(out, field{"kind", m.Kind})
	}
	if m.Zoomed {
		out = append(out, field{"cols", fmt.Sprintf("%d-%d", m.From, m.To)})
	}
	return out
}
