package web

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// known: what came again after the restart had an id that the receiver knew. Nil
// if the receiver refused nothing.
func (w *whyWriter) known(sink int) []reason {
	refused := func(e *engine.Event) bool {
		return e.Kind == engine.EffectIgnored && w.job.Plan.Tasks[e.Task].Sink == sink
	}
	first, n := w.first(w.rec.Restart, refused), 0
	if first == nil {
		return nil
	}
	for e := first; e != nil; e = w.first(int(e.N)+1, refused) {
		n++
	}
	one, many := nounOf(&w.job.Settings.Sinks[sink])
	w.point = 1
	return []reason{w.back(), w.at(int(first.N), fmt.Sprintf("%s came again after the restart. The receiver knew them, and did nothing.", count(n, one, many)))}
}

// askedAgain: no process failed, but an answer was lost, so a task sent its write
// once more, and the receiver took it or knew it. Nil if no answer was lost.
func (w *whyWriter) askedAgain() []reason {
	lost := w.first(1, func(e *engine.Event) bool {
		f := (*engine.Fault)(nil)
		if e.Kind == engine.FaultInjected {
			f = w.t.FaultOf(e)
		}
		return f != nil && f.Kind == engine.LoseResponse
	})
	if lost == nil {
		return nil
	}
	done := w.first(int(lost.N), func(e *engine.Event) bool { return e.Kind == engine.SinkWrite && e.Task == lost.Task })
	if done == nil {
		return nil
	}
	again := w.first(int(done.N)+1, func(e *engine.Event) bool {
		return (e.Kind == engine.SinkWrite || e.Kind == engine.EffectIgnored) && e.Task == done.Task && e.Rec == done.Rec
	})
	if again == nil {
		return nil
	}
	end := "The receiver took it for a new one."
	if again.Kind == engine.EffectIgnored {
		end = "The receiver knew it, and did nothing."
	}
	w.point = 1
	return []reason{
		w.at(int(done.N), trace.Sentence(w.t, done)+" It took effect, and the answer was lost."),
		w.at(int(again.N), w.job.Plan.Name(done.Task)+" got no answer, so it sent the same once more. "+end),
	}
}

// nounOf is what one effect of a sink is called, and many of them.
func nounOf(k *engine.SinkSettings) (one, many string) {
	switch {
	case k.Kind != engine.SinkEmail:
		return "result", "results"
	case check.IsMail(k):
		return "e-mail", "e-mails"
	}
	return "call", "calls"
}
