package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// faultRow is one line of the failure schedule.
type faultRow struct {
	Spec               string // as the link has it; "" for the empty row
	Kind, Target, Arg  string
	Named              string // the moment, where the list has it
	When               string // the moment as text, where it has not
	Struck             int    // its event in this run, 0: none
	Bad                string // what is wrong with it
	KindBox, TargetBox string // names of the inputs
	ArgBox, NamedBox   string
	WhenBox, WasBox    string
	SideBox            string
}

// faultRows are the rows of the schedule and an empty one.
func faultRows(specs []string) []faultRow {
	var out []faultRow
	for i, spec := range append(slices.Clone(specs), "") {
		at := "fault." + strconv.Itoa(i) + "."
		r := splitFault(spec)
		r.KindBox, r.TargetBox, r.ArgBox, r.NamedBox, r.WhenBox = at+"kind", at+"target", at+"arg", at+"named", at+"when"
		r.WasBox, r.SideBox = at+"was", at+"side"
		out = append(out, r)
	}
	if len(out) > engine.MaxFaults {
		out = out[:engine.MaxFaults]
	}
	return out
}

// splitFault takes a fault apart: KIND [":" TARGET] {":" ARG} "@" WHEN. A target
// is told from an argument by its slash, or by being a name that is no duration.
func splitFault(spec string) faultRow {
	r := faultRow{Spec: spec}
	head, when, _ := strings.Cut(spec, "@")
	parts := strings.Split(head, ":")
	r.Kind, r.Named, r.When = parts[0], when, when
	if len(parts) > 1 && isTarget(parts[1]) {
		r.Target, parts = parts[1], parts[1:]
	}
	r.Arg = strings.Join(parts[1:], ":")
	return r
}

func isTarget(s string) bool {
	if s == "coordinator" || strings.Contains(s, "/") {
		return true
	}
	_, err := engine.ParseDuration(s)
	return err != nil && !strings.HasPrefix(s, "x") && engine.IsName(s)
}

// composeFaults writes the rows of the form as a link spells faults. A row without
// a kind is no fault.
func composeFaults(v url.Values) (out []string) {
	for i := range engine.MaxFaults {
		at := "fault." + strconv.Itoa(i) + "."
		get := func(name string) string { return strings.TrimSpace(v.Get(at + name)) }
		kind, target, when := get("kind"), get("target"), get("when")
		if kind == "" {
			continue
		}
		if named := get("named"); named != "" && (when == "" || when == get("was")) {
			when = named // what is chosen now goes before what was written before
			if moment, ok := strings.CutPrefix(named, "after:"); ok && get("side") == "before" {
				when = "before:" + moment
			}
		}
		if kind == string(engine.CrashJob) {
			target = ""
		}
		spec := kind
		for _, part := range []string{target, get("arg")} {
			if part != "" {
				spec += ":" + part
			}
		}
		if when == "" {
			when = "0"
		}
		out = append(out, spec+"@"+when)
	}
	return out
}

// needsMore reports whether a kind of fault says nothing without a target or an
// argument.
func needsMore(kind string) bool {
	_, err := engine.ParseFault(kind + "@0")
	return err != nil
}

// markFaults finds the rows that the job does not understand.
func (p *sandboxPage) markFaults(job *engine.Job) {
	for i := range p.Faults {
		r := &p.Faults[i]
		if r.Spec == "" {
			continue
		}
		f, err := engine.ParseFault(r.Spec)
		if err == nil {
			err = f.Resolve(job)
		}
		if err != nil {
			r.Bad = err.Error()
		}
	}
}

// removeFault is the page without one row.
func (p *sandboxPage) removeFault(i int) templ.SafeURL {
	q := p.Query
	q.Faults = slices.Delete(slices.Clone(q.Faults), i, i+1)
	return sandboxURL(q)
}

// targetNames are everything that a fault can name.
func targetNames(job *engine.Job) []string {
	out := job.Plan.TaskNames()
	if job.HasCoordinator() {
		out = append(out, "coordinator")
	}
	for n := range job.Plan.Nodes() {
		out = append(out, fmt.Sprintf("node/%d", n))
	}
	for i := range job.Settings.Sinks {
		out = append(out, job.Settings.Sinks[i].Name)
	}
	return out
}

// momentGroup are the moments of one kind.
type momentGroup struct {
	Kind    string
	Moments []moment
}

// moment is a named gap of the run without faults.
type moment struct {
	When string // as a fault spells it
	Text string
}

// maxMoments bounds a list that stands in the page once a row.
const maxMoments = 240

// everyRecord are kinds that come with each record: the last to be listed.
var everyRecord = map[engine.Kind]bool{engine.SourceRead: true, engine.RecordSent: true, engine.RecordReceived: true, engine.RecordProcessed: true}

// momentsOf lists the moments that exist in a run, by kind in the order of their
// first event; told says so when not all of them fit.
func momentsOf(r *run) (groups []momentGroup, told string) {
	type key struct {
		kind engine.Kind
		task engine.TaskID
	}
	seen, at := map[key]int{}, map[engine.Kind]int{}
	listed, all := 0, 0
	for n := 1; n <= r.Last(); n++ {
		e := r.Trace.At(n)
		k := key{e.Kind, e.Task}
		seen[k]++
		if everyRecord[e.Kind] || e.Kind == engine.RunEnded {
			continue
		}
		if all++; all > maxMoments {
			continue
		}
		listed++
		i, ok := at[e.Kind]
		if !ok {
			i = len(groups)
			at[e.Kind] = i
			groups = append(groups, momentGroup{Kind: e.Kind.String()})
		}
		w := engine.When{Form: engine.AfterNamed, Event: e.Kind, Rec: engine.NoRecord, K: seen[k]}
		if e.Task >= 0 || e.Task == engine.CoordinatorID {
			w.Task = r.Job.Plan.Name(e.Task)
		}
		groups[i].Moments = append(groups[i].Moments, moment{When: w.String(), Text: strconv.Itoa(n) + ": " + trace.Sentence(r.Trace, e)})
	}
	if all > listed {
		told = fmt.Sprintf("The first %d of %d moments are listed; any other can be written.", listed, all)
	}
	return groups, told
}

// listed reports whether the list has a row's moment, on either side of its event.
func (p *sandboxPage) listed(when string) bool {
	when = afterSide(when)
	for _, g := range p.Moments {
		if slices.ContainsFunc(g.Moments, func(m moment) bool { return m.When == when }) {
			return true
		}
	}
	return false
}

// afterSide is the moment after the event that a moment names.
func afterSide(when string) string {
	if moment, ok := strings.CutPrefix(when, "before:"); ok {
		return "after:" + moment
	}
	return when
}
