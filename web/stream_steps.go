package web

import (
	"context"
	"fmt"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/web/stage"
)

// step is one event with the markup of what it changed.
type step struct {
	Event   stepEvent                    `json:"e"`
	Regions map[string]string            `json:"r,omitempty"`
	Attrs   map[string]map[string]string `json:"a,omitempty"`
	Log     string                       `json:"l,omitempty"`
}

type stepEvent struct {
	N    int     `json:"n"`
	T    float64 `json:"t"` // virtual ms
	Kind string  `json:"kind,omitempty"`
	Task string  `json:"task,omitempty"`
	Text string  `json:"text"`
	Loud bool    `json:"loud,omitempty"` // announced while playing, when most events are not
}

// loud are the kinds of events that a listener should not miss.
var loud = map[engine.Kind]bool{
	engine.CheckpointComplete: true, engine.CheckpointExpired: true, engine.CheckpointDiscarded: true, engine.TxnCommit: true, engine.TxnAbort: true,
	engine.TxnExpired: true, engine.FaultInjected: true, engine.FaultEnded: true, engine.ZombieWakes: true, engine.StartRefused: true, engine.RestartBegin: true,
	engine.SourceRewound: true, engine.ReplayCaughtUp: true, engine.RunEnded: true,
}

// drawer folds a run event by event and hands out what each one changed. The
// drawing is package stage's; the page and the stream use the same.
type drawer struct {
	run   *run
	stage *stage.Stage
	n     int // the last event applied
}

// newDrawer stands before the first event of a run; tall: for a narrow screen.
func newDrawer(r *run, tall bool) *drawer {
	opt := r.options(nil)
	opt.Tall = tall
	return &drawer{run: r, stage: stage.New(r.Job, opt)}
}

// skip folds up to event n and forgets what that changed.
func (d *drawer) skip(ctx context.Context, n int) error {
	d.apply(n)
	_, err := d.stage.Step(ctx)
	return err
}

func (d *drawer) apply(n int) {
	for d.n < n {
		d.n++
		d.stage.Apply(d.run.Trace.At(d.n))
	}
}

// first is the picture before the first event, with every region.
func (d *drawer) first(ctx context.Context) (step, error) { return d.draw(ctx, d.stage.Step) }

// next is the next event.
func (d *drawer) next(ctx context.Context) (step, error) {
	d.apply(d.n + 1)
	return d.draw(ctx, d.stage.Step)
}

// key is event n with every region, whatever it changed.
func (d *drawer) key(ctx context.Context, n int) (step, error) {
	d.apply(n)
	return d.draw(ctx, d.stage.AllRegions)
}

func (d *drawer) draw(ctx context.Context, by func(context.Context) (stage.Step, error)) (step, error) {
	st, err := by(ctx)
	if err != nil {
		return step{}, fmt.Errorf("draw event %d: %w", d.n, err)
	}
	out := step{Event: stepEvent{N: d.n, Text: st.Text}, Regions: st.Regions, Attrs: st.Attrs, Log: st.Log}
	if d.n > 0 {
		e := d.run.Trace.At(d.n)
		out.Event.T, out.Event.Kind, out.Event.Loud = e.T.Millis(), e.Kind.String(), loud[e.Kind]
		out.Event.Task = d.run.Job.Plan.Name(e.Task)
	}
	return out, nil
}

// verdictText tells the verdicts to a listener.
func verdictText(r *run) string {
	var b strings.Builder
	for _, v := range r.Verdicts {
		name := v.Sink
		if v.Reader != check.AnyReader {
			name += ", " + strings.ReplaceAll(v.Reader, "_", " ")
		}
		fmt.Fprintf(&b, "%s: %s", name, v.Class)
		for _, c := range []struct {
			n    int
			word string
		}{{v.Lost, "lost"}, {v.Duplicated, "twice"}, {v.Wrong, "wrong"}, {v.Pending, "pending"}} {
			if c.n > 0 {
				fmt.Fprintf(&b, ", %d %s", c.n, c.word)
			}
		}
		b.WriteString(". ")
	}
	return strings.TrimSpace(b.String())
}
