package web

import (
	"errors"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

// Faults of twin runs: those of run A, translated, and those that only run B has.

// splitOther separates the settings that only run B has from its faults, which are
// spelled fault=SPEC.
func splitOther(other []string) (set, faults []string) {
	for _, kv := range other {
		if spec, ok := strings.CutPrefix(kv, "fault="); ok {
			faults = append(faults, spec)
		} else {
			set = append(set, kv)
		}
	}
	return set, faults
}

// alsoStruck adds a fault to those of the other run. As a click on the stage does, a
// fault after event n of this run leaves out what struck later; in the other run it
// strikes at the moment that event has a name for.
func (r *run) alsoStruck(faults []string, spec string) []string {
	f, err := engine.ParseFault(spec)
	if err != nil || f.When.Form != engine.AfterEvent || int(f.When.N) > r.Last() {
		return append(slices.Clone(faults), spec) // refused by the run itself, in its own words
	}
	n := int(f.When.N)
	var kept []string
	for i, at := range r.Struck {
		if i < len(faults) && at > 0 && at <= n {
			kept = append(kept, faults[i])
		}
	}
	if n > 0 {
		f.When = momentOf(r, n)
	}
	return append(kept, f.String())
}

// lacking is the index of the fault that a job refuses because it has no such
// moment, task or event; -1 where something else is wrong, or nothing.
func lacking(faults []string, err error) int {
	var never *engine.NeverStruck
	var unknown *engine.BadFault
	spec := ""
	switch {
	case errors.As(err, &never):
		spec = never.Fault.String()
	case errors.As(err, &unknown):
		spec = unknown.Spec
	}
	return slices.IndexFunc(faults, func(s string) bool {
		f, err := engine.ParseFault(s)
		return err == nil && f.String() == spec
	})
}

// changedFaults are those that only run B has.
func changedFaults(other []string) (out [][3]string) {
	_, faults := splitOther(other)
	for _, f := range faults {
		out = append(out, [3]string{"fault", "none", f})
	}
	return out
}

// besideCalm is the twin of the run before its last fault, which struck with event n,
// and the run with it.
func besideCalm(r *run, before lessons.Query, n int) string {
	f := r.Trace.FaultOf(r.Trace.At(n))
	if f == nil {
		return ""
	}
	same := *f
	same.When = engine.When{Form: engine.AfterEvent, N: int32(n - 1), Rec: engine.NoRecord, K: 1}
	return string(twinURL(before, []string{"fault=" + same.String()}, -1))
}
