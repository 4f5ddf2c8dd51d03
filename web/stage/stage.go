package stage

import (
	"bytes"
	"context"
	"fmt"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// Options shape the drawing of a run.
type Options struct {
	// Faults of the run, as its trace has them: they tell a slow task from a crash.
	Faults []engine.Fault
	// Coordinator draws the coordinator as a bar of its own with a crash button.
	Coordinator bool
	// Machines draws a button for each machine of the job, where that says more than
	// the whole job's.
	Machines bool
	// Tall draws for a narrow screen: the flow runs down.
	Tall bool
	// Hide leaves out every verdict and the ghosts of what was lost: a prediction
	// is open.
	Hide bool
	// Log is what the input log is called ("payments"); empty: the input's name.
	Log string
	// ID sets the stage apart from another one on the same page; usually empty.
	ID string
	// Outside: the verdicts come from readers of a real system (SetVerdicts), not from
	// the events, which may have gaps.
	Outside bool
	// Href is the URL of event n, for readers without scripts; nil: a fragment.
	Href func(n int) string
}

// Step is what changed since the Step before it. The first one holds every
// region and every attribute, empty ones too.
type Step struct {
	Regions map[string]string            // name → markup of its contents
	Attrs   map[string]map[string]string // data-attrs → attribute → value
	Log     string                       // <li> of the event, "" before the first
	Text    string                       // its sentence
}

// Stage is the picture of one run at one event. It is not safe for concurrent use.
type Stage struct {
	Job *engine.Job
	opt Options
	lay *Layout
	// owned are the keys of each counter's table, by task.
	owned [][]engine.KeyID
	view  *trace.View
	fold  *check.Fold
	back  *trace.RecoveryFold // how long the job took to be back
	tr    *trace.Trace        // the faults, for sentences; it has no events

	events   []engine.Event // the last ones, for Log
	verdicts []check.Verdict
	keys     []check.KeyCount // of the first verdict
	panels   []panelMemo
	stale    bool    // verdicts have to be made again
	behind   []int32 // where a restart would go on, for the verdicts

	regions []region
	attrs   []attr
	drawn   map[string]string // what the last Step left
	set     map[string]map[string]string
	first   bool
	buf     bytes.Buffer
}

// region is a part of the drawing that is replaced as a whole.
type region struct {
	name  string
	dirty func(d *trace.Dirty) bool
	draw  func(s *Stage) templ.Component
}

// attr is an element of the static layer whose attributes change.
type attr struct {
	name  string
	dirty func(d *trace.Dirty) bool
	get   func(s *Stage) map[string]string
}

// keptEvents is how many events a Stage remembers for its log.
const keptEvents = 64

// New lays out the plan of a job and stands before its first event.
func New(job *engine.Job, opt Options) *Stage {
	s := &Stage{Job: job, opt: opt, view: trace.NewView(job, opt.Faults...), fold: check.NewFold(job),
		tr: trace.New(job, opt.Faults), drawn: map[string]string{}, set: map[string]map[string]string{}, first: true, stale: true}
	s.back = trace.NewRecoveryFold(s.tr)
	s.lay = NewLayout(job, opt)
	s.panels = make([]panelMemo, len(job.Settings.Sinks))
	for i := range job.Plan.Tasks {
		var keys []engine.KeyID
		if t := &job.Plan.Tasks[i]; countsKeys(job, t) {
			keys = ownedKeys(job, &job.Plan.Operators[t.Op], t.Index)
		}
		s.owned = append(s.owned, keys)
	}
	s.regions = s.listRegions()
	s.attrs = s.listAttrs()
	return s
}

// View is the picture that is drawn. The caller must not change it.
func (s *Stage) View() *trace.View { return s.view }

// Layout is where everything is drawn. The caller must not change it.
func (s *Stage) Layout() *Layout { return s.lay }

// Verdicts compares the outside world with the truth as things stand: final after
// the end of the run, so far before it. Valid until the next Apply.
func (s *Stage) Verdicts() []check.Verdict {
	if !s.stale {
		return s.verdicts
	}
	s.stale = false
	if s.opt.Outside {
		if s.verdicts == nil {
			s.verdicts = s.fold.Verdicts(false)
		}
		return s.verdicts
	}
	final := s.view.Phase == trace.Ended
	s.behind = s.behind[:0]
	for p := range s.view.Logs {
		s.behind = append(s.behind, s.view.Logs[p].Rewind.Off)
	}
	s.fold.Behind(s.behind)
	s.verdicts = s.fold.Verdicts(final)
	s.keys = s.fold.ByKey(0, final)
	return s.verdicts
}

// Apply folds the next event of the run.
func (s *Stage) Apply(e *engine.Event) {
	s.view.Apply(e)
	if !s.opt.Outside {
		s.fold.Apply(e)
		s.back.Apply(e)
	}
	s.stale = true
	if len(s.events) >= 2*keptEvents {
		s.events = append(s.events[:0], s.events[len(s.events)-keptEvents:]...)
	}
	s.events = append(s.events, *e)
}

// Last is the event applied last, nil before the first.
func (s *Stage) Last() *engine.Event {
	if len(s.events) == 0 {
		return nil
	}
	return &s.events[len(s.events)-1]
}

// Step draws what changed since the last Step.
func (s *Stage) Step(ctx context.Context) (Step, error) {
	st, err := s.step(ctx, func(name, markup string) bool {
		old, there := s.drawn[name]
		s.drawn[name] = markup
		return !there || old != markup
	}, s.first)
	s.first = false
	s.view.Clean()
	return st, err
}

// AllRegions draws everything as it stands now, and leaves what Step compares
// with untouched: a keyframe.
func (s *Stage) AllRegions(ctx context.Context) (Step, error) {
	kept := s.set
	s.set = map[string]map[string]string{}
	st, err := s.step(ctx, func(string, string) bool { return true }, true)
	s.set = kept
	return st, err
}

// step draws dirty regions, or all, and keeps those that keep wants.
func (s *Stage) step(ctx context.Context, keep func(name, markup string) bool, all bool) (Step, error) {
	st := Step{Regions: map[string]string{}, Attrs: map[string]map[string]string{}}
	d := s.view.Dirty()
	for i := range s.regions {
		r := &s.regions[i]
		if !all && r.dirty != nil && !r.dirty(d) {
			continue
		}
		markup, err := s.render(ctx, r.draw(s))
		if err != nil {
			return st, fmt.Errorf("draw region %s at event %d: %w", r.name, s.view.N, err)
		}
		if keep(r.name, markup) {
			st.Regions[r.name] = markup
		}
	}
	for i := range s.attrs {
		a := &s.attrs[i]
		if all || a.dirty == nil || a.dirty(d) {
			s.diffAttrs(a, &st)
		}
	}
	return st, s.tell(ctx, &st)
}

func (s *Stage) diffAttrs(a *attr, st *Step) {
	old := s.set[a.name]
	now := a.get(s)
	for k, v := range now {
		if was, there := old[k]; there && was == v {
			continue
		}
		if st.Attrs[a.name] == nil {
			st.Attrs[a.name] = map[string]string{}
		}
		st.Attrs[a.name][k] = v
	}
	s.set[a.name] = now
}

// tell adds the log's row and the sentence.
func (s *Stage) tell(ctx context.Context, st *Step) error {
	e := s.Last()
	if e == nil {
		return nil
	}
	st.Text = trace.Sentence(s.tr, e)
	row, err := s.render(ctx, logRow(s.row(e)))
	if err != nil {
		return fmt.Errorf("draw log row %d: %w", e.N, err)
	}
	st.Log = row
	return nil
}

func (s *Stage) render(ctx context.Context, c templ.Component) (string, error) {
	s.buf.Reset()
	err := c.Render(ctx, &s.buf)
	return s.buf.String(), err
}

// contents is a region's contents as the page draws them.
func (s *Stage) contents(name string) templ.Component {
	for i := range s.regions {
		if s.regions[i].name == name {
			return s.regions[i].draw(s)
		}
	}
	panic("stage: no region " + name)
}

// attrsOf are the changing attributes of an element of the static layer as they
// stand now.
func (s *Stage) attrsOf(name string) templ.Attributes {
	for i := range s.attrs {
		if s.attrs[i].name == name {
			out := templ.Attributes{"data-attrs": name}
			for k, v := range s.attrs[i].get(s) {
				out[k] = v
			}
			return out
		}
	}
	panic("stage: no attributes " + name)
}
