package web

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// ganttView is a checkpoint as bars, one row a task, and as a table.
type ganttView struct {
	No     int32
	Title  string // "Checkpoint 1: 180 ms, complete"
	Rows   []ganttRow
	Phases []ganttPhase // the legend
	Height int
	Ticks  []ganttTick
}

type ganttRow struct {
	Task  string
	Y     int
	Bars  []ganttBar
	Cells []string // one a phase, "12 ms"
	Words string   // the row read aloud
}

type ganttBar struct {
	Class   string
	X, Y    int
	W, H    int
	Pending bool // it has not ended
}

type ganttTick struct {
	X    int
	Text string
}

type ganttPhase struct {
	Class, Name string
	Height      int
}

// Geometry of the bars in pixels: names at the left, then time.
const (
	ganttLeft   = 70
	ganttWidth  = 250
	ganttRowH   = 24
	ganttAll    = ganttLeft + ganttWidth + 12
	ganttTicked = 22 // for the axis
)

// ganttPhases are the parts of a task's way, in their order. Each has a height of
// its own, so that they can be told apart without colour.
var ganttPhases = []struct {
	class, name string
	height      int
}{{"delay", "start delay", 2}, {"align", "alignment", 8}, {"sync", "synchronous part", 16}, {"upload", "upload", 12}, {"ack", "acknowledgement", 4}}

// newGantt draws checkpoint no as of event n; nil where barriers did not carry it.
func newGantt(job *engine.Job, t *trace.Trace, no int32, n int) *ganttView {
	g := trace.GanttOf(t, no, n)
	if g == nil || !g.Barrier {
		return nil
	}
	state := map[trace.CheckpointState]string{trace.InProgress: "in progress", trace.Complete: "complete", trace.Discarded: "discarded", trace.Expired: "expired"}[g.State]
	v := &ganttView{No: no, Title: fmt.Sprintf("Checkpoint %d: %s, %s", no, millis(g.End-g.Begin), state)}
	for _, p := range ganttPhases {
		v.Phases = append(v.Phases, ganttPhase{p.class, p.name, p.height})
	}
	for i := range g.Parts {
		v.Rows = append(v.Rows, ganttRowOf(g, &g.Parts[i], job.Plan.Tasks[i].Name, i*ganttRowH))
	}
	v.Height = len(v.Rows)*ganttRowH + ganttTicked
	for i := range 3 {
		at := (g.End - g.Begin) * engine.Time(i) / 2
		v.Ticks = append(v.Ticks, ganttTick{ganttLeft + ganttWidth*i/2, strconv.FormatInt(int64(at/engine.Millisecond), 10)})
	}
	return v
}

func ganttRowOf(g *trace.Gantt, p *trace.Phases, name string, y int) ganttRow {
	r := ganttRow{Task: name, Y: y}
	ends := []engine.Time{p.Arrived, p.Aligned, p.Taken, p.Stored, p.Acked}
	from, open := g.Begin, false
	var words []string
	for i, end := range ends {
		phase := ganttPhases[i]
		if open {
			r.Cells = append(r.Cells, "")
			continue
		}
		open = end < 0
		if open {
			end = max(g.End, from)
		}
		x, to := ganttX(g, from), ganttX(g, end)
		b := ganttBar{Class: "gantt-" + phase.class, X: ganttLeft + x, Y: y + (ganttRowH-phase.height)/2, W: to - x, H: phase.height, Pending: open}
		if end > from || phase.class == "sync" {
			b.W = max(b.W, 2)
			r.Bars = append(r.Bars, b)
		}
		cell := millis(end - from)
		if open {
			cell = "not over"
		}
		r.Cells = append(r.Cells, cell)
		if open || end > from {
			words = append(words, phase.name+" "+cell)
		}
		from = end
	}
	r.Words = name + ": " + strings.Join(words, ", ")
	return r
}

// words is the picture read aloud.
func (v *ganttView) words() string {
	out := []string{v.Title + "."}
	for _, r := range v.Rows {
		out = append(out, r.Words+".")
	}
	return strings.Join(out, " ")
}

// ganttX is a time as a distance from the beginning of the checkpoint.
func ganttX(g *trace.Gantt, at engine.Time) int {
	all := max(g.End-g.Begin, 1)
	return int(min(at-g.Begin, all) * ganttWidth / all)
}

func millis(t engine.Time) string {
	return strconv.FormatInt(int64((t+engine.Millisecond/2)/engine.Millisecond), 10) + " ms"
}

// ganttHere is where a lesson's text asks for the bars of a checkpoint.
var ganttHere = regexp.MustCompile(`<figure class="gantt-here" data-gantt="(\d+)"></figure>`)

// withGantt puts the bars into a lesson's text, each checkpoint at the end of the
// step's run.
func withGantt(ctx context.Context, page *runPage, text string) (string, error) {
	var failed error
	out := ganttHere.ReplaceAllStringFunc(text, func(here string) string {
		no, _ := strconv.Atoi(ganttHere.FindStringSubmatch(here)[1])
		v := newGantt(page.Run.Job, page.Run.Trace, int32(no), page.At)
		if v == nil {
			return ""
		}
		s, err := markup(ctx, gantt(v))
		if err != nil {
			failed = err
		}
		return s
	})
	return out, failed
}
