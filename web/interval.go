package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// intervalPage is the economics of checkpoints: what runs measure beside what the
// formulas say, and the formulas for the reader's own numbers.
type intervalPage struct {
	chrome
	Plots  []*plot
	Waste  *plot // of the reader's numbers
	Fields []intervalField
	Answer []intervalAnswer
	Rates  string // what the measured runs have in common
}

// intervalField is one input of the form.
type intervalField struct{ Name, Label, Value, Hint string }

// intervalAnswer is one line of what follows from the inputs.
type intervalAnswer struct{ Name, Value, How string }

// intervalInputs are the reader's own numbers: seconds and records a second.
type intervalInputs struct {
	cost, mtbf, interval, duration, down, outage, timeout, lambda, mu float64
}

// intervalKeys are the parameters of /interval, with what they start from: the
// worked example of facts 13.9 and 13.12, and Kafka's transaction.max.timeout.ms (15
// minutes in Kafka 4.x).
var intervalKeys = []struct {
	name, start, label, hint string
	rate                     bool
	dst                      func(*intervalInputs) *float64
}{
	{"c", "2s", "C, work lost per checkpoint", "alignment and copying, not the upload", false, func(i *intervalInputs) *float64 { return &i.cost }},
	{"m", "6h", "M, time between failures of the job", "of one machine, divided by their number", false, func(i *intervalInputs) *float64 { return &i.mtbf }},
	{"t", "60s", "T, interval", "execution.checkpointing.interval, no default in Flink 2.x", false, func(i *intervalInputs) *float64 { return &i.interval }},
	{"d", "10s", "D, duration of a checkpoint", "from trigger to complete; the timeout is 10 min in Flink 2.x", false, func(i *intervalInputs) *float64 { return &i.duration }},
	{"down", "60s", "downtime", "detect, restart, restore", false, func(i *intervalInputs) *float64 { return &i.down }},
	{"lambda", "50000", "λ, records arriving a second", "", true, func(i *intervalInputs) *float64 { return &i.lambda }},
	{"mu", "80000", "μ, records the job can do a second", "measured with checkpoints on", true, func(i *intervalInputs) *float64 { return &i.mu }},
	{"outage", "30m", "longest outage to survive", "", false, func(i *intervalInputs) *float64 { return &i.outage }},
	{"timeout", "15m", "transaction.timeout", "at most transaction.max.timeout.ms, 15 min in Kafka 4.x", false, func(i *intervalInputs) *float64 { return &i.timeout }},
}

func (s *Server) handleInterval(c echo.Context) error {
	in, fields, err := intervalInput(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	p := &intervalPage{chrome: s.chrome("How often? · Effectively Once", "interval"), Fields: fields, Answer: in.answers(), Waste: in.wastePlot()}
	p.Crumbs = []crumb{{Text: "Lessons", Href: "/"}, {Text: "How often?"}}
	p.Skips = []crumb{{"Skip to your own numbers", "#own"}}
	m, err := s.measured(c.Request().Context(), c.RealIP())
	if err != nil {
		return err
	}
	p.Plots, p.Rates = m.plots(), m.rates
	return s.render(c, http.StatusOK, interval(p))
}

// intervalInput reads the form. Every parameter may be missing and none may be
// anything else. Errors are *Problem.
func intervalInput(query string) (in *intervalInputs, fields []intervalField, err error) {
	v, err := url.ParseQuery(query)
	if err != nil {
		return nil, nil, bad("URL", query, "pairs name=value, percent-encoded")
	}
	var known []string
	for _, k := range intervalKeys {
		known = append(known, k.name)
	}
	var given []string
	for name := range v {
		given = append(given, name)
	}
	slices.Sort(given)
	for _, name := range given {
		if !contains(known, name) {
			return nil, nil, &Problem{Status: 400, Param: "parameter " + strconv.Quote(name), Found: name, Allowed: listed(known), Nearest: engine.Nearest(name, known),
				Msg: "There is no parameter " + strconv.Quote(name) + " here."}
		}
		if len(v[name]) > 1 {
			return nil, nil, bad(name, strings.Join(v[name], " and "), "one value")
		}
	}
	in = &intervalInputs{}
	for _, k := range intervalKeys {
		text := strings.TrimSpace(v.Get(k.name))
		if text == "" {
			text = k.start
		}
		x, allowed := secondsOf(text), durationsAllowed
		if k.rate {
			x, allowed = rateOf(text), ratesAllowed
		}
		if x < 0 || x == 0 && k.name != "outage" && k.name != "down" {
			return nil, nil, bad(k.name, text, allowed)
		}
		*k.dst(in) = x
		fields = append(fields, intervalField{Name: k.name, Label: k.label, Value: text, Hint: k.hint})
	}
	return in, fields, nil
}

const (
	durationsAllowed = "a number with ms, s, m, h or d, like 250ms, 1.5s, 10m, 6h or 50d, above 0 and at most 1000d"
	ratesAllowed     = "records a second, above 0 and at most 1000000000"
)

// secondsOf is a duration in seconds, -1 if it is none.
func secondsOf(text string) float64 {
	for _, u := range []struct {
		suffix string
		unit   float64
	}{{"ms", .001}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}} {
		num, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		if x := plainNumber(num) * u.unit; x >= 0 && x <= 1000*86400 {
			return x
		}
		return -1
	}
	return -1
}

func rateOf(text string) float64 {
	if x := plainNumber(text); x <= 1e9 {
		return x
	}
	return -1
}

// plainNumber reads digits with at most one point, -1 for anything else.
func plainNumber(text string) float64 {
	if text == "" || len(text) > 16 || strings.Trim(text, "0123456789.") != "" {
		return -1
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return -1
	}
	return x
}

// answers are the lines below the form.
func (in *intervalInputs) answers() []intervalAnswer {
	best := check.YoungInterval(in.cost, in.mtbf)
	a, b := check.Waste(in.cost, in.mtbf, in.interval)
	x, y := check.Waste(in.cost, in.mtbf, best)
	mean, most := check.VisibleDelay(in.interval, in.duration)
	out := []intervalAnswer{
		{"T* that wastes least", people(best), fmt.Sprintf("√(2·C·M); there %s is wasted. With terms of higher order (Daly): %s.", percent(x+y), people(check.DalyInterval(in.cost, in.mtbf)))},
		{"Waste at your T", percent(a + b), fmt.Sprintf("%s for checkpoints (C/T) and %s for work done again (T/2M).", percent(a), percent(b))},
		{"Rows become visible after", people(mean) + ", at most " + people(most), "T/2 + D and T + D, with a transactional sink. Chained jobs add it up."},
		{"Repeats after a crash, at most", thousands(int(in.lambda * most)), "λ·(T + D), with a sink that appends."},
	}
	out = append(out, in.recovery()...)
	need := check.TimeoutNeeded(in.interval, in.duration, in.outage)
	line := intervalAnswer{"transaction.timeout needed", people(need), "the longer of T and D, plus D, plus the outage."}
	if covered := check.OutageCovered(in.timeout, in.interval, in.duration); covered < 0 {
		line.How += fmt.Sprintf(" Your %s are too short even without an outage.", people(in.timeout))
	} else {
		line.How += fmt.Sprintf(" Your %s survive an outage of %s.", people(in.timeout), people(covered))
	}
	return append(out, line)
}

func (in *intervalInputs) recovery() []intervalAnswer {
	mean, most := check.CheckpointAge(in.interval, in.duration)
	_, usual, ok := check.CatchUp(in.lambda, in.mu, mean, in.down)
	backlog, longest, _ := check.CatchUp(in.lambda, in.mu, most, in.down)
	if !ok {
		return []intervalAnswer{{"Back to the present", "never", fmt.Sprintf("The job can do no more than arrives (load %s). Headroom comes before any interval.", percent(in.lambda/in.mu))}}
	}
	return []intervalAnswer{{"Back to the present after", people(in.down+usual) + ", at most " + people(in.down+longest),
		fmt.Sprintf("downtime and catch-up, (age + downtime)·ρ/(1−ρ) at a load of %s; up to %s records pile up.", percent(in.lambda/in.mu), thousands(int(backlog)))}}
}

// people writes seconds as an engineer says them.
func people(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", 1000*s)
	case s < 120:
		return trimmed(s) + " s"
	case s < 7200:
		return trimmed(s/60) + " min"
	case s < 2*86400:
		return trimmed(s/3600) + " h"
	}
	return trimmed(s/86400) + " d"
}

func trimmed(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
}

func percent(x float64) string {
	switch {
	case x < .0995:
		return fmt.Sprintf("%.2g %%", 100*x)
	case x < 10:
		return fmt.Sprintf("%.0f %%", 100*x)
	}
	return "more than all"
}

// measuredOnce is kept for as long as the server runs: what is measured is a pure
// function of the program. A request that gives up leaves nothing behind.
func (s *Server) measured(ctx context.Context, client string) (*measurements, error) {
	if m := s.intervals.Load(); m != nil {
		return m, nil
	}
	m, err := s.measure(ctx, client)
	if err != nil {
		return nil, err
	}
	s.intervals.Store(m)
	return m, nil
}
