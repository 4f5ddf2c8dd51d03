package stage

import (
	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Mark is one moment that the timeline points out.
type Mark struct {
	N     int    // the event
	Kind  string // its kind, as events spell it
	No    int    // of the checkpoint or transaction, 0: none
	Glyph string
	Text  string // the event's sentence
}

// Span is a stretch of the run in which the job as a whole does one thing: from
// event From up to event To.
type Span struct {
	From, To int
	Phase    trace.Phase
}

// Marks lists the barriers (the first of each checkpoint), completions, commits
// and faults of a run, and the moments at which other strategies save.
func Marks(t *trace.Trace) []Mark {
	var out []Mark
	last := int32(0)
	for n := 1; n <= t.Len(); n++ {
		e := t.At(n)
		m := Mark{N: n, Kind: e.Kind.String(), No: int(e.Ckpt), Glyph: trace.GlyphOf(t, e).Name}
		switch e.Kind {
		case engine.BarrierInjected:
			if e.Ckpt == last {
				continue
			}
			last = e.Ckpt
		case engine.CheckpointComplete, engine.CommitLogWritten, engine.MapDone, engine.FileRenamed:
		case engine.OffsetCommit:
			if !e.Txn.IsZero() {
				continue // the transaction's own mark is enough
			}
		case engine.CoordinatorDecided:
			m.No = int(e.Txn.No)
		case engine.TxnCommit:
			if e.Before == e.After || e.Value == 0 {
				continue
			}
			m.No = int(e.Txn.No)
		case engine.FaultInjected, engine.ZombieWakes:
		case engine.Fenced:
			if e.Zombie == 0 {
				continue
			}
		default:
			continue
		}
		m.Text = trace.Sentence(t, e)
		out = append(out, m)
	}
	return out
}

// Spans splits a run by what the job as a whole does.
func Spans(t *trace.Trace) []Span {
	v := trace.NewView(t.Job, t.Faults...)
	out := []Span{{Phase: v.Phase}}
	for n := 1; n <= t.Len(); n++ {
		v.Apply(t.At(n))
		last, phase := &out[len(out)-1], v.Phase
		if phase == trace.Replaying && !readsAgain(v) {
			phase = trace.Working
		}
		last.To = n
		if phase != last.Phase && phase != trace.Ended {
			out = append(out, Span{From: n, To: n, Phase: phase})
		}
	}
	return out
}

// readsAgain reports whether a restart leads to input that was read before. A loop
// that saves its place before the work goes on behind all of it.
func readsAgain(v *trace.View) bool {
	if v.Job.Settings.Strategy != "offset-commit" {
		return true
	}
	for i := range v.Logs {
		if v.Logs[i].Next < v.Logs[i].Furthest {
			return true
		}
	}
	return false
}

// Geometry of the timeline's drawing.
const (
	trackX, trackW = 8, 1008
	trackY, trackH = 36, 14
	markGap        = 15
)

// tick is a mark as it is drawn: a glyph above the track and a stem to its place.
type tick struct {
	Mark
	X, At int // of the glyph, of the moment
	Count string
	Class string
}

type timeline struct {
	Last  int
	Ticks []tick
	Spans []spanBar
	Nums  []number
}

type spanBar struct {
	X, W  int
	Class string
	Word  string
}

type number struct {
	X    int
	Text string
}

func xOf(n, last int) int { return trackX + n*trackW/max(1, last) }

func (s *Stage) timeline(t *trace.Trace) timeline {
	last := t.Len()
	tl := timeline{Last: last}
	for _, m := range Marks(t) {
		tl.add(m, xOf(m.N, last))
	}
	for _, sp := range Spans(t) {
		b := spanBar{X: xOf(sp.From, last), Class: sp.Phase.String(), Word: sp.Phase.String()}
		b.W = xOf(sp.To, last) - b.X
		if b.W < 48 || b.W < sansText(b.Word, 11)+6 {
			b.Word = ""
		}
		if b.W > 0 {
			tl.Spans = append(tl.Spans, b)
		}
	}
	step := max(10, niceStep(last))
	for n := 0; n <= last; n += step {
		if last-n >= step/2 || n == last {
			tl.Nums = append(tl.Nums, number{X: xOf(n, last), Text: itoa(n)})
		}
	}
	if k := len(tl.Nums); k == 0 || tl.Nums[k-1].Text != itoa(last) {
		tl.Nums = append(tl.Nums, number{X: xOf(last, last), Text: itoa(last)})
	}
	return tl
}

// add places a mark; one that would cover its neighbour steps aside, or is
// counted into it where there is no room.
func (tl *timeline) add(m Mark, x int) {
	tk := tick{Mark: m, X: x, At: x, Class: tickClass(m.Glyph)}
	if n := len(tl.Ticks); n > 0 {
		prev := &tl.Ticks[n-1]
		if x-prev.X < markGap {
			tk.X = prev.X + markGap
		}
		if tk.X-x > markGap || tk.X > trackX+trackW {
			if prev.Count == "" {
				prev.Count = "1"
			}
			prev.Count = itoa(atoi(prev.Count) + 1)
			if weight(m) > weight(prev.Mark) {
				prev.Mark, prev.Class = m, tk.Class
			}
			return
		}
	}
	tl.Ticks = append(tl.Ticks, tk)
}

// tickClass: a commit is what the outside world gets to see, in the colour of that.
func tickClass(glyph string) string {
	if glyph == "commit" {
		return "commit exact"
	}
	return glyph
}

// weight orders marks that share a place: the heaviest is drawn.
func weight(m Mark) int {
	switch m.Glyph {
	case "crash":
		return 4
	case "checkpoint", "bookmark", "file":
		return 3
	case "commit":
		return 2
	}
	return 1
}

func atoi(s string) int {
	n := 0
	for _, r := range s {
		n = 10*n + int(r-'0')
	}
	return n
}

// niceStep is how far the numbers below the track are apart.
func niceStep(last int) int {
	for _, step := range []int{10, 20, 50, 100, 200, 500, 1000, 2000} {
		if last/step <= 12 {
			return step
		}
	}
	return 5000
}

// positionText is the slider's value for readers of text.
func (s *Stage) positionText(last int) string {
	text := "event " + num(s.view.N) + " of " + itoa(last)
	if e := s.Last(); e != nil {
		text += ": " + trace.Sentence(s.tr, e)
	}
	return text
}

// TimelineContents is what Timeline holds: the stream sends it when a page that is
// open goes on with another run.
func TimelineContents(s *Stage, t *trace.Trace) templ.Component {
	return timelineSVG(s.timeline(t), int(s.view.N))
}
