package lessons

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"effectivelyonce/engine/check"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

// Incident is something that happened to somebody, told in our own words, with the
// runs that show it before and after the change. It is immutable.
type Incident struct {
	Slug    string
	Case    string // C05: its number in the collection that it was taken from
	Title   string
	System  string
	Version string
	Sources []string // where it was reported: repository and number
	Line    string   // the story in one sentence
	Story   []string // paragraphs
	Cause   string
	Before  []*IncidentRun
	After   []*IncidentRun
	Learn   string
	Differs string // what the runs simplify; "" nothing
	Lesson  string // slug
	File    string

	lessonLine int
}

// IncidentRun is one run of an incident and what it must come to.
type IncidentRun struct {
	What   string // one sentence
	Query  Query
	Watch  quizzes.Moment // the deciding moment
	Expect RunClaim
}

var caseNumber = regexp.MustCompile(`^C\d\d$`)

// Incidents lists all incidents by their case.
func (c *Catalogue) Incidents() []*Incident { return c.incidents }

// Incident is the incident with this slug, nil if there is none.
func (c *Catalogue) Incident(slug string) *Incident {
	for _, in := range c.incidents {
		if in.Slug == slug {
			return in
		}
	}
	return nil
}

// Command is how the command line makes the run and checks its class.
func (r *IncidentRun) Command() string {
	var b strings.Builder
	b.WriteString("server run " + r.Query.Scenario)
	for _, s := range r.Query.Set {
		b.WriteString(" --set " + shellWord(s))
	}
	for _, f := range r.Query.Faults {
		b.WriteString(" --fault " + shellWord(f))
	}
	return b.String() + " --expect " + string(r.Expect.Class)
}

// shellWord quotes what a shell would not leave alone.
func shellWord(s string) string {
	if strings.ContainsAny(s, "()~<>*&;| ") {
		return "'" + s + "'"
	}
	return s
}

// incidents reads content/incidents.
func (l *loader) incidents() {
	for _, name := range l.names("incidents") {
		file := "incidents/" + name
		data, ok := l.read(file, true)
		if !ok {
			continue
		}
		doc, root, ok := strict.Parse(file, data, 0)
		if ok {
			l.cat.incidents = append(l.cat.incidents, l.incident(file, root))
		}
		l.add(doc.Problems...)
	}
}

func (l *loader) incident(file string, root strict.Value) *Incident {
	m := root.Map("slug", "case", "title", "system", "version", "sources", "line", "story", "cause", "before", "after", "learn", "differs", "lesson")
	in := &Incident{Slug: m.NeedText("slug"), Case: m.NeedText("case"), Title: m.NeedText("title"), System: m.NeedText("system"),
		Version: m.NeedText("version"), Line: m.NeedText("line"), Cause: m.NeedText("cause"), Learn: m.NeedText("learn"),
		Differs: m.Text("differs"), Lesson: m.NeedText("lesson"), Sources: m.Texts("sources"), File: file}
	if want := strings.TrimSuffix(path.Base(file), ".yaml"); in.Slug != "" && in.Slug != want {
		m.Bad("slug "+strict.Quote(in.Slug), "the file's name says "+strict.Quote(want)+"; make them equal")
	}
	if in.Case != "" && (!caseNumber.MatchString(in.Case) || !strings.HasPrefix(in.Slug, strings.ToLower(in.Case)+"-")) {
		m.Bad("case "+strict.Quote(in.Case), "allowed: C and two digits, with which the slug begins")
	}
	if len(in.Sources) == 0 {
		m.Bad("no sources", "name at least one: repository and number")
	}
	for p := range strings.SplitSeq(strings.TrimSpace(m.NeedText("story")), "\n\n") {
		in.Story = append(in.Story, strings.Join(strings.Fields(p), " "))
	}
	in.Before, in.After = l.incidentRuns(m, "before"), l.incidentRuns(m, "after")
	if v, ok := m.Get("lesson"); ok {
		in.lessonLine = v.Line()
		if l.cat.bySlug[in.Lesson] == nil {
			v.Bad("found "+strict.Quote(in.Lesson), strict.Allowed(in.Lesson, l.cat.lessonSlugs()))
		}
	}
	return in
}

func (c *Catalogue) lessonSlugs() []string {
	var out []string
	for _, l := range c.lessons {
		out = append(out, l.Slug)
	}
	return out
}

// incidentRuns reads the runs before or after the change. Faults that are not given
// are those of the scenario's script.
func (l *loader) incidentRuns(m strict.Map, field string) []*IncidentRun {
	v, ok := m.Need(field)
	if !ok {
		return nil
	}
	var out []*IncidentRun
	for _, f := range v.List() {
		r := f.Map("what", "scenario", "set", "faults", "class", "sinks", "holds", "watch")
		run := &IncidentRun{What: r.NeedText("what"), Watch: quizzes.Moment(r.NeedText("watch")),
			Query:  Query{Scenario: r.NeedText("scenario"), Set: r.Texts("set")},
			Expect: RunClaim{Sinks: readSinkClasses(r), Holds: readExprs(r, "holds"), Line: f.Line()}}
		if c, ok := r.Need("class"); ok {
			run.Expect.Class = readClass(c)
		}
		sc := l.cat.scenarios[run.Query.Scenario]
		if sc == nil {
			if s, ok := r.Get("scenario"); ok {
				s.Bad("found "+strict.Quote(run.Query.Scenario), strict.Allowed(run.Query.Scenario, l.cat.order))
			}
			continue
		}
		run.Query.Faults = sc.Script
		if _, ok := r.Get("faults"); ok {
			run.Query.Faults = r.Texts("faults")
		}
		l.tryIncidentRun(r, run)
		out = append(out, run)
	}
	if len(out) == 0 {
		v.Bad("there is no run", "write at least one")
	}
	return out
}

// tryIncidentRun finds what cannot be built when the file is read.
func (l *loader) tryIncidentRun(m strict.Map, run *IncidentRun) {
	job, _, err := l.cat.Compile(run.Query)
	if err != nil {
		m.Bad(err.Error(), "")
		return
	}
	if err := quizzes.CheckMoment(job, run.Watch); err != nil {
		if v, ok := m.Get("watch"); ok {
			v.Bad(err.Error(), "")
		}
	}
}

// CheckIncidents runs every incident and reports what does not come out as told.
func (c *Catalogue) CheckIncidents(run quizzes.RunFunc) []Problem {
	k := &claims{cat: c, run: run}
	for _, in := range c.incidents {
		k.incident(in)
	}
	return k.problems
}

// incident runs what an incident promises.
func (k *claims) incident(in *Incident) {
	at := &Scenario{File: in.File}
	worst := check.Exact
	for _, r := range slices.Concat(in.Before, in.After) {
		got, err := k.play(r.Query)
		if err != nil {
			k.bad(in.File, r.Expect.Line, "the run: "+err.Error(), "")
			continue
		}
		if slices.Contains(in.Before, r) {
			worst = check.Worst(worst, got.Class())
		}
		k.verdicts(at, got, r.Expect.Line, "the run", r.Expect.Class, r.Expect.Sinks, r.Expect.Holds)
		if _, err := got.At(r.Watch); err != nil {
			k.bad(in.File, r.Expect.Line, "watch: "+err.Error(), "name an event of this run")
		}
	}
	if worst == check.Exact && !in.late() {
		k.bad(in.File, 1, "every run before the change is exact and none says how late", "an incident shows something that went wrong")
	}
}

// late reports whether a run before the change promises something about times: a
// result that is right and late is an incident too.
func (in *Incident) late() bool {
	for _, r := range in.Before {
		for _, c := range r.Expect.Holds {
			if strings.Contains(" "+c.Expr.String(), " time ") {
				return true
			}
		}
	}
	return false
}
