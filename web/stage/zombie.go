package stage

import "effectivelyonce/engine"

// zombie is the process that a task has replaced while it stood still: a dotted
// outline around its replacement, with its word on a pill of its own. It is drawn
// apart because both live, and either may write.
type zombie struct {
	Word string
	Acts bool // it is awake and nobody has refused it
	Box  Rect
	Pill Rect
}

func (s *Stage) zombie(id engine.TaskID) zombie {
	z := s.view.ZombieOf(id)
	if z == nil {
		return zombie{}
	}
	b := &s.lay.Nodes[id]
	g := zombie{Word: z.Word(), Acts: z.Awake && !z.Refused, Box: Rect{X: -4, Y: -4, W: b.W + 8, H: b.H + 8}}
	if n := z.Writes; n > 0 && !z.Refused {
		g.Word += ", " + itoa(n) + " written"
	}
	w := min(b.W-4, sansText(g.Word, 11)+12)
	g.Pill = Rect{X: 2, Y: b.H - 5, W: w, H: 15}
	short := "zombie"
	if z.Refused {
		short = "fenced"
	} else if !z.Awake {
		short = "asleep"
	}
	g.Word = fitting(w-10, g.Word, z.Word(), short)
	return g
}
