package web

import (
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// faultGroup is faults of one kind beside the crash buttons: those that can act in
// the job of the page. The engine says which, as it does for a fault in a link.
type faultGroup struct {
	Glyph, Title, Note string
	Choices            []faultChoice
}

// faultChoice is one button. Head is the fault without its moment: the gap is the
// one that the page shows, as for a crash.
type faultChoice struct{ Text, Head, Fault string }

// How long what is offered by a button lasts. The lengths are small, so that a run
// fits on a screen; a link or the sandbox can say any other.
const (
	longSleep = 8 * engine.Second // long enough to be replaced under every default
	outage    = 2 * engine.Second
	delay     = engine.Second
)

// moreFaults lists everything but crashes that can go wrong here.
func (p *runPage) moreFaults() []faultGroup {
	job := p.Run.Job
	var writers []faultChoice
	for i := range job.Plan.Tasks {
		if t := &job.Plan.Tasks[i]; t.Sink >= 0 {
			writers = append(writers, faultChoice{Text: t.Name, Head: string(engine.LoseResponse) + ":" + t.Name})
		}
	}
	down := string(engine.BrokerDown)
	brokers := []faultChoice{{Text: "broker, " + outage.String(), Head: down + ":" + outage.String()}}
	for i := range min(4, len(job.Input.Parts)) {
		n := strconv.Itoa(i)
		brokers = append(brokers, faultChoice{Text: "only p" + n, Head: down + ":" + n + ":" + outage.String()})
	}
	late := func(m engine.Message, text string) faultChoice {
		return faultChoice{Text: text, Head: string(engine.Late) + ":" + string(m) + ":" + delay.String()}
	}
	all := []faultGroup{
		{Glyph: "pause", Title: "Pause a task", Note: "After " + job.Settings.PauseDetection.String() + " it is thought dead and replaced. If it wakes up then, it is a zombie.", Choices: pauses(job)},
		{Glyph: "answer-lost", Title: "Lose an answer", Note: "The next write is done, but its writer does not hear of it and tries again.", Choices: writers},
		{Glyph: "store-down", Title: "Checkpoint store down", Note: "Nothing can be stored or sealed. What is there can be read.",
			Choices: []faultChoice{{Text: "store, " + outage.String(), Head: string(engine.StorageDown) + ":" + outage.String()}}},
		{Glyph: "broker-down", Title: "Broker down", Note: "Requests wait. The clocks of transactions run on.", Choices: brokers},
		{Glyph: "late", Title: "Delay a message by " + delay.String(), Note: "The next one of its kind.",
			Choices: []faultChoice{late(engine.CommitMessage, "commit"), late(engine.AbortMessage, "abort"), late(engine.AckMessage, "acknowledgement")}},
		{Glyph: "second-job", Title: "Start a second job", Note: "It registers under the same transactional ids.", Choices: []faultChoice{{Text: "second job", Head: string(engine.SecondJob)}}},
	}
	var out []faultGroup
	for _, g := range all {
		g.Choices = acting(job, g.Choices, p.At)
		if len(g.Choices) > 0 {
			out = append(out, g)
		}
	}
	return out
}

// pauses are two lengths for each task: one that nobody notices, where the job
// waits at all before it thinks somebody dead, and one that ends beside a replacement.
func pauses(job *engine.Job) (out []faultChoice) {
	short := job.Settings.PauseDetection / 2
	for i := range job.Plan.Tasks {
		name := job.Plan.Tasks[i].Name
		if short > 0 && len(job.Plan.Tasks) <= 6 {
			out = append(out, faultChoice{Text: name + ", " + short.String(), Head: string(engine.Pause) + ":" + name + ":" + short.String()})
		}
		out = append(out, faultChoice{Text: name + ", " + longSleep.String(), Head: string(engine.Pause) + ":" + name + ":" + longSleep.String()})
	}
	return out
}

// acting leaves those that the job understands, in the gap after event n.
func acting(job *engine.Job, list []faultChoice, n int) (out []faultChoice) {
	for _, c := range list {
		c.Fault = c.Head + "@" + strconv.Itoa(n)
		f, err := engine.ParseFault(c.Fault)
		if err == nil && f.Resolve(job) == nil {
			out = append(out, c)
		}
	}
	return out
}

// faultName says what goes wrong with a fault, for the middle of a sentence.
func faultName(r *run, f *engine.Fault) string {
	switch f.Kind {
	case engine.CrashJob:
		return "the whole job"
	case engine.Slow:
		return f.Target + " (now slow)"
	case engine.Pause:
		return f.Target + " (asleep for " + f.Length.String() + ")"
	case engine.LoseResponse:
		return "the answer to the next write of " + f.Target
	case engine.StorageDown:
		return "checkpoint store" + lasting(f)
	case engine.BrokerDown:
		if f.Part != engine.AllPartitions {
			return "partition p" + strconv.Itoa(f.Part) + lasting(f)
		}
		return "broker" + lasting(f)
	case engine.Late:
		return "next " + string(f.Message) + ", " + f.Length.String() + " late"
	case engine.SecondJob:
		return "a second job"
	}
	return f.Target
}

func lasting(f *engine.Fault) string {
	if f.Length == 0 {
		return ", to the end"
	}
	return ", " + f.Length.String()
}

// faultDeed is the fault as what the reader did: "You crashed count/0".
func faultDeed(r *run, f *engine.Fault) string {
	name := faultName(r, f)
	switch f.Kind {
	case engine.Slow:
		return "You slowed " + f.Target + " down"
	case engine.Pause:
		return "You paused " + f.Target + " for " + f.Length.String()
	case engine.LoseResponse:
		return "You lost " + name
	case engine.StorageDown, engine.BrokerDown:
		return "You took away: " + name
	case engine.Late:
		return "You held up: " + name
	case engine.SecondJob:
		return "You started " + name
	}
	return "You crashed " + name
}

// faultMark is one line of the list of a run's faults.
type faultMark struct {
	Glyph, Words, Spec string
	Event              int // 0: it did not strike
}

// faultMarks are the faults of the run in words, with their own glyphs.
func (p *runPage) faultMarks() (out []faultMark) {
	for i := range p.Run.Faults {
		f := &p.Run.Faults[i]
		out = append(out, faultMark{Glyph: trace.FaultGlyph(f), Words: faultTitle(p.Run, f), Spec: p.Run.Query.Faults[i], Event: p.Run.Struck[i]})
	}
	return out
}

// faultTitle names a fault at the head of a line.
func faultTitle(r *run, f *engine.Fault) string {
	switch f.Kind {
	case engine.Pause:
		return "Pause of " + f.Target + " for " + f.Length.String()
	case engine.Slow:
		return "Slow: " + f.Target
	case engine.LoseResponse:
		return "Lost: " + faultName(r, f)
	case engine.StorageDown, engine.BrokerDown:
		return "Down: " + faultName(r, f)
	case engine.Late:
		return "Late: " + faultName(r, f)
	case engine.SecondJob:
		return "A second job starts"
	}
	return "Crash of " + faultName(r, f)
}
