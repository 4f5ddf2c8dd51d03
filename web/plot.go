package web

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plot is a small diagram: curves of formulas, points that were measured, bars of a
// histogram, and the same numbers as a table. It is drawn in whole pixels of its own
// box, without style attributes.
type plot struct {
	ID, Title, Note string
	XName, YName    string // with units
	Curves          []plotCurve
	Points          []plotPoints
	Bars            []plotBar
	Marks           []plotMark
	CurveFormat     string   // of the formulas in the table; "": as the points
	Head            []string // with Table: nothing is drawn, the numbers are all there is
	Table           []plotRow

	fromX, toX, toY float64
}

// plotCurve is a formula over a stretch of x.
type plotCurve struct {
	Class, Name string
	from, to    float64
	f           func(float64) float64
}

// plotPoints are measured values.
type plotPoints struct {
	Class, Name string
	X, Y        []float64
	Format      string // of Y in the table
}

// plotBar is a column of a histogram.
type plotBar struct{ From, To, N float64 }

// plotMark is a line across the plot at one x, with its name.
type plotMark struct {
	X    float64
	Name string
}

// plotTick is a number on an axis.
type plotTick struct {
	At   int
	Text string
}

// plotRow is a row of the table.
type plotRow struct{ Cells []string }

// Pixels of the drawing; text is added around the field.
const (
	plotWidth  = 520
	plotHeight = 280
	plotLeft   = 50
	plotRight  = 508
	plotTop    = 14
	plotBottom = 236
)

func curveOf(class, name string, from, to float64, f func(float64) float64) plotCurve {
	return plotCurve{Class: class, Name: name, from: from, to: to, f: f}
}

// scale fixes the axes: x as given, y from 0 to the least round number that holds
// every point and, where most is not 0, no more than that.
func (p *plot) scale(fromX, toX, most float64) *plot {
	p.fromX, p.toX = fromX, toX
	highest := 0.0
	for _, s := range p.Points {
		for _, y := range s.Y {
			highest = max(highest, y)
		}
	}
	for _, b := range p.Bars {
		highest = max(highest, b.N)
	}
	for _, c := range p.Curves {
		for i := range 81 {
			highest = max(highest, c.f(c.from+(c.to-c.from)*float64(i)/80))
		}
	}
	if most > 0 {
		highest = min(highest, most)
	}
	p.toY = roundUp(highest)
	return p
}

// roundUp is the next of 1, 1.5, 2, 3, 4, 5, 6 or 8 times a power of ten.
func roundUp(x float64) float64 {
	if x <= 0 {
		return 1
	}
	ten := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if x <= n*ten*1.0001 {
			return n * ten
		}
	}
	return 10 * ten
}

func (p *plot) x(x float64) int {
	return int(math.Round(plotLeft + (plotRight-plotLeft)*(x-p.fromX)/(p.toX-p.fromX)))
}

func (p *plot) y(y float64) int {
	return int(math.Round(plotBottom - (plotBottom-plotTop)*min(y/p.toY, 1)))
}

func (p *plot) xTicks() []plotTick { return p.ticks(p.fromX, p.toX, 5, p.x) }
func (p *plot) yTicks() []plotTick { return p.ticks(0, p.toY, 4, p.y) }

// ticks are round numbers, about n of them.
func (p *plot) ticks(from, to float64, n int, at func(float64) int) []plotTick {
	step := roundUp((to - from) / float64(n+1))
	var out []plotTick
	for i := 0; from+float64(i)*step <= to*1.0001; i++ {
		v := from + float64(i)*step
		out = append(out, plotTick{At: at(v), Text: strconv.FormatFloat(math.Round(v*1e6)/1e6, 'f', -1, 64)})
	}
	return out
}

// path is a curve as a line of pixels; what lies above the field is left out.
func (p *plot) path(c plotCurve) string {
	var b strings.Builder
	pen := "M"
	const steps = 120
	for i := range steps + 1 {
		x := c.from + (c.to-c.from)*float64(i)/steps
		y := c.f(x)
		if y > p.toY || math.IsNaN(y) {
			pen = "M"
			continue
		}
		fmt.Fprintf(&b, "%s%d %d", pen, p.x(x), p.y(y))
		pen = "L"
	}
	return b.String()
}

// head and rows are the numbers of the plot.
func (p *plot) head() []string {
	if p.Table != nil {
		return p.Head
	}
	out := []string{p.XName}
	for _, s := range p.Points {
		out = append(out, s.Name)
	}
	for _, c := range p.Curves {
		out = append(out, c.Name)
	}
	if len(p.Bars) > 0 {
		out = append(out, p.YName)
	}
	return out
}

func (p *plot) rows() (out []plotRow) {
	if p.Table != nil {
		return p.Table
	}
	for _, b := range p.Bars {
		out = append(out, plotRow{[]string{fmt.Sprintf("%g to %g", b.From, b.To), fmt.Sprintf("%g", b.N)}})
	}
	if len(p.Points) == 0 {
		return append(out, p.curveRows()...)
	}
	format := p.CurveFormat
	if format == "" {
		format = p.Points[0].Format
	}
	for i, x := range p.Points[0].X {
		row := plotRow{[]string{fmt.Sprintf("%.3g", x)}}
		for _, s := range p.Points {
			row.Cells = append(row.Cells, fmt.Sprintf(s.Format, s.Y[i]))
		}
		for _, c := range p.Curves {
			row.Cells = append(row.Cells, fmt.Sprintf(format, c.f(x)))
		}
		out = append(out, row)
	}
	return out
}

// curveRows are a plot of formulas only, at its ticks.
func (p *plot) curveRows() (out []plotRow) {
	if len(p.Curves) == 0 {
		return nil
	}
	for i := 1; i <= 8; i++ {
		x := p.fromX + (p.toX-p.fromX)*float64(i)/8
		row := plotRow{[]string{fmt.Sprintf("%.4g", x)}}
		for _, c := range p.Curves {
			row.Cells = append(row.Cells, fmt.Sprintf("%.3g", c.f(x)))
		}
		out = append(out, row)
	}
	return out
}

// says is the plot in a sentence, for those who do not see it.
func (p *plot) says() string {
	var names []string
	for _, s := range p.Points {
		names = append(names, s.Name)
	}
	for _, c := range p.Curves {
		names = append(names, c.Name)
	}
	s := p.Title + ". Across: " + p.XName + ". Up: " + p.YName + "."
	if len(names) > 0 {
		s += " Shown: " + strings.Join(names, "; ") + "."
	}
	return s + " The numbers are in the table below."
}
