package stage

import "effectivelyonce/engine"

// zombie is the process that a task has replaced while it stood still: a dotted
// outline around its replacement, with its word on a pill of its own. It is drawn
// apart because both live, and either may write.
type zombie struct {
	Word, Glyph string
	Acts        bool // it is awake and nobody has refused it
	Box         Rect
	Pill        Rect
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
	w := min(b.W+8, sansText(g.Word, 11)+pillRoom)
	g.Pill = Rect{X: -4, Y: b.H - 6, W: w, H: 17}
	words := []string{g.Word, z.Word()}
	g.Glyph = "zombie"
	switch {
	case z.Refused:
		// Its shield alone would not say who was refused: the task's own process is well.
		words, g.Glyph = append(words, "fenced zombie", "fenced"), "fenced"
	case !z.Awake:
		words, g.Glyph = append(words, "asleep"), "pause"
	}
	g.Word = fitting(w-pillRoom, words...)
	return g
}

// pillRoom is what a pill needs besides its word: a glyph and two margins.
const pillRoom = 18
