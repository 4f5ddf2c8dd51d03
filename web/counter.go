package web

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
)

// counter is the same crash with one setting changed.
type counter struct {
	Label string // of the button
	Href  string // its crash, from where it can be watched
	With  string // what was changed: "with a checkpoint timeout of 5 s"
	Twin  string // both on one clock
}

// change is one way to change a run, with the words for it.
type change struct {
	set   []string
	label string
}

// counterfactual looks for the nearest change that turns the verdict: what is not
// exact becomes exact, and what is exact shows what it was spared. Every candidate
// is run before it is offered.
func (s *Server) counterfactual(c echo.Context, page *runPage, crash int) *counter {
	r := page.Run
	worst := check.WorstOf(r.Verdicts)
	for _, ch := range changes(r, worst) {
		q := with(r.Query, ch.set...)
		q.Faults = namedFaults(r)
		other, err := s.runOf(c, q)
		if err != nil || lastCrash(other) == 0 {
			continue // it cannot be built, or the moment does not exist there
		}
		if exact := check.WorstOf(other.Verdicts) == check.Exact; exact == (worst == check.Exact) {
			continue
		}
		return &counter{Label: "Same crash, " + ch.label, With: ch.label, Href: "/run?" + queryOf(q) + "&at=" + strconv.Itoa(lastCrash(other)-1), Twin: string(twinURL(r.Query, ch.set, -1))}
	}
	return nil
}

// changes lists what may be changed, the nearest first.
func changes(r *run, worst check.Class) []change {
	set := &r.Job.Settings
	if worst == check.Stuck {
		return []change{{[]string{"checkpoint.timeout=5s"}, "with a checkpoint timeout of 5 s"},
			{[]string{"checkpoint.tolerable-failures=100"}, "tolerating failed checkpoints"}}
	}
	var out []change
	for _, alt := range alternatives(r, worst) {
		ch := change{label: alt.label}
		for i := range set.Sinks {
			if !concerned(r, set.Sinks[i].Name, worst) {
				continue
			}
			for _, kv := range alt.set {
				ch.set = append(ch.set, scoped(set, i, kv))
			}
		}
		if len(ch.set) > 0 {
			out = append(out, ch)
		}
	}
	return out
}

// concerned are the sinks that are not exact, or all of them when all are.
func concerned(r *run, sink string, worst check.Class) bool {
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Sink == sink && (v.Class != check.Exact || worst == check.Exact) {
			return true
		}
	}
	return false
}

// alternatives are the changes of a sink, by what the first one concerned is.
func alternatives(r *run, worst check.Class) []change {
	var kind engine.SinkKind
	for i := range r.Job.Settings.Sinks {
		if k := &r.Job.Settings.Sinks[i]; kind == "" && concerned(r, k.Name, worst) {
			kind = k.Kind
		}
	}
	upsert := change{[]string{"sink=upsert"}, "with every row set by its id"}
	txn := change{[]string{"sink=transactional", "isolation.level=read_committed"}, "with a transaction per checkpoint"}
	switch {
	case worst == check.Exact:
		return []change{{[]string{"sink=append"}, "with a plain append"}}
	case kind == engine.SinkTransactional && worst == check.Duplicated:
		return []change{{[]string{"isolation.level=read_committed"}, "with a read_committed reader"}, upsert}
	case kind == engine.SinkTransactional:
		return []change{{[]string{"transaction.timeout=1m", "transaction.max.timeout=15m"}, "with a transaction timeout of 1 min"}, upsert}
	case kind == engine.SinkEmail:
		upsert.label = "to a provider that keeps one e-mail per ID"
		return []change{upsert, txn}
	}
	return []change{upsert, txn}
}

// scoped writes KEY=VALUE for one sink, in the short form where there is only one.
func scoped(set *engine.Settings, i int, kv string) string {
	if len(set.Sinks) == 1 {
		return kv
	}
	return "sinks." + set.Sinks[i].Name + "." + kv
}

// namedFaults translates faults given by number into named moments: event numbers
// mean something else in a run with other settings.
func namedFaults(r *run) []string {
	out := append([]string(nil), r.Query.Faults...)
	for i, f := range r.Faults {
		if f.When.Form != engine.AfterEvent || i >= len(out) {
			continue
		}
		named := f
		named.When = engine.When{Form: engine.AfterEvent, N: 0, Rec: engine.NoRecord, K: 1}
		if n := int(f.When.N); n > 0 {
			named.When = momentOf(r, n)
		}
		out[i] = named.String()
	}
	return out
}

// momentOf names the gap after event n by the event's kind, its task, and how
// many like it came before.
func momentOf(r *run, n int) engine.When {
	e := r.Trace.At(n)
	w := engine.When{Form: engine.AfterNamed, Event: e.Kind, Rec: engine.NoRecord}
	if e.Task >= 0 || e.Task == engine.CoordinatorID {
		w.Task = r.Job.Plan.Name(e.Task)
	}
	for m := 1; m <= n; m++ {
		if x := r.Trace.At(m); x.Kind == e.Kind && (w.Task == "" || x.Task == e.Task) {
			w.K++
		}
	}
	return w
}
