package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// zombie is the process that a task has replaced while it stood still: a dotted
// outline around its replacement, with its word on a pill of its own. It is drawn
// apart because both live, and either may write.
type zombie struct {
	Word, Glyph string
	Acts        bool // it is awake and nobody has refused it
	Box         Rect
	Pill        Rect
	More        string // a second line of the pill: what is its own, not its replacement's
}

func (s *Stage) zombie(id engine.TaskID) zombie {
	z := s.view.ZombieOf(id)
	if z == nil {
		return zombie{}
	}
	b := &s.lay.Nodes[id]
	g := zombie{Word: z.Word(), Acts: z.Awake && !z.Refused, Glyph: "zombie", Box: Rect{X: -4, Y: -4, W: b.W + 8, H: b.H + 8}}
	own := s.zombieOwn(z)
	below := s.roomBelow(id) >= pillH+pillMore-4
	if full := list(", ", g.Word, own[0]); !below && sansText(full, 11)+pillRoom <= b.W+8 {
		g.Word = full
	}
	w := sansText(g.Word, 11) + pillRoom
	if below && own[0] != "" {
		w = max(w, sansText(own[0], 10)+8)
	}
	w = min(b.W+8, w)
	g.Pill = Rect{X: -4, Y: b.H - 6, W: w, H: pillH}
	words := []string{g.Word, z.Word()}
	switch {
	case z.Refused:
		// Its shield alone would not say who was refused: the task's own process is well.
		words, g.Glyph = append(words, "fenced zombie", "fenced"), "fenced"
	case !z.Awake:
		words, g.Glyph = append(words, "asleep"), "pause"
	}
	g.Word = fitting(w-pillRoom, words...)
	if below && own[0] != "" {
		g.More = own[0]
		if sansText(g.More, 10) > w-4 {
			g.More = own[1]
		}
		g.Pill.H += pillMore
	}
	return g
}

// zombieOwn tells in two lengths what is a zombie's own: what it had in its queue and
// has written, or the number that was refused beside the newest. A store names both
// tokens; a broker's epochs count the starts, as the epoch of a producer grows with
// each registration under its name (facts 5.6, 5.7; Kafka 4.x begins at 0, here at 1).
func (s *Stage) zombieOwn(z *trace.Zombie) [2]string {
	switch {
	case z.Refused && z.Token > 0:
		return numbers("token", num(z.Token), num(z.Newest))
	case z.Refused:
		return numbers("epoch", num(z.Born), num(s.view.Attempt))
	case z.Awake:
		had, wrote := "had "+itoa(z.Queue), ", wrote "+itoa(z.Writes)
		return [2]string{had + " queued" + wrote, had + wrote}
	}
	return [2]string{}
}

func numbers(word, old, newest string) [2]string {
	return [2]string{word + " " + old + ", newest " + newest, word + " " + old + ", now " + newest}
}

// roomBelow is how much is free under a node before the next thing in its column.
func (s *Stage) roomBelow(id engine.TaskID) int {
	b := &s.lay.Nodes[id]
	free := s.lay.Coordinator.Y - b.Bottom()
	if s.lay.Coordinator.W == 0 || free < 0 {
		free = s.lay.H - b.Bottom()
	}
	for i := range s.lay.Nodes {
		if o := &s.lay.Nodes[i]; o.Y >= b.Bottom() && o.X < b.Right() && b.X < o.Right() {
			free = min(free, o.Y-b.Bottom())
		}
	}
	return free
}

// saidZombie is a zombie for readers of text.
func (s *Stage) saidZombie(z *trace.Zombie) string {
	return strings.TrimSuffix("beside it the process it replaced: "+z.Word()+", "+s.zombieOwn(z)[0], ", ")
}

// Measures of a pill: what it needs besides its word (a glyph and two margins), its
// height, and that of a second line.
const (
	pillRoom = 18
	pillH    = 17
	pillMore = 13
)
