package quizzes

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"

	"effectivelyonce/lessons/strict"
)

// Reply is what a learner answered.
type Reply struct {
	Options []string // ids: chosen, or all of them in the learner's order
	Number  string
	Moment  int // a moment, or an event
}

// Line is one option after the answer.
type Line struct {
	Option *Option
	Chosen bool
}

// Grade is a reply compared with the answer. Every option is explained, whatever
// was chosen.
type Grade struct {
	Right  bool
	Partly bool   // some of what is right, and nothing that is wrong
	Lines  []Line // options in the order of the file
	Why    Text   // of numbers, orders, moments and events: the explanation of this reply
	Also   Text   // the explanation of the right answer, where Why is that of a slip
	Key    string // the right number, or the right order
	Set    []int  // all right moments or events
	Had    int    // points: right options that were chosen, or ticked; 1 for what has no parts and is right
	Of     int    // points that there are: 1 for what has no parts
}

// BadReply is a reply that is no answer to the question.
type BadReply struct{ Found, Allowed string }

// Error says what is allowed.
func (e *BadReply) Error() string { return "found " + e.Found + "; allowed: " + e.Allowed }

// Grade compares a reply with the answer. Its errors are *BadReply.
func (q *Question) Grade(r Reply) (*Grade, error) {
	g, err := q.grade(r)
	if err == nil && g.Of == 0 {
		if g.Of = 1; g.Right {
			g.Had = 1
		}
	}
	return g, err
}

func (q *Question) grade(r Reply) (*Grade, error) {
	switch q.Kind {
	case Single, Multi:
		return q.gradeOptions(r)
	case Order:
		return q.gradeOrder(r)
	case Numeric:
		return q.gradeNumber(r)
	case Open:
		return q.gradeOpen(r)
	}
	return q.gradeMoment(r)
}

// count counts the points of a reply that has parts.
func (g *Grade) count() {
	for _, l := range g.Lines {
		if l.Option.Right {
			g.Of++
			if l.Chosen {
				g.Had++
			}
		}
	}
}

// Share is how much of the answer the reply had, from 0 to 1. What holds something
// wrong has none of it: who ticks everything has not found anything.
func (g *Grade) Share() float64 {
	if !g.Right && !g.Partly || g.Of == 0 {
		return 0
	}
	return float64(g.Had) / float64(g.Of)
}

func (q *Question) ids() []string {
	var out []string
	for _, o := range q.Options {
		out = append(out, o.ID)
	}
	return out
}

func (q *Question) known(ids []string) error {
	for i, id := range ids {
		if !slices.Contains(q.ids(), id) {
			return &BadReply{Found: "option " + strict.Quote(id), Allowed: strings.Join(q.ids(), ", ")}
		}
		if slices.Contains(ids[:i], id) {
			return &BadReply{Found: "option " + strict.Quote(id) + " twice", Allowed: "each option once"}
		}
	}
	return nil
}

func (q *Question) gradeOptions(r Reply) (*Grade, error) {
	if err := q.known(r.Options); err != nil {
		return nil, err
	}
	if q.Kind == Single && len(r.Options) != 1 {
		return nil, &BadReply{Found: fmt.Sprintf("%d options", len(r.Options)), Allowed: "one option"}
	}
	g := &Grade{Right: true, Partly: q.Kind == Multi && len(r.Options) > 0}
	for i := range q.Options {
		o := &q.Options[i]
		chosen := slices.Contains(r.Options, o.ID)
		g.Lines = append(g.Lines, Line{Option: o, Chosen: chosen})
		g.Right = g.Right && chosen == o.Right
		g.Partly = g.Partly && (o.Right || !chosen)
	}
	g.Partly = g.Partly && !g.Right
	if q.Kind == Multi {
		g.count()
	}
	return g, nil
}

func (q *Question) gradeOrder(r Reply) (*Grade, error) {
	if err := q.known(r.Options); err != nil {
		return nil, err
	}
	if len(r.Options) != len(q.Options) {
		return nil, &BadReply{Found: fmt.Sprintf("%d steps", len(r.Options)), Allowed: fmt.Sprintf("all %d, each once", len(q.Options))}
	}
	given := strings.Join(r.Options, " ")
	g := &Grade{Right: given == strings.Join(q.ids(), " ") || slices.Contains(q.Also, given), Key: strings.Join(q.ids(), " "), Why: q.Right}
	for i := range q.Options {
		g.Lines = append(g.Lines, Line{Option: &q.Options[i]})
	}
	if g.Right {
		return g, nil
	}
	g.explain(q, func(i int) bool {
		s := q.Slips[i].Order
		return len(s) == 2 && slices.Index(r.Options, s[0]) < slices.Index(r.Options, s[1])
	})
	return g, nil
}

// explain says why a wrong answer is wrong: by its slip, in general, or else by why
// the right one is right. It is never silent.
func (g *Grade) explain(q *Question, slip func(i int) bool) {
	g.Why, g.Also = q.Else, q.Right
	for i := range q.Slips {
		if slip(i) {
			g.Why = q.Slips[i].Why
			break
		}
	}
	if g.Why.Text == "" {
		g.Why, g.Also = q.Right, Text{}
	}
}

// near reports whether a number is the wanted one within the tolerance.
func (q *Question) near(got, want float64) bool {
	return math.Abs(got-want) <= math.Abs(want)*q.Asks.Tolerance/100+1e-9
}

func (q *Question) gradeNumber(r Reply) (*Grade, error) {
	s := strings.TrimSpace(r.Number)
	if u := q.Asks.Unit; u != "" { // "560 s" is what the page itself writes
		s = strings.TrimSpace(strings.TrimSuffix(s, u))
	}
	got, err := strconv.ParseFloat(strings.ReplaceAll(s, ",", "."), 64)
	if err != nil || math.IsNaN(got) || math.IsInf(got, 0) {
		return nil, &BadReply{Found: strict.Quote(r.Number), Allowed: "a number"}
	}
	if q.Derived == nil {
		return nil, fmt.Errorf("question %s has not been worked out", q.ID)
	}
	g := &Grade{Right: q.near(got, q.Derived.Number), Key: Figure(q.Derived.Number), Why: q.Right}
	if g.Right {
		return g, nil
	}
	g.explain(q, func(i int) bool { return i < len(q.Derived.Slips) && q.near(got, q.Derived.Slips[i]) })
	return g, nil
}

func (q *Question) gradeMoment(r Reply) (*Grade, error) {
	if q.Derived == nil {
		return nil, fmt.Errorf("question %s has not been worked out", q.ID)
	}
	least := 0
	if q.Kind == PickEvt {
		least = 1
	}
	if r.Moment < least || r.Moment > q.Derived.Last {
		return nil, &BadReply{Found: strconv.Itoa(r.Moment), Allowed: fmt.Sprintf("%d to %d", least, q.Derived.Last)}
	}
	g := &Grade{Right: slices.Contains(q.Derived.Set, r.Moment), Set: q.Derived.Set, Why: q.Right}
	if g.Right {
		return g, nil
	}
	g.explain(q, func(i int) bool { return q.slipped(i, r.Moment) })
	return g, nil
}

// SlipSets are the events, or the moments, that each slip of the question explains;
// an event may be in several. Nil for other kinds, and before Derive.
func (q *Question) SlipSets() [][]int {
	if q.Derived == nil || q.Kind != PickOne && q.Kind != PickEvt {
		return nil
	}
	out := make([][]int, len(q.Slips))
	for i, s := range q.Slips {
		for _, spec := range s.Kinds {
			if set, err := q.Derived.Run.events(q.Fill(spec)); err == nil {
				out[i] = append(out[i], set...)
			}
		}
		for n := 1; i < len(q.Derived.Regions) && n < q.Derived.Regions[i]; n++ {
			out[i] = append(out[i], n)
		}
	}
	return out
}

// slipped reports whether a wrong moment or event lies in a slip's region.
func (q *Question) slipped(i, n int) bool {
	if q.Kind == PickOne {
		return i < len(q.Derived.Regions) && n < q.Derived.Regions[i]
	}
	for _, spec := range q.Slips[i].Kinds {
		if set, err := q.Derived.Run.events(q.Fill(spec)); err == nil && slices.Contains(set, n) {
			return true
		}
	}
	return false
}

// Shuffled is the order in which the options are shown: fixed by the seed, and
// for an order question never the right one.
func (q *Question) Shuffled(seed uint64) []int {
	out := make([]int, len(q.Options))
	rank := make([]uint64, len(out))
	for i := range out {
		h := fnv.New64a()
		_, _ = fmt.Fprintf(h, "%d %s %d", seed, q.ID, i)
		out[i], rank[i] = i, h.Sum64()
	}
	slices.SortFunc(out, func(a, b int) int {
		if rank[a] < rank[b] {
			return -1
		}
		return 1
	})
	if q.Kind == Order && slices.IsSorted(out) {
		slices.Reverse(out)
	}
	return out
}
