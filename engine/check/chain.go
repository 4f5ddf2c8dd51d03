package check

import (
	"cmp"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// Chain is why one reader finds something else than it should, as events that
// follow from each other: the first is where it begins, the last is what decides.
// It is read off the trace and the ledger, so it says of every strategy only what
// happened.
type Chain struct {
	Class   Class // what is wrong with this record: duplicated, lost, wrong or stuck
	Sink    string
	Reader  string
	Records []engine.RecordID // whose story it is; none where the run as a whole got stuck
	Key     engine.KeyID      // of the first record
	Links   []ChainLink
}

// ChainLink is one step of a chain: an event, and what it did to the outcome.
type ChainLink struct {
	N      int32
	Text   string
	Effect bool // with this event the record has (once more) its effect on what the reader finds
}

// Effects is how many steps of the chain are effects.
func (c *Chain) Effects() int {
	n := 0
	for i := range c.Links {
		if c.Links[i].Effect {
			n++
		}
	}
	return n
}

// Why explains a verdict of the whole run t by the first row that is not as it
// should be; nil where the verdict is exact.
func Why(t *trace.Trace, v *Verdict) *Chain {
	switch {
	case v.Class == Exact:
		return nil
	case v.Class == Stuck:
		return whyStuck(t, v)
	case len(v.LostRows) > 0:
		return whyRef(t, v, Lost, v.LostRows[0])
	case len(v.DuplicatedRows) > 0:
		return whyRef(t, v, Duplicated, v.DuplicatedRows[0])
	case len(v.WrongRows) > 0:
		return whyRef(t, v, Wrong, v.WrongRows[0])
	}
	return nil
}

// WhyRecord explains what a reader finds of one record, nil where that is as it
// should be or the verdict does not list the record.
func WhyRecord(t *trace.Trace, v *Verdict, id engine.RecordID) *Chain {
	for _, of := range []struct {
		class Class
		refs  []Ref
	}{{Lost, v.LostRows}, {Duplicated, v.DuplicatedRows}, {Wrong, v.WrongRows}} {
		for _, r := range of.refs {
			if r.ID == id {
				return whyRef(t, v, of.class, r)
			}
		}
	}
	return nil
}

// whyRef tells the story of the records behind one row.
func whyRef(t *trace.Trace, v *Verdict, class Class, r Ref) *Chain {
	w := &chainWriter{t: t, until: t.Len(), job: t.Job, set: &t.Job.Settings.Sinks[v.sink], v: v,
		c: &Chain{Class: class, Sink: v.Sink, Reader: v.Reader, Key: r.Key}}
	w.c.Records = w.behind(r)
	for i, id := range w.c.Records {
		w.record(LedgerOf(t, id), i > 0)
	}
	w.close()
	return w.c
}

// behind are the records that a row stands for. Where it is a key's, they are
// those whose writes came first and last, or the key's last one where nothing was
// written.
func (w *chainWriter) behind(r Ref) []engine.RecordID {
	if r.ID != engine.NoRecord {
		return []engine.RecordID{r.ID}
	}
	var out []engine.RecordID
	var last, right engine.RecordID = engine.NoRecord, engine.NoRecord
	for n := 1; n <= w.t.Len(); n++ {
		e := w.t.At(n)
		switch {
		case e.Key != r.Key || e.Rec == engine.NoRecord:
		case e.Kind == engine.SourceRead:
			last = e.Rec
		case (e.Kind == engine.SinkWrite || e.Kind == engine.DedupValue) && w.job.Plan.Tasks[e.Task].Sink == w.v.sink:
			if !slices.Contains(out, e.Rec) {
				out = append(out, e.Rec)
			}
			if e.Value == r.Value {
				right = e.Rec
			}
		}
	}
	switch {
	case w.c.Class == Wrong && right != engine.NoRecord:
		return []engine.RecordID{right}
	case len(out) > 1 && w.c.Class == Duplicated:
		return []engine.RecordID{out[0], out[len(out)-1]}
	case len(out) > 0:
		return out[:1]
	case last != engine.NoRecord:
		return []engine.RecordID{last}
	}
	return nil
}

// whyStuck tells of the first record that this reader waits for, and of what kept
// the run from coming to rest.
func whyStuck(t *trace.Trace, v *Verdict) *Chain {
	f := NewFold(t.Job)
	f.Advance(t, t.Len())
	f.Verdicts(true)
	own := *v
	own.WrongRows = nil
	s := &f.sinks[v.sink]
	f.count(s, &own)
	w := &chainWriter{t: t, until: t.Len(), job: t.Job, set: s.set, v: v, c: &Chain{Class: Stuck, Sink: v.Sink, Reader: v.Reader, Key: -1}}
	for unit := range f.tally.seen {
		if f.tally.seen[unit] == 0 && f.expected(s, int32(unit), true) {
			r := s.truth.ref(int32(unit), 0)
			w.c.Key, w.c.Records = r.Key, w.behind(r)
			break
		}
	}
	for i, id := range w.c.Records {
		w.record(LedgerOf(t, id), i > 0)
	}
	w.troubles()
	w.close()
	return w.c
}

// chainWriter collects the links of one chain.
type chainWriter struct {
	t   *trace.Trace
	job *engine.Job
	set *engine.SinkSettings
	v   *Verdict
	c   *Chain

	until int // the last event taken into account
}

func (w *chainWriter) add(n int32, text string) {
	if n > 0 && text != "" {
		w.c.Links = append(w.c.Links, ChainLink{N: n, Text: text})
	}
}

func (w *chainWriter) effect(n int32, text string) {
	w.c.Links = append(w.c.Links, ChainLink{N: n, Text: text, Effect: true})
}

// close puts the links into order, one an event, and lets the last one say what
// follows: nothing after the effect that decided belongs to the story.
func (w *chainWriter) close() {
	links := w.c.Links
	slices.SortStableFunc(links, func(a, b ChainLink) int { return cmp.Compare(a.N, b.N) })
	kept := links[:0]
	for _, l := range links {
		if n := len(kept); n > 0 && kept[n-1].N == l.N {
			if l.Effect && !kept[n-1].Effect {
				kept[n-1] = l
			}
			continue
		}
		kept = append(kept, l)
	}
	w.c.Links = kept
	if w.c.Class == Duplicated {
		w.cutAfterRepeat()
		return
	}
	w.ending()
}

// cutAfterRepeat ends the chain with the second effect, and counts the effects.
func (w *chainWriter) cutAfterRepeat() {
	seen := 0
	for i := range w.c.Links {
		l := &w.c.Links[i]
		if !l.Effect {
			continue
		}
		if seen++; seen == 2 {
			w.c.Links = w.c.Links[:i+1]
			l.Text = repeated(l.Text) + " " + w.twice()
			return
		}
	}
	w.ending()
}
