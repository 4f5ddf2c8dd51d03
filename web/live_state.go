package web

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"effectivelyonce/web/stage"
)

// liveTeller sends one browser what is new.
type liveTeller struct {
	drawer *liveDrawer
	sent   map[string]string // region, or element and attribute, to what was sent last
	lines  int               // of the story that were announced
	began  bool
}

// events sends a step for each event since the last call. Of a burst the first ones
// are folded and not drawn one by one: the picture jumps, and the number says so.
func (t *liveTeller) events(ctx context.Context, sock *socket) error {
	d := t.drawer
	events, _ := d.run.Events(d.n)
	var batch []step
	for i := range events {
		if !d.advance(d.run, 1) {
			break
		}
		st := step{Event: stepEvent{N: d.n}}
		if len(events)-i <= liveBurst {
			var err error
			if st, err = d.step(ctx, false); err != nil {
				return err
			}
		}
		if batch = append(batch, st); len(batch) >= batchSize {
			if err := sock.send(eventsMessage{Type: "events", Steps: batch}); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if len(batch) == 0 {
		return nil
	}
	return sock.send(eventsMessage{Type: "events", Steps: batch})
}

// state sends what belongs to no event, as far as it has changed.
func (t *liveTeller) state(ctx context.Context, sock *socket, s *LiveStatus) error {
	st, err := liveParts(ctx, t.drawer.stage, s)
	if err != nil {
		return err
	}
	m := liveState{Type: "state", Regions: map[string]string{}, Attrs: map[string]map[string]string{}}
	for name, markup := range st.Regions {
		if old, there := t.sent[name]; !there || old != markup {
			t.sent[name], m.Regions[name] = markup, markup
		}
	}
	for el, attrs := range st.Attrs {
		for k, v := range attrs {
			if old, there := t.sent[el+"\n"+k]; there && old == v {
				continue
			}
			if m.Attrs[el] == nil {
				m.Attrs[el] = map[string]string{}
			}
			t.sent[el+"\n"+k], m.Attrs[el][k] = v, v
		}
	}
	m.Say = t.loudest(s)
	if len(m.Regions)+len(m.Attrs) == 0 && m.Say == "" {
		return nil
	}
	return sock.send(m)
}

// loudest is what a listener should hear of the lines since the last call.
func (t *liveTeller) loudest(s *LiveStatus) string {
	from := min(t.lines, len(s.Lines))
	if !t.began {
		from = len(s.Lines)
	}
	t.lines, t.began = len(s.Lines), true
	out := ""
	for _, l := range s.Lines[from:] {
		if l.Loud {
			out = l.Who + ": " + l.Text + "."
		}
	}
	return out
}

// shownLines is how many lines of the story are on the page.
const shownLines = 40

// liveParts are the regions and attributes of the page that follow the clock.
func liveParts(ctx context.Context, st *stage.Stage, s *LiveStatus) (stage.Step, error) {
	st.SetVerdicts(s.Verdicts)
	out, err := st.VerdictParts(ctx, liveTruth(s))
	if err != nil {
		return out, err
	}
	if out.Regions["live/words"], err = markup(ctx, liveText(liveWords(s))); err != nil {
		return out, err
	}
	if out.Regions["live/lines"], err = markup(ctx, liveLines(lastLines(s))); err != nil {
		return out, err
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if out.Regions["process/"+p.Name], err = markup(ctx, liveProcessCells(p)); err != nil {
			return out, err
		}
		for name, attrs := range processAttrs(p) {
			out.Attrs[name] = attrs
		}
	}
	return out, nil
}

func lastLines(s *LiveStatus) []LiveLine {
	out := slices.Clone(s.Lines[max(0, len(s.Lines)-shownLines):])
	slices.Reverse(out)
	return out
}

// processAttrs are the attributes of a process's buttons: they are never replaced, so
// that the focus stays where it is.
func processAttrs(p *LiveProcess) map[string]map[string]string {
	off := func(is bool) string { return strconv.FormatBool(is) }
	pid := func(n int) map[string]string { return map[string]string{"value": strconv.Itoa(n)} }
	name := func(do string, n int) string { return fmt.Sprintf("%s %d, %s", do, n, p.Name) }
	return map[string]map[string]string{
		"pid/" + p.Name:    pid(p.PID),
		"old/" + p.Name:    pid(p.Old),
		"kill/" + p.Name:   {"aria-disabled": off(p.PID == 0 || p.State == "gone"), "aria-label": name("kill -9", p.PID)},
		"freeze/" + p.Name: {"aria-disabled": off(p.PID == 0 || p.State != "running"), "aria-label": name("freeze", p.PID)},
		"thaw/" + p.Name:   {"aria-disabled": off(p.State != "frozen"), "aria-label": name("thaw", p.PID)},
		"zombie/" + p.Name: {"data-there": off(p.Old != 0), "aria-label": name("thaw the zombie", p.Old), "aria-disabled": off(p.OldIs != "frozen")},
	}
}

// attrsNow is how an element of the static layer begins.
func attrsNow(p *LiveProcess, what string) templ.Attributes {
	out := templ.Attributes{"data-attrs": what + "/" + p.Name}
	for k, v := range processAttrs(p)[what+"/"+p.Name] {
		out[k] = v
	}
	return out
}
