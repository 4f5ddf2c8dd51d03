package web

import (
	"errors"
	"fmt"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
)

// levelView is a lesson's level at the run that the learner made so far.
type levelView struct {
	Level  *lessons.Level
	Tried  bool // there is something to judge
	Won    bool
	Result string // one sentence
	Watch  string // URL of a run that shows why not; "" none
	Map    string // URL of all crashes of the repaired job
	Score  int
	Knobs  []knob // repair: the settings that may be changed
	Fields []field
	Action string
	Own    templ.SafeURL // the job of the level in the sandbox
}

// knob is one setting of a repair level.
type knob struct {
	Key, Value string
	Real       string   // the default of the product it stands for, "" where there is none
	Locked     string   // why it stays; "" when it may be changed
	Words      []string // its values, where it has a list of them
	Allowed    string   // in words
}

// levelBudget is how many runs a repair may cost the server.
const levelBudget = 20_000

// newLevel judges the run in the URL by the level's conditions.
func (s *Server) newLevel(c echo.Context, page *lessonPage) (*levelView, error) {
	v := &levelView{Level: page.Lesson.Level, Action: page.Path, Own: sandboxURL(page.Run.Query)}
	if v.Level.Kind == "repair" {
		return v, s.judgeRepair(c, page, v)
	}
	v.Tried = len(page.Run.Query.Faults) > 0 && page.At == page.Run.Last()
	if !v.Tried {
		return v, nil
	}
	v.Won = true
	for _, w := range v.Level.Win {
		ok, err := winHolds(page.Run, w)
		if err != nil {
			return nil, fmt.Errorf("level of %s: %w", page.Lesson.Slug, err)
		}
		v.Won = v.Won && ok
	}
	if v.Won && v.Level.Budget > 0 && len(page.Run.Query.Faults) > v.Level.Budget {
		v.Won = false
		v.Result = fmt.Sprintf("It happened, but with %s; the budget is %d. Go back and try with fewer.", count(len(page.Run.Query.Faults), "crash", "crashes"), v.Level.Budget)
		return v, nil
	}
	v.Score = firstStruck(page.Run) + len(page.Run.Query.Set)
	v.Result = "Not this time. Go back in the browser, or crash at another moment."
	if v.Won {
		v.Result = fmt.Sprintf("Done, after event %d.", firstStruck(page.Run))
	}
	return v, nil
}

func firstStruck(r *run) int {
	first := 0
	for _, n := range r.Struck {
		if n > 0 && (first == 0 || n < first) {
			first = n
		}
	}
	return max(0, first-1)
}

// winHolds evaluates a condition; what the run does not have makes it false.
func winHolds(r *run, expr string) (bool, error) {
	e, err := quizzes.ParseExpr(expr)
	if err != nil {
		return false, err
	}
	ok, err := e.True(&quizzes.Run{Trace: r.Trace, Verdicts: r.Verdicts})
	var missing *quizzes.Missing
	if errors.As(err, &missing) {
		return false, nil
	}
	return ok, err
}

// judgeRepair crashes the changed job everywhere and looks whether only allowed
// classes came out.
func (s *Server) judgeRepair(c echo.Context, page *lessonPage, v *levelView) error {
	r := page.Run
	v.Knobs = knobs(v.Level, r.Job)
	base := page.Steps[page.Now].Query
	v.Fields = page.fields(lessons.Query{Scenario: base.Scenario, Seed: base.Seed})
	v.Tried = !sameStage(r.Query, base)
	if !v.Tried {
		return nil
	}
	start, _, err := s.catalogue.Compile(v.Level.Query())
	if err != nil {
		return problemOf(err)
	}
	changed := v.Level.Changed(start, r.Job, r.Query.Set)
	v.Score = len(changed)
	if v.Result = v.Level.Refuses(changed, nil); v.Result != "" {
		return nil
	}
	missed, err := s.missed(c, r, v.Level)
	if v.Result = missed; err != nil || missed != "" {
		return err
	}
	leave, err := s.gate.enter(c.Request().Context(), c.RealIP())
	if err != nil {
		return err
	}
	defer leave()
	found, err := s.runner.Explore(c.Request().Context(), r.Job, r.Faults, Exploration{Depth: 1, Budget: levelBudget})
	if err != nil {
		return err
	}
	v.Map = "/map?" + queryOf(r.Query)
	v.Won = true
	for _, class := range check.Classes() {
		if found.Classes[string(class)] == 0 || contains(v.Level.All, string(class)) {
			continue
		}
		v.Won = false
		q := r.Query
		if f := found.Examples[string(class)].Fault; f != "" {
			q.Faults = []string{f}
		}
		v.Watch = "/run?" + queryOf(q)
		v.Result = fmt.Sprintf("%s of %d crashes end %s. Watch the first one.", (fmt.Sprint(found.Classes[string(class)])), found.Points, class)
		break
	}
	if most := v.Level.Repeats; v.Won && most >= 0 && found.WorstRepeats > most {
		v.Won = false
		v.Result = fmt.Sprintf("One crash repeats %d rows, and at most %d are allowed. The map shows where.", found.WorstRepeats, most)
	}
	if v.Won && found.Of > 0 {
		v.Won = false
		v.Result = fmt.Sprintf("The first %d of %d crashes end as they should; the others were not tried in time. Try again.", found.Points, found.Of)
	}
	if v.Won {
		v.Result = fmt.Sprintf("Done: all %d crashes end as they should.", found.Points)
	}
	return nil
}

// bareKey is a key without the sink it is for: sinks.NAME.KEY.
func bareKey(key string) string {
	if rest, ok := strings.CutPrefix(key, "sinks."); ok {
		if _, key, ok := strings.Cut(rest, "."); ok {
			return key
		}
	}
	return key
}

func knobs(l *lessons.Level, job *engine.Job) []knob {
	values := job.Settings.Values()
	var out []knob
	for _, k := range l.Keys {
		out = append(out, knob{Key: k, Value: values[k], Real: realDefaultOf(bareKey(k), &job.Settings).text()})
	}
	for _, k := range l.Locked {
		out = append(out, knob{Key: k.Key, Value: values[k.Key], Locked: k.Why})
	}
	return out
}
