package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// topicLine draws one line of a topic: rows in the order of the partition, and
// behind them the stretches of transactions.
func (s *Stage) topicLine(sink, k int, l *cellsLine) {
	b, o := &s.lay.Panels[sink], &s.view.Outside[sink]
	first, n := window(len(o.Rows), b, k)
	twice := s.memo(sink).twice
	for i := range n {
		r := &o.Rows[first+i]
		c := cell{X: i * b.CellW, Chip: s.resultChip(sink, r.Key, r.Value, b)}
		c.Chip.ID, c.Chip.From = s.resultID(sink, r.Rec, r.Attempt), s.inputID(sink, r.Rec, r.Attempt)
		if r.Copy > 1 && s.sameReading(o, first+i) {
			c.Chip.ID = ""
		}
		if twice[first+i] {
			c.Chip.Class += " twice"
		}
		l.Cells = append(l.Cells, c)
	}
	for i := 0; i < n; {
		j := i + 1
		for j < n && alike(&o.Txns[o.Rows[first+j].Txn], &o.Txns[o.Rows[first+i].Txn]) {
			j++
		}
		x := &o.Txns[o.Rows[first+i].Txn]
		r := run(x, s.inDoubt(x), i*b.CellW, (j-i)*b.CellW)
		r.From = i == 0 && first > 0 && sameRun(o, first-1, first)
		r.To = j == n && first+n < len(o.Rows) && sameRun(o, first+n-1, first+n)
		if (r.From || r.To) && !longest(o, b, first+i, first+j) {
			r.silence()
		}
		l.Runs = append(l.Runs, r)
		i = j
	}
	if at := s.stableRow(sink); at >= first && (at < first+n || at == first+n && n < b.PerLine) {
		l.Stable = (at - first) * b.CellW
	}
	s.ghosts(sink, k, len(o.Rows), l)
}

// sameReading reports whether an earlier row came from the same reading of its
// record, as where a log between the two kept it.
func (s *Stage) sameReading(o *trace.Outside, i int) bool {
	for j := range i {
		if o.Rows[j].Rec == o.Rows[i].Rec && o.Rows[j].Attempt == o.Rows[i].Attempt {
			return true
		}
	}
	return false
}

// sameRun reports whether two rows beside each other are drawn in one stretch.
func sameRun(o *trace.Outside, i, j int) bool {
	return alike(&o.Txns[o.Rows[i].Txn], &o.Txns[o.Rows[j].Txn])
}

// longest reports whether rows from..to are the widest piece of their transaction on
// the lines that are shown: one that goes on over several lines is named there, once.
func longest(o *trace.Outside, b *PanelBox, from, to int) bool {
	shown, _ := window(len(o.Rows), b, 0)
	start, end := from, to
	for start > shown && sameRun(o, start-1, start) {
		start--
	}
	for end < len(o.Rows) && sameRun(o, end-1, end) {
		end++
	}
	for at := start; at < end; {
		next := min(end, at-at%b.PerLine+b.PerLine)
		if next-at > to-from || next-at == to-from && at < from {
			return false
		}
		at = next
	}
	return true
}

// alike reports whether two transactions are drawn as one: they were opened for
// the same checkpoint by tasks of one sink, and await the same.
func alike(a, b *trace.Txn) bool {
	return a.ID.No == b.ID.No && a.ID.Attempt == b.ID.Attempt && a.State == b.State
}

// inDoubt reports whether a transaction of xa has voted yes and was not told yet
// what was decided: it may neither commit nor give up on its own.
func (s *Stage) inDoubt(x *trace.Txn) bool {
	k := &s.view.Kept
	return s.Job.Settings.Strategy == "xa" && k.Votes[0] && x.State == engine.TxnOpen && x.ID.No == k.Txn.No && x.ID.Attempt == k.Txn.Attempt
}

// run draws a stretch of a transaction and says what it awaits, as far as there is room.
func run(x *trace.Txn, doubt bool, left, w int) txnRun {
	r := txnRun{X: left, W: w, Timer: -1}
	no := num(x.ID.No)
	var words []string
	switch {
	case doubt:
		r.Class, words, r.Timer = "pre", []string{no + " in doubt", "in doubt", no}, x.Eighths
	case x.State == engine.TxnOpen:
		r.Class, words, r.Timer = "open", []string{no + " open", no}, x.Eighths
	case x.State == engine.TxnPrecommitted:
		r.Class, words, r.Timer = "pre", []string{no + " pre-commit", no + " pre", no}, x.Eighths
	case x.State == engine.TxnCommitted:
		r.Class, words, r.Tick = "committed", []string{no}, true
	case x.State == engine.TxnTimedOut:
		r.Class, words, r.Cross = "aborted expired", []string{no + " expired", "expired", no}, false
		r.Timer = 8
	case x.State == engine.TxnRemoved:
		r.Class, words = "aborted", []string{no + " deleted", "deleted"}
	default:
		r.Class, words = "aborted", []string{no + " aborted", "aborted"}
	}
	room := w + 6
	if r.Timer >= 0 {
		room, r.Pie = room-timerW, pie(r.Timer)
	}
	for _, t := range words {
		if sansText(t, 11) <= room {
			r.Label = t
			return r
		}
	}
	r.Cross = x.State != engine.TxnCommitted
	return r
}

// repeats marks the rows of a topic that its most curious reader sees for the
// second time.
func (s *Stage) repeats(sink int) map[int]bool {
	o := &s.view.Outside[sink]
	iso := engine.ReadCommitted
	for _, r := range s.Job.Settings.Sinks[sink].Readers {
		if s.Job.Settings.Sinks[sink].Kind == engine.SinkFiles {
			break // final files only
		}
		if r == engine.ReadUncommitted {
			iso = r
		}
	}
	seen := map[trace.RowID]bool{}
	out := map[int]bool{}
	for i := range o.Rows {
		r := &o.Rows[i]
		if iso == engine.ReadCommitted && o.Txns[r.Txn].State != engine.TxnCommitted {
			continue
		}
		out[i] = seen[r.ID]
		seen[r.ID] = true
	}
	return out
}

// stableRow is the row at which readers of committed rows have to stop, -1 when
// nothing holds them or nobody reads that way.
func (s *Stage) stableRow(sink int) int {
	o := &s.view.Outside[sink]
	if s.Job.Settings.Sinks[sink].Kind == engine.SinkFiles {
		return -1
	}
	rc := false
	for _, r := range s.Job.Settings.Sinks[sink].Readers {
		rc = rc || r == engine.ReadCommitted
	}
	lso := o.Stable()
	if !rc || lso >= len(o.Topic) {
		return -1
	}
	return o.Topic[lso].Row
}

// readerNotes says what each reader gets.
func (s *Stage) readerNotes(sink int) []note {
	set, o := &s.Job.Settings.Sinks[sink], &s.view.Outside[sink]
	var out []note
	for i, iso := range set.Readers {
		seen, _ := o.Visible(iso)
		vs := s.verdictsOf(sink)
		twice := 0
		if i < len(vs) {
			twice = vs[i].Duplicated
		}
		n := note{Text: "Readers see ", After: " only: " + count(seen, "result"), Tick: true}
		if iso == engine.ReadUncommitted {
			n = note{Text: "Readers see everything: " + count(seen, "result")}
		}
		if len(set.Readers) > 1 {
			n = note{Text: string(iso) + ": " + itoa(seen)}
		}
		if twice > 0 {
			n.twice(twice, seen, s.lay.Panels[sink].W-2*panelPad)
		}
		out = append(out, n)
	}
	return out
}

// twice adds to what a reader sees how much of it stands there more than once. Loud
// words are wider, and a narrow panel has room for the numbers only.
func (n *note) twice(times, seen, w int) {
	n.Loud = true
	more := ", " + itoa(times) + " twice"
	if n.Tick {
		n.After += more
	} else {
		n.Text += more
	}
	if sansText(n.Text+n.After, 12)+15 > w {
		results := count(seen, "result")
		n.Text, n.After = strings.Replace(n.Text, results, itoa(seen), 1), strings.Replace(n.After, results, itoa(seen), 1)
	}
}

// silence leaves a stretch its frame and takes its words: another line has them.
func (r *txnRun) silence() { r.Label, r.Tick, r.Cross, r.Timer, r.Pie = "", false, false, -1, "" }

// edge is the frame of a stretch, open at the side where the transaction goes on
// upon another line.
func (r *txnRun) edge() string {
	left, right := itoa(r.X), itoa(r.X+r.W)
	switch {
	case r.From && r.To:
		return "M" + left + " 0H" + right + "M" + left + " 26H" + right
	case r.From:
		return "M" + left + " 0H" + itoa(r.X+r.W-4) + "a4 4 0 0 1 4 4V22a4 4 0 0 1 -4 4H" + left
	case r.To:
		return "M" + right + " 0H" + itoa(r.X+4) + "a4 4 0 0 0 -4 4V22a4 4 0 0 0 4 4H" + right
	}
	return ""
}

// labelX is the middle of a run's label; a committed one leaves room for its tick.
func (r *txnRun) labelX() int {
	switch {
	case r.Tick:
		return r.X + r.W/2 - 6
	case r.Timer >= 0:
		return r.X + r.W/2 + timerW/2
	}
	return r.X + r.W/2
}

func (r *txnRun) tickX() int { return r.X + r.W/2 + sansText(r.Label, 11)/2 - 4 }

// timerW is the room of a ring before the label of its transaction.
const timerW = 14

// timerX is the middle of the ring.
func (r *txnRun) timerX() int {
	if r.Label == "" {
		return r.X + r.W/2
	}
	return r.labelX() - sansText(r.Label, 11)/2 - timerW/2
}

// pie is the sector of a ring of radius 4 that n eighths fill, from the top.
func pie(n int) string {
	ends := [...]string{"0 -4", "3 -3", "4 0", "3 3", "0 4", "-3 3", "-4 0", "-3 -3", "0 -4"}
	switch {
	case n <= 0:
		return ""
	case n >= 8:
		return "M0 -4A4 4 0 1 1 0 4A4 4 0 1 1 0 -4Z"
	case n > 4:
		return "M0 0V-4A4 4 0 1 1 " + ends[n] + "Z"
	}
	return "M0 0V-4A4 4 0 0 1 " + ends[n] + "Z"
}

// moved is a chip at a place.
func moved(c chip, x, y int) chip {
	c.X, c.Y = x, y
	return c
}

// noteTick is where the tick stands in a note: behind its first words.
func noteTick(text string) int { return len(text)*58/10 - 1 }
