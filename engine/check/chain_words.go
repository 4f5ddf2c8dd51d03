package check

import (
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// title is what people call the outside system.
func (w *chainWriter) title() string {
	if w.set.Title != "" {
		return w.set.Title
	}
	return w.set.Name
}

func (w *chainWriter) readers() string { return strings.ReplaceAll(w.v.Reader, "_", " ") }

// box is what carries rows until they count.
func (w *chainWriter) box(x engine.Txn) string {
	what := "transaction"
	if w.set.Kind == engine.SinkFiles {
		what = "file"
	}
	return fmt.Sprintf("%s %d of attempt %d", what, x.No, x.Attempt)
}

// verb is what a write without a transaction did.
func (w *chainWriter) verb(r *WrittenRow) string {
	switch w.set.Kind {
	case engine.SinkEmail:
		if !IsMail(w.set) {
			return "made its call. No restart takes a call back."
		}
		return "sent its e-mail. No restart takes an e-mail back."
	case engine.SinkUpsert:
		return fmt.Sprintf("set its row in the %s.", w.title())
	case engine.SinkDedup:
		return fmt.Sprintf("changed the balance in the %s with it.", w.title())
	case engine.SinkPosition:
		return fmt.Sprintf("wrote it to the %s together with the position.", w.title())
	case engine.SinkState:
		return "took it into the engine's own table."
	}
	return fmt.Sprintf("wrote it to the %s. What is outside no restart takes back.", w.title())
}

// noted is the last position that was stored before the attempt ended: whether it
// covers the record decides if it is read again.
func (w *chainWriter) noted(led *Ledger, a *Attempt) {
	if a.End == 0 || a.Read == 0 {
		return
	}
	parts, begun := len(w.job.Input.Parts), max(a.Begin, 1)
	var last *engine.Event
	at := int32(0)
	for n := begun; n <= a.End; n++ {
		e := w.t.At(int(n))
		if e.Kind != engine.OffsetCommit && e.Kind != engine.OffsetLogWritten {
			continue
		}
		p := engine.UnpackPositions(e.Value, e.After, parts)[led.ID.Part]
		if last != nil && at > led.ID.Off {
			break // the first that covers it
		}
		last, at = e, p
	}
	if last == nil {
		return
	}
	who := w.job.Plan.Name(last.Task)
	where := "before it: it is not covered"
	if at > led.ID.Off {
		where = "behind it"
	}
	if last.Kind == engine.OffsetLogWritten {
		w.add(last.N, fmt.Sprintf("%s wrote into the offset log that batch %d ends at offset %d, %s.", who, last.Ckpt, at, where))
		return
	}
	w.add(last.N, fmt.Sprintf("%s committed the position %d of partition %d, %s.", who, at, led.ID.Part, where))
}

// twice is what follows from the second effect.
func (w *chainWriter) twice() string {
	switch {
	case w.byHistory():
		return fmt.Sprintf("The total that stands in the %s contains it twice.", w.title())
	case w.set.EmitAt > 0:
		return fmt.Sprintf("That is the result of this key twice in the %s.", w.title())
	}
	return fmt.Sprintf("That is its effect twice in the %s.", w.title())
}

// repeated is a sentence about the first effect, told of the second.
func repeated(text string) string {
	if a, b, ok := strings.Cut(text, " counted it:"); ok {
		return a + " counted it again:" + b
	}
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + " again."
}

// ending is the last step where no second effect is: the end of the run.
func (w *chainWriter) ending() {
	n := w.t.Len()
	if n == 0 {
		return
	}
	e := w.t.At(n)
	for e.Kind != engine.RunEnded && n > 1 {
		n--
		e = w.t.At(n)
	}
	text := ""
	switch w.c.Class {
	case Lost:
		text = fmt.Sprintf("The run is at rest: nothing of it stands in the %s, and nothing will write it again.", w.title())
	case Duplicated:
		text = fmt.Sprintf("At the end the %s contains it more than once.", w.title())
	case Wrong:
		text = fmt.Sprintf("At the end this stands in the %s, and it is not what the input says.", w.title())
	case Stuck:
		text = fmt.Sprintf("The model stopped following the run (%s): nothing of it has reached readers of the %s.", e.Reason, w.title())
		if e.Reason == engine.AtRest {
			text = fmt.Sprintf("The run is at rest, and for readers of the %s the row is still hidden.", w.title())
		}
	}
	links := w.c.Links
	for len(links) > 0 && links[len(links)-1].N >= e.N {
		links = links[:len(links)-1] // what came after the end decides nothing
	}
	w.c.Links = append(links, ChainLink{N: e.N, Text: text})
}

// troubles are the events that keep a run from coming to rest: at most four.
func (w *chainWriter) troubles() {
	told := 0
	for n := 1; n <= w.t.Len() && told < 4; n++ {
		switch e := w.t.At(n); e.Kind {
		case engine.CheckpointExpired, engine.StartRefused, engine.Fenced, engine.TxnExpired:
			w.add(e.N, w.sentence(e.N))
			told++
		case engine.TaskFailed:
			if e.Reason != engine.Crashed {
				w.add(e.N, w.sentence(e.N))
				told++
			}
		}
	}
}

// sentence is what the log says of event n.
func (w *chainWriter) sentence(n int32) string {
	s := trace.Sentence(w.t, w.t.At(int(n)))
	if first, _, _ := strings.Cut(s, " "); strings.Contains(first, "/") {
		return s
	}
	return capitalise(s)
}

func capitalise(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
