package web

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// run is one run as a page needs it. It is immutable: runs are shared by the cache.
type run struct {
	Query    lessons.Query
	Job      *engine.Job
	Faults   []engine.Fault
	Trace    *trace.Trace
	Verdicts []check.Verdict
	Struck   []int  // fault → number of its fault.injected event
	Log      string // what the input log is called
}

// Last is the number of the run's last event.
func (r *run) Last() int { return r.Trace.Len() }

// runOf compiles the query and makes the run, or takes it from the cache. Every
// error is a *Problem, or the context's.
func (s *Server) runOf(c echo.Context, q lessons.Query) (*run, error) {
	return s.make(c.Request().Context(), c.RealIP(), q)
}

func (s *Server) make(ctx context.Context, client string, q lessons.Query) (*run, error) {
	key := queryOf(q)
	if r, ok := s.runs.get(key); ok {
		return r, nil
	}
	job, faults, err := s.compile(ctx, q)
	if err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(ctx, client)
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	t, err := s.runner.Run(ctx, job, faults)
	if err != nil {
		return nil, problemOf(err)
	}
	r := &run{Log: s.logName(q.Scenario), Query: q, Job: job, Faults: faults, Trace: t, Verdicts: check.Judge(t), Struck: struck(t)}
	s.runs.put(key, r, t.Len()+64)
	return r, nil
}

// compile turns a query into a job. Records kept by hash are looked up first, so
// that the catalogue sees them as if they stood in the URL.
func (s *Server) compile(ctx context.Context, q lessons.Query) (*engine.Job, []engine.Fault, error) {
	if q.Scenario == "" {
		return nil, nil, &Problem{Status: 400, Param: "scenario", Found: "", Allowed: listed(s.catalogue.ScenarioIDs())}
	}
	q, err := s.unhash(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	job, faults, err := s.catalogue.Compile(q)
	if err != nil {
		return nil, nil, problemOf(err)
	}
	return job, faults, nil
}

func (s *Server) logName(scenario string) string {
	if sc := s.catalogue.Scenario(scenario); sc != nil {
		return sc.Log
	}
	return ""
}

// struck finds for each fault of the run where it took hold, 0 if nowhere.
func struck(t *trace.Trace) []int {
	out := make([]int, len(t.Faults))
	for n := 1; n <= t.Len(); n++ {
		if e := t.At(n); e.Kind == engine.FaultInjected {
			if i := int(e.Fault) - len(t.Job.Conditions); i >= 0 && i < len(out) {
				out[i] = n
			}
		}
	}
	return out
}

// checkAt refuses an event that the run does not have.
func (r *run) checkAt(param string, n int) error {
	if n > r.Last() {
		return bad(param, strconv.Itoa(n), fmt.Sprintf("events 0 to %d of this run", r.Last()))
	}
	return nil
}

// fork is the query of the run that goes its own way from gap n: faults that
// took hold later are dropped, the new one is added.
func (r *run) fork(n int, fault string) lessons.Query {
	q := r.Query
	q.Faults = nil
	for i, f := range r.Query.Faults {
		if r.Struck[i] != 0 && r.Struck[i] <= n {
			q.Faults = append(q.Faults, f)
		}
	}
	q.Faults = append(q.Faults, fault)
	return q
}

// problemOf turns any error into the one kind that pages print.
func problemOf(err error) *Problem {
	var (
		p       *Problem
		param   *lessons.BadParam
		missing *lessons.NotFound

		impossible *engine.Impossible
		fault      *engine.BadFault
		never      *engine.NeverStruck
		full       *busy
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &param):
		p = &Problem{Status: 400, Param: param.Param, Found: param.Found, Allowed: param.Allowed, Nearest: param.Nearest, Msg: param.Msg, Err: err}
		if errors.As(err, &impossible) {
			p.Pair = impossible.Settings[:]
		}
		return p
	case errors.As(err, &missing):
		return missingProblem(missing)
	case errors.As(err, &fault):
		return &Problem{Status: 400, Param: "fault", Found: fault.Spec, Msg: err.Error(), Err: err}
	case errors.As(err, &never):
		return &Problem{Status: 400, Param: "fault", Found: never.Fault.String(), Msg: err.Error(), Err: err}
	case errors.As(err, &full):
		return &Problem{Status: 503, Param: "server", Msg: full.Error() + ". Try again in a moment."}
	case errors.Is(err, context.DeadlineExceeded):
		return &Problem{Status: 503, Param: "server", Msg: "This took longer than the server gives one request. Try again in a moment."}
	case errors.Is(err, context.Canceled):
		return &Problem{Status: 499, Param: "request", Msg: "The request was given up."}
	}
	return &Problem{Status: 500, Msg: err.Error()}
}

// differing are the settings of a query that are not the scenario's own values
// anyway: a form sends all its fields.
func (s *Server) differing(q lessons.Query) []string {
	job, _, err := s.catalogue.Compile(lessons.Query{Scenario: q.Scenario})
	if err != nil {
		return q.Set
	}
	own := job.Settings.Values()
	var out []string
	for _, kv := range q.Set {
		if key, value, _ := strings.Cut(kv, "="); own[key] != value {
			out = append(out, kv)
		}
	}
	return out
}
