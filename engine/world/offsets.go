package world

import "effectivelyonce/engine"

// Offsets is what a plain consumer loop keeps outside its process: the positions
// that the broker holds for its group, and a remote store of counts where the
// loop uses one. Positions and counts are written by different requests; nothing
// ties them together. (Kafka 4.x: committed offsets of a consumer group; facts 5.12.)
type Offsets struct {
	commits   int32
	committed []int32 // by partition: the next offset to read
	counts    []int64 // by key: the remote store
}

// NewOffsets is a group that has committed nothing: it starts at the beginning
// (auto.offset.reset = earliest; the client's own default is latest, facts 5.12).
func NewOffsets(in *engine.Input) *Offsets {
	return &Offsets{committed: make([]int32, len(in.Parts)), counts: make([]int64, len(in.Keys))}
}

// Fork copies the positions and the store.
func (o *Offsets) Fork(into Durable) Durable {
	c, ok := into.(*Offsets)
	if !ok {
		c = &Offsets{}
	}
	c.commits = o.commits
	c.committed, c.counts = append(c.committed[:0], o.committed...), append(c.counts[:0], o.counts...)
	return c
}

// Commits is the number of the newest commit, 0 if there is none.
func (o *Offsets) Commits() int32 { return o.commits }

// Committed is the saved position of a partition.
func (o *Offsets) Committed(part int) int32 { return o.committed[part] }

// Count is what the remote store holds for a key.
func (o *Offsets) Count(k engine.KeyID) int64 { return o.counts[k] }

// CommitOffsets saves one position a partition. The slice is never written again.
type CommitOffsets struct{ At []int32 }

// Perform is recorded as offset.commit.
func (op *CommitOffsets) Perform(w *World, ev *engine.Event) Answer {
	o := w.Own.(*Offsets)
	ev.Kind, ev.Ckpt = engine.OffsetCommit, o.commits+1
	ev.Value, ev.After = engine.PackPositions(op.At)
	o.commits++
	copy(o.committed, op.At)
	return Answer{N: o.commits}
}

// StoreCount writes a key's new count into the remote store, at once.
type StoreCount struct {
	Record engine.Record
	Count  int64
}

// Perform is recorded as state.write.
func (op *StoreCount) Perform(w *World, ev *engine.Event) Answer {
	o := w.Own.(*Offsets)
	r := &op.Record
	ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Attempt = engine.StateWrite, r.ID, r.Key, r.Value, r.Attempt
	ev.Before, ev.After = o.counts[r.Key], op.Count
	o.counts[r.Key] = op.Count
	return Answer{Record: r.ID}
}
