package lessons

import (
	"fmt"
	"slices"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/quizzes"
)

// Query is the run that the level starts from.
func (lv *Level) Query() Query { return Query{Scenario: lv.Scenario, Set: slices.Clone(lv.Set)} }

// Levels lists the levels of the lessons in course order, then the capstones by
// their codes.
func (c *Catalogue) Levels() []*Level {
	var out []*Level
	for _, l := range c.lessons {
		if l.Level != nil && !l.Coming {
			out = append(out, l.Level)
		}
	}
	return append(out, c.capstones...)
}

// Level is the level with this slug, nil if there is none.
func (c *Catalogue) Level(slug string) *Level {
	for _, lv := range c.Levels() {
		if lv.Slug == slug {
			return lv
		}
	}
	return nil
}

// Changed lists the settings that a query changes of the job that the level starts
// from: a value written out that is the same anyway changes nothing.
func (lv *Level) Changed(start, job *engine.Job, set []string) []string {
	before, after := start.Settings.Values(), job.Settings.Values()
	var out []string
	for _, kv := range slices.Concat(lv.Set, set) {
		key, _, _ := strings.Cut(kv, "=")
		if before[key] != after[key] && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// Refuses says why a try does not count, whatever it leads to: too many changes or
// faults, or one of a kind that this level does not offer. "" if it counts.
func (lv *Level) Refuses(changed []string, faults []engine.Fault) string {
	if lv.Kind == "repair" {
		for _, key := range changed {
			for _, k := range lv.Locked {
				if k.Key == key {
					return key + " is locked. " + k.Why
				}
			}
			if !slices.Contains(lv.Keys, key) {
				return key + " is not among the settings of this level: " + strings.Join(lv.Keys, ", ") + "."
			}
		}
		if n := len(changed); n > lv.Budget {
			return fmt.Sprintf("That is %d changes (%s) and the budget is %d.", n, strings.Join(changed, ", "), lv.Budget)
		}
		return ""
	}
	kinds := lv.Faults()
	for _, f := range faults {
		if !slices.Contains(kinds, string(f.Kind)) {
			return fmt.Sprintf("A fault of the kind %s does not count here. Allowed: %s.", f.Kind, strings.Join(kinds, ", "))
		}
	}
	if n := len(faults); n > lv.Budget {
		return fmt.Sprintf("That is %d faults and the budget is %d.", n, lv.Budget)
	}
	return ""
}

// Faults are the kinds of faults that an adversary may use.
func (lv *Level) Faults() []string {
	if len(lv.Kinds) > 0 {
		return lv.Kinds
	}
	return []string{string(engine.Crash), string(engine.CrashJob), string(engine.CrashNode)}
}

// WonBy reports whether a run wins an adversary level, and if not, why.
func (lv *Level) WonBy(r *quizzes.Run) (won bool, why string, err error) {
	for _, w := range lv.Win {
		ok, found, err := holds(r, w)
		if err != nil || !ok {
			return false, w + ": " + found, err
		}
	}
	return true, "", nil
}

// Repaired reports whether a crash map wins a repair level, and if not, where it
// fails first.
func (lv *Level) Repaired(found *Explored) (won bool, why string) {
	for _, c := range check.Classes() {
		if found.Classes[c] > 0 && !slices.Contains(lv.All, string(c)) {
			return false, fmt.Sprintf("%s at %d of %d points, for example %s", c, found.Classes[c], found.Points, found.Examples[c])
		}
	}
	return true, ""
}
