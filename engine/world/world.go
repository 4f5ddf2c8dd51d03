// Package world holds what survives a crash and what lies outside the engine:
// the checkpoint store, topics with transactions, tables. They are deterministic
// models; time is told to them. Nothing here is lost when a process dies.
package world

import "effectivelyonce/engine"

// World is everything beyond the memory of the job's processes.
type World struct {
	Now     engine.Time   // told by the driver before each Op
	Asker   engine.TaskID // as well: the process that asks
	Token   int16         // as well: what it was given when it started
	tokens  []int16       // by task: the newest given out
	Store   Store
	Topics  []Topic   // per sink; used by transactional ones
	Tables  [][]int64 // per sink; rows of an upsert sink by key or by record, engine.NoRow where there is none
	Own     Durable   // the strategy's; nil if it needs none
	Sinks   []Outside // per sink; nil where Tables and Topics are all there is
	first   []int     // partition → number of records in the partitions before it
	Answers Answers   // of an outside service; used with lookup=stored
}

// New is the world before a job has written anything.
func New(job *engine.Job) *World {
	w := &World{Topics: make([]Topic, len(job.Settings.Sinks)), Tables: make([][]int64, len(job.Settings.Sinks)),
		Sinks: make([]Outside, len(job.Settings.Sinks))}
	w.tokens = make([]int16, len(job.Plan.Tasks))
	w.Store.pendingParts, w.Store.keys = make([]Part, len(job.Plan.Tasks)), len(job.Input.Keys)
	n := 0
	for _, p := range job.Input.Parts {
		w.first = append(w.first, n)
		n += len(p)
	}
	if job.Settings.Lookup == engine.LookupStored {
		w.Answers = make(Answers, n)
	}
	for i := range job.Settings.Sinks {
		s := &job.Settings.Sinks[i]
		if s.Kind != engine.SinkUpsert {
			continue
		}
		rows := n
		if byKey(s) {
			rows = len(job.Input.Keys)
		}
		w.Tables[i] = make([]int64, rows)
		for r := range w.Tables[i] {
			w.Tables[i][r] = engine.NoRow
		}
	}
	return w
}

// Fork copies w so that the copy can go its own way.
func (w *World) Fork(into *World) {
	w.Store.fork(&into.Store)
	into.first, into.Now = w.first, w.Now
	into.tokens = append(into.tokens[:0], w.tokens...)
	into.Answers = append(into.Answers[:0], w.Answers...)
	into.Topics = grow(into.Topics, len(w.Topics))
	into.Tables = grow(into.Tables, len(w.Tables))
	for i := range w.Topics {
		into.Topics[i].txns = append(into.Topics[i].txns[:0], w.Topics[i].txns...)
		into.Topics[i].epochs = append(into.Topics[i].epochs[:0], w.Topics[i].epochs...)
		into.Tables[i] = append(into.Tables[i][:0], w.Tables[i]...)
	}
	into.Sinks = grow(into.Sinks, len(w.Sinks))
	for i, o := range w.Sinks {
		if o != nil {
			into.Sinks[i] = o.Fork(into.Sinks[i])
		}
	}
	if w.Own != nil {
		into.Own = w.Own.Fork(into.Own)
	}
}

func grow[T any](s []T, n int) []T {
	for len(s) < n {
		var zero T
		s = append(s, zero)
	}
	return s[:n]
}

// byKey reports whether an upsert sink has a row a key: totals, and rows that
// are written when a key's count reaches a number, whose id is the key with that
// number.
func byKey(s *engine.SinkSettings) bool { return s.Output == engine.TotalOutput || s.EmitAt > 0 }

// Upsert sets the row of a record, or of its key, and returns the row's value
// before, engine.NoRow if there was none.
func (w *World) Upsert(sink int, set *engine.SinkSettings, r *engine.Record, value int64) int64 {
	row := int(r.Key)
	if !byKey(set) {
		row = w.first[r.ID.Part] + int(r.ID.Off)
	}
	old := w.Tables[sink][row]
	w.Tables[sink][row] = value
	return old
}
