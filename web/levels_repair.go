package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
)

// judgeMap draws the crash map of the job as it stands and, when something was
// changed, of the changed job, and judges the second: a repair holds only if every
// crash of the map ends as it should. why is a reason for which the try does not
// count.
func (s *Server) judgeMap(c echo.Context, page *levelPage, changed []string, start *engine.Job, why string) error {
	lv, v := page.Level, page.View
	v.Knobs = levelKnobs(lv, page.Run.Job)
	v.Fields = []field{{"seg", page.seg(page.Hints)}, {"scenario", lv.Scenario}}
	ask := &params{Query: lv.Query(), Choices: []string{baseChoice}, Kind: strings.Join(lv.Kinds, ",")}
	if len(changed) > 0 {
		values := page.Run.Job.Settings.Values()
		var move []string
		for _, key := range changed {
			move = append(move, key+"="+values[key])
		}
		ask.Choices = append(ask.Choices, strings.Join(move, ","))
	}
	ctx, client := c.Request().Context(), c.RealIP()
	m, err := s.newMap(ctx, client, ask)
	if err != nil {
		return err
	}
	w := &work{runs: mapRuns, events: mapAtOnce, time: mapPageTime} // a first look; a verdict needs all of it
	if v.Tried {
		w.events = mapEvents
	}
	if err := s.fill(ctx, client, m, w, nil); err != nil {
		return err
	}
	page.Map, v.Map = m, "/map?"+m.query()
	v.Score = len(changed)
	if v.Result = why; why != "" || !v.Tried {
		return nil
	}
	s.judgePanel(page, m.Panels[1])
	return nil
}

// judgePanel says whether all runs of a panel end in classes that the level allows,
// and if not, which is the first that does not.
func (s *Server) judgePanel(page *levelPage, p *mapPanel) {
	lv, v, q := page.Level, page.View, page.Run.Query
	if class := check.WorstOf(page.Run.Verdicts); !contains(lv.All, string(class)) {
		v.Result = fmt.Sprintf("It ends %s without any crash.", class)
		v.Watch = "/run?" + queryOf(q)
		return
	}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	tried, failed := 0, 0
	for i := range p.known.cells {
		k := &p.known.cells[i]
		if k.class == 0 {
			continue
		}
		tried++
		if contains(lv.All, string(k.is())) {
			continue
		}
		if failed++; failed == 1 {
			gap, target := i/len(p.targets), p.targets[i%len(p.targets)]
			q.Faults = []string{target + "@" + strconv.Itoa(gap)}
			v.Watch = "/run?" + queryOf(q) + "&at=" + strconv.Itoa(gap)
			v.Result = fmt.Sprintf("%s after event %d ends %s.", capitalised(rowName(target)), gap, k.is())
		}
	}
	switch of := len(p.known.cells); {
	case failed > 0:
		v.Result = fmt.Sprintf("%d of %d crashes still hurt. The first: %s", failed, tried, v.Result)
	case tried < of:
		v.Result = fmt.Sprintf("%d of %d crashes were tried so far, and all end as they should. Load the page again for the others.", tried, of)
	default:
		v.Won, v.Result = true, fmt.Sprintf("Won. All %d crashes end as they should.", of)
	}
}

// levelKnobs are the settings of a repair: those that may change, with what they
// may be, and the locked ones.
func levelKnobs(lv *lessons.Level, job *engine.Job) []knob {
	out := knobs(lv, job)
	for i := range out {
		for _, d := range engine.SettingInfos() {
			if d.Key == bareKey(out[i].Key) {
				out[i].Words, out[i].Allowed = d.Words, d.Allowed
			}
		}
		if out[i].Words != nil && !contains(out[i].Words, out[i].Value) {
			out[i].Words = append([]string{out[i].Value}, out[i].Words...)
		}
	}
	return out
}

// miniMap is what a picture of a panel says in words.
func (m *crashMap) miniMap(p *mapPanel) string {
	return p.Title + ". " + m.finding(p, m.tally(p))
}
