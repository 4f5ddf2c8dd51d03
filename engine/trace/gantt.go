package trace

import "effectivelyonce/engine"

// Phases is how one task came to its part of one checkpoint, in virtual time.
// A phase that has not begun is -1. The phases are those that Flink's web UI
// shows of a checkpoint: start delay, alignment, synchronous and asynchronous
// part (fact 3.19, Apache Flink 2.x); the way of the acknowledgement is
// added, because here it takes time too.
type Phases struct {
	Task     engine.TaskID
	Arrived  engine.Time // first barrier in, or, at a source, put on the channels
	Aligned  engine.Time // last barrier in
	Taken    engine.Time // copied: the synchronous part is over
	Stored   engine.Time // on durable storage
	Acked    engine.Time // the coordinator knows
	ArrivedN int32       // the event, 0 if none
}

// Gantt is one checkpoint by tasks, as of one event.
type Gantt struct {
	Ckpt    int32
	Begin   engine.Time // the coordinator started it
	End     engine.Time // it was closed, or, while it is open, now
	State   CheckpointState
	Parts   []Phases // every task of the plan
	Barrier bool     // barriers carried it: otherwise there is nothing to show
}

// GanttOf follows checkpoint no through the first n events; nil if it was not
// started by then.
func GanttOf(t *Trace, no int32, n int) *Gantt {
	var g *Gantt
	for i := 1; i <= n; i++ {
		e := t.At(i)
		if g == nil {
			if e.Kind == engine.CheckpointTriggered && e.Ckpt == no {
				g = newGantt(t.Job, no, e.T)
			}
			continue
		}
		if g.State == InProgress {
			g.End = e.T
		}
		if e.Ckpt == no {
			g.apply(e)
		}
	}
	return g
}

func newGantt(job *engine.Job, no int32, at engine.Time) *Gantt {
	g := &Gantt{Ckpt: no, Begin: at, End: at, Parts: make([]Phases, len(job.Plan.Tasks))}
	for i := range g.Parts {
		g.Parts[i] = Phases{Task: engine.TaskID(i), Arrived: -1, Aligned: -1, Taken: -1, Stored: -1, Acked: -1}
	}
	return g
}

func (g *Gantt) apply(e *engine.Event) {
	switch e.Kind {
	case engine.CheckpointComplete:
		g.State = Complete
		return
	case engine.CheckpointDiscarded:
		g.State = Discarded
		return
	case engine.CheckpointExpired:
		g.State = Expired
		return
	}
	if e.Task < 0 || int(e.Task) >= len(g.Parts) || g.State != InProgress {
		return
	}
	p := &g.Parts[e.Task]
	switch e.Kind {
	case engine.BarrierInjected:
		g.Barrier = true
		p.Arrived, p.Aligned, p.ArrivedN = e.T, e.T, e.N
	case engine.BarrierArrived:
		if p.Arrived < 0 {
			p.Arrived, p.ArrivedN = e.T, e.N
		}
	case engine.BarrierAligned:
		p.Aligned = e.T
	case engine.SnapshotTaken:
		p.Taken = e.T
	case engine.SnapshotStored:
		p.Stored = e.T
	case engine.CheckpointAcked:
		p.Acked = e.T
	}
}
