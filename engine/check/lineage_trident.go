package check

import "effectivelyonce/engine"

// batchTable follows a state object that takes in a batch one key at a time
// (trident): what a counter has processed since its last write of a key is what it
// writes for that key. Whether the row was put on the value that stood there or
// on the one before it, is read from the numbers; what is contained in either is
// followed by the records.
type batchTable struct {
	prior []int32 // by key: the history of the value on which the last write was put
}

func (b *batchTable) init(keys int)          { b.prior = make([]int32, keys) }
func (b *batchTable) reset()                 { clear(b.prior) }
func (b *batchTable) copyFrom(o *batchTable) { copy(b.prior, o.prior) }

// batched reports whether a state object got a batch's part of a key, or skipped it.
func (f *Fold) batched(e *engine.Event) bool {
	return (e.Kind == engine.StateWrite || e.Kind == engine.EffectIgnored) && f.job.Settings.Strategy == "trident"
}

// putBatch takes in the write of one key of a batch (Value: what the batch adds),
// or that the state skipped it.
func (f *Fold) putBatch(e *engine.Event) {
	c := f.lin.slot(e.Task)
	if c < 0 || e.Key < 0 || int(e.Key) >= len(f.batch.prior) {
		return
	}
	head := &f.lin.headsOf(c)[e.Key]
	fresh := *head
	*head = 0
	if e.Kind == engine.EffectIgnored {
		return
	}
	s := &f.sinks[0]
	row := &s.cells[e.Key]
	if s.totals() && row.set && e.After < row.value {
		s.rewound++
	}
	base := row.link
	if from := e.After - e.Value; from != f.worth(s, base) && from == f.worth(s, f.batch.prior[e.Key]) {
		base = f.batch.prior[e.Key]
	}
	at := base
	for ; fresh != 0; fresh = f.lin.links[fresh].prev {
		at = f.lin.extend(at, f.lin.links[fresh].rec)
	}
	f.batch.prior[e.Key] = base
	*row = cell{set: true, value: e.After, link: at}
}

// worth is the value that a history explains: a count, or a sum of amounts.
func (f *Fold) worth(s *outside, at int32) int64 {
	if s.totals() {
		return int64(f.lin.links[at].n)
	}
	return f.sumOf(s, at)
}
