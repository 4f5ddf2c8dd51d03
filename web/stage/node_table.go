package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

func (s *Stage) table(id engine.TaskID) table {
	t, b := &s.view.Tasks[id], &s.lay.Nodes[id]
	tb := table{Box: b, Lost: t.Status == trace.Crashed || t.Status == trace.Restarted, Loads: t.Status == trace.Restarted, Rebuilds: s.rebuilds(id)}
	tb.Title = s.stateTitle(id)
	if s.Job.Settings.Operator == engine.OperatorWindow {
		more := 0
		if tb.Rows, more = s.panes(id); more > 0 {
			tb.More, tb.MoreX, tb.MoreY, tb.MoreEnd = "+"+itoa(more), b.State.W-9, 15, true
			if !b.Wide {
				tb.MoreY = b.State.H - 5
			}
		}
		return tb
	}
	rows := b.Rows
	if b.Cols == 0 && !b.Wide && rows > 1 && len(s.owned[id]) > rows {
		rows-- // for "+3"
	}
	if len(s.owned[id]) == 0 {
		tb.Empty = "no keys"
	}
	keys := s.shownKeys(id, rows)
	top := 4
	if b.Wide {
		top = 20
	}
	for i, k := range keys {
		r := stateRow{Y: top + i*b.RowH, Class: tint(k), Key: s.lay.labels[k], Value: trace.Held(s.Job, s.Job.Plan.Tasks[id].Kind, t.Counts[k]), Absent: t.Counts[k] == 0 || tb.Lost}
		r.End = b.State.W - 9
		r.KeyW = max(18, chipWidth(len([]rune(r.Key)), 18))
		tb.Rows = append(tb.Rows, r)
	}
	if n := len(s.owned[id]) - len(keys); n > 0 {
		tb.More, tb.MoreY = "+"+itoa(n), 15
		tb.MoreX, tb.MoreEnd = b.State.W-9, true
		switch {
		case !b.Wide && len(keys) == 1:
			tb.MoreX, tb.MoreEnd = tb.Rows[0].KeyW+11, false
		case !b.Wide:
			tb.MoreY = b.State.H - 5
		}
	}
	if b.Cols > 0 {
		tb.grid()
	}
	return tb
}

// gone is what stands in the place of a state that is not there: it died with its
// task, or its replacement is loading it.
func (t *table) gone() string {
	switch {
	case t.Rebuilds:
		return "rebuilding"
	case t.Loads:
		return "loads state"
	}
	return "memory lost"
}

// shift makes room for the glyph of a badge.
func (st *status) shift() int {
	if st.Mark == "" {
		return 0
	}
	return 7
}

// shownKeys are the keys of the table's rows: in order, and the one counted last
// in the place of the last when it would not be there.
func (s *Stage) shownKeys(id engine.TaskID, rows int) []engine.KeyID {
	all := s.owned[id]
	if len(all) <= rows {
		return all
	}
	out := append([]engine.KeyID(nil), all[:rows]...)
	last := s.view.Tasks[id].LastKey
	if last < 0 {
		return out
	}
	for _, k := range out {
		if k == last {
			return out
		}
	}
	out[rows-1] = last
	return out
}

func (s *Stage) tableAttrs(id engine.TaskID) map[string]string {
	t := &s.view.Tasks[id]
	if t.Status == trace.Crashed || t.Status == trace.Restarted {
		tb := table{Loads: t.Status == trace.Restarted, Rebuilds: s.rebuilds(id)}
		return map[string]string{"aria-label": "state, " + tb.gone()}
	}
	if s.Job.Settings.Operator == engine.OperatorWindow {
		return map[string]string{"aria-label": s.panesLabel(id)}
	}
	var rows []string
	for _, k := range s.owned[id] {
		if t.Counts[k] > 0 {
			rows = append(rows, s.fullKey(k)+" "+trace.Held(s.Job, s.Job.Plan.Tasks[id].Kind, t.Counts[k]))
		}
		if len(rows) == 8 {
			rows = append(rows, "and more")
			break
		}
	}
	if rows == nil {
		return map[string]string{"aria-label": "state, empty"}
	}
	return map[string]string{"aria-label": "state: " + strings.Join(rows, ", ")}
}
