package trace

import (
	"slices"

	"effectivelyonce/engine"
)

// DiffKind is how two runs differ at one point.
type DiffKind uint8

// Ways to differ.
const (
	OnlyLeft  DiffKind = iota + 1 // the right run has no such event
	OnlyRight                     // the left run has no such event
	Changed                       // both have it, with other values
	Moved                         // both have it with the same values, at another time
)

// Difference is one event in which two runs differ. Left and Right are its numbers,
// 0 in a run that does not have it.
type Difference struct {
	Kind        DiffKind
	Left, Right int
	T           engine.Time // the earlier of the two
}

// Diff compares two runs, usually of jobs that differ in one setting. It is a pure
// fold of the two traces: tasks are compared by name, so the plans may differ.
type Diff struct {
	Left, Right *Trace
	// First is where the runs part: everything before it happens in both at the same
	// time with the same values. What a mechanism notes about itself (an input is
	// blocked, opened, full) is no parting; what it does to records and snapshots is.
	// nil: the runs are the same.
	First *Difference
	// All lists what one run has and the other has not, or has with other values, in
	// the order of time.
	All                                  []Difference
	OnlyLeft, OnlyRight, Changed, Moving int
}

// Compare folds both traces. Its cost is linear in the events, but for a sort.
func Compare(left, right *Trace) *Diff {
	d := &Diff{Left: left, Right: right}
	l, r := index(left), index(right)
	d.match(l, r)
	d.part(l, r)
	return d
}

// identity is what makes two events the same thing in two runs: everything but the
// number, the time and the values.
type identity struct {
	kind           engine.Kind
	reason         engine.Reason
	task, from, to string
	fault          int16
	attempt        int16
	rec            engine.RecordID
	key            string
	ckpt           int32
	txnTask        string
	txn            int32
	txnAttempt     int16
}

func identityOf(t *Trace, e *engine.Event) identity {
	p := t.Job.Plan
	id := identity{kind: e.Kind, reason: e.Reason, task: p.Name(e.Task), fault: e.Fault, attempt: e.Attempt, rec: e.Rec, ckpt: e.Ckpt,
		txn: int32(e.Txn.No), txnAttempt: int16(e.Txn.Attempt)}
	if e.Chan != engine.NoChan {
		id.from, id.to = p.Name(p.Channels[e.Chan].From), p.Name(p.Channels[e.Chan].To)
	}
	if !e.Txn.IsZero() {
		id.txnTask = p.Name(e.Txn.Task)
	}
	if e.Rec != engine.NoRecord {
		id.key = t.Job.Input.Keys[e.Key]
	}
	return id
}

// indexed is a trace by identity: the numbers of all events that are the same
// thing, in order.
type indexed struct {
	t   *Trace
	ids []identity // of event n at n-1
	at  map[identity][]int
	nth []int // event n is the how-many-th of its identity
}

func index(t *Trace) *indexed {
	x := &indexed{t: t, ids: make([]identity, t.Len()), nth: make([]int, t.Len()), at: make(map[identity][]int, t.Len())}
	for n := 1; n <= t.Len(); n++ {
		id := identityOf(t, t.At(n))
		x.ids[n-1], x.nth[n-1] = id, len(x.at[id])
		x.at[id] = append(x.at[id], n)
	}
	return x
}

// twin is the number of the event of another run that is the same thing as event n
// of this one, 0 if it has none.
func (x *indexed) twin(n int, in *indexed) int {
	if same := in.at[x.ids[n-1]]; x.nth[n-1] < len(same) {
		return same[x.nth[n-1]]
	}
	return 0
}

func sameValues(a, b *engine.Event) bool {
	return a.Value == b.Value && a.Before == b.Before && a.After == b.After
}

// match pairs the events of both runs and lists what has no twin or other values.
func (d *Diff) match(l, r *indexed) {
	for n := 1; n <= l.t.Len(); n++ {
		m, e := l.twin(n, r), l.t.At(n)
		switch {
		case m == 0:
			d.OnlyLeft++
			d.All = append(d.All, Difference{Kind: OnlyLeft, Left: n, T: e.T})
		case !sameValues(e, r.t.At(m)):
			d.Changed++
			d.All = append(d.All, Difference{Kind: Changed, Left: n, Right: m, T: min(e.T, r.t.At(m).T)})
		case e.T != r.t.At(m).T:
			d.Moving++
		}
	}
	for m := 1; m <= r.t.Len(); m++ {
		if r.twin(m, l) == 0 {
			d.OnlyRight++
			d.All = append(d.All, Difference{Kind: OnlyRight, Right: m, T: r.t.At(m).T})
		}
	}
	slices.SortStableFunc(d.All, func(a, b Difference) int { return int(max(-1, min(1, a.T-b.T))) })
}

// noted are events in which a mechanism tells of itself.
func noted(k engine.Kind) bool {
	return k == engine.ChannelBlocked || k == engine.ChannelUnblocked || k == engine.ChannelFull
}

func skipNotes(t *Trace, n int) int {
	for n <= t.Len() && noted(t.At(n).Kind) {
		n++
	}
	return n
}

// part finds where the runs part: the earlier of the first two events that are not
// the same.
func (d *Diff) part(l, r *indexed) {
	i, j := skipNotes(l.t, 1), skipNotes(r.t, 1)
	for i <= l.t.Len() && j <= r.t.Len() {
		a, b := l.t.At(i), r.t.At(j)
		if l.ids[i-1] != r.ids[j-1] || a.T != b.T || !sameValues(a, b) {
			break
		}
		i, j = skipNotes(l.t, i+1), skipNotes(r.t, j+1)
	}
	switch {
	case i > l.t.Len() && j > r.t.Len():
	case j > r.t.Len() || i <= l.t.Len() && l.t.At(i).T < r.t.At(j).T:
		d.First = first(l, r, i, OnlyLeft)
	default:
		d.First = first(r, l, j, OnlyRight)
	}
}

// first is the parting at event n of the run x; only is its kind where the other
// run has no such event.
func first(x, other *indexed, n int, only DiffKind) *Difference {
	e, m := x.t.At(n), x.twin(n, other)
	f := &Difference{Kind: only, Left: n, Right: m, T: e.T}
	if m > 0 {
		f.Kind = Moved
		if !sameValues(e, other.t.At(m)) {
			f.Kind = Changed
		}
	}
	if only == OnlyRight {
		f.Left, f.Right = m, n
	}
	return f
}
