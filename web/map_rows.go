package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// A row of the crash map is something that can fail: a fault without its moment, as
// the survey spells it.

// rowFault reads a row; false for one that this grammar does not know.
func rowFault(row string) (engine.Fault, bool) {
	f, err := engine.ParseFault(row + "@0")
	return f, err == nil
}

// rowName is a row at the edge of the grid.
func rowName(row string) string {
	f, ok := rowFault(row)
	switch {
	case !ok:
		return row
	case f.Kind == engine.CrashJob:
		return "whole job"
	case f.Kind == engine.Pause:
		return f.Target + " asleep " + f.Length.String()
	case f.Kind == engine.LoseResponse:
		return f.Target + ", answer lost"
	}
	return faultName(nil, &f)
}

// rowDeed is a row at a moment, or at several, as what happens.
func rowDeed(row, moment string) string {
	f, ok := rowFault(row)
	switch {
	case !ok:
		return row + " strikes at " + moment
	case f.Kind == engine.CrashJob:
		return "The whole job crashes at " + moment
	case f.Kind.Kills():
		return f.Target + " crashes at " + moment
	case f.Kind == engine.Pause:
		return f.Target + " falls asleep for " + f.Length.String() + " at " + moment
	case f.Kind == engine.LoseResponse:
		return "After " + moment + " the next answer to " + f.Target + " is lost"
	case f.Kind == engine.SecondJob:
		return "A second job starts at " + moment
	}
	return capitalised(faultName(nil, &f)) + ", from " + moment
}

// blow is what strikes in the cells: a crash, or a fault where not all of them kill.
func (m *crashMap) blow() string {
	for _, row := range m.Rows {
		if f, ok := rowFault(row); ok && !f.Kind.Kills() {
			return "fault"
		}
	}
	return "crash"
}

// mapKindOptions are the words of the form for what shall fail.
func mapKindOptions(m *crashMap) []field {
	out := []field{{"every task and the whole job", ""}, {"the whole job", "crash-job"}, {"every task", "crash"}}
	coordinator := true
	for _, p := range m.Panels {
		coordinator = coordinator && p.trace.Job.HasCoordinator()
	}
	if coordinator {
		out = append(out, field{"tasks, coordinator, whole job", "crash,crash:coordinator,crash-job"})
	}
	out = append(out, field{"tasks, nodes, whole job", "crash,crash-node,crash-job"},
		field{"nothing dies: a task is asleep, in three lengths", "pause"},
		field{"nothing dies: an answer to a write is lost", "lose-response"},
		field{"crashes, pauses and lost answers", "crash,crash-job,pause,lose-response"})
	for _, o := range out {
		if o.Value == m.Kind {
			return out
		}
	}
	return append(out, field{m.Kind, m.Kind}) // said in the link alone
}

// mapOf is the map of everything that can fail, with the fault that struck with
// event n selected; "" for a fault that no map tries, because it has no one moment.
func mapOf(r *run, before lessons.Query, n int) string {
	f := r.Trace.FaultOf(r.Trace.At(n))
	if f == nil || f.Kind == engine.Slow {
		return ""
	}
	row, _, _ := strings.Cut(f.String(), "@")
	kind := ""
	switch {
	case f.Kind == engine.CrashNode:
		kind = "crash,crash-node,crash-job"
	case f.Kind == engine.Crash && f.Target == r.Job.Plan.Name(engine.CoordinatorID):
		kind = "crash," + row + ",crash-job"
	case f.Kind != engine.Crash && f.Kind != engine.CrashJob:
		kind = "crash-job," + row
	}
	var w links
	w.WriteString(queryOf(before))
	if kind != "" {
		w.add("kind", kind)
	}
	w.add("sel", row+"@"+strconv.Itoa(n-1))
	return "/map?" + w.String()
}

// mapOfMoment is where /map?…&at=N leads: "this run in the crash map". The last fault
// that struck up to then is selected in the map without it; where nothing struck yet,
// a crash of the whole job at that moment.
func (s *Server) mapOfMoment(c echo.Context, p *params) (string, error) {
	r, err := s.runOf(c, p.Query)
	if err != nil {
		return "", err
	}
	if err := r.checkAt("at", p.At); err != nil {
		return "", err
	}
	n := 0
	for _, struck := range r.Struck {
		if struck <= p.At {
			n = max(n, struck)
		}
	}
	if n > 0 {
		before := r.fork(n-1, "")
		before.Faults = before.Faults[:len(before.Faults)-1]
		if to := mapOf(r, before, n); to != "" {
			return to, nil
		}
	}
	var w links
	w.WriteString(queryOf(r.Query))
	w.add("sel", string(engine.CrashJob)+"@"+strconv.Itoa(p.At))
	return "/map?" + w.String(), nil
}

// pairs are links to two panels of the selected cell, side by side on one clock. A
// panel is left out where its settings do not contain those of the first, because a
// twin run says only what is changed.
func (m *crashMap) pairs(bin int) (out []crumb) {
	first := m.Panels[0]
	c := m.cell(first, m.Sel.Row, bin)
	if c.None || c.Class == "" {
		return nil
	}
	a := m.runQuery(first, m.Sel.Row, c.Gap)
	for i, p := range m.Panels[1:] {
		set := splitChoice(m.Choices[i+1])
		if m.Choices[i+1] == baseChoice || !covers(set, m.Choices[0]) {
			continue
		}
		out = append(out, crumb{Text: fmt.Sprintf("%s beside %s", first.Title, p.Title), Href: string(twinURL(a, set, -1))})
	}
	return out
}

// covers reports whether settings say something of every key of a choice.
func covers(set []string, choice string) bool {
	if choice == baseChoice {
		return true
	}
	has := url.Values{}
	for _, kv := range set {
		key, value, _ := strings.Cut(kv, "=")
		has.Set(key, value)
	}
	for _, kv := range splitChoice(choice) {
		if key, _, _ := strings.Cut(kv, "="); !has.Has(key) {
			return false
		}
	}
	return true
}
