package check

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Reader names of verdicts.
const (
	AnyReader       = "any"         // of a sink without transactions
	HonoursLog      = "honours_log" // of files: takes only those that are final
	IgnoresLog      = "ignores_log" // of files: takes whatever lies there
	ReadCommitted   = string(engine.ReadCommitted)
	ReadUncommitted = string(engine.ReadUncommitted)
)

// MaxRefs bounds each list of rows in a verdict; the counts are complete.
const MaxRefs = 16

// Verdict compares one outside system, as one of its readers sees it, with the
// truth. Rows are judged by the input that triggered them, the values of a table
// by the inputs contained in them (their lineage): two errors that cancel are
// still errors.
//
// Observed + Lost + Pending = Expected + Duplicated + rows that are nobody's.
type Verdict struct {
	Sink       string `json:"sink"`
	Reader     string `json:"reader"`
	Class      Class  `json:"class"`
	Lost       int    `json:"lost"`       // inputs without effect; before the end only those that nobody will read again
	Duplicated int    `json:"duplicated"` // repeats: an input with its effect three times counts two
	Wrong      int    `json:"wrong"`      // rows or values that are not the truth's
	Pending    int    `json:"pending"`    // InFlight + Hidden + Unshown
	Rewound    int    `json:"rewound"`    // how often a reader saw a total go down
	Expected   int    `json:"expected"`   // of the whole input at the end, of what was read so far before
	Observed   int    `json:"observed"`   // rows the reader sees; tables of totals: inputs contained in them

	Final    bool `json:"-"`
	InFlight int  `json:"-"` // read, not yet out
	Hidden   int  `json:"-"` // out, not yet visible to this reader
	Unshown  int  `json:"-"` // before the end: not read again, and in no value that stands; a later total of its key may bring it back

	LostRows       []Ref `json:"-"` // the first MaxRefs of each
	DuplicatedRows []Ref `json:"-"`
	WrongRows      []Ref `json:"-"`
	UnshownRows    []Ref `json:"-"`

	sink      int
	committed bool // the reader waits for commits
}

// Ref names a row or, in tables of totals, a contained input. ID is NoRecord
// where the key alone names it: totals that are wrong, and rows of emit = at-count:N.
type Ref struct {
	ID    engine.RecordID
	Key   engine.KeyID
	Times int   // how often it is there
	Value int64 // wrong rows: what stands there
}

// Judge compares the outside world after the last event of a run with the truth:
// one verdict per sink and reader, in the order of the settings. A run that did
// not come to rest is stuck.
func Judge(t *trace.Trace) []Verdict {
	f := NewFold(t.Job)
	f.Advance(t, t.Len())
	return f.Verdicts(true)
}

func (f *Fold) initVerdicts() {
	for i := range f.sinks {
		set := f.sinks[i].set
		switch {
		case set.Kind == engine.SinkFiles && set.HonoursLog:
			f.out = append(f.out, Verdict{Sink: set.Name, Reader: HonoursLog, sink: i, committed: true})
			continue
		case set.Kind == engine.SinkFiles:
			f.out = append(f.out, Verdict{Sink: set.Name, Reader: IgnoresLog, sink: i})
			continue
		case set.Kind != engine.SinkTransactional:
			f.out = append(f.out, Verdict{Sink: set.Name, Reader: AnyReader, sink: i})
			continue
		}
		for _, r := range set.Readers {
			f.out = append(f.out, Verdict{Sink: set.Name, Reader: string(r), sink: i, committed: r == engine.ReadCommitted})
		}
	}
}

// Verdicts judges the outside world as it is now. With final the run is over:
// what is missing is lost, or pending where the run did not come to rest. Without
// final what was read and is not visible is in flight or hidden, unless nobody will
// read it again (Behind): then it is lost, or not shown where a later total of its
// key would bring it back. The result belongs to the fold and is valid until the
// next call.
func (f *Fold) Verdicts(final bool) []Verdict {
	for i := range f.out {
		f.judge(&f.out[i], final)
	}
	return f.out
}

// rested reports whether the run came to rest by itself.
func (f *Fold) rested() bool { return f.ended && f.reason == engine.AtRest }

func (f *Fold) judge(v *Verdict, final bool) {
	s := &f.sinks[v.sink]
	*v = Verdict{Sink: v.Sink, Reader: v.Reader, sink: v.sink, committed: v.committed, Final: final, Rewound: s.rewound,
		LostRows: v.LostRows[:0], DuplicatedRows: v.DuplicatedRows[:0], WrongRows: v.WrongRows[:0],
		UnshownRows: v.UnshownRows[:0]}
	f.count(s, v)
	for unit := range f.tally.seen {
		f.weigh(s, v, int32(unit), final)
	}
	if v.Lost+v.Duplicated == 0 {
		f.matchTotals(s, v)
	}
	v.Pending = v.InFlight + v.Hidden + v.Unshown
	v.Class = v.classify(final && (!f.rested() || v.Hidden > 0))
}

// weigh compares what is seen of one unit with what is expected of it.
func (f *Fold) weigh(s *outside, v *Verdict, unit int32, final bool) {
	n, expected := int(f.tally.seen[unit]), f.expected(s, unit, final)
	v.Observed += n
	if n > 1 {
		v.Duplicated += n - 1
		v.DuplicatedRows = addRef(v.DuplicatedRows, s.truth.ref(unit, n))
	}
	switch {
	case expected && n > 0:
		v.Expected++
	case expected:
		v.Expected++
		f.miss(s, v, unit, final)
	case n > 0:
		v.Wrong++
		v.WrongRows = addRef(v.WrongRows, s.truth.ref(unit, n))
	}
}

func (f *Fold) miss(s *outside, v *Verdict, unit int32, final bool) {
	switch {
	case f.tally.hidden[unit] > 0:
		v.Hidden++
	case final && f.rested(), !final && !s.remains() && f.gone(s, unit):
		v.Lost++
		v.LostRows = addRef(v.LostRows, s.truth.ref(unit, 0))
	case !final && f.gone(s, unit):
		v.Unshown++
		v.UnshownRows = addRef(v.UnshownRows, s.truth.ref(unit, 0))
	default:
		v.InFlight++
	}
}

// expected reports whether the unit should be outside: at the end whatever the
// whole input causes, before it whatever the records read so far cause.
func (f *Fold) expected(s *outside, unit int32, final bool) bool {
	switch {
	case !s.causes(unit):
		return false
	case s.set.EmitAt == 0:
		return final || f.read[unit]
	case final:
		return int64(s.truth.counts[unit]) >= s.set.EmitAt
	}
	return int64(f.readOf[unit]) >= s.set.EmitAt
}

func (v *Verdict) classify(stuck bool) Class {
	switch {
	case stuck:
		return Stuck
	case v.Lost > 0 && v.Duplicated > 0:
		return Mixed
	case v.Lost > 0:
		return Lost
	case v.Duplicated > 0:
		return Duplicated
	case v.Wrong > 0, v.Unshown > 0: // a value stands there that is not the truth's
		return Wrong
	}
	return Exact
}

func addRef(refs []Ref, r Ref) []Ref {
	if len(refs) < MaxRefs {
		refs = append(refs, r)
	}
	return refs
}

// KeyCount is one key's part of a verdict.
type KeyCount struct {
	Key                                                    engine.KeyID
	Expected, Observed, Lost, Duplicated, InFlight, Hidden int
	Unshown                                                int // see Verdict
}

// Pending is what of the key is in flight or hidden.
func (k *KeyCount) Pending() int { return k.InFlight + k.Hidden }

// ByKey splits the i-th verdict by key: one count per key of the input, in the
// order of Input.Keys.
func (f *Fold) ByKey(i int, final bool) []KeyCount {
	v := f.out[i]
	v.LostRows, v.DuplicatedRows, v.WrongRows, v.UnshownRows = nil, nil, nil, nil
	s := &f.sinks[v.sink]
	f.count(s, &v)
	out := make([]KeyCount, len(f.job.Input.Keys))
	for k := range out {
		out[k].Key = engine.KeyID(k)
	}
	for unit := range f.tally.seen {
		var one Verdict
		f.weigh(s, &one, int32(unit), final)
		k := &out[s.truth.keyOf(int32(unit))]
		k.Expected += one.Expected
		k.Observed += one.Observed
		k.Lost += one.Lost
		k.Duplicated += one.Duplicated
		k.InFlight += one.InFlight
		k.Hidden += one.Hidden
		k.Unshown += one.Unshown
	}
	return out
}
