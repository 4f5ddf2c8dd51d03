package web

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// runPage is the part of a page that shows a run at one event: the same for a
// lesson and for the bare stage, with and without scripts.
type runPage struct {
	chrome
	Run     *run
	At      int
	Path    string      // of this page
	Heading string      // the page's h1; its visible twin stands in the prose, which a card hides
	Keep    url.Values  // what belongs to the page and stays in every link: path, seg, projector, embed
	Card    *cardView   // the card in the place of the prose; nil: none
	Pace    float64     // real ms per virtual ms
	Now     *trace.View // the picture at At
	Hidden  bool        // the future may not be shown: the predict card is open
	draw    *drawing
}

// cardView is a card that is drawn with the page, for readers without scripts and
// for reloads.
type cardView struct {
	Kind string // predict or reveal
	Part templ.Component
}

// newRunPage makes the run, checks the event and folds up to it.
func (s *Server) newRunPage(c echo.Context, p *params, q lessons.Query, at int) (*runPage, error) {
	r, err := s.runOf(c, q)
	if err != nil {
		return nil, err
	}
	switch {
	case p.At >= 0:
		at = p.At
	case p.Card == "reveal":
		at = r.Last()
	}
	if err := r.checkAt("at", at); err != nil {
		return nil, err
	}
	page := &runPage{Run: r, At: at, Path: c.Request().URL.Path, Keep: url.Values{}, Pace: s.pace(q.Scenario), Now: trace.At(r.Trace, at)}
	if p.Projector {
		page.Keep.Set("projector", "1")
	}
	if p.Embed {
		page.Keep.Set("embed", "1")
	}
	if page.follows() { // before the card is drawn, which leads back to the step
		for _, f := range []field{{"path", p.Way}, {"seg", p.Seg}} {
			if f.Value != "" {
				page.Keep.Set(f.Name, f.Value)
			}
		}
	}
	page.Hidden = p.Card == "predict"
	page.draw = newDrawing(page)
	return page, s.openCard(c, page, p)
}

// openCard draws the card that the URL asks for.
func (s *Server) openCard(c echo.Context, page *runPage, p *params) error {
	switch p.Card {
	case "predict":
		v, err := newPredict(page)
		if err != nil {
			return err
		}
		page.Card = &cardView{Kind: "predict", Part: predictCard(v)}
	case "reveal":
		v, err := s.newReveal(c, page, p.Predict)
		if err != nil {
			return err
		}
		page.Card = &cardView{Kind: "reveal", Part: revealCard(v)}
	}
	return nil
}

// query is the run's part of every URL: data-query.
func (p *runPage) query() string { return queryOf(p.Run.Query) }

// link is the URL of this page for a query and an event.
func (p *runPage) link(q lessons.Query, at int, more ...[2]string) templ.SafeURL {
	var w links
	for _, k := range []string{"path", "seg", "projector", "embed"} {
		if p.Keep.Has(k) {
			w.add(k, p.Keep.Get(k))
		}
	}
	if w.Len() > 0 {
		w.WriteByte('&')
	}
	w.WriteString(queryOf(q))
	w.add("at", strconv.Itoa(at))
	for _, m := range more {
		w.add(m[0], m[1])
	}
	return templ.SafeURL(p.Path + "?" + w.String())
}

// href is the URL of event n of this run.
func (p *runPage) href(n int) templ.SafeURL {
	return p.link(p.Run.Query, max(0, min(n, p.Run.Last())))
}

// struck lists where the run's faults took hold, for the browser.
func (p *runPage) struck() string {
	var out []string
	for _, n := range p.Run.Struck {
		if n == 0 {
			out = append(out, "-")
			continue
		}
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, " ")
}

// field is a hidden input of a form that leads to this page.
type field struct{ Name, Value string }

// fields are the hidden inputs that keep a query, and what belongs to the page.
func (p *runPage) fields(q lessons.Query) []field {
	var out []field
	for _, k := range []string{"path", "seg", "projector", "embed"} {
		if p.Keep.Has(k) {
			out = append(out, field{k, p.Keep.Get(k)})
		}
	}
	return append(out, queryFields(q)...)
}

func queryFields(q lessons.Query) []field {
	out := []field{{"scenario", q.Scenario}}
	for _, x := range q.Set {
		out = append(out, field{"set", x})
	}
	if q.Seed != "" {
		out = append(out, field{"seed", q.Seed})
	}
	for _, x := range q.Faults {
		out = append(out, field{"fault", x})
	}
	if q.Input != "" {
		out = append(out, field{"input", q.Input})
	}
	return out
}

// crashFields are the inputs of the crash form: this run with the faults that
// have struck by now; the button adds its own.
func (p *runPage) crashFields() []field {
	q := p.Run.fork(p.At, "")
	q.Faults = q.Faults[:len(q.Faults)-1]
	return append(p.fields(q), field{"at", strconv.Itoa(p.At + 1)}, field{"card", "predict"})
}

// target is something that can be crashed.
type target struct {
	Name, Fault string
	Target      string // as crash buttons of the drawing name it
}

// follows reports whether the page has a text that leads the stage.
func (p *runPage) follows() bool { return strings.HasPrefix(p.Path, "/lessons/") }

// filterTasks are the tasks that the log can be narrowed to: as many as the style
// sheet has rules for.
func (p *runPage) filterTasks() []string {
	names := p.Run.Job.Plan.TaskNames()
	return names[:min(24, len(names))]
}

func (p *runPage) targets() []target {
	at := "@" + strconv.Itoa(p.At)
	out := []target{{"the whole job", string(engine.CrashJob) + at, "job"}}
	for _, name := range p.Run.Job.Plan.TaskNames() {
		out = append(out, target{name, string(engine.Crash) + ":" + name + at, name})
	}
	for i := range p.Run.Job.Plan.Nodes() {
		name := "node/" + strconv.Itoa(i)
		out = append(out, target{name, string(engine.CrashNode) + ":" + name + at, name})
	}
	if p.Run.Job.HasCoordinator() {
		out = append(out, target{"coordinator", string(engine.Crash) + ":coordinator" + at, "coordinator"})
	}
	return out
}

// way is the strategy in the words of a tag.
func way(set *engine.Settings) string {
	switch set.Strategy {
	case "barriers":
		switch {
		case set.Unaligned:
			return "Unaligned checkpoints"
		case set.CheckpointMode == "at_least_once":
			return "Checkpoints without alignment"
		}
		return "Aligned checkpoints"
	case "microbatch":
		return "Microbatches"
	case "kafka-streams":
		return "Streams, " + set.Guarantee
	case "offset-commit":
		return "Plain loop, commit " + set.CommitMode
	case "batch":
		return "Batch job"
	case "dataflow":
		return "Stages that store, " + set.DataflowMode
	case "trident":
		return "Txid batches, " + set.TridentState + " state"
	case "replicated":
		return "Replicated table"
	}
	return "Two-phase commit of two systems"
}

// tags describe the run in a few words; they are no buttons.
func (p *runPage) tags() []string {
	set := &p.Run.Job.Settings
	out := []string{way(set)}
	var names []string
	for i := range set.Sinks {
		names = append(names, sinkTitle(set, i))
	}
	if len(names) == 1 {
		out = append(out, "Output: "+names[0]+", "+string(set.Sinks[0].Kind))
	} else {
		out = append(out, fmt.Sprintf("%d outputs: %s", len(names), strings.Join(names, ", ")))
	}
	if p.Run.Query.Input != "" {
		out = append(out, "Your own records")
	}
	return out
}

// sinkTitle is what people call an outside system.
func sinkTitle(set *engine.Settings, i int) string {
	if k := &set.Sinks[i]; k.Title != "" {
		return k.Title
	}
	return set.Sinks[i].Name
}

func (p *runPage) last() int { return p.Run.Last() }

// state is what the style sheet reads before a script does.
func (p *runPage) state() string {
	switch {
	case p.Hidden:
		return "frozen"
	case p.At == p.Run.Last():
		return "ended"
	}
	return "paused"
}

func itoa(n int) string { return strconv.Itoa(n) }
