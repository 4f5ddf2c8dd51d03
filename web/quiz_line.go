package web

import (
	"fmt"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/quizzes"
)

// Pixels of a question's timeline.
const (
	lineWidth = 640
	linePad   = 14
)

// quizLine is the drawn timeline of a question's run: in even steps, one an event.
type quizLine struct {
	Says, Legend string
	Right        []lineMark // stretches that were right
	Ticks        []lineMark
	Marks        []lineMark
	Numbers      []lineMark
	Events       []string // in words
	Offers       []offer  // the few events that an answer is one of; nil: any
	last         int
}

type lineMark struct {
	X, Y, W             int
	Class, Text, Anchor string
}

// newLine draws the run up to the moment that matters; nil where a question is
// about no moment of a run.
func newLine(v *quizView) *quizLine {
	d := v.Question.Derived
	if d == nil || d.Run == nil {
		return nil
	}
	t := d.Run.Trace
	l := &quizLine{last: t.Len()}
	asksMoment := v.Question.Kind == quizzes.PickOne || v.Question.Kind == quizzes.PickEvt
	drawn := v.Question.Template() != v.Question.Kind
	if !asksMoment && !drawn || v.Question.Template() == quizzes.CrashRace {
		return nil // a race has several runs; one of them would tell the answer
	}
	if drawn && v.Grade == nil {
		l.last = d.At // what follows would tell the answer
	}
	l.ticks(t)
	if drawn {
		l.Marks = append(l.Marks, l.mark(d.At, "crash", "crash"))
	}
	if asksMoment && v.Grade != nil {
		l.stretches(d.Set)
		if n, ok := eventOf(v.Answer); ok {
			l.Marks = append(l.Marks, l.mark(n, "chosen", "yours"))
		}
	}
	for n := 0; n <= l.last; n += lineStep(l.last) {
		l.Numbers = append(l.Numbers, lineMark{X: l.x(n), Text: itoa(n), Anchor: l.anchor(n)})
	}
	for n := 1; n <= l.last; n++ { // a drawn crash is worked out from what came before it
		l.Events = append(l.Events, quizzes.Told(t, n))
	}
	if asksMoment {
		l.offer(v)
	}
	l.Legend = l.legend(t.Job)
	l.Says = fmt.Sprintf("The run, events 0 to %d, with %d marks", l.last, len(l.Ticks)+len(l.Marks))
	if len(l.Right) > 0 {
		l.Says += fmt.Sprintf("; right: %d of its moments", len(d.Set))
	}
	return l
}

func (l *quizLine) x(n int) int {
	return linePad + n*(lineWidth-2*linePad)/max(1, l.last)
}

func (l *quizLine) anchor(n int) string {
	switch x := l.x(n); {
	case x < 60:
		return "start"
	case x > lineWidth-60:
		return "end"
	}
	return "middle"
}

func (l *quizLine) mark(n int, class, text string) lineMark {
	return lineMark{X: l.x(n), Class: class, Text: text, Anchor: l.anchor(n)}
}

func (l *quizLine) ticks(t *trace.Trace) {
	for n := 1; n <= min(l.last, t.Len()); n++ {
		m := lineMark{X: l.x(n)}
		switch t.At(n).Kind {
		case engine.CheckpointComplete:
			m.Y, m.Class = 12, "seal"
		case engine.BarrierInjected, engine.TxnPrecommit, engine.TxnCommit, engine.TxnAbort, engine.OffsetCommit:
			m.Y, m.Class = 24, "barrier"
		case engine.SinkWrite, engine.DedupID, engine.DedupValue:
			m.Y, m.Class = 34, "write"
		case engine.FaultInjected:
			m.Y, m.Class = 8, "fault"
		default:
			continue
		}
		l.Ticks = append(l.Ticks, m)
	}
}

// legend explains the marks that are drawn, and the short forms of the sentences.
func (l *quizLine) legend(job *engine.Job) string {
	out := "Event numbers."
	for _, k := range []struct{ class, words string }{
		{"seal", " Tall: a checkpoint is sealed."}, {"barrier", " Middle: barriers, offsets and transactions."}, {"write", " Short: a row reaches the outside."}, {"fault", " Dashed: a fault."},
	} {
		if slices.ContainsFunc(l.Ticks, func(m lineMark) bool { return m.Class == k.class }) {
			out += k.words
		}
	}
	if len(l.Events) > 0 {
		out += " In words, P0:3 is the record at offset 3 of partition 0" + keyWords(job) + "."
	}
	return out
}

// keyWords explains the short forms with a key of the run's own input: KEY P0:3, and
// KEY 20 where a sink writes values.
func keyWords(job *engine.Job) string {
	if len(job.Input.Keys) == 0 {
		return ""
	}
	key := job.Input.Keys[0]
	out := ", and " + key + " in front of it is its key"
	for i := range job.Settings.Sinks {
		switch job.Settings.Sinks[i].Kind {
		case engine.SinkEmail, engine.SinkUpsert, engine.SinkDedup, engine.SinkPosition: // their sentences say "set" and "changed"
		default:
			return out + "; “" + key + " 20” is a row of " + key + " with the value 20"
		}
	}
	return out
}

// stretches marks what was right, neighbours as one.
func (l *quizLine) stretches(set []int) {
	for _, s := range stretchesOf(set) {
		x := l.x(s.From) - 1
		l.Right = append(l.Right, lineMark{X: x, W: max(3, l.x(s.To)+2-x)})
	}
}

// lineStep is how many events lie between two numbers of the axis.
func lineStep(last int) int {
	for _, s := range []int{5, 10, 20, 50, 100, 200, 500} {
		if last/s <= 8 {
			return s
		}
	}
	return 1000
}

func eventOf(s string) (int, bool) {
	var n int
	_, err := fmt.Sscanf(s, "%d", &n)
	return n, err == nil
}
