package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// clickGroup is a setting with the values that one click gives it in run B.
type clickGroup struct {
	Key    string
	Values []clickValue
}

type clickValue struct {
	Value   string
	Current bool // run B has it
	Href    templ.SafeURL
}

// clicks lists the settings with a fixed list of values that can act in run B, each
// with the values that can be built.
func (s *Server) clicks(p *twinPage) []clickGroup {
	q, set := p.Sides[0].Run.Query, &p.Sides[1].Run.Job.Settings
	var out []clickGroup
	for _, d := range engine.SettingInfos() {
		if d.Words == nil || d.Alias || d.Shape {
			continue
		}
		if !d.PerSink {
			if set.Idle(d.Key, nil) == "" {
				out = s.click(out, p, q, d, d.Key, set.Value(d.Key, nil))
			}
			continue
		}
		for i := range set.Sinks {
			if set.Idle(d.Key, &set.Sinks[i]) == "" {
				out = s.click(out, p, q, d, lessons.SinkKey(set, i, d.Key), set.Value(d.Key, &set.Sinks[i]))
			}
		}
	}
	return out
}

func (s *Server) click(out []clickGroup, p *twinPage, q lessons.Query, d engine.SettingInfo, full, now string) []clickGroup {
	g := clickGroup{Key: full}
	for _, w := range d.Words {
		set, _ := splitOther(p.Other)
		other := slices.DeleteFunc(slices.Clone(p.Other), func(kv string) bool { return strings.HasPrefix(kv, full+"=") })
		other = append(other, full+"="+w)
		set = slices.DeleteFunc(set, func(kv string) bool { return strings.HasPrefix(kv, full+"=") })
		calm := with(q, append(set, full+"="+w)...)
		calm.Faults = nil
		if w != now {
			if _, _, err := s.catalogue.Compile(calm); err != nil && !strings.HasPrefix(q.Input, "h.") {
				continue // it cannot be built
			}
		}
		g.Values = append(g.Values, clickValue{Value: w, Current: w == now, Href: twinURL(q, other, -1)})
	}
	if len(g.Values) < 2 {
		return out
	}
	return append(out, g)
}

// twinClock is what a script has to know of both clocks.
type twinClock struct {
	Moments [][3]float64 `json:"moments"` // virtual ms, event of A, event of B
	Pace    float64      `json:"pace"`
}

// handleTwinClock answers /twin/clock with the same parameters as the page.
func (s *Server) handleTwinClock(c echo.Context) error {
	v := c.Request().URL.Query()
	other, err := takeOther(v)
	if err != nil {
		return err
	}
	p, err := readParams(v)
	if err != nil {
		return err
	}
	a, err := s.runOf(c, p.Query)
	if err != nil {
		return err
	}
	b, err := s.otherRun(c, a, other, &twinPage{Other: other})
	if err != nil {
		return err
	}
	clock := twinClock{Pace: s.pace(p.Scenario)}
	for _, m := range moments(a.Trace, b.Trace) {
		clock.Moments = append(clock.Moments, [3]float64{m.T.Millis(), float64(m.A), float64(m.B)})
	}
	return sendJSON(c, http.StatusOK, clock)
}
