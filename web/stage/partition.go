package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// partition is what moves on one row of the input log: caret, barrier, the place
// a restart goes back to. The cells themselves are a strip that is never redrawn.
type partition struct {
	Box      *LogBox
	CaretX   int
	Next     string
	Furthest int // x of where an earlier attempt had been, -1: not ahead
	Barrier  *flag
	Rewind   string // "checkpoint 2 rewinds to here"
	RewindX  int
	Leftward bool   // the words stand left of the disc
	Edge     string // the restart point lies left of the window
	Number   string // the next offset, bold; empty: beyond the end
}

// window is the first cell shown: the reader stays near its right end.
func (s *Stage) window(p int) int {
	b, l := &s.lay.Logs[p], &s.view.Logs[p]
	return max(0, min(int(l.Next)-(b.Cells-2), len(s.Job.Input.Parts[p])-b.Cells))
}

func (s *Stage) partition(p int) partition {
	b, l := &s.lay.Logs[p], &s.view.Logs[p]
	first, n := s.window(p), len(s.Job.Input.Parts[p])
	x := func(off int32) int { return b.CellX + (int(off)-first)*CellW }
	out := partition{Box: b, CaretX: x(l.Next), Next: num(l.Next) + s.unreadable(p), Furthest: -1}
	if int(l.Next) < n {
		out.Number = num(l.Next)
	}
	if l.Furthest > l.Next && int(l.Furthest) <= first+b.Cells {
		out.Furthest = x(l.Furthest)
	}
	if bar := l.Barrier; bar.Ckpt != 0 && int(bar.Off) >= first {
		f := flag{ID: "b" + num(bar.Ckpt) + ".p" + itoa(p), X: x(bar.Off), No: num(bar.Ckpt), W: flagWidth(bar.Ckpt), H: b.CellH/2 + 6}
		f.FlagX = -f.W / 2
		if bar.Off == l.Next { // beside the caret, not under it
			f.X, f.FlagX = f.X-4, 1-f.W
		}
		out.Barrier = &f
	}
	switch r := l.Rewind; {
	case r.Ckpt == 0:
	case int(r.Off) < first:
		out.Edge = num(r.Off)
	default:
		out.RewindX = x(r.Off)
		out.Rewind, out.Leftward = s.rewindText(b, out.RewindX, r.Ckpt)
	}
	return out
}

// rewindText is as long as the row has room for, right or else left of the disc.
func (s *Stage) rewindText(b *LogBox, x int, no int32) (text string, left bool) {
	if b.NumberY == 0 {
		if s.Job.Settings.Strategy != "barriers" {
			return "", false
		}
		return num(no), false
	}
	right := b.W + 6 - (x + 12)
	words := s.rewindWords(no)
	for _, text := range words {
		if sansText(text, 11) <= right {
			return text, false
		}
	}
	return fitting(x-14, words...), true
}

// partitionAttrs are the strip of cells and the row for readers of text.
func (s *Stage) partitionAttrs(p int) map[string]string {
	l := &s.view.Logs[p]
	label := "partition " + itoa(p) + ", next offset " + num(l.Next) + " of " + itoa(len(s.Job.Input.Parts[p]))
	if l.Rewind.Ckpt != 0 {
		label += ", " + s.rewindWords(l.Rewind.Ckpt)[0] + ": offset " + num(l.Rewind.Off)
	}
	return map[string]string{"aria-label": label}
}

func (s *Stage) stripAttrs(p int) map[string]string {
	return map[string]string{"transform": at(-s.window(p)*CellW, 0)}
}

func (s *Stage) readAttrs(p int) map[string]string {
	return map[string]string{"width": itoa(int(s.view.Logs[p].Next) * CellW)}
}

// strip is all cells of a partition.
func (s *Stage) strip(p int) []chip {
	b := &s.lay.Logs[p]
	out := make([]chip, len(s.Job.Input.Parts[p]))
	for off, d := range s.Job.Input.Parts[p] {
		label := s.lay.labels[d.Key]
		out[off] = chip{ID: "l" + num(p) + "." + num(off), X: off*CellW + 1, Y: b.CellH/2 - 9, W: CellW - 2, H: 18,
			Class: tint(d.Key), Key: label}
		if len([]rune(label)) > 2 {
			out[off].Class += " long"
		}
	}
	return out
}

// grid is the lines between the cells of a partition and around them.
func (s *Stage) grid(p int) string {
	h, n := s.lay.Logs[p].CellH, len(s.Job.Input.Parts[p])
	var b strings.Builder
	for i := 0; i <= n; i++ {
		b.WriteString("M" + itoa(i*CellW) + " " + itoa(-h/2) + "v" + itoa(h))
	}
	for _, y := range []int{-h / 2, h - h/2} {
		b.WriteString("M0 " + itoa(y) + "h" + itoa(n*CellW))
	}
	return b.String()
}

// sayStage is the picture in a sentence, for readers of text.
func (s *Stage) sayStage() string {
	p := s.Job.Plan
	parts := []string{count(len(s.Job.Input.Parts), "partition")}
	for i := range p.Operators {
		parts = append(parts, count(p.Operators[i].Parallelism, trace.Clip(p.Operators[i].Name, 24)+" task"))
	}
	text := "The stage: " + list(", ", parts...) + "."
	for i := range s.view.Tasks {
		t := &s.view.Tasks[i]
		if t.Aligning == 0 {
			continue
		}
		text += " " + p.Tasks[i].Name + " is aligning checkpoint " + num(t.Aligning) + "."
		for _, c := range p.Tasks[i].In {
			if from := p.Name(p.Channels[c].From); s.view.Chans[c].Blocked {
				waits := "no record"
				if n := held(&s.view.Chans[c]); n > 0 {
					waits = count(n, "record")
				}
				text += " It blocks " + from + " and holds " + waits + " of it."
			}
		}
	}
	return text
}

func count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return itoa(n) + " " + word + "s"
}

func (s *Stage) stageAttrs() map[string]string {
	return map[string]string{"aria-label": s.sayStage(), "class": list(" ", "stage", s.lay.class(), s.view.Phase.String())}
}

// logName is what the input log is called.
func (s *Stage) logName() string {
	name := s.opt.Log
	if name == "" {
		name = s.Job.Input.Name
	}
	if name == "" {
		return "Input log"
	}
	return "Input log \u00b7 " + name
}

// sinkTitle is what an outside system is called.
func sinkTitle(k *engine.SinkSettings) string {
	if k.Title != "" {
		return k.Title
	}
	return k.Name
}
