package web

import (
	"context"
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// measurements are the runs behind the plots.
type measurements struct {
	lanes []measuredLane // by interval
	loads []measuredLoad // by load
	rates string
}

// measuredLane is one interval.
type measuredLane struct {
	interval    engine.Time
	x           *check.Economics // without a crash
	delay       check.Stretch
	worst       int // repeats at append over the crash map
	mean        float64
	points      int
	mapDuration engine.Time // of a checkpoint in the job of the map
}

// measuredLoad is one recovery at one load.
type measuredLoad struct {
	rho float64
	rec check.Recovery
}

const (
	intervalMap  = "interval-lab"  // the level: a crash at every gap
	intervalLong = "interval-long" // long enough for means
)

// intervalsMS and gapsMS are what is tried.
func intervalsMS() []int { return []int{100, 200, 300, 450, 600, 900} }
func gapsMS() []int      { return []int{80, 40, 27, 20, 16} }

// measure plays and explores what the plots show. Errors are *Problem, or the
// context's.
func (s *Server) measure(ctx context.Context, client string) (*measurements, error) {
	m := &measurements{}
	for _, ms := range intervalsMS() {
		l, err := s.measureLane(ctx, client, ms)
		if err != nil {
			return nil, err
		}
		m.lanes = append(m.lanes, *l)
	}
	for _, gap := range gapsMS() {
		r, err := s.make(ctx, client, lessons.Query{Scenario: intervalLong, Set: []string{fmt.Sprintf("gap=%dms", gap)}, Faults: []string{"crash:count/0@1s"}})
		if err != nil {
			return nil, err
		}
		set := &r.Job.Settings
		lambda := float64(len(r.Job.Input.Parts)) / float64(set.Gap)
		mu := 1 / float64(set.Costs.Operator)
		for _, rec := range check.Measure(r.Trace).Recoveries {
			m.loads = append(m.loads, measuredLoad{rho: lambda / mu, rec: rec})
		}
		m.rates = fmt.Sprintf("a counter that needs %s a record", people(set.Costs.Operator.Millis()/1000))
	}
	return m, nil
}

func (s *Server) measureLane(ctx context.Context, client string, ms int) (*measuredLane, error) {
	set := []string{fmt.Sprintf("checkpoint.interval=%dms", ms)}
	long, err := s.make(ctx, client, lessons.Query{Scenario: intervalLong, Set: set})
	if err != nil {
		return nil, err
	}
	l := &measuredLane{interval: engine.Time(ms) * engine.Millisecond, x: check.Measure(long.Trace)}
	l.delay = check.Summary(l.x.Delays)
	short, err := s.make(ctx, client, lessons.Query{Scenario: intervalMap, Set: set})
	if err != nil {
		return nil, err
	}
	l.mapDuration = check.Measure(short.Trace).Duration.Max
	leave, err := s.gate.enter(ctx, client)
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	found, err := s.runner.Explore(ctx, short.Job, nil, Exploration{Kinds: []engine.FaultKind{engine.CrashJob}, Depth: 1, Budget: exploreBudget})
	if err != nil {
		return nil, problemOf(err)
	}
	l.worst, l.mean, l.points = found.WorstRepeats, found.MeanRepeats, found.Points
	return l, nil
}

// plots draws what was measured beside what the formulas say.
func (m *measurements) plots() []*plot {
	return []*plot{m.overheadPlot(), m.repeatsPlot(), m.delayPlot(), m.histogramPlot(), m.catchUpPlot(), m.partsPlot()}
}

func (m *measurements) overheadPlot() *plot {
	p := &plot{ID: "overhead", Title: "Time that checkpoints take from the work", XName: "interval T, ms", YName: "share of a lane's time, %",
		Note: "Lanes stand still until the barrier is in on all of them. Copying the state takes this model no time, and the upload goes on beside the work, so it does not count."}
	mean := 0.0
	for _, l := range m.lanes {
		mean += l.x.Cost().Millis() / float64(len(m.lanes))
	}
	var xs, ys []float64
	for _, l := range m.lanes {
		xs, ys = append(xs, l.interval.Millis()), append(ys, 100*l.x.Share())
	}
	p.Curves = []plotCurve{curveOf("formula", fmt.Sprintf("C/T with the measured mean C of %.1f ms", mean), 60, 950, func(t float64) float64 { return 100 * mean / t })}
	p.Points = []plotPoints{{Class: "measured", Name: "measured", X: xs, Y: ys, Format: "%.2f %%"}}
	return p.scale(0, 1000, 0)
}

func (m *measurements) repeatsPlot() *plot {
	p := &plot{ID: "repeats", Title: "Repeats at append after one crash", XName: "interval T, ms", YName: "rows that came twice", CurveFormat: "%.1f"}
	var xs, worst, mean []float64
	points, d := 0, 0.0
	for _, l := range m.lanes {
		xs, worst, mean = append(xs, l.interval.Millis()), append(worst, float64(l.worst)), append(mean, l.mean)
		points += l.points
		d = max(d, l.mapDuration.Millis())
	}
	const perMS = 2.0 / 130 // interval-lab: two partitions, a record each 130 ms
	p.Note = fmt.Sprintf("The whole job crashed at every gap, %d runs in all. Nothing passes the writes of one interval and one checkpoint, rounded up to whole rows. The mean counts every gap once, and a run has gaps before its first row and after its last.", points)
	p.Curves = []plotCurve{curveOf("formula", fmt.Sprintf("λ·(T + D), D = %.0f ms", d), 60, 950, func(t float64) float64 { return perMS * (t + d) })}
	p.Points = []plotPoints{{Class: "measured", Name: "worst crash", X: xs, Y: worst, Format: "%.0f"}, {Class: "second", Name: "mean of all crashes", X: xs, Y: mean, Format: "%.1f"}}
	return p.scale(0, 1000, 0)
}

func (m *measurements) delayPlot() *plot {
	p := &plot{ID: "delay", Title: "How long committed rows stay hidden", XName: "interval T, ms", YName: "from read to commit, ms",
		Note: "A record that leads to a transactional sink waits for its barrier, then for its checkpoint, then for the commit. D is measured here from the trigger to the commit."}
	var xs, mean, most []float64
	d := 0.0
	for _, l := range m.lanes {
		xs, mean, most = append(xs, l.interval.Millis()), append(mean, l.delay.Mean().Millis()), append(most, l.delay.Max.Millis())
		d += (l.x.Duration.Mean().Millis() + commitPath) / float64(len(m.lanes))
	}
	p.Curves = []plotCurve{
		curveOf("formula", fmt.Sprintf("T/2 + D, D = %.0f ms", d), 60, 950, func(t float64) float64 { return t/2 + d }),
		curveOf("bound", "T + D", 60, 950, func(t float64) float64 { return t + d }),
	}
	p.Points = []plotPoints{{Class: "measured", Name: "mean", X: xs, Y: mean, Format: "%.0f ms"}, {Class: "second", Name: "longest", X: xs, Y: most, Format: "%.0f ms"}}
	return p.scale(0, 1000, 0)
}

// commitPath is the way from the seal to the commit in this model: the notice, and
// the commit (costs ack and commit of curriculum 1.5), in ms.
const commitPath = 30.0

// histogramPlot is how the delays of one interval are spread.
func (m *measurements) histogramPlot() *plot {
	l := m.lanes[len(m.lanes)-1]
	p := &plot{ID: "histogram", Title: fmt.Sprintf("The delays of one lane, T = %.0f ms", l.interval.Millis()), XName: "from read to commit, ms", YName: "rows",
		Note: "Every delay between D and T + D is about equally likely: a row comes at any moment of the interval."}
	const width = 100
	bars := make([]float64, 12)
	for _, d := range l.x.Delays {
		bars[min(len(bars)-1, int(d.Millis())/width)]++
	}
	for i, n := range bars {
		p.Bars = append(p.Bars, plotBar{From: float64(i * width), To: float64((i + 1) * width), N: n})
	}
	return p.scale(0, float64(len(bars)*width), 0)
}

func (m *measurements) catchUpPlot() *plot {
	p := &plot{ID: "catch-up", Title: "Back to the present", XName: "load ρ = λ/μ, %", YName: "catch-up per second of age and downtime, s",
		Note: "After a restart the job works off what has piled up since the restored barrier. At a full load it never gets there: headroom matters more than the interval."}
	var xs, ys []float64
	for _, l := range m.loads {
		if l.rec.CatchUp < 0 {
			continue
		}
		xs = append(xs, 100*l.rho)
		ys = append(ys, float64(l.rec.CatchUp)/float64(l.rec.Age+l.rec.Down()))
	}
	p.Curves = []plotCurve{curveOf("formula", "ρ/(1 − ρ)", 2, 82, func(r float64) float64 { return r / (100 - r) })}
	p.Points = []plotPoints{{Class: "measured", Name: "measured", X: xs, Y: ys, Format: "%.2f s"}}
	return p.scale(0, 100, 0)
}

// partsPlot is the way back in its parts, as a table.
func (m *measurements) partsPlot() *plot {
	p := &plot{ID: "parts", Title: "The way back, in parts", Head: []string{"load", "age", "detect", "restart, restore", "catch-up", "formula"},
		Note: "The counter crashes at 1 s. Age is that of the restored checkpoint's barrier. A late checkpoint makes all that follows longer. Loading the state takes this model no time of its own."}
	for _, l := range m.loads {
		age, down := float64(l.rec.Age)/float64(engine.Second), float64(l.rec.Down())/float64(engine.Second)
		_, formula, _ := check.CatchUp(l.rho, 1, age, down)
		catch := "not in this run"
		if l.rec.CatchUp >= 0 {
			catch = seconds(l.rec.CatchUp)
		}
		p.Table = append(p.Table, plotRow{[]string{percent(l.rho), seconds(l.rec.Age), seconds(l.rec.Detect), seconds(l.rec.Restart), catch, people(formula)}})
	}
	return p
}

// wastePlot is C/T + T/2M of the reader's numbers, around its minimum.
func (in *intervalInputs) wastePlot() *plot {
	best := check.YoungInterval(in.cost, in.mtbf)
	unit, name := 1.0, "s"
	switch {
	case best > 7200:
		unit, name = 3600, "h"
	case best > 120:
		unit, name = 60, "min"
	}
	to := max(4*best, 1.1*in.interval) / unit
	p := &plot{ID: "waste", Title: "Waste by interval, and how flat its bottom is", XName: "interval T, " + name, YName: "share of the work, %",
		Note: "Half of T* or twice T* wastes a quarter more than T* does."}
	part := func(of func(a, b float64) float64) func(float64) float64 {
		return func(t float64) float64 {
			a, b := check.Waste(in.cost, in.mtbf, t*unit)
			return 100 * of(a, b)
		}
	}
	from := best / 12 / unit
	p.Curves = []plotCurve{
		curveOf("formula", "C/T + T/2M", from, to, part(func(a, b float64) float64 { return a + b })),
		curveOf("bound", "C/T", from, to, part(func(a, _ float64) float64 { return a })),
		curveOf("bound two", "T/2M", 0, to, part(func(_, b float64) float64 { return b })),
	}
	x, y := check.Waste(in.cost, in.mtbf, best)
	p.Marks = []plotMark{{best / unit, "T*"}}
	if in.interval/best > 1.25 || in.interval/best < .8 {
		p.Marks = append(p.Marks, plotMark{in.interval / unit, "your T"})
	}
	return p.scale(0, to, 400*(x+y))
}
