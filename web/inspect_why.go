package web

import (
	"fmt"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// chainView is a causal chain on a page: why a reader finds something else than
// it should, each step a link to its event.
type chainView struct {
	Title string
	Who   string // "record ana, partition 0, offset 3"
	Steps []chainStep
}

type chainStep struct {
	reason
	Effect string // "effect one"; "" for steps that are none
}

// newChain is the chain as a page tells it, nil where there is none, or where its
// end lies behind the page's event: the future is not told.
func newChain(page *runPage, c *check.Chain, where string) *chainView {
	if c == nil || len(c.Links) == 0 || page.Hidden || int(c.Links[len(c.Links)-1].N) > page.At {
		return nil
	}
	v := &chainView{Title: chainTitle(c, where)}
	for i, id := range c.Records {
		if i > 0 {
			v.Who += " and "
		}
		v.Who += recordName(page.Run.Job, id)
	}
	n := 0
	for _, l := range c.Links {
		s := chainStep{reason: reason{Text: l.Text, Event: int(l.N), Href: string(page.href(int(l.N)))}}
		if l.Effect {
			n++
			s.Effect = "effect " + number(n)
		}
		v.Steps = append(v.Steps, s)
	}
	return v
}

func chainTitle(c *check.Chain, where string) string {
	switch c.Class {
	case check.Duplicated:
		return "Why is this twice in the " + where + "?"
	case check.Lost:
		return "Why is this missing in the " + where + "?"
	case check.Wrong:
		return "Why is this wrong in the " + where + "?"
	}
	return "Why does the " + where + " still wait?"
}

// whereOf names a system and, where it has several, the reader.
func whereOf(page *runPage, v *check.Verdict) string {
	title := lower(rowOf(page.Run.Job, v).Title)
	if len(readersOf(page.Run, v.Sink)) > 1 {
		title += ", read with " + v.Reader
	}
	return title
}

// whyRecord are the chains of one record: one for each reader that finds it wrong.
func whyRecord(page *runPage, id engine.RecordID) []*chainView {
	var out []*chainView
	for i := range page.Run.Verdicts {
		x := &page.Run.Verdicts[i]
		if v := newChain(page, check.WhyRecord(page.Run.Trace, x, id), whereOf(page, x)); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// whySink are the chains of a sink: one for each reader, by the first row.
func whySink(page *runPage, sink int) []*chainView {
	var out []*chainView
	for i := range page.Run.Verdicts {
		x := &page.Run.Verdicts[i]
		if x.Sink != page.Run.Job.Settings.Sinks[sink].Name {
			continue
		}
		if v := newChain(page, check.Why(page.Run.Trace, x), whereOf(page, x)); v != nil {
			out = append(out, v)
		}
	}
	return out
}

// whyState are the chains of counts that are too high, at most two.
func whyState(page *runPage, task engine.TaskID) []*chainView {
	var out []*chainView
	for k := range page.Run.Job.Input.Keys {
		c := check.WhyState(page.Run.Trace, task, engine.KeyID(k), page.At)
		if v := newChain(page, c, fmt.Sprintf("state of %s", page.Run.Job.Plan.Name(task))); v != nil && len(out) < 2 {
			out = append(out, v)
		}
	}
	return out
}
