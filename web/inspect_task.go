package web

import (
	"fmt"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// inspectTask is a task with its queues as lists and its state as a table.
func inspectTask(page *runPage, id engine.TaskID) *inspectView {
	job, view := page.Run.Job, page.Now
	task, now := &job.Plan.Tasks[id], &view.Tasks[id]
	v := &inspectView{Kind: "task", Title: task.Name}
	v.Facts = append(v.Facts, fact{"state", taskState(now)})
	switch task.Kind {
	case engine.OpSource:
		l := &view.Logs[task.Part]
		v.Facts = append(v.Facts, fact{"reads", fmt.Sprintf("partition %d of %s", task.Part, job.Input.Name)},
			fact{"next offset", fmt.Sprintf("%d of %d", l.Next, len(job.Input.Parts[task.Part]))}, fact{"a restart rewinds to", rewindWords(l)})
	case engine.OpCount:
		v.Lists = append(v.Lists, stateList(job, task, now))
		v.Chains = whyState(page, id)
	case engine.OpSink:
		v.Facts = append(v.Facts, sinkFacts(job, task, now)...)
		v.Chains = whySink(page, task.Sink)
		if !now.Open.IsZero() {
			v.Things = append(v.Things, thing{txnTitle(job, now.Open), txnName(now.Open)})
		}
	}
	v.Facts = append(v.Facts, fact{"saved last", savedWords(now)})
	if now.Saved > 0 && view.Checkpoint(now.Saved) != nil {
		v.Things = append(v.Things, thing{fmt.Sprintf("checkpoint %d", now.Saved), fmt.Sprintf("c%d", now.Saved)})
	}
	if now.Slow > 1 {
		v.Facts = append(v.Facts, fact{"slow", fmt.Sprintf("takes %d times as long", now.Slow)})
	}
	for _, c := range task.In {
		v.Lists = append(v.Lists, laneList(page, c))
	}
	return v
}

func taskState(t *trace.Task) string {
	switch t.Status {
	case trace.Crashed:
		return "crashed, its memory is gone"
	case trace.Aligning:
		return fmt.Sprintf("aligning checkpoint %d", t.Aligning)
	}
	if t.Waits != engine.NoChan {
		return t.Status.String() + ", waiting for space in a full channel"
	}
	return t.Status.String()
}

func savedWords(t *trace.Task) string {
	switch {
	case t.Saved == 0:
		return "nothing yet"
	case t.Durable:
		return fmt.Sprintf("its part of checkpoint %d, durable", t.Saved)
	}
	return fmt.Sprintf("its part of checkpoint %d, not durable yet", t.Saved)
}

func rewindWords(l *trace.Log) string {
	if l.Rewind.Ckpt == 0 {
		return "the beginning: no checkpoint is complete"
	}
	return fmt.Sprintf("offset %d, of checkpoint %d", l.Rewind.Off, l.Rewind.Ckpt)
}

func sinkFacts(job *engine.Job, task *engine.Task, t *trace.Task) []fact {
	k := &job.Settings.Sinks[task.Sink]
	out := []fact{{"writes to", sinkTitle(&job.Settings, task.Sink) + ", " + string(k.Kind)}, {"rows in this attempt", strconv.Itoa(t.Wrote)}}
	if k.Kind == engine.SinkTransactional {
		open := "none"
		if !t.Open.IsZero() {
			open = fmt.Sprintf("transaction %d", t.Open.No)
		}
		out = append(out, fact{"open transaction", open})
	}
	return out
}

func stateList(job *engine.Job, task *engine.Task, t *trace.Task) namedList {
	l := namedList{Name: "State", Empty: "Empty."}
	if t.Status == trace.Crashed {
		l.Empty = "Lost with its memory."
	}
	for k, n := range t.Counts {
		if n > 0 {
			l.Items = append(l.Items, fmt.Sprintf("%s %d", trace.Clip(job.Input.Keys[k], 24), n))
		}
	}
	return l
}

// laneList is an input lane, the oldest element first.
func laneList(page *runPage, id engine.ChanID) namedList {
	job := page.Run.Job
	c := &page.Now.Chans[id]
	name := "Queue from " + job.Plan.Name(job.Plan.Channels[id].From)
	switch {
	case c.Blocked:
		name += ", blocked"
	case c.Full:
		name += ", full"
	}
	l := namedList{Name: name, Empty: "Empty."}
	for _, e := range c.Elems {
		if e.Kind == engine.BarrierElement {
			l.Items = append(l.Items, fmt.Sprintf("barrier %d", e.Ckpt))
			continue
		}
		if e.Kind == engine.WatermarkElement {
			l.Items = append(l.Items, "watermark "+trace.Clock(int64(e.Mark)))
			continue
		}
		item := recordName(job, e.Rec)
		if e.Total > 0 {
			item += fmt.Sprintf(", total %d", e.Total)
		}
		if e.Attempt > 1 {
			item += fmt.Sprintf(", read in attempt %d", e.Attempt)
		}
		if !e.Waiting {
			item += ", on its way"
		}
		l.Items = append(l.Items, item)
	}
	return l
}
