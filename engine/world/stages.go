package world

import "effectivelyonce/engine"

// Stages is the store in which every stage of a dataflow job keeps what it must
// not forget: the ids it has seen, its state, its position if it reads the input,
// and the outputs that no reader has acknowledged. One write changes all of it
// for one record. It survives every crash. (Cloud Dataflow 2024, facts 7.1;
// MillWheel for the single write, facts 7.5, secondary source)
type Stages struct {
	first  []int // partition → number of records in the partitions before it
	stages []Stage
}

// Stage is one task's part of the store.
type Stage struct {
	Seen   []bool  // by record
	Counts []int64 // by key; nil unless a counter
	Offset int32   // sources: the next to read
	Kept   []Output
}

// Output is a record that a stage has produced for one channel.
type Output struct {
	Chan   engine.ChanID
	Record engine.Record
}

// NewStages is the store before the job has run.
func NewStages(job *engine.Job) *Stages {
	s := &Stages{stages: make([]Stage, len(job.Plan.Tasks))}
	n := 0
	for _, p := range job.Input.Parts {
		s.first = append(s.first, n)
		n += len(p)
	}
	for i := range s.stages {
		s.stages[i].Seen = make([]bool, n)
		if job.Plan.Tasks[i].Kind == engine.OpCount {
			s.stages[i].Counts = make([]int64, len(job.Input.Keys))
		}
	}
	return s
}

// Fork copies s.
func (s *Stages) Fork(into Durable) Durable {
	c, ok := into.(*Stages)
	if !ok {
		c = &Stages{}
	}
	c.first = s.first
	c.stages = grow(c.stages, len(s.stages))
	for i := range s.stages {
		c.stages[i].CopyFrom(&s.stages[i])
	}
	return c
}

// CopyFrom makes t equal to o and shares nothing with it.
func (t *Stage) CopyFrom(o *Stage) {
	t.Seen, t.Kept, t.Offset = append(t.Seen[:0], o.Seen...), append(t.Kept[:0], o.Kept...), o.Offset
	if o.Counts != nil {
		t.Counts = append(t.Counts[:0], o.Counts...)
	}
}

// Of is a task's part; the caller must not change it.
func (s *Stages) Of(task engine.TaskID) *Stage { return &s.stages[task] }

// Row is the place of a record in Seen.
func (s *Stages) Row(id engine.RecordID) int { return s.first[id.Part] + int(id.Off) }

// Release forgets the oldest output of a record for a channel, which its reader
// has acknowledged.
func (t *Stage) Release(c engine.ChanID, id engine.RecordID) bool {
	for i := range t.Kept {
		if t.Kept[i].Chan == c && t.Kept[i].Record.ID == id {
			t.Kept = append(t.Kept[:i], t.Kept[i+1:]...)
			return true
		}
	}
	return false
}

// StageWrite stores what taking in one record has led to, in one write.
type StageWrite struct {
	Record        engine.Record
	ID            bool // remember that the record was seen
	Source        bool // Before and After are the source's position
	Counted       bool // Before and After are the key's count
	Before, After int64
	Outputs       []Output
}

// Perform is recorded as state.write.
func (op *StageWrite) Perform(w *World, ev *engine.Event) Answer {
	r := &op.Record
	ev.Kind, ev.Rec, ev.Key, ev.Attempt, ev.Value = engine.StateWrite, r.ID, r.Key, r.Attempt, r.Value
	ev.Before, ev.After = op.Before, op.After
	own := w.Own.(*Stages)
	t := own.Of(ev.Task)
	if op.ID {
		t.Seen[own.Row(r.ID)] = true
	}
	switch {
	case op.Source:
		t.Offset = int32(op.After)
	case op.Counted:
		t.Counts[r.Key] = op.After
	}
	t.Kept = append(t.Kept, op.Outputs...)
	return Answer{}
}

// StageSkip is a record that a stage has seen before and drops.
type StageSkip struct{ Record engine.Record }

// Perform is recorded as effect.ignored.
func (op *StageSkip) Perform(_ *World, ev *engine.Event) Answer {
	r := &op.Record
	ev.Kind, ev.Rec, ev.Key, ev.Attempt, ev.Value = engine.EffectIgnored, r.ID, r.Key, r.Attempt, r.Value
	return Answer{Known: true}
}

// StageRelease is an output that was acknowledged and need not be kept any longer.
// It has no event: a stage that dies before it sends the output once more.
type StageRelease struct {
	Task engine.TaskID
	Chan engine.ChanID
	ID   engine.RecordID
}

// Perform changes the stage's store.
func (op *StageRelease) Perform(w *World, _ *engine.Event) Answer {
	w.Own.(*Stages).Of(op.Task).Release(op.Chan, op.ID)
	return Answer{}
}
