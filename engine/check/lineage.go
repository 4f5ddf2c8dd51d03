package check

import "effectivelyonce/engine"

// link is one input in the history of a counter's total. Histories share their
// older part, so taking a snapshot copies one number per key. Link 0 is the
// empty history.
type link struct {
	prev, rec, n int32
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
		if job.Plan.Tasks[i].Kind == engine.OpCount {
			l.counter[i] = int16(counters)
			counters++
		}
	}
	l.heads = make([]int32, counters*int(l.keys))
	l.links = make([]link, 1, 1+2*records)
	l.carried = make([]int32, 2*records)
}

func (l *lineage) reset() {
	clear(l.heads)
	clear(l.carried)
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
	l.links = append(l.links, link{prev: *head, rec: rec, n: l.links[*head].n + 1})
	*head = int32(len(l.links) - 1)
	at := l.place(e.Attempt, rec)
	for at >= len(l.carried) {
		l.carried = append(l.carried, make([]int32, l.records)...)
	}
	l.carried[at] = *head
}

func (l *lineage) place(attempt int16, rec int32) int {
	return (max(int(attempt), 1)-1)*int(l.records) + int(rec)
}

// carriedBy is the history of the total that a record brings to a sink, 0 if no
// counter has seen it in that attempt.
func (l *lineage) carriedBy(attempt int16, rec int32) int32 {
	if at := l.place(attempt, rec); at < len(l.carried) {
		return l.carried[at]
	}
	return 0
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

// restore puts back what the task copied for this checkpoint; checkpoint 0, or
// one that the task never copied, is the empty state.
func (l *lineage) restore(e *engine.Event) {
	c := l.slot(e.Task)
	if c < 0 {
		return
	}
	heads := l.headsOf(c)
	clear(heads)
	for i := len(l.pictures) - 1; i >= 0 && e.Ckpt > 0; i-- {
		if p := l.pictures[i]; p.counter == c && p.ckpt == e.Ckpt {
			copy(heads, l.saved[p.at:p.at+l.keys])
			return
		}
	}
}

func (l *lineage) copyFrom(o *lineage) {
	l.links = append(l.links[:0], o.links...)
	l.heads = append(l.heads[:0], o.heads...)
	l.pictures = append(l.pictures[:0], o.pictures...)
	l.saved = append(l.saved[:0], o.saved...)
	l.carried = append(l.carried[:0], o.carried...)
}
