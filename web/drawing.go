package web

import (
	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/web/stage"
)

// drawing is the stage of a page, folded up to its event.
type drawing struct {
	page  *runPage
	stage *stage.Stage
	tall  *stage.Stage // the same event, for narrow screens: scripts keep the one that fits
}

// logRows is how many rows of the log are drawn with a page.
const logRows = 30

func newDrawing(p *runPage) *drawing {
	opt := p.Run.options(func(n int) string { return string(p.href(n)) })
	d := &drawing{page: p, stage: stage.New(p.Run.Job, opt)}
	opt.Tall = true
	d.tall = stage.New(p.Run.Job, opt)
	for n := 1; n <= p.At; n++ {
		d.stage.Apply(p.Run.Trace.At(n))
		d.tall.Apply(p.Run.Trace.At(n))
	}
	return d
}

// options are how a run is drawn, on its page and by the stream alike. href is
// the URL of an event for readers without scripts; nil in the stream.
func (r *run) options(href func(n int) string) stage.Options {
	return stage.Options{Faults: r.Trace.Faults, Log: r.Log, Coordinator: r.Job.HasCoordinator(), Machines: true, Href: href}
}

func (d *drawing) svg() templ.Component      { return stage.SVG(d.stage) }
func (d *drawing) tallSVG() templ.Component  { return stage.SVG(d.tall) }
func (d *drawing) shelf() templ.Component    { return stage.Shelf(d.stage) }
func (d *drawing) verdict() templ.Component  { return stage.Verdict(d.stage) }
func (d *drawing) log() templ.Component      { return stage.Log(d.stage, logRows) }
func (d *drawing) timeline() templ.Component { return stage.Timeline(d.stage, d.page.shown()) }

// shown is the trace as far as the page may tell it: while a prediction is open,
// events after it are there, but nothing is known of them.
func (p *runPage) shown() *trace.Trace {
	if !p.Hidden {
		return p.Run.Trace
	}
	t := trace.New(p.Run.Job, p.Run.Trace.Faults)
	for n := 1; n <= p.Run.Last(); n++ {
		e := *p.Run.Trace.At(n)
		if n > p.At {
			e = engine.Event{T: e.T, Task: engine.NoTask, Chan: engine.NoChan, Fault: -1, Rec: engine.NoRecord}
		}
		t.Append(e)
	}
	return t
}
