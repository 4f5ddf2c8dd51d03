package stage

import (
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// flagOf draws what stands between records in a lane: a barrier or a watermark.
func (s *Stage) flagOf(e *trace.Elem, id engine.ChanID, x int, l *lane) flag {
	if e.Kind == engine.BarrierElement {
		return s.barrier(e.Ckpt, id, x, l)
	}
	f := flag{ID: "w" + num(int64(e.Mark/engine.Microsecond)) + "." + num(id), X: x, No: mark(e.Mark), H: l.Box.H, Inside: l.Box.Inside, Class: "watermark"}
	f.W = 8 + monoText(len(f.No), 11)
	f.FlagX = -f.W / 2
	return f
}

// mark is a watermark's time on its flag, in milliseconds.
func mark(t engine.Time) string {
	if t >= engine.EndOfTime {
		return "end"
	}
	if t%engine.Second == 0 && t != 0 {
		return trace.Clock(int64(t))
	}
	return strconv.FormatFloat(t.Millis(), 'f', -1, 64)
}

// panes are the rows of a node whose state is windows: the key, the records in it,
// and its end. Those that end first come first.
func (s *Stage) panes(id engine.TaskID) (rows []stateRow, more int) {
	t, b := &s.view.Tasks[id], &s.lay.Nodes[id]
	top := 4
	if b.Wide {
		top = 20
	}
	fit, cols := b.Rows, 1
	if b.Cols > 0 { // a phone: two beside each other, as many lines as there are
		cols = 2
		fit = cols * max(1, (b.State.H-4)/b.RowH)
	}
	if n := len(t.Timed.Panes); n > fit && !b.Wide && fit > 1 {
		fit--
	}
	for i, p := range t.Timed.Panes {
		if i == fit {
			return rows, len(t.Timed.Panes) - fit
		}
		wide := b.State.W / cols
		r := stateRow{X: i % cols * wide, Y: top + i/cols*b.RowH, Class: tint(p.Key), Key: s.lay.labels[p.Key], Value: num(p.Count) + " to " + mark(p.End), End: i%cols*wide + wide - 6}
		r.KeyW = max(18, chipWidth(len([]rune(r.Key)), 18))
		if monoText(len(r.Value), 12) > wide-14-r.KeyW {
			r.Value = num(p.Count) + "\u00b7" + mark(p.End)
		}
		rows = append(rows, r)
	}
	return rows, 0
}

// stateTitle is what stands above a node's table.
func (s *Stage) stateTitle(id engine.TaskID) string {
	t, set := &s.view.Tasks[id], &s.Job.Settings
	title := "state"
	switch set.Operator {
	case engine.OperatorWindow:
		title = "windows"
	case engine.OperatorJoin:
		title = "table"
	case engine.OperatorDedup:
		title = "seen"
	}
	if set.Strategy == "trident" { // the counts are outside; here is what the last batch brought
		title = "last added"
	}
	late := ""
	if t.Timed.Late > 0 {
		late = ", late " + num(t.Timed.Late)
	}
	if !set.Clocked() || t.Timed.Mark <= engine.NoTime {
		return title + late
	}
	now := "time " + mark(t.Timed.Mark)
	return fitting(s.lay.Nodes[id].State.W-16, title+", "+now+late, now+late, mark(t.Timed.Mark)+late)
}

// panesLabel is the table of windows for readers of text.
func (s *Stage) panesLabel(id engine.TaskID) string {
	t := &s.view.Tasks[id]
	label := s.stateTitle(id) + ": "
	for i, p := range t.Timed.Panes {
		if i > 0 {
			label += ", "
		}
		if i == 8 {
			return label + "and more"
		}
		label += s.fullKey(p.Key) + " to " + trace.Clock(int64(p.End)) + " holds " + num(p.Count)
	}
	if len(t.Timed.Panes) == 0 {
		label += "none open"
	}
	return label
}
