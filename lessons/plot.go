package lessons

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

// Plot is a small diagram in a lesson's text: values that runs of the step gave,
// one run for each value of a setting, and curves of formulas beside them. Nothing
// of it is typed: points come from the engine, curves from their formula.
type Plot struct {
	Title      string
	Across, Up string // the axes, with units
	X          []float64
	Points     []PlotLine // a value for each X
	Curves     []PlotLine
	From, To   float64 // the stretch of X that is drawn
}

// PlotLine is one row of points, or one curve.
type PlotLine struct {
	Name    string
	Y       []float64
	Formula string
	known   map[string]float64
}

// At is a curve's height over x; not a number where the formula has none.
func (l *PlotLine) At(x float64) (float64, error) {
	words := map[string]float64{"x": x}
	for w, v := range l.known {
		words[w] = v
	}
	return quizzes.Calc(l.Formula, words)
}

// plotLine opens a plot; YAML follows, up to a line :::.
const plotLine = ":::plot "

// plot reads a plot and lets the engine work it out. It returns the place in the
// text at which the page draws it.
func (p *preparer) plot(l *Lesson, s *Segment, title, text string, line int) string {
	doc, root, ok := strict.Parse(l.file, []byte(text), line)
	if ok {
		m := root.Map("over", "values", "across", "up", "points", "curves", "known", "from", "to", "scenario", "faults", "set")
		s.Plots = append(s.Plots, p.readPlot(l, s, m, &Plot{Title: strings.TrimSpace(title), Across: m.NeedText("across"), Up: m.NeedText("up")}))
	}
	for _, x := range doc.Problems {
		p.bad(x.File, x.Line, x.What, x.Do)
	}
	if !ok {
		return ""
	}
	return fmt.Sprintf(`<figure class="plot-here" data-plot="%d"></figure>`, len(s.Plots)-1)
}

func (p *preparer) readPlot(l *Lesson, s *Segment, m strict.Map, out *Plot) *Plot {
	q := l.query(s)
	if id := m.Text("scenario"); id != "" {
		q = Query{Scenario: id}
	}
	q.Set, q.Faults = append(slices.Clone(q.Set), m.Texts("set")...), append(slices.Clone(q.Faults), m.Texts("faults")...)
	known := map[string]float64{}
	if v, ok := m.Get("known"); ok {
		for _, pair := range v.Pairs() {
			known[pair.Key] = p.plotValue(q, pair.Value)
		}
	}
	values := m.Texts("values")
	for _, text := range values {
		x, err := plotNumber(text)
		if err != nil {
			m.Bad("values: found "+strict.Quote(text), "allowed: numbers, or times like 300ms")
		}
		out.X = append(out.X, x)
	}
	for _, v := range m.List("points") {
		pm := v.Map("name", "value")
		points := PlotLine{Name: pm.NeedText("name")}
		if expr, ok := pm.Need("value"); ok {
			for _, value := range values {
				at := q
				at.Set = append(slices.Clone(q.Set), m.Text("over")+"="+value)
				points.Y = append(points.Y, p.plotValue(at, expr))
			}
		}
		out.Points = append(out.Points, points)
	}
	out.From, out.To = m.Float("from", 0, 0, 1e9), m.Float("to", 0, 0, 1e9)
	for _, x := range out.X {
		out.To = max(out.To, 1.1*x)
	}
	for _, v := range m.List("curves") {
		cm := v.Map("name", "formula")
		c := PlotLine{Name: cm.NeedText("name"), Formula: cm.NeedText("formula"), known: known}
		if _, err := c.At(out.To); err != nil {
			v.Bad(err.Error(), "a formula has numbers, x, the names under known, + - * / ( ) and sqrt( )")
		}
		out.Curves = append(out.Curves, c)
	}
	if len(out.Points)+len(out.Curves) == 0 || out.To <= out.From {
		m.Bad("nothing is drawn", "write points with over and values, or curves with to")
	}
	return out
}

// plotValue is a number, or an expression over a run.
func (p *preparer) plotValue(q Query, v strict.Value) float64 {
	expr := v.Text()
	if n, err := strconv.ParseFloat(expr, 64); err == nil {
		return n
	}
	r, err := p.play(q)
	if err == nil && r.run != nil {
		var got quizzes.Value
		if got, err = r.run.Ask(expr); err == nil && got.Text != "" {
			err = fmt.Errorf("%q is %s, a word; a number is wanted", expr, got.Text)
		}
		if err == nil {
			return got.Num
		}
	}
	if err != nil {
		v.Bad(err.Error(), "write a number, or an expression like duplicated")
	}
	return 0
}

// plotNumber is where a setting's value stands on the axis: a time in milliseconds.
func plotNumber(text string) (float64, error) {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return n, nil
	}
	d, err := time.ParseDuration(text)
	return float64(d) / float64(time.Millisecond), err
}
