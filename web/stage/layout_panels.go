package stage

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// PanelBox is one outside system. Lines are relative to its corner.
type PanelBox struct {
	Rect
	Lines   []int // top of each line of cells
	PerLine int
	CellW   int
	CellH   int
	Digits  int  // of the value in a cell, 0: the key alone
	IDs     bool // the id of the row stands below it
	Notes   int  // lines of text at the foot
}

const (
	panelHead = 28
	panelPad  = 7
	noteH     = 16
	linePad   = 5 // badges stick out of the first line
	panelGap  = 10
)

// want is what a panel would show if it had the room.
type want struct {
	lines, pitch, most int
}

// placePanels stacks the outside systems beside the sinks that write to them.
func (l *Layout) placePanels(job *engine.Job, col columns, area Rect) {
	sinks := job.Settings.Sinks
	l.Panels = make([]PanelBox, len(sinks))
	wants := make([]want, len(sinks))
	room := l.H - frameTop - 2
	used := (len(sinks) - 1) * panelGap
	for i := range sinks {
		b := &l.Panels[i]
		b.X, b.W = col.outX, col.outW
		wants[i] = b.fit(job, &sinks[i], len(sinks))
		used += b.height(1, wants[i].pitch)
	}
	lines := slices.Repeat([]int{1}, len(sinks))
	for {
		i := neediest(wants, lines, room-used)
		if i < 0 {
			break
		}
		lines[i]++
		used += wants[i].pitch
	}
	for i := range wants { // what is left widens the lines, as far as they look good
		for free := (room - used) / len(sinks); wants[i].pitch < wants[i].most && free >= lines[i]; free -= lines[i] {
			wants[i].pitch++
			used += lines[i]
		}
	}
	y := frameTop + (room-used)/2
	if len(sinks) == 1 {
		y = max(frameTop, area.Y+(area.H-used)/2)
	}
	for i := range sinks {
		b := &l.Panels[i]
		b.Y, b.H = y, b.height(lines[i], wants[i].pitch)
		for k := range lines[i] {
			b.Lines = append(b.Lines, panelHead+k*wants[i].pitch+linePad)
		}
		y += b.H + panelGap
	}
}

// neediest is the panel that shows the least part of what it would and for which
// there is room, -1 if there is none.
func neediest(wants []want, lines []int, free int) int {
	best := -1
	for i, w := range wants {
		if lines[i] >= w.lines || w.pitch > free {
			continue
		}
		if best < 0 || lines[i]*wants[best].lines < lines[best]*w.lines {
			best = i
		}
	}
	return best
}

func (b *PanelBox) height(lines, pitch int) int {
	return panelHead + lines*pitch + b.Notes*noteH + linePad + 5
}

// fit chooses the cells of a panel.
func (b *PanelBox) fit(job *engine.Job, k *engine.SinkSettings, panels int) want {
	b.Notes = 1
	b.Digits = digits(job, k)
	text, split := maxLabelOf(job)+b.Digits, 0
	if maxLabelOf(job) > 1 {
		split = 3
	}
	w := want{}
	rows := expectedRows(job, k)
	switch drawnAs(k.Kind) {
	case engine.SinkTransactional:
		b.Notes = max(1, len(k.Readers))
		if k.Kind == engine.SinkFiles {
			b.Notes = 1
		}
		b.CellW, b.CellH = max(CellW, monoText(text, 11)+6+split), 26
		w.pitch, w.most = 46, 60
		rows += rows/3 + 1
	case engine.SinkUpsert:
		b.CellH, b.CellW = 32, max(46, monoText(maxLabelOf(job), 11)+monoText(max(1, b.Digits), 14)+31)
		w.pitch, w.most = 38, 42
	case engine.SinkEmail:
		b.CellW, b.CellH = 46, 31
		w.pitch, w.most = 43, 46
		if rows <= 4 {
			b.CellW = 49
		}
	default:
		b.IDs = panels == 1
		b.CellW, b.CellH = max(36, monoText(text, 11)+16+split), 22
		w.pitch, w.most = 32, 34
		if b.IDs {
			b.CellW, b.CellH, w.pitch, w.most = max(48, b.CellW), 24, 46, 50
		}
	}
	b.PerLine = max(1, (b.W-2*panelPad)/b.CellW)
	w.lines = min(7, max(1, (rows+b.PerLine-1)/b.PerLine))
	if drawnAs(k.Kind) == engine.SinkTransactional && panels > 1 {
		w.lines = max(2, w.lines)
	}
	return w
}

// expectedRows is how many different rows the truth holds.
func expectedRows(job *engine.Job, k *engine.SinkSettings) int {
	if k.EmitAt == 0 && (!trace.IsTable(k.Kind) || k.Kind == engine.SinkUpsert && k.Output == engine.EventOutput) {
		return job.Input.Len()
	}
	n := make([]int64, len(job.Input.Keys))
	for _, part := range job.Input.Parts {
		for _, d := range part {
			n[d.Key]++
		}
	}
	rows := 0
	for _, c := range n {
		if c >= max(1, k.EmitAt) {
			rows++
		}
	}
	return rows
}

// maxDigits is how much of a value a cell shows; longer ones are left out.
const maxDigits = 6

// digits is how many characters the values of a sink need, 0 when they are words
// or too long for a cell.
func digits(job *engine.Job, k *engine.SinkSettings) int {
	most := 1
	switch {
	case k.Kind == engine.SinkEmail, k.Output == engine.EventOutput && len(job.Input.Words) > 0 && (k.Kind == engine.SinkUpsert || !trace.IsTable(k.Kind)):
		return 0
	case k.Output == engine.EventOutput && trace.IsTable(k.Kind) && k.Kind != engine.SinkUpsert: // balances
		sums := make([]int64, len(job.Input.Keys))
		for _, part := range job.Input.Parts {
			for _, d := range part {
				sums[d.Key] += 2 * d.Value // twice, if it goes wrong
				most = max(most, len(engine.FormatNumber(sums[d.Key])))
			}
		}
	case k.Output == engine.EventOutput:
		for _, part := range job.Input.Parts {
			for _, d := range part {
				most = max(most, len(engine.FormatNumber(d.Value)))
			}
		}
	default:
		perKey := make([]int, len(job.Input.Keys))
		for _, part := range job.Input.Parts {
			for _, d := range part {
				perKey[d.Key]++
			}
		}
		most = len(itoa(slices.Max(perKey)))
	}
	if most > maxDigits {
		return 0
	}
	return most
}

func maxLabelOf(job *engine.Job) int {
	most := 1
	for _, s := range keyLabels(job.Input.Keys) {
		most = max(most, len([]rune(s)))
	}
	return most
}
