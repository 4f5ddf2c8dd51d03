package stage

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// loopLane is what a process that reads, counts and writes holds of one partition:
// records that are not both written and behind the saved position. What is written
// already is what a crash would write again, what is not is what it could lose.
func (s *Stage) loopLane(id engine.TaskID, p int) lane {
	t := &s.view.Tasks[id]
	l := lane{Box: &s.lay.Nodes[id].Lanes[p], Class: "lane"}
	x, edge := l.Box.W-mouth, laneEdge
	if l.Box.small() {
		x, edge = l.Box.W-4, 2
	}
	var els []trace.Elem
	written := 0
	for _, el := range t.Batch {
		if int(el.Rec.Part) == p {
			els = append(els, el)
			if el.Waiting {
				written++
			}
		}
	}
	shown := s.howMany(els, x-edge, l.Box.ChipH)
	for i := range shown {
		c := s.recordChip(&els[i], l.Box.ChipH)
		c.From, c.Y, c.X = "l"+place(els[i].Rec), (l.Box.H-c.H)/2, x-c.W
		if els[i].Waiting {
			c.Class += " out"
		}
		l.Chips = append(l.Chips, c)
		x = c.X - chipSpace
	}
	if n := len(els) - shown; n > 0 {
		l.More = "+" + itoa(n)
	}
	if l.Box.Label > 0 {
		name := "p" + itoa(p) + " \u00b7 "
		l.Label = fitting(l.Box.W, name+s.loopWords(id, p, len(els), written), name+s.shortLoopWords(id, p, len(els), written))
		l.Bold = len(els) > 0
	}
	return l
}

// fills reports whether a loop reads a partition only to make its counts anew: what
// lies before the saved position was written before the crash.
func (s *Stage) fills(id engine.TaskID, p int) bool {
	return s.view.Tasks[id].Status == trace.Running && s.view.Logs[p].Next < s.view.Logs[p].Refill
}

func (s *Stage) loopWords(id engine.TaskID, p, held, written int) string {
	now := s.view.Tasks[id].Status
	switch {
	case s.fills(id, p):
		return "counts again what is written and saved"
	case now == trace.Crashed:
		return "what it held is gone"
	case now == trace.Restarted:
		return "begins again at the restart point"
	case held == 0:
		return "everything read is written and saved"
	case written == held:
		return itoa(written) + " written, position not saved"
	case written == 0:
		return itoa(held) + " in hand, not written"
	}
	return itoa(written) + " written, position not saved, " + itoa(held-written) + " in hand"
}

// shortLoopWords are for narrow lanes: read, written, saved, as far as it went.
func (s *Stage) shortLoopWords(id engine.TaskID, p, held, written int) string {
	now := s.view.Tasks[id].Status
	switch {
	case s.fills(id, p):
		return "counts again"
	case now == trace.Crashed:
		return "gone"
	case now == trace.Restarted:
		return "begins again"
	case held == 0:
		return "all saved"
	case written == held:
		return itoa(written) + " written, not saved"
	}
	return itoa(held-written) + " in hand, " + itoa(written) + " written"
}

func (s *Stage) loopAttrs(id engine.TaskID, p int) map[string]string {
	held, written := 0, 0
	for _, el := range s.view.Tasks[id].Batch {
		if int(el.Rec.Part) == p {
			held++
			if el.Waiting {
				written++
			}
		}
	}
	return map[string]string{"aria-label": "partition " + itoa(p) + ": " + s.loopWords(id, p, held, written)}
}
