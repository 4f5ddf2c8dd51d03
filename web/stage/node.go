package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// status is the badges and lines of text of a node.
type status struct {
	Box       *NodeBox
	Badge     string
	BadgeKind string // aligning, crashed, quiet
	BadgeX    int    // left end, relative to Box.Status
	BadgeW    int
	Bolt      bool
	Mark      string // a glyph before a quiet badge
	Bare      bool   // no room for a ground behind the word
	Slow      string
	SlowBox   Rect
	Zombie    zombie
	Lines     []string
	Mono      bool
	Saved     saved
}

// saved is the disc of what a task saved last.
type saved struct {
	Show  bool
	Glyph string
	ID    string
	From  string
	Text  string
	Quiet bool // it tells what is not there yet
}

func (s *Stage) status(id engine.TaskID) status {
	t, task, b := &s.view.Tasks[id], &s.Job.Plan.Tasks[id], &s.lay.Nodes[id]
	st := status{Box: b}
	st.Badge, st.BadgeKind = s.badge(id, b.Status.W)
	if st.Badge != "" {
		st.BadgeW = min(b.Status.W, sansText(st.Badge, 11)+14)
		if st.BadgeKind == "crashed" && b.Status.W >= sansText(st.Badge, 12)+18 {
			st.Bolt, st.BadgeW = true, sansText(st.Badge, 12)+18
		}
		if t.Paused && b.Status.W >= sansText(st.Badge, 11)+22 {
			st.Mark, st.BadgeW = "pause", sansText(st.Badge, 11)+26
			st.BadgeW = min(b.Status.W, st.BadgeW)
		}
		st.Bare = st.BadgeW < sansText(st.Badge, 11)+6
		if !b.Row && b.Lanes != nil && task.Kind != engine.OpSink && !b.narrow() {
			st.BadgeX = b.Status.W - st.BadgeW
		}
	}
	if t.Slow > 0 {
		st.Slow = num(t.Slow) + "\u00d7 slow"
		st.SlowBox = Rect{X: b.W - 62, Y: -8, W: 54, H: 15}
		if b.narrow() {
			st.SlowBox = Rect{X: b.W - 62, Y: b.Crash.Bottom() + 1, W: 54, H: 15}
		}
	}
	st.Zombie = s.zombie(id)
	st.Lines, st.Mono = s.lines(id)
	st.Saved = s.saved(id)
	if st.Badge != "" && overlap(b.Saved, b.Status) {
		st.Saved = saved{}
	}
	if st.Badge != "" && b.TextY > b.Status.Y && b.TextY < b.Status.Bottom()+2 {
		st.Lines = nil
	}
	return st
}

func overlap(a, b Rect) bool {
	return a.W > 0 && b.W > 0 && a.X < b.Right() && b.X < a.Right() && a.Y < b.Bottom() && b.Y < a.Bottom()
}

// badge is what a task is doing, when that is more than running.
func (s *Stage) badge(id engine.TaskID, w int) (text, kind string) {
	t := &s.view.Tasks[id]
	if t.Paused {
		return "paused", "quiet"
	}
	switch t.Status {
	case trace.Aligning:
		return fitting(w-4, "aligning "+num(t.Aligning), "align "+num(t.Aligning)), "aligning"
	case trace.Crashed:
		return "crashed", "crashed"
	case trace.Restarted, trace.Refused, trace.Cancelled:
		if s.rebuilds(id) {
			return fitting(w-2, "rebuilding", "rebuilds"), "quiet"
		}
		return fitting(w-2, t.Status.String(), strings.TrimSuffix(t.Status.String(), "ing")+"e"), "quiet"
	}
	if t.Waits != engine.NoChan {
		return "waits", "quiet"
	}
	return "", ""
}

// lines is what a node says besides: a source's offset, a sink's transactions.
func (s *Stage) lines(id engine.TaskID) (lines []string, mono bool) {
	t, task, b := &s.view.Tasks[id], &s.Job.Plan.Tasks[id], &s.lay.Nodes[id]
	gone := t.Status == trace.Crashed || t.Status == trace.Restarted
	switch {
	case task.Kind == engine.OpSource && s.Job.Settings.Strategy == "batch" && !b.Row && !gone:
		if n := s.view.Kept.Published[id]; n >= 0 {
			return []string{num(n) + " out"}, true
		}
		return []string{itoa(t.Wrote) + " held"}, true
	case task.Kind == engine.OpSource && gone:
		return []string{"offset -"}, true
	case task.Kind == engine.OpSource && b.Row:
		return []string{num(s.view.Logs[task.Part].Next)}, true
	case task.Kind == engine.OpSource:
		return []string{"offset " + num(s.view.Logs[task.Part].Next)}, true
	case task.Kind != engine.OpSink || b.Lines == 0 || b.Row:
		return nil, false
	case drawnAs(s.Job.Settings.Sinks[task.Sink].Kind) == engine.SinkTransactional:
		lines = s.txnLines(id)
	case !gone:
		lines = []string{s.wroteText(id, task.Sink, b.TextW)}
	}
	if len(lines) > b.Lines {
		lines = lines[:b.Lines]
	}
	return lines, false
}

// wroteText is how many rows a sink has written in its present attempt. Since a
// restart it says "more": the panel beside it counts the rows of all attempts.
func (s *Stage) wroteText(id engine.TaskID, sink, w int) string {
	t := &s.view.Tasks[id]
	switch {
	case s.view.Attempt > 1 && s.view.ZombieOf(id) != nil: // two processes write under this name
		return fitting(w, "new one: "+itoa(t.Wrote)+" rows", "new: "+itoa(t.Wrote)+" rows", "new: "+itoa(t.Wrote))
	case s.view.Attempt > 1:
		return itoa(t.Wrote) + " more"
	case s.Job.Settings.Sinks[sink].Kind == engine.SinkEmail:
		return itoa(t.Wrote) + " sent"
	}
	return fitting(w, itoa(t.Wrote)+" written", count(t.Wrote, "row"))
}

// txnLines tells the transactions of a sink that are not decided.
func (s *Stage) txnLines(id engine.TaskID) []string {
	t, o := &s.view.Tasks[id], &s.view.Outside[s.Job.Plan.Tasks[id].Sink]
	w := s.lay.Nodes[id].TextW
	var open, pre []string
	for i := range o.Txns {
		x := &o.Txns[i]
		switch {
		case x.ID.Task != id:
		case x.ID == t.Open:
			no, rows := num(x.ID.No), " \u00b7 "+itoa(x.Rows)
			open = append(open, fitting(w, "txn "+no+" open"+rows, no+" open"+rows, no+" open"))
		case x.State == engine.TxnPrecommitted:
			pre = append(pre, fitting(w, "txn "+num(x.ID.No)+" pre-commit", num(x.ID.No)+" pre-commit", num(x.ID.No)+" pre"))
		case x.State == engine.TxnOpen:
			pre = append(pre, fitting(w, "txn "+num(x.ID.No)+" left open", num(x.ID.No)+" left open", num(x.ID.No)+" left"))
		}
	}
	return append(open, pre...)
}

// fitting is the first text that fits into a width, or the last.
func fitting(w int, texts ...string) string {
	for _, t := range texts {
		if sansText(t, 11) <= w+4 {
			return t
		}
	}
	return texts[len(texts)-1]
}

// snapshots reports whether tasks save their state at a common moment. Where they
// do not, the number of a restart is nothing that a task has saved.
func (s *Stage) snapshots() bool {
	return s.Job.Settings.Strategy == "barriers" || s.Job.Settings.Strategy == "microbatch"
}

// saved tells what a task saved last. While a checkpoint is in progress, a task
// that has not made its part says so.
func (s *Stage) saved(id engine.TaskID) saved {
	t, b := &s.view.Tasks[id], &s.lay.Nodes[id]
	if s.Job.Settings.Strategy == "microbatch" && s.Job.Plan.Tasks[id].Kind != engine.OpCount {
		return saved{} // its number is that of a restart
	}
	if !s.snapshots() || b.Saved.W == 0 || t.Status == trace.Crashed || s.view.Phase == trace.Ended && t.Saved == 0 {
		return saved{}
	}
	long := b.Wide
	if c := s.view.Pending(); c != nil && t.Saved != c.No && long && t.Status != trace.Restarted {
		return saved{Show: true, Text: num(c.No) + " not saved yet", Quiet: true}
	}
	if t.Status == trace.Restarted {
		if c := s.view.RestartPoint(); c != nil {
			return saved{Show: true, Glyph: "checkpoint", Text: num(c.No), ID: "k" + num(c.No) + "." + s.Job.Plan.Tasks[id].Name, From: "c" + num(c.No)}
		}
		return saved{}
	}
	if t.Saved == 0 {
		return saved{}
	}
	out := saved{Show: true, Glyph: "checkpoint", Text: num(t.Saved), ID: "k" + num(t.Saved) + "." + s.Job.Plan.Tasks[id].Name}
	if !t.Durable {
		out.Glyph = "checkpoint-open"
	}
	if long {
		out.Text += " saved"
		if !t.Durable {
			out.Text = num(t.Saved) + " copied"
		}
	}
	return out
}

// hand is the record that a task holds at its exit.
func (s *Stage) hand(id engine.TaskID) (chip, bool) {
	h := &s.view.Tasks[id].Hand
	if !h.Full {
		return chip{}, false
	}
	height := 18
	if s.lay.W > naturalW { // narrower gaps
		height = 16
	}
	c := s.recordChip(&h.Rec, height)
	c.X, c.Y = 3, -height/2
	if s.Job.Plan.Tasks[id].Kind == engine.OpSource {
		c.From = "l" + place(h.Rec.Rec)
	}
	return c, true
}

// nodeAttrs are a node's class and its name for readers of text.
func (s *Stage) nodeAttrs(id engine.TaskID) map[string]string {
	t, task := &s.view.Tasks[id], &s.Job.Plan.Tasks[id]
	out := map[string]string{"class": list(" ", "node", s.onMachine(task), kindClass(task.Kind), statusClass(t), class(t.Slow > 0, "slow"), class(t.Paused, "paused"))}
	label := []string{task.Name}
	switch {
	case t.Paused:
		label = append(label, "paused, its memory and queue are there")
	case t.Status == trace.Aligning:
		label = append(label, "aligning checkpoint "+num(t.Aligning))
	case t.Status == trace.Crashed:
		label = append(label, "crashed, its memory is lost")
	case s.rebuilds(id):
		label = append(label, "rebuilds its store from the changelog")
	case t.Waits != engine.NoChan:
		label = append(label, "waits, the queue to "+s.Job.Plan.Name(s.Job.Plan.Channels[t.Waits].To)+" is full")
	default:
		label = append(label, t.Status.String())
	}
	if keys := s.keysText(id); keys != "" {
		label = append(label, "has the "+keys)
	}
	if t.Slow > 0 {
		label = append(label, num(t.Slow)+" times slower")
	}
	if z := s.view.ZombieOf(id); z != nil {
		label = append(label, s.saidZombie(z))
	}
	if t.Saved > 0 {
		label = append(label, "saved checkpoint "+num(t.Saved))
	}
	if lines, _ := s.lines(id); task.Kind == engine.OpSink || task.Kind == engine.OpSource {
		for _, l := range lines {
			if n, ok := strings.CutSuffix(l, " more"); ok {
				l = n + " written since the restart"
			}
			label = append(label, l)
		}
	}
	out["aria-label"] = strings.Join(label, ", ")
	return out
}

func kindClass(k engine.OpKind) string {
	return [...]string{"", "op-source", "op-forward", "op-count", "op-sink", "op-loop", "op-reduce", "op-replica"}[k]
}

func statusClass(t *trace.Task) string {
	return [...]string{"", "aligning", "crashed", "restarted", "refused", "finished", "cancelled"}[t.Status]
}

// table is a counter's keyed state.
type table struct {
	Box          *NodeBox
	Lost         bool
	Loads        bool   // it is being loaded again
	Empty        string // why there are no rows
	Rebuilds     bool   // by reading its changelog from the start
	Title        string
	Rows         []stateRow
	More         string
	MoreX, MoreY int
	MoreEnd      bool
}

type stateRow struct {
	X, Y   int
	End    int // right end of the value
	Class  string
	Key    string
	KeyW   int
	Value  string
	Absent bool
}

// keysText tells which keys a counter owns, if there is room beside its name.
func (s *Stage) keysText(id engine.TaskID) string {
	b := &s.lay.Nodes[id]
	room := b.Status.X - b.NameX - nameWidth(s.Job.Plan.Tasks[id].Name) - 14
	var labels []string
	for _, k := range s.owned[id] {
		labels = append(labels, s.lay.labels[k])
	}
	if text := s.nodeText(id); s.Job.Settings.Strategy == "replicated" && monoText(len(text), 11) > room {
		return ""
	} else if s.Job.Settings.Strategy == "replicated" {
		return text
	}
	for _, text := range []string{"keys " + strings.Join(labels, " "), strings.Join(labels, " "), itoa(len(labels)) + " keys"} {
		if len(labels) > 0 && monoText(len([]rune(text)), 11) <= room {
			return text
		}
	}
	return ""
}

func nameWidth(name string) int { return sansText(name, 14) }
