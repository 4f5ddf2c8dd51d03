package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// mapDetail is the selected cell: a card for each panel, and the ways to others.
type mapDetail struct {
	Title                 string
	Moment, Row           string
	Left, Right, Up, Down string // URLs; "" at the edge
	BadBefore, BadAfter   string
	Zoom, Whole           string
	Cards                 []mapCard
	Pairs                 []crumb // twin runs of two panels
	sel                   string
}

// mapCard is what one choice made of the same crash.
type mapCard struct {
	Panel    string
	Class    check.Class
	Verdict  string
	At       string // which moment of its own, in words
	Tried    string // of a bin
	Why      []reason
	Affected []affected
	More     int
	Watch    string
	Second   string // the map of the second crash
	Note     string // why there is nothing to show
}

// affected is one row that is there twice, or not.
type affected struct{ Key, ID, Times string }

// newMapDetail draws the selected cell; without one, the first that is worst.
func (s *Server) newMapDetail(c echo.Context, m *crashMap) (*mapDetail, error) {
	if m.Sel == nil {
		m.chooseWorst()
	}
	if m.Sel == nil {
		return nil, nil
	}
	bin := m.binOf(m.Sel.Column)
	d := &mapDetail{Row: rowName(m.Rows[m.Sel.Row]), Moment: m.momentWords(bin), sel: m.sel(m.Sel.Row, bin)}
	d.Title = rowDeed(m.Rows[m.Sel.Row], d.Moment)
	d.Pairs = m.pairs(bin)
	m.steps(d, bin)
	for _, p := range m.Panels {
		card, err := s.newMapCard(c, m, p, bin)
		if err != nil {
			return nil, err
		}
		d.Cards = append(d.Cards, *card)
	}
	return d, nil
}

// chooseWorst selects the first cell of the worst class.
func (m *crashMap) chooseWorst() {
	var worst check.Class
	for _, p := range m.Panels {
		for bin := range m.bins() {
			for row := range m.Rows {
				c := m.cell(p, row, bin)
				if c.Class != "" && c.Class != worst && check.Worst(c.Class, worst) == c.Class {
					worst, m.Sel = c.Class, &mapSelection{Row: row, Column: m.startOf(bin)}
				}
			}
		}
	}
}

// sel spells a place for the URL.
func (m *crashMap) sel(row, bin int) string { return m.Rows[row] + "@" + strconv.Itoa(m.startOf(bin)) }

func (m *crashMap) selURL(row, bin int) string { return "/map?" + m.query("sel", m.sel(row, bin)) }

// steps finds the neighbours of the selected cell, and the nearest bad ones.
func (m *crashMap) steps(d *mapDetail, bin int) {
	row := m.Sel.Row
	if bin > 0 {
		d.Left = m.selURL(row, bin-1)
	}
	if bin+1 < m.bins() {
		d.Right = m.selURL(row, bin+1)
	}
	if row > 0 {
		d.Up = m.selURL(row-1, bin)
	}
	if row+1 < len(m.Rows) {
		d.Down = m.selURL(row+1, bin)
	}
	for b := bin - 1; b >= 0 && d.BadBefore == ""; b-- {
		if m.isBad(row, b) {
			d.BadBefore = m.selURL(row, b)
		}
	}
	for b := bin + 1; b < m.bins() && d.BadAfter == ""; b++ {
		if m.isBad(row, b) {
			d.BadAfter = m.selURL(row, b)
		}
	}
	if m.Bin > 1 {
		d.Zoom = "/map?" + m.query("cols", fmt.Sprintf("%d-%d", m.startOf(bin), m.endOf(bin)))
	}
	if m.Zoomed {
		d.Whole = "/map?" + m.query("cols", "", "sel", d.sel)
	}
}

func (m *crashMap) isBad(row, bin int) bool {
	for _, p := range m.Panels {
		if c := m.cell(p, row, bin); c.Class != "" && c.Class != check.Exact {
			return true
		}
	}
	return false
}

// runQuery is the run that a cell stands for: the panel's, with the fault at the
// first moment of the worst run.
func (m *crashMap) runQuery(p *mapPanel, row, gap int) lessons.Query {
	q := p.Query
	q.Faults = append(append([]string(nil), q.Faults...), m.Rows[row]+"@"+strconv.Itoa(gap))
	return q
}

func (s *Server) newMapCard(c echo.Context, m *crashMap, p *mapPanel, bin int) (*mapCard, error) {
	row := m.Sel.Row
	k := m.cell(p, row, bin)
	card := &mapCard{Panel: p.Title, Class: k.Class}
	switch {
	case k.None:
		card.Note = "This job has no " + rowName(m.Rows[row]) + "."
		return card, nil
	case k.Class == "":
		card.Note = "Not tried yet."
		return card, nil
	}
	q := m.runQuery(p, row, k.Gap)
	r, err := s.runOf(c, q)
	if err != nil {
		return nil, err
	}
	v := worstVerdict(r.Verdicts)
	card.Verdict = cardVerdict(v)
	card.At = "At the very beginning."
	if k.Gap > 0 {
		card.At = fmt.Sprintf("After event %d: %s", k.Gap, trace.Sentence(p.trace, p.trace.At(k.Gap)))
	}
	if k.Of > 1 && k.With < k.Tried {
		card.Tried = fmt.Sprintf("%d of %s here %s so; this is the worst.", k.With, count(k.Tried, "moment tried", "moments tried"), map[bool]string{true: "ends", false: "end"}[k.With == 1])
	}
	page := &runPage{Run: r, At: r.Last(), Path: "/run", Keep: url.Values{}}
	story := &revealView{}
	explain(story, page)
	card.Why = story.Why[:min(2, len(story.Why))]
	card.affected(r, v)
	card.Watch = "/run?" + queryOf(q) + "&at=" + strconv.Itoa(min(k.Gap+1, r.Last()))
	card.Second = "/map?" + queryOf(q)
	return card, nil
}

// cardVerdict is the verdict as the head of a card.
func cardVerdict(v *check.Verdict) string {
	results := func(n int) string { return count(n, "result", "results") }
	switch v.Class {
	case check.Duplicated:
		return "Duplicated, " + results(v.Duplicated)
	case check.Lost:
		return "Lost, " + results(v.Lost)
	case check.Mixed:
		return fmt.Sprintf("%d lost, %d duplicated", v.Lost, v.Duplicated)
	case check.Wrong:
		return "Wrong, " + results(v.Wrong)
	case check.Stuck:
		return "Stuck, " + results(v.Pending) + " pending"
	}
	return "Exact"
}

// worstVerdict is the one that gives a run its class: of several, the one with
// the most rows concerned. Runner's Tried holds the counts of the same one.
func worstVerdict(vs []check.Verdict) *check.Verdict {
	class, out := check.WorstOf(vs), (*check.Verdict)(nil)
	rows := func(v *check.Verdict) int { return v.Lost + v.Duplicated + v.Wrong + v.Pending }
	for i := range vs {
		if v := &vs[i]; v.Class == class && (out == nil || rows(v) > rows(out)) {
			out = v
		}
	}
	return out
}

// maxAffected is how many rows a card names.
const maxAffected = 8

func (k *mapCard) affected(r *run, v *check.Verdict) {
	add := func(refs []check.Ref, how func(check.Ref) string) {
		for _, ref := range refs {
			if len(k.Affected) == maxAffected {
				return
			}
			a := affected{Key: trace.Clip(r.Job.Input.Keys[ref.Key], 10), Times: how(ref)}
			if ref.ID != engine.NoRecord {
				a.ID = ref.ID.String()
			}
			k.Affected = append(k.Affected, a)
		}
	}
	add(v.LostRows, func(check.Ref) string { return "gone" })
	add(v.DuplicatedRows, func(ref check.Ref) string { return "×" + strconv.Itoa(ref.Times) })
	add(v.WrongRows, func(check.Ref) string { return "wrong" })
	k.More = max(0, v.Lost+v.Duplicated+v.Wrong-len(k.Affected))
}

// handleMapCard answers /card/map: the detail of a selection, as a fragment.
func (s *Server) handleMapCard(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	ctx, client := c.Request().Context(), c.RealIP()
	m, err := s.newMap(ctx, client, p)
	if err != nil {
		return err
	}
	if err := s.fillSelected(ctx, client, m); err != nil {
		return err
	}
	d, err := s.newMapDetail(c, m)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, mapDetailBody(d))
}
