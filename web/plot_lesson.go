package web

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"strconv"

	"effectivelyonce/lessons"
)

// plotHere is where a lesson's text asks for a plot.
var plotHere = regexp.MustCompile(`<figure class="plot-here" data-plot="(\d+)"></figure>`)

// withPlots draws the plots of a step's text. Their numbers were worked out when the
// content was prepared, so this costs no run.
func withPlots(ctx context.Context, seg *lessons.Segment) (string, error) {
	var failed error
	out := plotHere.ReplaceAllStringFunc(seg.HTML, func(here string) string {
		n, _ := strconv.Atoi(plotHere.FindStringSubmatch(here)[1])
		p := lessonPlot(seg.Plots[n])
		p.ID = fmt.Sprintf("plot-%s-%d", seg.ID, n)
		s, err := markup(ctx, plotFigure(p))
		if err != nil {
			failed = err
		}
		return s
	})
	return out, failed
}

// plotClasses are how rows and curves of a plot differ, in their order.
var plotClasses = []struct{ points, curve string }{{"measured", "formula"}, {"second", "bound"}}

func lessonPlot(from *lessons.Plot) *plot {
	p := &plot{Title: from.Title, XName: from.Across, YName: from.Up, CurveFormat: "%.3g"}
	for i, s := range from.Points {
		p.Points = append(p.Points, plotPoints{Class: plotClasses[i%2].points, Name: s.Name, X: from.X, Y: s.Y, Format: "%.3g"})
	}
	for i := range from.Curves {
		c := &from.Curves[i]
		p.Curves = append(p.Curves, curveOf(plotClasses[i%2].curve, c.Name, max(from.From, from.To/50), from.To, func(x float64) float64 {
			y, err := c.At(x)
			if err != nil {
				return math.NaN()
			}
			return y
		}))
	}
	most := 0.0 // a curve that leaves the field upwards does not press the points flat
	for _, s := range p.Points {
		for _, y := range s.Y {
			most = max(most, 1.3*y)
		}
	}
	return p.scale(from.From, from.To, most)
}
