package stage

import "effectivelyonce/engine"

// The drawing for a narrow screen: the flow runs down in bands, a subtask a column,
// while queues stay left to right, so that barriers stay vertical (design 10). Two
// columns fill a phone; more are scrolled sideways.
const (
	tallCol    = 177
	tallGap    = 8
	tallWidest = 2*tallCol + tallGap
	tallLink   = 26 // between bands: room for a record on its way
	tallHead   = 34
	tallLane   = 54 // flag, lane, label
	tallRowH   = 40
)

// newTallLayout lays out a job for a narrow screen.
func newTallLayout(job *engine.Job, opt Options) *Layout {
	p := job.Plan
	bands := bandsOf(p)
	cols := max(2, len(job.Input.Parts))
	for _, b := range bands {
		if !severalSinks(job, b) {
			cols = max(cols, len(b))
		}
	}
	l := &Layout{Tall: true, Columns: cols, W: cols*tallCol + (cols-1)*tallGap, Nodes: make([]NodeBox, len(p.Tasks)), labels: keyLabels(job.Input.Keys)}
	y := l.tallLogs(job, 18) + 10
	l.Frame = Rect{Y: y - 4, W: l.W}
	for d, band := range bands {
		if d > 0 {
			y += tallLink
		}
		if severalSinks(job, band) {
			y = l.tallRows(job, band, y)
			continue
		}
		y = l.tallBand(job, band, y)
	}
	machines := machinesOf(job, opt)
	if opt.Coordinator || machines > 0 {
		l.placeBar(Rect{Y: y + 12, W: min(l.W, tallWidest), H: barH}, machines, opt.Coordinator)
		y += 12 + barH
	}
	l.Frame.H = y + 6 - l.Frame.Y
	l.Boundary = l.Frame.Bottom() + 5
	l.H = l.tallPanels(job, l.Boundary+26) + 4
	l.tallLinks(job)
	return l
}

// bandsOf lists the tasks of a plan by depth.
func bandsOf(p *engine.Plan) [][]engine.TaskID {
	var out [][]engine.TaskID
	for i := range p.Tasks {
		d := p.Operators[p.Tasks[i].Op].Depth
		for len(out) <= d {
			out = append(out, nil)
		}
		out[d] = append(out[d], engine.TaskID(i))
	}
	return out
}

// tallLogs puts the partitions beside each other; it returns where they end.
func (l *Layout) tallLogs(job *engine.Job, y int) int {
	w := tallCol
	if len(job.Input.Parts) == 1 {
		w = tallWidest
	}
	for i := range job.Input.Parts {
		b := LogBox{Rect: Rect{X: i * (w + tallGap), Y: y, W: w - 8, H: 77}, CellX: 4, Cells: (w - 20) / CellW, CellH: 24, LabelY: -26, FlagY: -24, NumberY: 24, RewindY: 36}
		l.Logs = append(l.Logs, b)
	}
	return y + 77
}

// tallBand places the tasks of one depth in a row; it returns where they end.
func (l *Layout) tallBand(job *engine.Job, band []engine.TaskID, y int) int {
	n := len(band)
	w := min(tallWidest, (l.W-(n-1)*tallGap)/n)
	most := 0
	for i, id := range band {
		b := &l.Nodes[id]
		b.Rect = Rect{X: i * (w + tallGap), Y: y, W: w, H: tallRowH}
		b.arrangeTall(job, &job.Plan.Tasks[id])
		most = max(most, b.H)
	}
	for _, id := range band {
		l.Nodes[id].H = most
	}
	return y + most
}

// severalSinks reports whether a band holds sinks of several outside systems.
func severalSinks(job *engine.Job, band []engine.TaskID) bool {
	return len(job.Settings.Sinks) > 1 && job.Plan.Tasks[band[0]].Kind == engine.OpSink
}

// tallRows places sinks of several outside systems below each other, a line each.
func (l *Layout) tallRows(job *engine.Job, band []engine.TaskID, y int) int {
	for _, id := range band {
		b := &l.Nodes[id]
		in := len(job.Plan.Tasks[id].In)
		b.Rect = Rect{Y: y, W: min(l.W, max(tallWidest, 112+in*46)), H: tallRowH}
		b.arrangeRow(74)
		b.NameW = 62
		whole := b.Lanes[0]
		b.Lanes = nil
		for i := range in {
			lane := whole
			lane.W = (whole.W - (in-1)*6) / in
			lane.X += i * (lane.W + 6)
			b.Lanes = append(b.Lanes, lane)
		}
		y = b.Bottom() + 6
	}
	return y - 6
}

// arrangeTall places what is inside a node and chooses its height.
func (b *NodeBox) arrangeTall(job *engine.Job, t *engine.Task) {
	in, keys := lanesOf(job, t), 0
	if countsKeys(job, t) {
		keys = mostKeys(job, &job.Plan.Operators[t.Op])
	}
	switch {
	case t.Kind == engine.OpSource:
		b.Crash = Rect{X: b.W - 34, Y: 8, W: 26, H: 24}
		b.NameX, b.NameY, b.NameW = 10, 17, b.W-46
		b.TextX, b.TextY, b.TextW, b.Lines = 10, 33, 70, 1
		b.Status = Rect{X: 82, Y: 10, W: b.Crash.X - 86, H: 19}
		b.Saved = b.Status
		return
	case t.Kind == engine.OpSink && in == 1:
		b.arrangeRow(66)
		b.NameW = 54
		return
	}
	b.Crash = Rect{X: b.W - 32, Y: 5, W: 26, H: 24}
	b.NameX, b.NameY = 10, 21
	name := sansText(t.Name, 14)
	b.NameW = min(name, b.Crash.X-b.NameX-60)
	b.Status = Rect{X: max(b.NameX+b.NameW+6, b.Crash.X-130), Y: 7, H: 19}
	b.Status.W = b.Crash.X - 5 - b.Status.X
	b.Saved = Rect{X: b.Crash.X - 44, Y: 7, W: 40, H: 19}
	y := b.tallLanes(in, tallHead)
	if keys > 0 {
		b.Cols = max(1, (b.W-20)/76)
		b.Rows = min(keys, 2*b.Cols)
		b.RowH = 22
		lines := (b.Rows + b.Cols - 1) / b.Cols
		b.State = Rect{X: 10, Y: y, W: b.W - 20, H: 22*lines + 6}
		y = b.State.Bottom() + 6
	}
	b.H = y + 2
	if t.Kind == engine.OpSink {
		b.TextX, b.TextY, b.TextW, b.Lines = 10, b.H+9, b.W-20, 1
		b.H += 16
	}
}

// tallLanes stacks the input queues, two abreast where the node is wide or they
// are many.
func (b *NodeBox) tallLanes(in, y int) int {
	cols := 1
	if b.W > tallCol+80 && in > 1 || in > 3 {
		cols = 2
	}
	w := (b.W - 20 - (cols-1)*8) / cols
	for i := range in {
		b.Lanes = append(b.Lanes, LaneBox{Rect: Rect{X: 10 + (i%cols)*(w+8), Y: y + (i/cols)*tallLane + 12, W: w, H: 24}, ChipH: 20, Label: 35})
	}
	return y + (in+cols-1)/cols*tallLane
}

// tallPanels places the outside systems, two abreast where there are several; it
// returns where they end.
func (l *Layout) tallPanels(job *engine.Job, y int) int {
	sinks := job.Settings.Sinks
	l.Panels = make([]PanelBox, len(sinks))
	for i := 0; i < len(sinks); {
		abreast, end := min(2, len(sinks)-i), y
		if len(sinks) == 1 || i == len(sinks)-1 {
			abreast = 1
		}
		for k := range abreast {
			b := &l.Panels[i+k]
			b.X, b.Y, b.W = k*(tallCol+tallGap), y, tallCol
			if abreast == 1 {
				b.W = tallWidest
			}
			want := b.fit(job, &sinks[i+k], len(sinks))
			for n := range max(1, min(want.lines, 4-len(sinks), 3)) {
				b.Lines = append(b.Lines, panelHead+n*want.pitch+linePad)
			}
			b.H = b.height(len(b.Lines), want.pitch)
			end = max(end, b.Bottom())
		}
		for k := range abreast {
			l.Panels[i+k].H = end - y
		}
		i, y = i+abreast, end+panelGap
	}
	return y - panelGap
}

// tallLinks draws the arrows: from a lower edge to an upper one.
func (l *Layout) tallLinks(job *engine.Job) {
	p := job.Plan
	for i := range l.Logs {
		b, n := &l.Logs[i], &l.Nodes[0]
		if p.Tasks[0].Kind != engine.OpLoop {
			n = &l.Nodes[i]
		}
		x := min(b.Right(), b.X+b.CellX+min(b.Cells, len(job.Input.Parts[i]))*CellW+7)
		l.Links = append(l.Links, Link{X1: x, Y1: b.Mid(), X2: min(x, n.Right()-10), Y2: n.Y - 1, Down: true})
	}
	outs, nth := make([]int, len(p.Tasks)), make([]int, len(p.Tasks))
	ahead := func(c *engine.Channel) bool { return l.Nodes[c.To].Y > l.Nodes[c.From].Y }
	for i := range p.Channels {
		if ahead(&p.Channels[i]) {
			outs[p.Channels[i].From]++
		}
	}
	for i := range p.Channels {
		c := &p.Channels[i]
		if !ahead(c) {
			continue // between copies in one band: the lane says from whom
		}
		from, to := &l.Nodes[c.From], &l.Nodes[c.To]
		nth[c.From]++
		l.Links = append(l.Links, Link{X1: from.X + from.W*nth[c.From]/(outs[c.From]+1), Y1: from.Bottom(),
			X2: to.X + to.W*(c.ToIndex+1)/(len(p.Tasks[c.To].In)+1), Y2: to.Y - 1, Down: true})
	}
	for i := range p.Tasks {
		t := &p.Tasks[i]
		if !feeds(job, t) {
			continue
		}
		n, to, of := &l.Nodes[i], &l.Panels[max(0, t.Sink)], p.Operators[t.Op].Parallelism
		l.Links = append(l.Links, Link{X1: n.MidX(), Y1: n.Bottom(), X2: to.X + to.W*(t.Index+1)/(of+1), Y2: to.Y - 1, Down: true})
	}
}

// caption is a line of text that says what lies where.
type caption struct {
	X, Y int
	Mid  bool
	Text string
}

// captions are the words above the parts of the drawing.
func (s *Stage) captions() []caption {
	if s.lay.Tall {
		return []caption{{X: 4, Y: 12, Text: s.logName()}, {X: 4, Y: s.lay.Boundary + 14, Text: s.outsideCaption()}}
	}
	return []caption{{X: 8, Y: 16, Text: s.logName()}, {X: s.lay.Frame.MidX(), Y: 16, Mid: true, Text: s.frameCaption()},
		{X: s.lay.Panels[0].MidX(), Y: 16, Mid: true, Text: s.outsideCaption()}}
}

// boundaryPath is the line between engine and outside world.
func (l *Layout) boundaryPath() string {
	if l.Tall {
		return "M2 " + itoa(l.Boundary) + "H" + itoa(l.W-2)
	}
	return "M" + itoa(l.Boundary) + " " + itoa(frameTop-4) + "V" + itoa(l.H)
}

// exit is where what a task hands on leaves its node.
func (l *Layout) exit(b *NodeBox) (x, y int) {
	if l.Tall {
		return b.W/2 - 18, b.H + tallLink/2
	}
	return b.W, b.H / 2
}

// grid places the rows of a state table beside each other.
func (t *table) grid() {
	b := t.Box
	w := b.State.W / b.Cols
	for i := range t.Rows {
		r := &t.Rows[i]
		r.X, r.Y = i%b.Cols*w, 4+i/b.Cols*b.RowH
		r.End = r.X + w - 9
	}
	if t.More != "" {
		t.MoreX, t.MoreY, t.MoreEnd = b.State.W-6, b.State.H-8, true
	}
}

// class tells style sheets the two drawings of a run apart, and those that need no
// scrolling.
func (l *Layout) class() string {
	switch {
	case l.Tall && l.Columns == 2:
		return "tall fits"
	case l.Tall:
		return "tall"
	}
	return "wide"
}

// clip names the window onto the cells of a partition, apart for each drawing.
func (l *Layout) clip(i int) string {
	if l.Tall {
		return "clip-tall-" + itoa(i)
	}
	return "clip-log-" + itoa(i)
}
