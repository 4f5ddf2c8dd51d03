package check

import "effectivelyonce/engine"

// link is one input in the history of a counter's total. Histories share their
// older part, so taking a snapshot copies one number per key. Link 0 is the
// empty history.
type link struct {
	prev, rec, n int32
	older        int32 // what the record carried before, where a counter took it in again without a new attempt
}

// picture is one task's snapshot: where its heads lie in lineage.saved.
type picture struct {
	ckpt    int32
	counter int16
	at      int32
}

// lineage follows which inputs are contained in the totals of the counters, and
// how often. It believes what was processed, copied and restored, not the
// numbers that the counters report.
type lineage struct {
	links    []link
	counter  []int16 // task → place among the counters, -1 for other tasks
	keys     int32
	records  int32
	heads    []int32 // counter × keys: the history of the total now
	stored   []int32 // counter × keys: the history of the total in a store that survives the counter
	changes  changes
	pictures []picture
	saved    []int32
	carried  []int32 // (attempt-1) × records: the history that left the counter with the record
}

func (l *lineage) init(job *engine.Job, records int) {
	l.keys, l.records = int32(len(job.Input.Keys)), int32(records)
	l.counter = make([]int16, len(job.Plan.Tasks))
	counters := 0
	for i := range job.Plan.Tasks {
		l.counter[i] = -1
		switch job.Plan.Tasks[i].Kind {
		case engine.OpCount, engine.OpLoop, engine.OpReduce, engine.OpReplica:
			l.counter[i] = int16(counters)
			counters++
		}
	}
	l.heads, l.stored = make([]int32, counters*int(l.keys)), make([]int32, counters*int(l.keys))
	l.changes.init(job, len(l.heads))
	l.links = make([]link, 1, 1+2*records)
	l.carried = make([]int32, 2*records)
}

func (l *lineage) reset() {
	clear(l.heads)
	clear(l.stored)
	clear(l.carried)
	l.changes.reset()
	l.links, l.pictures, l.saved = l.links[:1], l.pictures[:0], l.saved[:0]
}

// slot is the counter's place, -1 if the task is none.
func (l *lineage) slot(task engine.TaskID) int16 {
	if task < 0 || int(task) >= len(l.counter) {
		return -1
	}
	return l.counter[task]
}

// process adds the record to the total of its key.
func (l *lineage) process(e *engine.Event, rec int32) {
	c := l.slot(e.Task)
	if c < 0 || e.Key < 0 || int32(e.Key) >= l.keys {
		return
	}
	head := &l.heads[int32(c)*l.keys+int32(e.Key)]
	*head = l.extend(*head, rec)
	at := l.place(e.Attempt, rec)
	for at >= len(l.carried) {
		l.carried = append(l.carried, make([]int32, l.records)...)
	}
	l.links[*head].older = l.carried[at]
	l.carried[at] = *head
}

// extend is the history at with one more input.
func (l *lineage) extend(at, rec int32) int32 {
	l.links = append(l.links, link{prev: at, rec: rec, n: l.links[at].n + 1})
	return int32(len(l.links) - 1)
}

// store notes that the total of one key, as the counter has it now, is in a store
// that survives the counter.
func (l *lineage) store(e *engine.Event) {
	c := l.slot(e.Task)
	if c < 0 || e.Key < 0 || int32(e.Key) >= l.keys {
		return
	}
	at := int32(c)*l.keys + int32(e.Key)
	l.stored[at] = l.heads[at]
}

func (l *lineage) place(attempt int16, rec int32) int {
	return (max(int(attempt), 1)-1)*int(l.records) + int(rec)
}

// carriedBy is the history of the total that a record brings to a sink, 0 if no
// counter has seen it in that attempt. Where stages fail singly a counter may have
// taken the record in more than once; then the total tells which time it was, and
// the newest stands for totals that none of them explains.
func (l *lineage) carriedBy(attempt int16, rec int32, total int64) int32 {
	at := l.place(attempt, rec)
	if at >= len(l.carried) {
		return 0
	}
	for c := l.carried[at]; c != 0; c = l.links[c].older {
		if int64(l.links[c].n) == total {
			return c
		}
	}
	return l.carried[at]
}

func (l *lineage) snapshot(e *engine.Event) {
	c := l.slot(e.Task)
	if c < 0 {
		return
	}
	l.pictures = append(l.pictures, picture{ckpt: e.Ckpt, counter: c, at: int32(len(l.saved))})
	l.saved = append(l.saved, l.headsOf(c)...)
}

func (l *lineage) headsOf(c int16) []int32 {
	return l.heads[int32(c)*l.keys : (int32(c)+1)*l.keys]
}

// restore puts back what the task copied for this checkpoint. Checkpoint 0, or one
// that the task never copied, is what a store that survives the task holds: the
// empty state where there is none.
func (l *lineage) restore(e *engine.Event) {
	c := l.slot(e.Task)
	if c < 0 {
		return
	}
	l.rebuild(c)
	heads := l.headsOf(c)
	copy(heads, l.stored[int32(c)*l.keys:])
	for i := len(l.pictures) - 1; i >= 0 && e.Ckpt > 0; i-- {
		if p := l.pictures[i]; p.counter == c && p.ckpt == e.Ckpt {
			copy(heads, l.saved[p.at:p.at+l.keys])
			return
		}
	}
}

func (l *lineage) copyFrom(o *lineage) {
	l.links = append(l.links[:0], o.links...)
	l.heads, l.stored = append(l.heads[:0], o.heads...), append(l.stored[:0], o.stored...)
	l.changes.copyFrom(&o.changes)
	l.pictures = append(l.pictures[:0], o.pictures...)
	l.saved = append(l.saved[:0], o.saved...)
	l.carried = append(l.carried[:0], o.carried...)
}
