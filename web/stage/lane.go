package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// lane is one input queue as it is drawn: head at the right. What was received
// waits at the right; what is still travelling comes in at the left.
type lane struct {
	Box     *LaneBox
	Class   string
	Chips   []chip
	Flags   []flag
	More    string // "+5" at the tail
	Label   string
	Bold    bool
	Blocked bool
}

// flag is a barrier: a dashed line across the flow with the checkpoint's number.
type flag struct {
	ID, From string
	X        int
	No       string
	W        int
	FlagX    int // of the flag, from the line
	H        int // of what it crosses
	Inside   bool
	Class    string
}

func (f *flag) flagY() int {
	if f.Inside {
		return 0
	}
	return -14
}

const (
	laneEdge  = 5  // free at both ends
	mouth     = 15 // the chevron
	barrierW  = 12
	chipSpace = 4
	moreW     = 20
)

func (s *Stage) lane(id engine.ChanID) lane {
	ch := &s.Job.Plan.Channels[id]
	v := &s.view.Chans[id]
	l := lane{Box: &s.lay.Nodes[ch.To].Lanes[ch.ToIndex], Blocked: v.Blocked}
	l.Class = list(" ", "lane", class(v.Blocked, "blocked"), class(v.Full, "full"))
	s.fill(&l, id)
	from := shorten(s.Job.Plan.Tasks[ch.From].Name, 16)
	t := &s.view.Tasks[ch.To]
	switch {
	case l.Box.Label == 0:
	case v.Blocked:
		l.Label, l.Bold = from+" · blocked", true
		if n := held(v); n > 0 {
			l.Label = from + " · holding " + itoa(n)
		}
	case v.Full:
		l.Label, l.Bold = from+" · full", true
	case s.slips(v):
		l.Label, l.Bold = from+" \u00b7 slips past "+num(v.Arrived), true
	case t.Aligning != 0 && v.Arrived == 0:
		l.Label = from + " · waiting for " + num(t.Aligning)
	case len(v.Elems) == 0 && v.Arrived == 0:
		l.Label = from + " · empty"
	default:
		l.Label = from
	}
	return l
}

// slips reports whether records behind a barrier that has arrived are let through
// before the others' barriers have: with checkpoint.mode=at_least_once they get into
// a snapshot that they do not belong to, and are counted again after a restart
// (facts 3.4, Flink 2.x).
func (s *Stage) slips(v *trace.Chan) bool {
	return s.Job.Settings.Strategy == "barriers" && s.Job.Settings.CheckpointMode == "at_least_once" && v.Arrived != 0 && held(v) > 0
}

// small lanes have no room for a chevron.
func (b *LaneBox) small() bool { return b.W < 60 }

func class(on bool, word string) string {
	if on {
		return word
	}
	return ""
}

// held counts the records in a channel.
func held(v *trace.Chan) int {
	n := 0
	for i := range v.Elems {
		if v.Elems[i].Kind == engine.DataElement {
			n++
		}
	}
	return n
}

// fill lays the elements out, oldest at the right, and counts what does not fit.
func (s *Stage) fill(l *lane, id engine.ChanID) {
	v := &s.view.Chans[id]
	x, edge := l.Box.W-mouth, laneEdge
	if l.Box.small() {
		edge = 2
	}
	if v.Blocked || l.Box.small() {
		x = l.Box.W - edge - 2
	}
	if v.Arrived != 0 {
		x -= barrierW
		l.Flags = append(l.Flags, s.barrier(v.Arrived, id, x+barrierW/2, l))
	}
	lastWaiting := -1
	for i := range v.Elems {
		if v.Elems[i].Waiting {
			lastWaiting = i
		}
	}
	shown := s.howMany(v.Elems, x-edge, l.Box.ChipH)
	left := edge
	for i := len(v.Elems) - 1; i > lastWaiting; i-- { // travelling, newest first
		if i >= shown {
			continue
		}
		left = s.put(l, &v.Elems[i], id, left, false)
	}
	for i := 0; i <= min(lastWaiting, shown-1); i++ {
		x = s.put(l, &v.Elems[i], id, x, true)
	}
	if n := len(v.Elems) - shown; n > 0 {
		l.More = "+" + itoa(n)
		l.moveBy(lastWaiting, shown)
	}
}

// moveBy makes room for "+5" at the tail when travelling chips lie there.
func (l *lane) moveBy(lastWaiting, shown int) {
	for i := range l.Chips {
		if i < shown-1-lastWaiting {
			l.Chips[i].X += moreW
		}
	}
}

// howMany is how many elements, from the oldest on, fit into a width.
func (s *Stage) howMany(els []trace.Elem, room, h int) int {
	total := 0
	fit := len(els)
	for i := range els {
		total += s.elemWidth(&els[i], h)
		if total > room {
			fit = i
			break
		}
	}
	if fit == len(els) {
		return fit
	}
	for total = 0; fit > 0; fit-- {
		total = moreW
		for i := range fit {
			total += s.elemWidth(&els[i], h)
		}
		if total <= room {
			break
		}
	}
	return fit
}

func (s *Stage) elemWidth(e *trace.Elem, h int) int {
	if e.Kind != engine.DataElement {
		return barrierW
	}
	c := s.recordChip(e, h)
	return c.W + chipSpace
}

// put draws one element at x: its right end when it waits, its left end when it
// travels. It returns where the next one goes.
func (s *Stage) put(l *lane, e *trace.Elem, id engine.ChanID, x int, waiting bool) int {
	if e.Kind != engine.DataElement {
		next, mid := x+barrierW, x+barrierW/2
		if waiting {
			next, mid = x-barrierW, x-barrierW/2
		}
		l.Flags = append(l.Flags, s.flagOf(e, id, mid, l))
		return next
	}
	c := s.recordChip(e, l.Box.ChipH)
	if s.slips(&s.view.Chans[id]) {
		c.Class += " slipped"
	}
	c.ID = s.copyID(e.Rec, e.Attempt, id)
	if from := recordID(e.Rec, e.Attempt); from != c.ID {
		c.From = from
	} else if s.Job.Plan.Tasks[s.Job.Plan.Channels[id].From].Kind == engine.OpSource {
		c.From = "l" + place(e.Rec)
	}
	if e.Resent || s.Job.Settings.Strategy == "replicated" { // there may be others of it
		ch := &s.Job.Plan.Channels[id]
		c.ID, c.From = recordID(e.Rec, e.Attempt)+"."+s.Job.Plan.Tasks[ch.To].Name+"."+itoa(ch.ToIndex), "l"+place(e.Rec)
	}
	for i := range l.Chips {
		if l.Chips[i].ID == c.ID {
			c.ID = ""
		}
	}
	c.Y = (l.Box.H - c.H) / 2
	next := x + c.W + chipSpace
	c.X = x
	if waiting {
		c.X, next = x-c.W, x-c.W-chipSpace
	}
	l.Chips = append(l.Chips, c)
	return next
}

// barrier draws a barrier in a lane. It comes from the log, or from the input on
// which its sender got it last.
func (s *Stage) barrier(no int32, id engine.ChanID, x int, l *lane) flag {
	f := flag{ID: barrierID(no, id), X: x, No: num(no), H: l.Box.H, Inside: l.Box.Inside, W: flagWidth(no)}
	f.FlagX = -f.W / 2
	from := &s.Job.Plan.Tasks[s.Job.Plan.Channels[id].From]
	if from.Kind == engine.OpSource {
		f.From = "b" + num(no) + ".p" + itoa(from.Part)
	} else {
		f.From = barrierID(no, from.In[len(from.In)-1])
	}
	return f
}

func barrierID(no int32, id engine.ChanID) string { return "b" + num(no) + "." + num(id) }

func flagWidth(no int32) int { return 8 + monoText(len(num(no)), 11) }

// laneAttrs is the queue for readers of text.
func (s *Stage) laneAttrs(id engine.ChanID) map[string]string {
	ch := &s.Job.Plan.Channels[id]
	v := &s.view.Chans[id]
	label := "queue from " + s.Job.Plan.Tasks[ch.From].Name
	if v.Blocked {
		label += ", blocked"
	}
	if v.Full {
		label += ", full"
	}
	var held []string
	for i := range v.Elems {
		held = append(held, s.sayRecord(&v.Elems[i]))
	}
	if len(held) == 0 {
		return map[string]string{"aria-label": label + ", empty"}
	}
	return map[string]string{"aria-label": label + ", holds " + list(", ", held...)}
}

// shorten cuts a task's name, never its index.
func shorten(name string, n int) string {
	if len(name) <= n {
		return name
	}
	for i := len(name) - 1; i >= 0; i-- {
		if name[i] == '/' {
			return name[:max(1, n-2-(len(name)-i))] + ".." + name[i:]
		}
	}
	return trace.Clip(name, n)
}
