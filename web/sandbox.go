package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// blankScenario is the job that the sandbox begins with; everything of it can be
// changed in the link.
const blankScenario = "sandbox"

// sandboxPage is /sandbox: a form for every setting, and what becomes of the job.
type sandboxPage struct {
	chrome
	Query    lessons.Query // as links spell it
	Setup    *lessons.Setup
	Presets  []*lessons.Scenario
	Inputs   []string
	Groups   []fieldGroup // settings of the whole job
	Sinks    []sinkFields
	Faults   []faultRow
	Targets  []string
	Moments  []momentGroup
	Told     string // how many moments are listed, when not all are
	Run      *run   // nil: the job cannot be built, or a fault strikes nowhere
	Trouble  []trouble
	Promise  *promiseView // nil: not asked for
	Pipeline []pipeStep
	Exports  []exported // nil: there is no job to take away
	Pasted   string     // own records that were refused, to be corrected
	BadPaste string
}

// trouble is something that keeps the job from being built, with a way out.
type trouble struct {
	Text   string
	Button string
	Href   templ.SafeURL
}

func (s *Server) handleSandbox(c echo.Context) error {
	v, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		return bad("URL", c.Request().URL.RawQuery, "pairs name=value, percent-encoded")
	}
	if !v.Has("scenario") {
		v.Set("scenario", blankScenario)
	}
	if err := boundForm(v); err != nil {
		return err
	}
	if fromForm(v) {
		q, err := s.formQuery(v)
		if err != nil {
			return err
		}
		return c.Redirect(http.StatusSeeOther, string(sandboxURL(q)))
	}
	p, err := readParams(v)
	if err != nil {
		return err
	}
	page, err := s.newSandbox(c, p)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if len(page.Trouble) > 0 {
		status = http.StatusBadRequest
	}
	return s.render(c, status, sandbox(page))
}

// newSandbox draws the form and makes the run, as far as the query allows both.
func (s *Server) newSandbox(c echo.Context, p *params) (*sandboxPage, error) {
	ctx := c.Request().Context()
	setup, err := s.catalogue.Setup(p.Query)
	if err != nil {
		return nil, problemOf(err)
	}
	page := &sandboxPage{chrome: s.chrome("Sandbox · Effectively Once", "sandbox"), Query: p.Query, Setup: setup, Presets: s.scenarios(), Inputs: s.catalogue.InputNames()}
	page.Nav, page.Keys = "/sandbox", sandboxKeys()
	for _, b := range setup.Bad {
		page.blame(problemOf(b), without(p.Query, b.Found))
	}
	page.Groups, page.Sinks = page.jobFields(), page.sinkForms()
	page.Faults = faultRows(p.Faults)
	if len(setup.Bad) == 0 {
		if err := page.make(ctx, s, c.RealIP()); err != nil {
			return nil, err
		}
	}
	if page.Run != nil {
		page.Exports = page.exports(origin(c))
	}
	if p.Card == "promise" && page.buildable() {
		if page.Promise, err = s.newPromise(c, p.Query); err != nil {
			return nil, err
		}
	}
	return page, nil
}

func (p *sandboxPage) buildable() bool { return len(p.Targets) > 0 }

// make builds the job, plays it without its faults for the list of moments, and
// then with them. What cannot be done becomes a trouble; only errors of ours and
// of the request are returned.
func (p *sandboxPage) make(ctx context.Context, s *Server, client string) error {
	calm := p.Query
	calm.Faults = nil
	base, err := s.make(ctx, client, calm)
	if err != nil {
		return p.refuse(err)
	}
	p.Targets = targetNames(base.Job)
	p.Moments, p.Told = momentsOf(base)
	r, err := s.make(ctx, client, p.Query)
	if err != nil {
		p.markFaults(base.Job)
		return p.refuse(err)
	}
	p.Run = r
	p.Pipeline = pipeline(r)
	for i := range p.Faults {
		if i < len(r.Struck) && r.Struck[i] > 0 {
			p.Faults[i].Struck = r.Struck[i]
		}
	}
	return nil
}

// refuse explains a job that cannot be run.
func (p *sandboxPage) refuse(err error) error {
	pr := problemOf(err)
	if pr.Status >= 500 || pr.Status == 499 {
		return pr
	}
	var imp *engine.Impossible
	var never *engine.NeverStruck
	switch {
	case errors.As(err, &imp):
		p.Trouble = append(p.Trouble, trouble{Text: imp.Settings[0] + " with " + imp.Settings[1] + " cannot be built. " + imp.Why,
			Button: "Use " + imp.Nearest, Href: sandboxURL(p.after(imp.Nearest))})
	case errors.As(err, &never):
		p.blame(pr, withoutFault(p.Query, never.Fault.String()))
	case pr.Param == "fault" || strings.HasPrefix(pr.Msg, "fault "):
		q := p.Query
		for _, f := range p.Faults {
			if f.Bad != "" {
				q = withoutFault(q, f.Spec)
			}
		}
		p.blame(pr, q)
	case pr.Param == "input":
		q := p.Query
		q.Input = ""
		p.blame(pr, q)
	default:
		p.blame(pr, lessons.Query{Scenario: p.Query.Scenario})
	}
	return nil
}

// blame adds what was found and allowed, and a link to a query without it.
func (p *sandboxPage) blame(pr *Problem, way lessons.Query) {
	t := trouble{Text: pr.Error(), Button: "Go on without it", Href: sandboxURL(way)}
	if key, _, ok := strings.Cut(pr.Found, "="); ok && pr.Param == "set" && pr.Nearest != "" && !strings.Contains(pr.Msg, "unknown setting") {
		t.Button = "Use " + pr.Nearest
		way.Set = append(way.Set, key+"="+pr.Nearest)
		t.Href = sandboxURL(way)
	}
	p.Trouble = append(p.Trouble, t)
}

// after is the query with some settings changed, spelled in full: a key without a
// sink's name means every sink.
func (p *sandboxPage) after(changes ...string) lessons.Query {
	q := p.Query
	q.Set = append(append([]string(nil), q.Set...), changes...)
	return p.tidy(q)
}

// tidy spells a query so that it says only what differs from its scenario.
func (p *sandboxPage) tidy(q lessons.Query) lessons.Query {
	own := *p.Setup
	own.Settings, own.Own = p.Setup.Scenario.Settings.Clone(), p.Setup.Scenario.Settings.Clone()
	input := ""
	var rest []string
	for _, kv := range lessons.ShapeFirst(q.Set) {
		key, value, ok := strings.Cut(kv, "=")
		switch {
		case ok && key == "input":
			input = value
		case !ok || own.Settings.Set(key, value) != nil:
			rest = append(rest, kv)
		case key == "sinks":
			_ = own.Own.Set(key, value) // it was understood a moment ago
		}
	}
	q.Set = nil
	if now := own.Settings.Value("sinks", nil); now != own.Scenario.Settings.Value("sinks", nil) {
		q.Set = append(q.Set, "sinks="+now)
	}
	q.Set = append(q.Set, lessons.Changes(&own.Settings, &own.Own)...)
	if input != "" && input != own.Scenario.Input.Name {
		q.Set = append(q.Set, "input="+input)
	}
	q.Set = append(q.Set, rest...)
	return q
}

// sandboxURL is the page for a query; the blank job needs no name.
func sandboxURL(q lessons.Query) templ.SafeURL { return templ.SafeURL("/sandbox?" + queryOf(q)) }

func without(q lessons.Query, kv string) lessons.Query {
	q.Set = dropped(q.Set, kv)
	return q
}

func withoutFault(q lessons.Query, spec string) lessons.Query {
	q.Faults = dropped(q.Faults, spec)
	return q
}

func dropped(list []string, s string) (out []string) {
	for _, x := range list {
		if x != s {
			out = append(out, x)
		}
	}
	return out
}

// pipeStep is one operator in the small picture of the job.
type pipeStep struct {
	Name  string
	Tasks []pipeTask
}

type pipeTask struct {
	Name string
	Hit  bool // a fault of the schedule strikes it
}

func pipeline(r *run) []pipeStep {
	hit := map[string]bool{}
	for _, f := range r.Faults {
		hit[f.Target] = true
		hit["*"] = hit["*"] || f.Kind == engine.CrashJob
	}
	var out []pipeStep
	for _, op := range r.Job.Plan.Operators {
		st := pipeStep{Name: op.Name}
		for i := range op.Parallelism {
			name := r.Job.Plan.Tasks[int(op.First)+i].Name
			st.Tasks = append(st.Tasks, pipeTask{Name: name, Hit: hit[name] || hit["*"]})
		}
		out = append(out, st)
	}
	return out
}

// outcome is a verdict in words.
type outcome struct{ Title, Glyph, Class, Words string }

func (p *sandboxPage) outcomes() []outcome {
	var out []outcome
	for i := range p.Run.Verdicts {
		out = append(out, outcomeOf(p.Run.Job, &p.Run.Verdicts[i]))
	}
	return out
}

func outcomeOf(job *engine.Job, v *check.Verdict) outcome {
	o := outcome{Title: v.Sink, Glyph: string(v.Class), Class: string(v.Class), Words: told(v)}
	for i := range job.Settings.Sinks {
		if job.Settings.Sinks[i].Name == v.Sink {
			o.Title = sinkTitle(&job.Settings, i)
		}
	}
	if v.Reader != check.AnyReader {
		o.Title += ", " + strings.ReplaceAll(v.Reader, "_", " ")
	}
	return o
}
