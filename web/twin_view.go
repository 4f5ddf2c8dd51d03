package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/lessons"
)

func (p *twinPage) clockURL() string {
	return strings.Replace(string(twinURL(p.Sides[0].Run.Query, p.Other, -1)), "/twin?", "/twin/clock?", 1)
}

// runURL is the page of one run at the event shown.
func (p *twinPage) runURL(i int) templ.SafeURL {
	s := &p.Sides[i]
	return templ.SafeURL("/run?" + queryOf(s.Run.Query) + "&at=" + strconv.Itoa(s.At))
}

// swapURL is the page in which run B is the one to compare with.
func (p *twinPage) swapURL() templ.SafeURL { return twinURL(p.Sides[1].Run.Query, nil, -1) }

// tally counts the differences in a sentence.
func (p *twinPage) tally() string {
	d := p.Diff
	return fmt.Sprintf("%s only in run A, %d only in run B, %d in both with other values, %d in both at another time.",
		count(d.OnlyLeft, "event", "events"), d.OnlyRight, d.Changed, d.Moving)
}

// keys are the settings that can be written in the form: those of run B.
func (p *twinPage) keys() []string {
	set := &p.Sides[1].Run.Job.Settings
	var acting, idle []string
	for _, d := range engine.SettingInfos() {
		if d.Alias {
			continue
		}
		if !d.PerSink {
			if set.Idle(d.Key, nil) == "" {
				acting = append(acting, d.Key)
			} else {
				idle = append(idle, d.Key)
			}
			continue
		}
		for i := range set.Sinks {
			if key := lessons.SinkKey(set, i, d.Key); set.Idle(d.Key, &set.Sinks[i]) == "" {
				acting = append(acting, key)
			} else {
				idle = append(idle, key)
			}
		}
	}
	return append(acting, idle...)
}

// endRow is one outside system in both runs.
type endRow struct {
	Title string
	Sides [2]outcome
}

// ends pairs the verdicts by sink and reader.
func (p *twinPage) ends() []endRow {
	var out []endRow
	for i := range p.Sides {
		r := p.Sides[i].Run
		for k := range r.Verdicts {
			o := outcomeOf(r.Job, &r.Verdicts[k])
			if i == 1 {
				if row := rowNamed(out, o.Title); row != nil {
					row.Sides[1] = o
					continue
				}
			}
			row := endRow{Title: o.Title}
			row.Sides[i] = o
			out = append(out, row)
		}
	}
	return out
}

func rowNamed(rows []endRow, title string) *endRow {
	for i := range rows {
		if rows[i].Title == title {
			return &rows[i]
		}
	}
	return nil
}

// changedSettings are the settings in which two jobs differ.
func changedSettings(a, b *engine.Job) (out [][3]string) {
	was, is := a.Settings.Values(), b.Settings.Values()
	for _, d := range engine.SettingInfos() {
		if d.Alias {
			continue
		}
		for _, full := range append([]string{d.Key}, scopedKeys(b, d.Key)...) {
			if was[full] != is[full] {
				out = append(out, [3]string{full, was[full], is[full]})
			}
		}
	}
	if a.Input != b.Input {
		out = append(out, [3]string{"input", a.Input.Name, b.Input.Name})
	}
	return out
}

// mapURL is the map of every crash with run A's settings in one panel and run B's in
// the other; crashes of the runs are left out, for the map tries them all. It is ""
// where nothing but faults differs.
func (p *twinPage) mapURL() templ.SafeURL {
	set, _ := splitOther(p.Other)
	if len(set) == 0 {
		return ""
	}
	calm, _ := calmed(p.Sides[0].Run.Query)
	var w links
	w.WriteString(queryOf(calm))
	w.add("choice", baseChoice)
	w.add("choice", strings.Join(set, ","))
	return templ.SafeURL("/map?" + w.String())
}

func scopedKeys(job *engine.Job, key string) (out []string) {
	for i := range job.Settings.Sinks {
		out = append(out, "sinks."+job.Settings.Sinks[i].Name+"."+key)
	}
	return out
}
