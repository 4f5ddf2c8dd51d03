package web

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/web/stage"
)

// twinPage is /twin: two runs on one clock.
type twinPage struct {
	chrome
	Sides   [2]twinSide
	Other   []string // settings of run B beside those of run A
	Moments []twinMoment
	At      int // index into Moments
	Diff    *trace.Diff
	First   *twinItem
	Items   []twinItem
	More    int          // differences that are not listed
	Changed [][3]string  // key, value in A, value in B
	Gone    []string     // what became of faults whose moment run B does not have
	Clicks  []clickGroup // settings that one click changes
	Pace    float64
}

// twinSide is one of the runs.
type twinSide struct {
	Name  string
	Run   *run
	At    int // its event at the moment shown
	SVG   string
	Event string // the sentence of its event
}

// twinMoment is an instant of virtual time at which something happens in a run, and
// the last event of each run up to then.
type twinMoment struct {
	T    engine.Time
	A, B int
}

// twinItem is a difference that can be gone to.
type twinItem struct {
	Glyph, Text, Where string
	At                 int // index into Moments
	Href               templ.SafeURL
}

const (
	nameA, nameB = "run A", "run B"
	twinListed   = 24 // differences on the page
	maxOther     = 16
)

func (s *Server) handleTwin(c echo.Context) error {
	v, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return bad("URL", c.Request().URL.RawQuery, "pairs name=value, percent-encoded")
	}
	other, err := takeOther(v)
	if err != nil {
		return err
	}
	p, err := readParams(v)
	if err != nil {
		return err
	}
	if p.Scenario == "" {
		return &Problem{Status: 400, Param: "scenario", Allowed: listed(s.catalogue.ScenarioIDs()), Msg: "Two runs need a scenario, and this link names none."}
	}
	page, err := s.newTwin(c, p, other)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, twin(page))
}

// takeOther takes the parameters that only this page has out of a query: other, and
// what its forms send in their place.
func takeOther(v url.Values) (other []string, err error) {
	other = v["other"]
	if key := v.Get("other.key"); key != "" {
		other = append(other, key+"="+v.Get("other.value"))
	}
	for _, name := range []string{"other", "other.key", "other.value"} {
		v.Del(name)
	}
	if len(other) > maxOther {
		return nil, bad("other", strconv.Itoa(len(other))+" settings", "at most "+strconv.Itoa(maxOther))
	}
	for _, kv := range other {
		if why := unclean(kv); why != "" {
			return nil, bad("other", clipped(kv, 60), "KEY=VALUE, printable text in UTF-8")
		}
		if !strings.Contains(kv, "=") {
			return nil, bad("other", kv, "KEY=VALUE, for example checkpoint.mode=at_least_once")
		}
	}
	return other, nil
}

func (s *Server) newTwin(c echo.Context, p *params, other []string) (*twinPage, error) {
	a, err := s.runOf(c, p.Query)
	if err != nil {
		return nil, err
	}
	page := &twinPage{chrome: s.chrome("Two runs, one clock · Effectively Once", "twin"), Other: other, Pace: s.pace(p.Scenario)}
	page.Keys = twinKeys()
	page.Crumbs = []crumb{{Text: "Run", Href: "/run?" + queryOf(p.Query)}, {Text: "Two runs, one clock"}}
	b, err := s.otherRun(c, a, other, page)
	if err != nil {
		return nil, err
	}
	page.Sides = [2]twinSide{{Name: nameA, Run: a}, {Name: nameB, Run: b}}
	page.Moments = moments(a.Trace, b.Trace)
	page.Diff = trace.Compare(a.Trace, b.Trace)
	page.list()
	page.Changed = append(changedSettings(a.Job, b.Job), changedFaults(other)...)
	page.Clicks = s.clicks(page)
	at := 0
	switch {
	case p.At >= len(page.Moments):
		return nil, bad("at", strconv.Itoa(p.At), fmt.Sprintf("moments 0 to %d of these runs", len(page.Moments)-1))
	case p.At >= 0:
		at = p.At
	case page.First != nil:
		at = page.First.At
	}
	page.At = at
	return page, page.draw(c)
}

// otherRun makes run B. Faults that run A is given by number strike in B at the
// same named moments; where such a moment does not exist there, B does without and
// the page says so.
func (s *Server) otherRun(c echo.Context, a *run, other []string, page *twinPage) (*run, error) {
	set, more := splitOther(other)
	q := with(a.Query, set...)
	q.Faults = namedFaults(a)
	for _, spec := range more {
		q.Faults = a.alsoStruck(q.Faults, spec)
	}
	for {
		b, err := s.runOf(c, q)
		i := lacking(q.Faults, err)
		if i < 0 {
			return b, page.refusal(a, err)
		}
		page.Gone = append(page.Gone, q.Faults[i])
		q.Faults = slices.Delete(slices.Clone(q.Faults), i, i+1)
	}
}

// refusal is a problem of run B with a way back to the page.
func (p *twinPage) refusal(a *run, err error) error {
	if err == nil {
		return nil
	}
	q := *problemOf(err)
	if q.Param == "set" {
		q.Param = "other"
	}
	way := p.Other[:max(0, len(p.Other)-1)]
	if len(q.Pair) > 0 {
		way = append(slices.Clone(p.Other), q.Nearest)
	}
	q.Without = string(twinURL(a.Query, way, -1))
	return &q
}

// twinURL is the page for run A's query, run B's changes and a moment; -1: the first
// difference.
func twinURL(q lessons.Query, other []string, at int) templ.SafeURL {
	var w links
	w.WriteString(queryOf(q))
	for _, kv := range other {
		w.add("other", kv)
	}
	if at >= 0 {
		w.add("at", strconv.Itoa(at))
	}
	return templ.SafeURL("/twin?" + w.String())
}

func (p *twinPage) href(at int) templ.SafeURL {
	return twinURL(p.Sides[0].Run.Query, p.Other, max(0, min(at, len(p.Moments)-1)))
}

// moments merges the clocks of two runs.
func moments(a, b *trace.Trace) []twinMoment {
	out := []twinMoment{{}}
	i, j := 0, 0
	for i < a.Len() || j < b.Len() {
		t := engine.MaxVirtualTime + 1
		if i < a.Len() {
			t = a.At(i + 1).T
		}
		if j < b.Len() {
			t = min(t, b.At(j+1).T)
		}
		for i < a.Len() && a.At(i+1).T <= t {
			i++
		}
		for j < b.Len() && b.At(j+1).T <= t {
			j++
		}
		out = append(out, twinMoment{T: t, A: i, B: j})
	}
	return out
}

// clock is the time of the moment shown, in whole milliseconds as the script says it.
func (p *twinPage) clock() string {
	return strconv.FormatFloat(math.Round(p.Moments[p.At].T.Millis()), 'f', 0, 64) + "ms"
}

// momentAt is the moment at which an event of a run is first there.
func (p *twinPage) momentAt(left, right int) int {
	k, _ := slices.BinarySearchFunc(p.Moments, 0, func(m twinMoment, _ int) int {
		if left > 0 && m.A >= left || right > 0 && m.B >= right {
			return 1
		}
		return -1
	})
	return min(k, len(p.Moments)-1)
}

// list words the differences, the parting first.
func (p *twinPage) list() {
	if f := p.Diff.First; f != nil {
		it := p.item(f)
		it.Text = capitalised(p.Diff.Why(f, nameA, nameB))
		p.First = &it
	}
	for i := range p.Diff.All {
		f := &p.Diff.All[i]
		if first := p.Diff.First; first != nil && f.Left == first.Left && f.Right == first.Right {
			continue
		}
		if len(p.Items) == twinListed {
			p.More++
			continue
		}
		p.Items = append(p.Items, p.item(f))
	}
}

func (p *twinPage) item(f *trace.Difference) twinItem {
	a, b := p.Diff.Left, p.Diff.Right
	it := twinItem{At: p.momentAt(f.Left, f.Right)}
	it.Href = p.hrefOf(it.At)
	switch {
	case f.Kind == trace.OnlyRight || f.Left == 0:
		e := b.At(f.Right)
		it.Glyph, it.Where, it.Text = trace.GlyphOf(b, e).Name, "only B, event "+itoa(f.Right), trace.Sentence(b, e)
	case f.Kind == trace.OnlyLeft || f.Right == 0:
		e := a.At(f.Left)
		it.Glyph, it.Where, it.Text = trace.GlyphOf(a, e).Name, "only A, event "+itoa(f.Left), trace.Sentence(a, e)
	default:
		e := b.At(f.Right)
		it.Glyph, it.Where = trace.GlyphOf(b, e).Name, fmt.Sprintf("A %d, B %d", f.Left, f.Right)
		it.Text = "A: " + trace.Sentence(a, a.At(f.Left)) + " B: " + trace.Sentence(b, e)
	}
	return it
}

func (p *twinPage) hrefOf(at int) templ.SafeURL {
	return twinURL(p.Sides[0].Run.Query, p.Other, at)
}

// draw folds both stages up to the moment shown and outlines what they draw
// differently.
func (p *twinPage) draw(c echo.Context) error {
	ctx := c.Request().Context()
	var steps [2]stage.Step
	var stages [2]*stage.Stage
	for i := range p.Sides {
		sd := &p.Sides[i]
		if sd.At = p.Moments[p.At].A; i == 1 {
			sd.At = p.Moments[p.At].B
		}
		opt := sd.Run.options(nil)
		opt.ID = string(rune('a' + i))
		st := stage.New(sd.Run.Job, opt)
		for n := 1; n <= sd.At; n++ {
			st.Apply(sd.Run.Trace.At(n))
		}
		if sd.At > 0 {
			sd.Event = trace.Sentence(sd.Run.Trace, sd.Run.Trace.At(sd.At))
		}
		var err error
		if steps[i], err = st.AllRegions(ctx); err != nil {
			return err
		}
		stages[i] = st
	}
	for i := range p.Sides {
		text, err := markup(ctx, stage.SVG(stages[i]))
		if err != nil {
			return err
		}
		for name, drawn := range steps[i].Regions {
			if other, there := steps[1-i].Regions[name]; !there || other != drawn {
				at := `data-region="` + templ.EscapeString(name) + `"`
				text = strings.Replace(text, at, at+" data-differs", 1)
			}
		}
		p.Sides[i].SVG = text
	}
	return nil
}
