package web

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// Report is a run in the words that scripts read: the answer of /api/run and of
// the command line's run --format json; architecture section 5.
type Report struct {
	Scenario   string            `json:"scenario"`
	Settings   map[string]string `json:"settings"`
	Seed       uint64            `json:"seed"`
	Faults     []string          `json:"faults"`
	Events     int               `json:"events"`
	DurationMS float64           `json:"duration_ms"` // virtual
	Class      check.Class       `json:"class"`
	Verdicts   []check.Verdict   `json:"verdicts"`
}

// exploreBudget is how many runs one request may cost.
const exploreBudget = 20_000

func (s *Server) handleAPIRun(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	r, err := s.runOf(c, p.Query)
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusOK, reportOf(r))
}

func reportOf(r *run) Report {
	rep := Report{Scenario: r.Job.Scenario, Settings: r.Job.Settings.Values(), Seed: r.Job.Seed, Faults: []string{}, Events: r.Last(),
		Class: check.WorstOf(r.Verdicts), Verdicts: r.Verdicts}
	for _, f := range r.Faults {
		rep.Faults = append(rep.Faults, f.String())
	}
	if r.Last() > 0 {
		rep.DurationMS = r.Trace.At(r.Last()).T.Millis()
	}
	return rep
}

func (s *Server) handleAPIExplore(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	ask, err := exploration(p)
	if err != nil {
		return err
	}
	job, faults, err := s.compile(c.Request().Context(), p.Query)
	if err != nil {
		return err
	}
	leave, err := s.gate.enter(c.Request().Context(), c.RealIP())
	if err != nil {
		return err
	}
	defer leave()
	found, err := s.runner.Explore(c.Request().Context(), job, faults, ask)
	if err != nil {
		return err
	}
	return sendJSON(c, http.StatusOK, found)
}

// exploration reads kind and depth.
func exploration(p *params) (Exploration, error) {
	ask := Exploration{Depth: 1, Budget: exploreBudget}
	switch p.Depth {
	case "", "1":
	case "2":
		ask.Depth = 2
	default:
		return ask, bad("depth", p.Depth, "1, 2")
	}
	allowed := []string{string(engine.Crash), string(engine.CrashJob)}
	for _, k := range strings.FieldsFunc(p.Kind, func(r rune) bool { return r == ',' }) {
		if !contains(allowed, k) {
			return ask, &Problem{Status: 400, Param: "kind", Found: k, Allowed: strings.Join(allowed, ", "), Nearest: engine.Nearest(k, allowed)}
		}
		ask.Kinds = append(ask.Kinds, engine.FaultKind(k))
	}
	return ask, nil
}

func sendJSON(c echo.Context, status int, v any) error {
	c.Response().Header().Set(echo.HeaderContentType, "application/json; charset=utf-8")
	c.Response().WriteHeader(status)
	enc := json.NewEncoder(c.Response())
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// listed joins the words that are allowed.
func listed(words []string) string { return strings.Join(words, ", ") }

// missingProblem is a name that the catalogue does not have.
func missingProblem(m *lessons.NotFound) *Problem {
	return &Problem{Status: 404, Param: m.What, Found: m.Name, Allowed: listed(m.Known), Nearest: m.Nearest, Msg: "There is no " + m.What + " of that name."}
}
