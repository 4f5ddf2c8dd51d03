package world

import "effectivelyonce/engine"

// OpState is what an operator other than the counter adds to its snapshot. It is
// never written again.
type OpState struct {
	Lanes    []engine.Time   // by input: the newest watermark that came on it
	Mark     engine.Time     // the least of them: event time here; a source: the watermark it sent last
	Most     engine.Time     // sources: the latest event time read
	Panes    []Pane          // windows that are open
	Table    []int64         // joins: by key, the newest value
	Versions []Version       // joins in event time
	Waiting  []engine.Record // joins in event time: what waits for its time, by time
	Seen     []engine.Time   // dedup: by key, when its first record came; -1: unknown
}

// Pane is one key's part of a window.
type Pane struct {
	Key   engine.KeyID
	End   engine.Time
	Count int64
	Fired int64 // records in it when it fired last, 0: it has not
}

// Version is what a join's table holds for a key from an event time on.
type Version struct {
	Key   engine.KeyID
	Since engine.Time
	Value int64
}

// Answers are what an outside service said, by record, made durable before use:
// 0 where nothing was stored. They survive every crash.
type Answers []int64

// StoreAnswer makes an answer durable.
type StoreAnswer struct {
	Record engine.Record
	Answer int64
}

// Perform is recorded as state.write.
func (op *StoreAnswer) Perform(w *World, ev *engine.Event) Answer {
	ev.Kind = engine.StateWrite
	ev.Rec, ev.Key, ev.Attempt, ev.Value = op.Record.ID, op.Record.Key, op.Record.Attempt, op.Record.Value
	ev.Before, ev.After = op.Record.Value, op.Answer
	w.Answers[w.Row(op.Record.ID)] = op.Answer
	return Answer{Record: op.Record.ID}
}
