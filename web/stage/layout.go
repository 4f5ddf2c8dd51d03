package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Rect is a box in units of the drawing.
type Rect struct{ X, Y, W, H int }

// Right, Bottom, MidX and MidY are places on a box.
func (r Rect) Right() int  { return r.X + r.W }
func (r Rect) Bottom() int { return r.Y + r.H }
func (r Rect) MidX() int   { return r.X + r.W/2 }
func (r Rect) MidY() int   { return r.Y + r.H/2 }

// Layout is where everything of a job is drawn: a pure function of its plan, with
// the numbers of design section 4. Natural size is 1024 × 386; jobs of four
// columns are wider, very parallel ones higher.
type Layout struct {
	W, H        int
	Frame       Rect // the engine
	Boundary    int  // x of the line between engine and outside world
	Coordinator Rect // zero: not drawn
	Machines    []Rect
	Logs        []LogBox
	Nodes       []NodeBox // by TaskID
	Links       []Link
	Panels      []PanelBox // by sink
	labels      []string   // by key, as chips show it

	Tall    bool // for narrow screens: the flow runs down; Boundary is then a y
	Columns int  // of a tall drawing
}

// LogBox is one partition of the input log. Y is the middle of its cells.
type LogBox struct {
	Rect
	CellX, Cells, CellH int // left end, number in the window, height
	LabelY              int // baseline of "p0 · next 11" from the middle; 0: beside the cells
	FlagY, NumberY      int // from the middle: top of the flag, baseline of the offsets (0: only the next)
	RewindY             int // from the middle: baseline of "2 rewinds here"
}

// CellW is the width of a cell of the input log.
const CellW = 22

// Link is an arrow from a right edge to a left edge.
type Link struct {
	X1, Y1, X2, Y2 int
	Down           bool // from a lower edge to an upper one
}

const (
	naturalW, naturalH = 1024, 386
	frameTop           = 28
	framePad           = 7
	barH               = 28 // the coordinator
	manySinks          = 3  // in their column: it takes the whole height, the coordinator what is left of it
)

// columns is where the columns of a plan lie.
type columns struct {
	w        int
	cells    int
	logRight int
	frameX   int
	frameR   int
	nodeX    []int // by depth
	nodeW    []int
	outX     int
	outW     int
}

// NewLayout lays out a job.
func NewLayout(job *engine.Job, opt Options) *Layout {
	if opt.Tall {
		return newTallLayout(job, opt)
	}
	p := job.Plan
	col := columnsOf(p)
	stacks := stacksOf(job, col)
	need := naturalH - frameTop - 2 - 2*framePad
	bar, machines := 0, machinesOf(job, opt)
	hasBar := opt.Coordinator || machines > 0
	if hasBar {
		bar = barH + 8
	}
	beside := hasBar && stacks[len(stacks)-1].n >= manySinks
	for d, st := range stacks {
		if beside && d == len(stacks)-1 {
			need = max(need, st.least())
			continue
		}
		need = max(need, st.least()+bar)
	}
	l := &Layout{W: col.w, H: need + 2*framePad + frameTop + 2, Nodes: make([]NodeBox, len(p.Tasks)),
		Frame:    Rect{X: col.frameX, Y: frameTop, W: col.frameR - col.frameX, H: need + 2*framePad},
		Boundary: col.frameR + 11, labels: keyLabels(job.Input.Keys)}
	area := Rect{Y: frameTop + framePad, H: need - bar}
	last := len(stacks) - 1
	row := Rect{X: col.frameX + 10, Y: l.Frame.Bottom() - barH - 8, W: l.Frame.W - 20, H: barH}
	for d := range stacks[:last] {
		stacks[d].place(area, l.Nodes)
	}
	if beside {
		row.W = col.nodeX[last-1] + col.nodeW[last-1] - row.X
		area.H = need
	}
	l.placeBar(row, machines, opt.Coordinator)
	stacks[last].place(area, l.Nodes)
	l.placeLogs(job, col)
	for i := range l.Nodes {
		l.Nodes[i].arrange(job, &p.Tasks[i])
	}
	l.placePanels(job, col, area)
	l.link(job)
	return l
}

// columnsOf chooses the columns: three as designed; four are narrower and need a
// wider drawing.
func columnsOf(p *engine.Plan) columns {
	depth := 0
	for i := range p.Operators {
		depth = max(depth, p.Operators[i].Depth)
	}
	if depth >= 3 {
		return columns{w: 1126, cells: 8, logRight: 8*CellW + 4, frameX: 204, frameR: 890,
			nodeX: []int{218, 330, 518, 788}, nodeW: []int{82, 152, 232, 92}, outX: 912, outW: 212}
	}
	c := columns{w: naturalW, cells: 9, logRight: 9*CellW + 8, frameX: 230, frameR: 782,
		nodeX: []int{246, 366, 680}, nodeW: []int{84, 272, 92}, outX: 810, outW: 212}
	switch depth {
	case 0: // one process reads, counts and writes
		c.nodeX, c.nodeW = []int{266}, []int{480}
		return c
	case 1: // no sinks: the second column writes, or is the result
		c.nodeX, c.nodeW = []int{246, 376}, []int{84, 388}
		return c
	}
	for i := range p.Operators {
		if p.Operators[i].Kind == engine.OpForward { // no state beside the lanes
			c.nodeX[p.Operators[i].Depth], c.nodeW[p.Operators[i].Depth] = 407, 196
		}
	}
	return c
}

// placeLogs puts each partition beside the source that reads it.
func (l *Layout) placeLogs(job *engine.Job, col columns) {
	if job.Plan.Tasks[0].Kind == engine.OpLoop {
		l.placeLoopLogs(job, col)
		return
	}
	pitch := l.H
	first := l.Nodes[0]
	if len(job.Input.Parts) > 1 {
		pitch = l.Nodes[1].Y - first.Y
	}
	for i := range job.Plan.Tasks {
		t := &job.Plan.Tasks[i]
		if t.Kind != engine.OpSource {
			continue
		}
		l.Logs = append(l.Logs, newLogBox(col, pitch, l.Nodes[i].MidY()))
	}
}

// newLogBox is a partition around a middle, as high as the pitch allows.
func newLogBox(col columns, pitch, mid int) LogBox {
	b := LogBox{Rect: Rect{X: 0, W: col.logRight + 8}, CellX: 8, Cells: col.cells, CellH: 28, LabelY: -36, FlagY: -28, NumberY: 28, RewindY: 46}
	switch {
	case pitch < 80: // the label goes beside the cells, offsets are left out
		b.CellH, b.LabelY, b.FlagY, b.NumberY, b.RewindY = 18, 0, -20, 0, 18
		b.CellX, b.Cells = 8+CellW+6, col.cells-2
	case pitch < 100:
		b.CellH, b.LabelY, b.FlagY, b.NumberY, b.RewindY = 24, -26, -24, 24, 36
	}
	b.Y = mid + min(b.LabelY-11, b.FlagY)
	b.H = mid + max(b.RewindY, b.NumberY) + 4 - b.Y
	return b
}

// placeLoopLogs spreads the partitions over the height: one process reads them all.
func (l *Layout) placeLoopLogs(job *engine.Job, col columns) {
	n := len(job.Input.Parts)
	pitch := (l.Frame.H - 2*framePad) / n
	for p := range n {
		l.Logs = append(l.Logs, newLogBox(col, pitch, l.Frame.Y+framePad+p*pitch+pitch/2))
	}
}

// reader is the node that reads a partition, and where the arrow from it ends.
func (l *Layout) reader(p *engine.Plan, part int) (x, y int) {
	if p.Tasks[0].Kind == engine.OpLoop {
		return l.Nodes[0].X - 1, l.Nodes[0].entry(part)
	}
	return l.Nodes[part].X - 1, l.Logs[part].Mid()
}

// feeds reports whether a task's results lie in an outside panel: it writes to
// one, or what it holds is what people read.
func feeds(job *engine.Job, t *engine.Task) bool {
	if t.Kind == engine.OpReplica || t.Sink >= 0 && trace.Writes(t.Kind) {
		return true
	}
	return job.Settings.Strategy == "trident" && t.Kind == engine.OpCount
}

// Mid is the middle of the cells.
func (b *LogBox) Mid() int { return b.Y - min(b.LabelY-11, b.FlagY) }

// link draws the arrows: log to source, task to lane, sink to panel.
func (l *Layout) link(job *engine.Job) {
	p, in := job.Plan, job.Input
	out := make([][]*Link, len(p.Tasks))
	for i := range l.Logs {
		b := &l.Logs[i]
		cells := min(b.Cells, len(in.Parts[i]))
		x, y := l.reader(p, i)
		l.Links = append(l.Links, Link{X1: b.CellX + cells*CellW + 6, Y1: b.Mid(), X2: x, Y2: y})
	}
	ends := make([]Link, len(p.Channels))
	for i := range p.Channels {
		c := &p.Channels[i]
		to := &l.Nodes[c.To]
		if to.X == l.Nodes[c.From].X {
			continue // between copies in one column: the lane says from whom
		}
		ends[i] = Link{X1: l.Nodes[c.From].Right(), X2: to.X - 1, Y2: to.entry(c.ToIndex)}
		out[c.From] = append(out[c.From], &ends[i])
	}
	entries := l.panelEntries(job)
	for i := range p.Tasks {
		if feeds(job, &p.Tasks[i]) {
			out[i] = append(out[i], &entries[i])
		}
		for k, e := range out[i] {
			n := &l.Nodes[i]
			step := min(12, (n.H-12)/max(1, len(out[i])))
			e.Y1 = n.MidY() + (2*k-len(out[i])+1)*step/2
		}
	}
	for _, e := range ends {
		if e.X2 > 0 {
			l.Links = append(l.Links, e)
		}
	}
	for i := range p.Tasks {
		if feeds(job, &p.Tasks[i]) {
			l.Links = append(l.Links, entries[i])
		}
	}
}

// panelEntries is where each sink's arrow meets its panel.
func (l *Layout) panelEntries(job *engine.Job) []Link {
	p := job.Plan
	out := make([]Link, len(p.Tasks))
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if !feeds(job, t) {
			continue
		}
		n, of := &l.Panels[max(0, t.Sink)], p.Operators[t.Op].Parallelism
		step := min(30, (n.H-24)/of)
		out[i] = Link{X1: l.Nodes[i].Right(), X2: n.X - 1, Y2: n.MidY() + (2*t.Index-of+1)*step/2}
	}
	return out
}
