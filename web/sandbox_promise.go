package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// What one promise may cost the server.
const (
	promiseBudget = 10_000
	promiseTime   = 4 * time.Second
)

// promiseView says what a setup can promise: what became of it when each process
// was crashed in each gap.
type promiseView struct {
	Title    string
	Coverage string
	Classes  []promised
	Left     string // which faults of the schedule were left out
	Cure     *cure  // nil: the promise is met, or nothing of one click mends it
	NoCure   string // then how much was tried
}

// promised is one class that occurs, with the smallest crash that leads to it.
type promised struct {
	Class, Count string
	Example      string
	Watch        templ.SafeURL
}

// handlePromise answers /card/promise: the fragment that the sandbox fetches when
// the form has come to rest.
func (s *Server) handlePromise(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	v, err := s.newPromise(c, p.Query)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, promisePart(v))
}

// newPromise explores exactly this setup. Crashes of the schedule are left out, for
// they are what is tried; everything else of it belongs to every run.
func (s *Server) newPromise(c echo.Context, q lessons.Query) (*promiseView, error) {
	calm, left := calmed(q)
	ctx, cancel := context.WithTimeout(c.Request().Context(), promiseTime)
	defer cancel()
	job, faults, err := s.compile(ctx, calm)
	if err != nil {
		return nil, err
	}
	leave, err := s.gate.enter(ctx, c.RealIP())
	if err != nil {
		return nil, problemOf(err)
	}
	defer leave()
	found, err := s.runner.Explore(ctx, job, faults, Exploration{Depth: 1, Budget: promiseBudget})
	if err != nil {
		return nil, problemOf(err)
	}
	v := &promiseView{Left: left, Coverage: coverage(found)}
	for _, class := range check.Classes() {
		n := found.Classes[string(class)]
		if n == 0 {
			continue
		}
		cls := promised{Class: string(class), Count: fmt.Sprintf("%d of %d", n, found.Points)}
		if ex := found.Examples[string(class)].Fault; ex != "" && class != check.Exact {
			w := calm
			w.Faults = append(append([]string(nil), calm.Faults...), ex)
			cls.Example, cls.Watch = ex, templ.SafeURL("/run?"+queryOf(w))
		}
		v.Classes = append(v.Classes, cls)
	}
	v.Title = promiseTitle(found)
	if found.Points > 0 && worstOf(found) != check.Exact {
		tried, all := 0, false
		if v.Cure, tried, all = s.findCure(ctx, q, &job.Settings, found); v.Cure == nil {
			v.NoCure = incurable(tried, all)
		}
	}
	return v, nil
}

// calmed is a query without its crashes.
func calmed(q lessons.Query) (lessons.Query, string) {
	var kept []string
	for _, spec := range q.Faults {
		f, err := engine.ParseFault(spec)
		if err == nil && (f.Kind == engine.Crash || f.Kind == engine.CrashJob || f.Kind == engine.CrashNode) {
			continue
		}
		kept = append(kept, spec)
	}
	left := ""
	if n := len(q.Faults) - len(kept); n > 0 {
		left = "The schedule is left out here: " + count(n, "crash", "crashes") + " of it."
	}
	q.Faults = kept
	return q, left
}

func coverage(found *Explored) string {
	if found.Of > found.Points {
		return fmt.Sprintf("The first %d of %d crashes; a page tries at most %d, for %d s.", found.Points, found.Of, promiseBudget, promiseTime/time.Second)
	}
	return fmt.Sprintf("All %d crashes: each task and the whole job, in every gap between two events.", found.Points)
}

// promiseTitle is the finding in one sentence.
func promiseTitle(found *Explored) string {
	worst, bad := worstOf(found), unlike(found)
	switch {
	case found.Points == 0:
		return "Nothing was tried yet."
	case bad == 0 && found.Of > found.Points:
		return "Exact so far."
	case bad == 0:
		return "Exact, wherever one process or the whole job is crashed."
	case found.Classes[string(check.Exact)] == 0:
		return "Never exact: every crash leaves it " + string(worst) + ", or as below."
	}
	return fmt.Sprintf("Can end %s: after %d of %d crashes it is not exact.", worst, bad, found.Points)
}
