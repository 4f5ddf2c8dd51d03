package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// cellsLine is one line of an outside panel.
type cellsLine struct {
	Box    *PanelBox
	Cells  []cell
	Runs   []txnRun
	Stable int // x of the last stable offset, -1: not on this line
}

// cell is one thing that lies outside: a row of a topic, a charge, an envelope, a
// row of a table.
type cell struct {
	Chip    chip
	X       int
	Times   string // "×2", empty: once
	TimesID string // of the copy that came last
	From    string
	Note    string // the row's id
	Value   string // tables
	Rewound bool
	Lost    bool // a ghost of what should lie here
}

// txnRun is a stretch of rows of one transaction, on one line.
type txnRun struct {
	X, W  int
	Class string
	Label string
	From  bool // it began on the line above
	To    bool // it goes on upon the line below
	Tick  bool
	Cross bool
	Timer int    // eighths of its timeout that have passed; -1: no clock runs
	Pie   string // the part of the ring that has passed
}

// outsideLine is the k-th line of a sink's panel.
func (s *Stage) outsideLine(sink, k int) cellsLine {
	b, o := &s.lay.Panels[sink], &s.view.Outside[sink]
	l := cellsLine{Box: b, Stable: -1}
	switch drawnAs(s.Job.Settings.Sinks[sink].Kind) {
	case engine.SinkTransactional:
		s.topicLine(sink, k, &l)
	case engine.SinkUpsert:
		first, n := window(len(o.Cells), b, k)
		for i := range n {
			l.Cells = append(l.Cells, s.tableCell(sink, &o.Cells[first+i], i*b.CellW))
		}
		s.ghosts(sink, k, len(o.Cells), &l)
	default:
		items := s.memo(sink).items
		first, n := window(len(items), b, k)
		for i := range n {
			c := items[first+i]
			c.X = i * b.CellW
			l.Cells = append(l.Cells, c)
		}
		s.ghosts(sink, k, len(items), &l)
	}
	return l
}

// window is which of n things lie on line k: the newest lines are shown.
func window(n int, b *PanelBox, k int) (first, count int) {
	lines := (n + b.PerLine - 1) / b.PerLine
	first = (max(0, lines-len(b.Lines)) + k) * b.PerLine
	return first, max(0, min(b.PerLine, n-first))
}

// panelMemo keeps what all lines of a panel share, for one event.
type panelMemo struct {
	n     int32 // the event, one higher; 0: nothing yet
	items []cell
	twice map[int]bool
}

func (s *Stage) memo(sink int) *panelMemo {
	m := &s.panels[sink]
	if m.n == s.view.N+1 {
		return m
	}
	*m = panelMemo{n: s.view.N + 1}
	if drawnAs(s.Job.Settings.Sinks[sink].Kind) == engine.SinkTransactional {
		m.twice = s.repeats(sink)
	} else {
		m.items = s.items(sink)
	}
	return m
}

// items are the rows of a sink without transactions, each once, with how often it
// was written.
func (s *Stage) items(sink int) []cell {
	b, o := &s.lay.Panels[sink], &s.view.Outside[sink]
	var out []cell
	at := map[trace.RowID]int{}
	times := map[trace.RowID]int{}
	for i := range o.Rows {
		r := &o.Rows[i]
		times[r.ID]++
		j, there := at[r.ID]
		if !there {
			at[r.ID] = len(out)
			c := cell{Chip: s.resultChip(sink, r.Key, r.Value, b), From: s.inputID(sink, r.Rec, r.Attempt)}
			c.Chip.ID = s.resultID(sink, r.Rec, r.Attempt)
			c.Chip.From = c.From
			if b.IDs && r.ID.Rec != engine.NoRecord {
				c.Note = r.Rec.String()
			}
			out = append(out, c)
			continue
		}
		out[j].Times = "\u00d7" + itoa(times[r.ID])
		if out[j].TimesID = s.resultID(sink, r.Rec, r.Attempt); out[j].TimesID == out[j].Chip.ID {
			out[j].TimesID = "" // the same reading of it, written again
		}
		out[j].From = s.inputID(sink, r.Rec, r.Attempt)
	}
	return out
}

// resultChip is a result: the key and the value.
func (s *Stage) resultChip(sink int, k engine.KeyID, value int64, b *PanelBox) chip {
	set := &s.Job.Settings.Sinks[sink]
	c := chip{Class: tint(k), Key: s.lay.labels[k], H: 20}
	if b.Digits > 0 {
		c.Num = trace.WrittenValue(s.Job, set, value)
	}
	if len(c.Num) > maxDigits {
		c.Num = ""
	}
	c.Split = len([]rune(c.Key)) > 1 && c.Num != ""
	n := len([]rune(c.Key)) + len(c.Num)
	switch drawnAs(set.Kind) {
	case engine.SinkTransactional:
		c.H, c.W = 18, b.CellW-2
	case engine.SinkEmail:
		c.H, c.Num, c.Split = 16, "", false
		c.W = chipWidth(len([]rune(c.Key)), 16) + 2
	default:
		c.W = chipWidth(n, 18) + 2
		if c.Split {
			c.W += 3
		}
	}
	return c
}

func (s *Stage) tableCell(sink int, t *trace.Cell, x int) cell {
	b, set := &s.lay.Panels[sink], &s.Job.Settings.Sinks[sink]
	c := cell{X: x, Rewound: t.Rewound() && set.Output == engine.TotalOutput}
	c.Chip = chip{Class: tint(t.Key), Key: s.lay.labels[t.Key], H: 20}
	if t.Rec != engine.NoRecord {
		c.Chip.ID, c.Chip.From = s.resultID(sink, t.Rec, t.Attempt), s.inputID(sink, t.Rec, t.Attempt)
	}
	c.Chip.W = max(20, chipWidth(len([]rune(c.Chip.Key)), 18))
	if b.Digits > 0 {
		c.Value = trace.WrittenValue(s.Job, set, t.Value)
	}
	if s.refers(sink, t, func(v *check.Verdict) []check.Ref { return v.DuplicatedRows }) {
		c.Times = "\u00d72"
		c.TimesID = ""
	}
	return c
}

// refers reports whether the sink's verdict names a table's row.
func (s *Stage) refers(sink int, t *trace.Cell, rows func(*check.Verdict) []check.Ref) bool {
	for _, v := range s.verdictsOf(sink) {
		for _, r := range rows(v) {
			if r.Key == t.Key && (t.ID.Rec == engine.NoRecord || r.ID == t.ID.Rec) {
				return true
			}
		}
	}
	return false
}

// ghosts draws what is lost behind what is there, once the verdict is final and
// may be shown.
func (s *Stage) ghosts(sink, k, n int, l *cellsLine) {
	b := l.Box
	lost := s.lostRows(sink)
	lines := (n + len(lost) + b.PerLine - 1) / b.PerLine
	if len(lost) == 0 || lines > len(b.Lines) && k != len(b.Lines)-1 {
		return
	}
	for i := range lost {
		at := n + i
		if lines <= len(b.Lines) && at/b.PerLine != k {
			continue
		}
		x := at % b.PerLine
		if lines > len(b.Lines) { // no room: on the last line, as far as it goes
			x = len(l.Cells)
		}
		if x >= b.PerLine {
			return
		}
		c := cell{X: x * b.CellW, Lost: true, Chip: s.resultChip(sink, lost[i].Key, 0, b)}
		c.Chip.Num, c.Chip.Split, c.Chip.Class = "", false, "lost"
		if b.IDs && lost[i].ID != engine.NoRecord {
			c.Note = lost[i].ID.String()
		}
		l.Cells = append(l.Cells, c)
	}
}

func (s *Stage) lostRows(sink int) []check.Ref {
	if s.opt.Hide || s.view.Phase != trace.Ended {
		return nil
	}
	for _, v := range s.verdictsOf(sink) {
		return v.LostRows
	}
	return nil
}

// verdictsOf are the verdicts of a sink, by reader.
func (s *Stage) verdictsOf(sink int) []*check.Verdict {
	var out []*check.Verdict
	all := s.Verdicts()
	for i := range all {
		if all[i].Sink == s.Job.Settings.Sinks[sink].Name {
			out = append(out, &all[i])
		}
	}
	return out
}

// outsideNote is the text at the foot of a panel; loud: it tells of repeats.
func (s *Stage) outsideNote(sink int) []note { return s.brokerWords(sink, s.plainNote(sink)) }

func (s *Stage) plainNote(sink int) []note {
	set, o := &s.Job.Settings.Sinks[sink], &s.view.Outside[sink]
	switch {
	case set.Kind == engine.SinkFiles:
		return s.fileNotes(sink)
	case set.Kind == engine.SinkTransactional:
		return s.readerNotes(sink)
	case trace.IsTable(set.Kind):
		if older := s.olderNow(sink); older > 0 {
			return []note{{Text: count(older, "total") + " older now"}}
		}
		return []note{{Text: list(", ", count(len(o.Cells), "row"), s.remembers(sink))}}
	}
	return []note{s.rowsNote(sink)}
}

// note is one line of text at the foot of a panel.
type note struct {
	Text, After string // a tick is drawn between the two
	Tick        bool
	Loud        bool
}

// rowsNote counts what a sink without transactions wrote, and names whom it hit
// more than once.
func (s *Stage) rowsNote(sink int) note {
	o := &s.view.Outside[sink]
	verb := "written"
	if s.Job.Settings.Sinks[sink].Kind == engine.SinkEmail {
		verb = "sent"
	}
	n := note{Text: itoa(len(o.Rows)) + " " + verb}
	most, rows := 1, 0
	var keys []string
	seen := map[engine.KeyID]bool{}
	for i := range o.Rows {
		r := &o.Rows[i]
		if r.Copy == 2 {
			rows++
		}
		if r.Copy > 1 && !seen[r.Key] {
			seen[r.Key] = true
			keys = append(keys, s.lay.labels[r.Key])
		}
		most = max(most, r.Copy)
	}
	if rows == 0 {
		n.Text += s.repeatsIgnored(sink)
		return n
	}
	n.Loud = true
	word := "twice"
	if most > 2 {
		word = "up to " + itoa(most) + " times"
	}
	n.Text += ", " + itoa(rows) + " " + word
	if set := &s.Job.Settings.Sinks[sink]; set.Kind == engine.SinkEmail && set.EmitAt > 0 && len(keys) <= 5 && most == 2 {
		n.Text = strings.Join(keys, ", ") + " got it twice"
	}
	return n
}

// outsideAttrs is a panel for readers of text.
func (s *Stage) outsideAttrs(sink int) map[string]string {
	set := &s.Job.Settings.Sinks[sink]
	parts := []string{"Outside system " + trace.Clip(sinkTitle(set), 40)}
	for _, n := range s.outsideNote(sink) {
		text := n.Text
		if n.Tick {
			text += "committed results" + n.After
		}
		parts = append(parts, text)
	}
	return map[string]string{"aria-label": list(", ", parts...)}
}

// panelKind tells in a word or two what an outside system does with a row.
func panelKind(k *engine.SinkSettings) string {
	switch k.Kind {
	case engine.SinkFiles, engine.SinkDedup, engine.SinkPosition, engine.SinkState:
		return newKindWords(k)
	case engine.SinkTransactional:
		if len(k.Readers) == 1 {
			return string(k.Readers[0])
		}
		return "two readers"
	case engine.SinkUpsert:
		if k.Output == engine.TotalOutput {
			return "upsert by key"
		}
		return "upsert by id"
	case engine.SinkEmail:
		if k.EmitAt > 0 {
			return "e-mail at count " + num(k.EmitAt)
		}
		return "e-mail a record"
	}
	if k.EmitAt > 0 {
		return "append at count " + num(k.EmitAt)
	}
	return "append"
}
