package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// incidentsPage lists the incidents.
type incidentsPage struct {
	chrome
	Rows []incidentRow
}

// incidentRow is an incident in the list, with its worst outcome before the change
// and its best after it.
type incidentRow struct {
	Incident      *lessons.Incident
	Before, After incidentResult
}

// incidentPage is one incident.
type incidentPage struct {
	chrome
	Incident *lessons.Incident
	Before   []*incidentView
	After    []*incidentView
	Lesson   *lessons.Lesson
	Earlier  *lessons.Incident // nil: this is the first
	Later    *lessons.Incident // nil: this is the last
}

// incidentView is one run of an incident: what was set, and what came out when the
// engine ran it for this page.
type incidentView struct {
	What     string
	Settings []string // what differs from the scenario
	Faults   []string
	Results  []incidentResult
	Watch    templ.SafeURL // the run at its deciding moment
	Moment   string        // that moment, for people
	Event    int
	Command  string
}

// incidentResult is a verdict in the words of a strip.
type incidentResult struct {
	Name, Reader       string
	Class, Glyph, Word string
	Expected, Observed int
	Lost, Duplicated   int
	Pending            int
	Visible            string // how long the reader waited for a row
}

func (s *Server) handleIncidents(c echo.Context) error {
	p := &incidentsPage{chrome: s.chrome("Incidents · Effectively Once", "incidents")}
	p.Nav = "/incidents"
	for _, in := range s.catalogue.Incidents() {
		row := incidentRow{Incident: in}
		for i, r := range slices.Concat(in.Before[:1], in.After[len(in.After)-1:]) {
			run, err := s.runOf(c, r.Query)
			if err != nil {
				return err
			}
			*[]*incidentResult{&row.Before, &row.After}[i] = worstResult(run)
		}
		p.Rows = append(p.Rows, row)
	}
	return s.render(c, http.StatusOK, incidentList(p))
}

func (s *Server) handleIncident(c echo.Context) error {
	in := s.catalogue.Incident(c.Param("slug"))
	if in == nil {
		return s.noPage(c.Request().URL.Path)
	}
	p := &incidentPage{chrome: s.chrome(in.Title+" · Effectively Once", "incident"), Incident: in, Lesson: s.catalogue.Lesson(in.Lesson)}
	p.Crumbs = []crumb{{Text: "Lessons", Href: "/"}, {Text: "Incidents", Href: "/incidents"}, {Text: in.Title}}
	p.Skips = []crumb{{"Skip to before the change", "#before"}}
	p.Earlier, p.Later = s.beside(in)
	for i, runs := range [][]*lessons.IncidentRun{in.Before, in.After} {
		for _, r := range runs {
			v, err := s.incidentView(c, r)
			if err != nil {
				return err
			}
			if i == 0 {
				p.Before = append(p.Before, v)
			} else {
				p.After = append(p.After, v)
			}
		}
	}
	return s.render(c, http.StatusOK, incidentStory(p))
}

// beside are the incidents before and after this one.
func (s *Server) beside(in *lessons.Incident) (earlier, later *lessons.Incident) {
	list := s.catalogue.Incidents()
	i := slices.Index(list, in)
	if i > 0 {
		earlier = list[i-1]
	}
	if i+1 < len(list) {
		later = list[i+1]
	}
	return earlier, later
}

// incidentView runs one side of an incident. Nothing of its outcome is written down
// anywhere: it is what this engine does.
func (s *Server) incidentView(c echo.Context, r *lessons.IncidentRun) (*incidentView, error) {
	run, err := s.runOf(c, r.Query)
	if err != nil {
		return nil, err
	}
	at, err := (&quizzes.Run{Trace: run.Trace, Verdicts: run.Verdicts}).At(r.Watch)
	if err != nil {
		return nil, problemOf(err)
	}
	v := &incidentView{What: r.What, Settings: r.Query.Set, Faults: r.Query.Faults, Event: at, Command: r.Command(),
		Watch: templ.SafeURL("/run?" + queryOf(r.Query) + "&at=" + strconv.Itoa(at))}
	for i := range run.Verdicts {
		v.Results = append(v.Results, resultOf(run, &run.Verdicts[i]))
	}
	return v, nil
}

func resultOf(r *run, v *check.Verdict) incidentResult {
	glyph, _ := classWord(v.Class)
	out := incidentResult{Name: shortTitle(r.Job, v.Sink), Class: string(v.Class), Glyph: glyph, Word: happened(v), Expected: v.Expected, Observed: v.Observed,
		Lost: v.Lost, Duplicated: v.Duplicated, Pending: v.Pending, Visible: visible(r, v)}
	if v.Reader != check.AnyReader {
		out.Reader = strings.ReplaceAll(strings.ReplaceAll(v.Reader, check.HonoursLog, "goes by the list"), check.IgnoresLog, "lists the folder")
	}
	return out
}

// seconds is a virtual time for people.
func seconds(t engine.Time) string {
	if ms := t.Millis(); ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", t.Millis()/1000)
}

func worstResult(r *run) incidentResult {
	worst := check.WorstOf(r.Verdicts)
	for i := range r.Verdicts {
		if r.Verdicts[i].Class == worst {
			return resultOf(r, &r.Verdicts[i])
		}
	}
	return incidentResult{}
}
