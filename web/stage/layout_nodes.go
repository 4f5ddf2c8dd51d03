package stage

import (
	"effectivelyonce/engine"
)

// NodeBox is one task's node. Everything inside is relative to its corner.
type NodeBox struct {
	Rect
	Row   bool // a single line: name, lane, crash button
	NameX int
	NameY int  // baseline
	NameW int  // room for it, 0: up to the crash button
	Crash Rect // its button
	Lanes []LaneBox
	State Rect // keyed state, zero: none
	Rows  int  // of the state table
	RowH  int
	Cols  int  // rows of the state table beside each other, 0: below each other
	Wide  bool // the state has a label and a line below for what is saved

	Status Rect // what it is doing: a badge
	Saved  Rect // what it saved last: disc and number
	TextX  int  // of the first line of text (offset, transaction)
	TextY  int  // its baseline, 0: no room
	Lines  int  // how many lines of text
	TextW  int
}

// LaneBox is one input queue.
type LaneBox struct {
	Rect
	ChipH  int
	Inside bool // flags are drawn in the lane instead of above it
	Label  int  // baseline of the label below, from the top of the lane; 0: none
}

// stack is a column of nodes of equal height.
type stack struct {
	x, w    int
	first   int
	n       int
	natural int
	min     int
	gap     int
}

func (s *stack) least() int { return s.n*s.min + (s.n-1)*min(s.gap, 6) }

// place puts the nodes into the area, centred: at natural height if they fit,
// else as high as there is room.
func (s *stack) place(area Rect, nodes []NodeBox) {
	h, gap := s.natural, s.gap
	if s.n*h+(s.n-1)*gap > area.H {
		if s.n > 2 {
			gap = min(gap, 8)
		}
		if s.n > 4 {
			gap = min(gap, 6)
		}
		h = (area.H - (s.n-1)*gap) / s.n
	}
	if free := area.H - s.n*h; s.n > 1 && free > (s.n-1)*gap { // as the input log beside it
		gap = min(free/s.n, max(gap, (area.H-s.natural)/s.n))
	}
	y := area.Y + (area.H-s.n*h-(s.n-1)*gap)/2
	for i := range s.n {
		nodes[s.first+i].Rect = Rect{X: s.x, Y: y + i*(h+gap), W: s.w, H: h}
	}
}

// stacksOf lists the columns of nodes, by depth. Several sinks share a column.
func stacksOf(job *engine.Job, col columns) []stack {
	p := job.Plan
	out := make([]stack, len(col.nodeX))
	for d := range out {
		out[d] = stack{x: col.nodeX[d], w: col.nodeW[d], gap: 14, first: -1}
	}
	for i := range p.Operators {
		op := &p.Operators[i]
		s := &out[op.Depth]
		if s.first < 0 {
			s.first = int(op.First)
		}
		s.n += op.Parallelism
	}
	for i := range p.Operators {
		s := &out[p.Operators[i].Depth]
		natural, least := sizes(job, &p.Operators[i], s.n)
		s.natural, s.min = max(s.natural, natural), max(s.min, least)
	}
	return out
}

// Heights inside a node.
const (
	headH    = 41 // name, badge, crash button
	denseH   = 31
	lanePace = 59 // flag, lane, label
	footH    = 30 // of a sink: saved, crash button
	rowModeH = 37
)

// sizes are the height a task of the operator would like, and the least that
// shows it.
func sizes(job *engine.Job, op *engine.Operator, inColumn int) (natural, least int) {
	in := lanesOf(job, &job.Plan.Tasks[int(op.First)+op.Parallelism-1])
	switch op.Kind {
	case engine.OpSource:
		return 78, rowModeH
	case engine.OpSink:
		rows := (in + 1) / 2
		if in <= 2 {
			rows = in
		}
		natural = 46 + 28*rows + footH
		if in == 1 && inColumn > 4 {
			return natural, rowModeH
		}
		return natural, 20 + 21*rows + footH
	}
	natural = headH + lanePace*in + 3
	if countsKeys(job, &job.Plan.Tasks[op.First]) {
		natural = max(natural, headH+57+22*min(6, mostKeys(job, op)))
	}
	if in == 1 && inColumn > 4 {
		return natural, rowModeH
	}
	rows := in
	if in > 2 {
		rows = (in + 1) / 2
	}
	if in > 4 {
		rows = (in + 2) / 3
	}
	return natural, max(70, denseH+18*rows+6)
}

// lanesOf is how many lanes a task's node shows: its input queues, or, where one
// process reads all partitions, what it holds of each.
func lanesOf(job *engine.Job, t *engine.Task) int {
	if t.Kind == engine.OpLoop {
		return len(job.Input.Parts)
	}
	return len(t.In)
}

// arrange places what is inside a node.
func (b *NodeBox) arrange(job *engine.Job, t *engine.Task) {
	b.NameX, b.NameY = 10, 19
	switch t.Kind {
	case engine.OpSource:
		b.arrangeSource()
	case engine.OpSink:
		b.arrangeSink(len(t.In))
	default:
		if b.H < 60 {
			b.arrangeRow(66)
			return
		}
		keys := 0
		if countsKeys(job, t) {
			keys = mostKeys(job, &job.Plan.Operators[t.Op])
		}
		b.arrangeOperator(lanesOf(job, t), keys)
	}
}

func (b *NodeBox) arrangeSource() {
	b.Crash = Rect{X: b.W - 34, Y: b.H - 31, W: 26, H: 24}
	b.Lines, b.TextX, b.TextY, b.TextW = 1, 10, 36, b.W-16
	b.Saved = Rect{X: 8, Y: b.H - 29, W: 40, H: 20}
	b.Status = Rect{X: 7, Y: 22, W: b.W - 14, H: 16}
	if b.H >= 70 {
		return
	}
	b.Row = true
	b.NameX, b.NameY = 6, b.H/2-4
	b.TextX, b.TextY, b.TextW = 7, b.H/2+12, 46
	b.Crash = Rect{X: b.W - 27, Y: (b.H - 24) / 2, W: 22, H: 24}
	b.Saved = Rect{X: 26, Y: b.H/2 + 1, W: 28, H: 16}
	b.Status = Rect{X: 5, Y: b.H/2 + 1, W: b.W - 38, H: 15}
}

// arrangeRow is a node of one line: name, lane, crash button.
func (b *NodeBox) arrangeRow(nameW int) {
	b.Row = true
	b.NameX, b.NameY = 8, b.H/2-2
	b.Crash = Rect{X: b.W - 31, Y: (b.H - 24) / 2, W: 24, H: 24}
	b.Lanes = []LaneBox{{Rect: Rect{X: nameW, Y: (b.H - 20) / 2, W: b.W - nameW - 38, H: 20}, ChipH: 16, Inside: true}}
	b.Status = Rect{X: 6, Y: b.H/2 + 2, W: nameW - 10, H: 15}
	b.Saved = Rect{X: 8, Y: b.H/2 + 2, W: 40, H: 16}
}

func (b *NodeBox) arrangeSink(in int) {
	if b.H < 70 && in == 1 {
		b.NameX, b.NameY = 8, b.H/2-5
		b.Row = true
		b.Crash = Rect{X: b.W - 27, Y: (b.H - 24) / 2, W: 22, H: 24}
		b.Lanes = []LaneBox{{Rect: Rect{X: 6, Y: b.H/2 - 1, W: b.W - 38, H: 17}, ChipH: 14, Inside: true}}
		b.Status = Rect{X: 6, Y: b.H / 2, W: b.W - 40, H: 15}
		return
	}
	b.Crash = Rect{X: b.W - 34, Y: b.H - 31, W: 26, H: 24}
	b.Saved = Rect{X: 8, Y: b.H - 27, W: 40, H: 18}
	cols, rows := 1, in
	if in > 2 {
		cols, rows = 2, (in+1)/2
	}
	top, foot := 25, footH
	if b.H < 80 {
		top, foot, b.Crash.Y, b.NameY = 20, 27, b.H-28, 16
	}
	room := b.H - top - foot - 2
	pace := min(28, max(20, (room-15)/rows))
	if room-15 < rows*20 {
		pace = min(28, room/rows)
	}
	h := min(22, pace-4)
	if rows > 2 {
		h = pace - 2
	}
	w := (b.W - 16 - (cols-1)*4) / cols
	for i := range in {
		b.Lanes = append(b.Lanes, LaneBox{Rect: Rect{X: 8 + (i%cols)*(w+4), Y: top + (i/cols)*pace + (pace-h)/2, W: w, H: h}, ChipH: min(18, h-2), Inside: true})
	}
	text := top + rows*pace
	b.TextX, b.TextW = 10, b.W-18
	b.Lines = min(2, (b.H-foot-text)/13)
	b.TextY = text + 11
	b.Status = Rect{X: 7, Y: text - 1, W: b.W - 14, H: 16}
	if b.Lines <= 0 { // beside the crash button
		b.Lines, b.TextY, b.TextW = 1, b.H-22, b.W-46
		b.Saved = Rect{X: 8, Y: b.H - 19, W: 40, H: 16}
		b.Status = Rect{X: 6, Y: b.H - 32, W: b.W - 42, H: 14}
	}
}

func (b *NodeBox) arrangeOperator(in, keys int) {
	keyed := keys > 0
	b.NameX = 12
	b.Crash = Rect{X: b.W - 36, Y: 9, W: 26, H: 24}
	head := headH
	b.Status = Rect{X: b.Crash.X - 92, Y: 10, W: 84, H: 21}
	if b.H-headH-6 < 39*in {
		head = denseH
		b.NameY, b.Crash.Y, b.Status.Y, b.Status.H = 18, 4, 6, 19
	} else {
		b.NameY = 25
	}
	switch {
	case b.narrow() && head == denseH:
		b.Status = Rect{X: 74, Y: 6, W: b.Crash.X - 77, H: 19}
	case b.narrow(): // no room for a badge in the first line
		b.NameY, b.Crash.Y = b.NameY-3, b.Crash.Y-4
		b.Status = Rect{X: 10, Y: b.NameY + 5, W: b.W - 20 - 56, H: 17}
	}
	laneW := b.W - 24
	if keyed {
		stateW := 82
		if b.W < 250 {
			stateW = 78
		}
		laneW = b.W - 24 - stateW - 28
		if b.W < 250 {
			laneW = b.W - 24 - stateW - 12
		}
		b.State = Rect{X: b.W - 12 - stateW, Y: head, W: stateW}
		b.fitState(head, keys)
	}
	b.lanes(in, head, laneW)
	b.Saved = Rect{X: b.State.X, Y: b.State.Bottom() + 6, W: b.State.W, H: 18}
	if !keyed {
		b.Saved = Rect{X: 12, Y: b.NameY + 5, W: 60, H: 17}
		if head == denseH {
			b.Saved = b.Status
		}
	}
	if !b.Wide && keyed { // in the head, when there is no badge
		b.Saved = Rect{X: b.Crash.X - 38, Y: b.Status.Y, W: 34, H: b.Status.H}
	}
}

// narrow reports whether the badges of an operator stand below its name.
func (b *NodeBox) narrow() bool { return b.W < 180 && b.W > 100 && !b.Row }

// fitState chooses how the state's table uses the height below the head.
func (b *NodeBox) fitState(head, keys int) {
	room := b.H - head - 8
	b.RowH, b.Wide = 22, true
	if room < 18+22*min(2, keys)+6+22 {
		b.RowH, b.Wide = 18, false
		b.Rows = max(1, (room-4)/b.RowH)
		b.State.H = room
		return
	}
	b.Rows = min(6, keys, (room-18-6-22)/b.RowH)
	b.State.H = 18 + b.Rows*b.RowH + 6
}

// lanes stacks the input queues below the head, in two columns when there are many.
func (b *NodeBox) lanes(in, head, w int) {
	room := b.H - head - 6
	cols, rows := 1, in
	for room/rows < 16 && cols < 3 {
		cols++
		rows = (in + cols - 1) / cols
	}
	pace := min(lanePace, room/rows)
	box := LaneBox{Rect: Rect{W: (w - (cols-1)*6) / cols, H: 28}, ChipH: 20, Label: 39}
	top := 13 // for the flag
	switch {
	case pace >= 56:
	case pace >= 46: // as before, closer together
		box.H, box.ChipH, box.Label = 22, 18, 33
	case pace >= 39:
		box.H, box.Label = 24, 0
	case pace >= 30:
		box.H, box.Label, top = 22, 0, 7
		box.ChipH = 18
	default:
		box.H, box.Label, top, box.Inside = min(20, pace-2), 0, 1, true
		box.ChipH = min(16, box.H-1)
	}
	for i := range in {
		l := box
		l.X, l.Y = 12+(i%cols)*(box.W+6), head+(i/cols)*pace+top
		b.Lanes = append(b.Lanes, l)
	}
}

// entry is where an arrow to a lane meets the node's left edge.
func (b *NodeBox) entry(lane int) int {
	l := &b.Lanes[lane]
	y := b.Y + l.Y + l.H/2
	cols := 1
	for cols < len(b.Lanes) && b.Lanes[cols].Y == b.Lanes[0].Y {
		cols++
	}
	return y + (2*(lane%cols)-cols+1)*l.H/8
}
