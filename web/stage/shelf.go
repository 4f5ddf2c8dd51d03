package stage

import (
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// shelf is the durable storage lane: what is left when everything crashes.
type shelf struct {
	Older int // complete checkpoints that are not shown
	Cards []shelfCard
}

// shelfCard is one checkpoint on durable storage.
type shelfCard struct {
	Class  string // complete, restart, progress, gone
	Glyph  string
	ID     string
	No     string
	Title  string // instead of a number: what it is
	Struck string // "4 of 6 parts" of one that was discarded
	Words  string
	Tag    string
	Body   string
	Parts  []shelfPart
}

// shelfPart is one task's part: in, or awaited.
type shelfPart struct {
	ID, From string
	Name     string
	In       bool
	Tick     bool   // only the tick is seen
	Count    string // behind the last tick
}

// shelfParts is how many parts are named one by one.
const shelfParts = 9

func (s *Stage) shelf() shelf {
	if s.Job.Settings.Strategy != "barriers" {
		return s.withStoreDown(shelf{Cards: s.keptCards()})
	}
	v := s.view
	var complete []*trace.Checkpoint
	var gone, pending *trace.Checkpoint
	for i := range v.Checkpoints {
		c := &v.Checkpoints[i]
		switch c.State {
		case trace.Complete:
			complete = append(complete, c)
			gone = nil
		case trace.Discarded, trace.Expired:
			gone = c
		default:
			pending = c
		}
	}
	shown := 2
	if gone != nil && pending != nil {
		shown = 1 // three cards at the most: more would not hold their words
	}
	out := shelf{Older: max(0, len(complete)-shown)}
	for i, c := range complete[out.Older:] {
		out.Cards = append(out.Cards, s.completeCard(c, i == len(complete)-out.Older-1))
	}
	if gone != nil {
		out.Cards = append(out.Cards, s.goneCard(gone))
	}
	if pending != nil {
		out.Cards = append(out.Cards, s.pendingCard(pending, gone != nil))
	}
	return s.withStoreDown(out)
}

func (s *Stage) completeCard(c *trace.Checkpoint, newest bool) shelfCard {
	card := shelfCard{Class: "complete", Glyph: "checkpoint", ID: "c" + num(c.No), No: num(c.No), Words: s.completeWords(c), Body: s.inside(c)}
	if newest {
		card.Class, card.Tag = "complete restart", "restart point"
	}
	return card
}

// inside is what a checkpoint holds: offsets, then counts.
func (s *Stage) inside(c *trace.Checkpoint) string {
	var parts []string
	offsets := s.view.Offsets(c)
	for p, off := range offsets {
		parts = append(parts, "p"+itoa(p)+":"+num(off))
	}
	if len(parts) > 4 {
		parts = append(parts[:4], "+"+itoa(len(parts)-4))
	}
	var counts []string
	for k, n := range s.view.Counts(c) {
		if n > 0 {
			counts = append(counts, s.keyed(k, trace.Held(s.Job, engine.OpCount, n)))
		}
	}
	if most := 8 - min(4, len(offsets)); len(counts) > most {
		counts = append(counts[:most-1], "+"+itoa(len(counts)-most+1))
	}
	return list(" \u00b7 ", strings.Join(parts, " "), strings.Join(counts, " "))
}

func (s *Stage) goneCard(c *trace.Checkpoint) shelfCard {
	words := "discarded, the job failed"
	if c.State == trace.Expired {
		words = "given up, its time was up"
	}
	return shelfCard{Class: "gone", Glyph: "checkpoint-gone", ID: "c" + num(c.No), No: num(c.No), Words: words,
		Struck: itoa(c.In) + " of " + itoa(len(c.Parts)) + " parts", Body: "parts deleted, never used"}
}

// pendingCard names the parts one by one; where it is one of three cards there is
// room for a few only.
func (s *Stage) pendingCard(c *trace.Checkpoint, narrow bool) shelfCard {
	card := shelfCard{Class: "progress", Glyph: "checkpoint-open", ID: "c" + num(c.No), No: num(c.No),
		Words: "in progress, " + itoa(c.In) + " of " + itoa(len(c.Parts)) + " parts"}
	p := s.Job.Plan
	if len(c.Parts) > shelfParts {
		card.Parts = s.partsByOperator(c)
		return card
	}
	if narrow && len(c.Parts) > 4 || len(c.Parts) > 7 {
		card.Parts = s.partsInShort(c)
		return card
	}
	order := make([]int, len(c.Parts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return awaited(&c.Parts[a]) - awaited(&c.Parts[b]) })
	for _, i := range order {
		name := p.Tasks[i].Name
		card.Parts = append(card.Parts, shelfPart{ID: "c" + num(c.No) + "." + name, From: "k" + num(c.No) + "." + name, Name: shorten(name, 14), In: c.Parts[i].Acked})
	}
	return card
}

func awaited(p *trace.Part) int {
	if p.Acked {
		return 0
	}
	return 1
}

// partsInShort ticks and counts the parts that are in, and names the last ones
// awaited.
func (s *Stage) partsInShort(c *trace.Checkpoint) []shelfPart {
	var in, awaits []shelfPart
	for i := range c.Parts {
		name := s.Job.Plan.Tasks[i].Name
		if !c.Parts[i].Acked {
			awaits = append(awaits, shelfPart{Name: shorten(name, 14)})
			continue
		}
		in = append(in, shelfPart{ID: "c" + num(c.No) + "." + name, From: "k" + num(c.No) + "." + name, Name: name, In: true, Tick: true})
	}
	if n := len(in); n > 0 {
		in[n-1].Count = count(n, "part")
	}
	if n := len(awaits); n > 3 {
		awaits = []shelfPart{{Name: count(n, "part")}}
	}
	return append(in, awaits...)
}

// partsByOperator counts parts where there are too many to name.
func (s *Stage) partsByOperator(c *trace.Checkpoint) []shelfPart {
	var out []shelfPart
	for i := range s.Job.Plan.Operators {
		op := &s.Job.Plan.Operators[i]
		in := 0
		for t := op.First; t < op.First+engine.TaskID(op.Parallelism); t++ {
			in += 1 - awaited(&c.Parts[t])
		}
		out = append(out, shelfPart{Name: trace.Clip(op.Name, 12) + " " + itoa(in) + " of " + itoa(op.Parallelism), In: in == op.Parallelism})
	}
	return out
}

// coordinatorText is what the coordinator's bar says.
func (s *Stage) coordinatorText() string {
	v := s.view
	who := s.coordinatorName()
	switch c := v.Pending(); {
	case v.Coordinator.Down:
		return who + " \u00b7 crashed"
	case v.Phase == trace.Ended:
		return who + " \u00b7 finished" + comma(s.backWords())
	case v.Phase == trace.Restoring && s.restartsAlone():
		return who + " \u00b7 starts one process again, the others go on"
	case v.Phase == trace.Restoring:
		return who + " \u00b7 restarts all tasks, attempt " + num(v.Attempt)
	case c != nil:
		return who + " \u00b7 checkpoint " + num(c.No) + " \u00b7 " + itoa(c.In) + " of " + itoa(len(c.Parts)) + " parts"
	}
	if s.Job.Settings.Strategy != "barriers" {
		return who + " \u00b7 " + s.coordinates()
	}
	if c := v.RestartPoint(); c != nil {
		return who + " \u00b7 checkpoint " + num(c.No) + " is complete"
	}
	return who + " \u00b7 no checkpoint yet"
}

// backWords is how long the job took to be as before its first crash, in the words
// of the lessons: from the fault until all that had been counted was counted again.
// It is said at the end only, as nothing before it is known to be the last.
func (s *Stage) backWords() string {
	if r, died := s.back.Recovery(); died && r.Back {
		return "was back " + strconv.FormatFloat(r.Total().Millis(), 'f', 0, 64) + " ms after the crash"
	}
	return ""
}

// comma puts words behind others, if there are any.
func comma(words string) string {
	if words == "" {
		return ""
	}
	return ", " + words
}

// coordinatorSaid is the same for readers of text.
func (s *Stage) coordinatorSaid() string {
	return strings.ReplaceAll(s.coordinatorText(), " \u00b7 ", ", ")
}

// coordinatorLine is what its bar has room for: without the name where it is short.
func (s *Stage) coordinatorLine() string {
	full := s.coordinatorText()
	if slices.Contains(s.view.Outages.Late, engine.AckMessage) {
		full += " \u00b7 next acknowledgement late"
	}
	_, what, _ := strings.Cut(full, " \u00b7 ")
	return fitting(s.lay.Coordinator.W-46, full, what)
}

// restartsAlone: these start only what has died; the others restart the whole job.
func (s *Stage) restartsAlone() bool {
	switch s.Job.Settings.Strategy {
	case "batch", "dataflow", "xa", "replicated":
		return s.view.Attempt <= 1
	}
	return false
}

func (s *Stage) coordinatorAttrs() map[string]string {
	cl := "node bar"
	if s.view.Coordinator.Down {
		cl += " crashed"
	}
	return map[string]string{"class": cl, "aria-label": s.coordinatorSaid()}
}
