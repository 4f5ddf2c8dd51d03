package trace

import (
	"fmt"
	"strconv"

	"effectivelyonce/engine"
)

// Why says in at most three sentences what happens at a difference and why it
// does, as far as that can be read from the traces. left and right are what the
// runs are called.
func (d *Diff) Why(f *Difference, left, right string) string {
	here := side{d.Left, f.Left, left}
	there := side{d.Right, f.Right, right}
	if f.Left == 0 || f.Right != 0 && d.Right.At(f.Right).T < d.Left.At(f.Left).T || f.Kind == OnlyRight {
		here, there = there, here
	}
	for _, rule := range []func(here, there side) string{slipped, overtook, struck, wrote} {
		if text := rule(here, there); text != "" {
			return text
		}
	}
	e := here.event()
	said := "In " + here.name + ", " + Sentence(here.t, e)
	switch {
	case there.n == 0:
		return said + " " + capital(there.name) + " never does that."
	case f.Kind == Changed && there.event().T == e.T:
		return said + " In " + there.name + ", " + Sentence(there.t, there.event())
	}
	return fmt.Sprintf("%s That is at %s; in %s it comes at %s.", said, e.T, there.name, there.event().T)
}

// side is one run's part of a difference.
type side struct {
	t    *Trace
	n    int // 0: no such event
	name string
}

func (s side) event() *engine.Event { return s.t.At(s.n) }

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}

// slipped: a record behind a barrier is processed before the barrier is in on all
// inputs, where the other run holds that input back (Flink 2.x, mode at_least_once
// against exactly_once; facts 3.4).
func slipped(here, there side) string {
	e := here.event()
	if e.Kind != engine.RecordProcessed || e.Chan == engine.NoChan {
		return ""
	}
	n := here.barrierBefore(e)
	if n == 0 {
		return ""
	}
	p := here.t.Job.Plan
	from := p.Name(p.Channels[e.Chan].From)
	text := fmt.Sprintf("In %s the record %s slipped past barrier %d: %s had the barrier from %s and processed a record that came behind it, while other inputs still owed theirs.",
		here.name, here.t.Job.Input.Keys[e.Key]+" "+e.Rec.String(), n, p.Name(e.Task), from)
	if b := there.blocked(p.Name(e.Task), from, n); b > 0 {
		text += fmt.Sprintf(" In %s that input is blocked (event %d) and the record waits", there.name, b)
		if there.n > 0 {
			text += " until event " + strconv.Itoa(there.n)
		}
		text += "."
	}
	return text
}

// barrierBefore is the checkpoint whose barrier has arrived on the event's channel
// and is not yet in on all inputs; 0: none.
func (s side) barrierBefore(e *engine.Event) int32 {
	open := int32(0)
	for n := 1; n < int(e.N); n++ {
		x := s.t.At(n)
		if x.Task == e.Task && (x.Kind == engine.BarrierAligned || x.Kind == engine.RestoreDone) || x.Kind == engine.RestartBegin {
			open = 0
		}
		if x.Kind == engine.BarrierArrived && x.Task == e.Task && x.Chan == e.Chan {
			open = x.Ckpt
		}
	}
	return open
}

// blocked is the event in which a task blocks its input from a sender for a barrier.
func (s side) blocked(task, from string, ckpt int32) int {
	p := s.t.Job.Plan
	for n := 1; n <= s.t.Len(); n++ {
		x := s.t.At(n)
		if x.Kind == engine.ChannelBlocked && x.Ckpt == ckpt && p.Name(x.Task) == task && p.Name(p.Channels[x.Chan].From) == from {
			return n
		}
	}
	return 0
}

// overtook: a barrier does not wait behind records (Flink 2.x, unaligned; facts 3.6).
func overtook(here, there side) string {
	e := here.event()
	if e.Kind != engine.BarrierAligned || e.After == 0 || e.Before >= e.After {
		return ""
	}
	return fmt.Sprintf("In %s barrier %d overtakes what waits at %s and goes on at once; the overtaken records are saved with the checkpoint. In %s the barrier waits for its turn.",
		here.name, e.Ckpt, here.t.Job.Plan.Name(e.Task), there.name)
}

// struck: a fault takes hold in one run only, or earlier in one.
func struck(here, there side) string {
	e := here.event()
	if e.Kind != engine.FaultInjected {
		return ""
	}
	text := fmt.Sprintf("In %s a fault strikes here: %s", here.name, Sentence(here.t, e))
	if there.n == 0 {
		return text + " Not so in " + there.name + "."
	}
	return text + fmt.Sprintf(" In %s it strikes at event %d.", there.name, there.n)
}

// wrote: a row goes out in one run at once, and in the other inside a transaction,
// or not at all.
func wrote(here, there side) string {
	e := here.event()
	switch {
	case e.Kind == engine.TxnBegin && there.n == 0:
		return fmt.Sprintf("In %s %s opens a transaction before it writes: readers see its rows only when that commits. In %s it writes at once.",
			here.name, here.t.Job.Plan.Name(e.Task), there.name)
	case e.Kind == engine.SinkWrite && there.n == 0 && e.Txn.IsZero():
		return fmt.Sprintf("In %s %s writes at once, and nothing can take that back. %s does not.", here.name, here.t.Job.Plan.Name(e.Task), capital(there.name))
	}
	return ""
}
