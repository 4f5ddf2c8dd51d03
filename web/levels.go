package web

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/lessons"
	"effectivelyonce/quizzes"
	"effectivelyonce/quizzes/progress"
)

// Levels as pages of their own. An adversary's is a stage to crash, a repair's is
// a form beside two crash maps: as the job stands, and as the learner changed it.
//
//	levels.go         the index, and what both kinds have in common
//	levels_repair.go  the map that judges a repair

// levelsPage is /levels.
type levelsPage struct {
	chrome
	Groups []levelGroup
}

// levelGroup is a part of the index.
type levelGroup struct {
	ID, Title, Line string
	Rows            []levelRow
}

// levelRow is one level in the index.
type levelRow struct {
	Level  *lessons.Level
	Lesson *lessons.Lesson
}

// levelPage is /levels/SLUG.
type levelPage struct {
	*runPage
	Level   *lessons.Level
	Lesson  *lessons.Lesson // that it belongs to, or that prepares for it
	View    *levelView
	Hints   int  // how many were opened
	Changed int  // settings that the query changes
	Best    int  // score of the best move known
	First   bool // nothing was tried yet
	Target  string
	Map     *crashMap // repair: as it stands, and as it was changed
	Next    *lessons.Level
	Trouble string // why the result was not kept
}

func (s *Server) handleLevels(c echo.Context) error {
	p := &levelsPage{chrome: s.chrome("Levels · Effectively Once", "levels")}
	p.Crumbs = []crumb{{Text: "Lessons", Href: "/"}, {Text: "Levels"}}
	p.Groups = []levelGroup{
		{ID: "break", Title: "Break it", Line: "You have one crash, or one pause. Find the moment at which it hurts."},
		{ID: "repair", Title: "Repair it", Line: "Change a few settings, so that no single crash can hurt. The engine tries them all."},
		{ID: "lessons", Title: "In the lessons", Line: "The small level of each lesson, in the order of the course."},
	}
	for _, lv := range s.catalogue.Levels() {
		at := 2
		if lv.Code != "" {
			at = map[string]int{"adversary": 0, "repair": 1}[lv.Kind]
		}
		p.Groups[at].Rows = append(p.Groups[at].Rows, levelRow{lv, s.catalogue.Lesson(lv.Lesson)})
	}
	p.Groups = slices.DeleteFunc(p.Groups, func(g levelGroup) bool { return len(g.Rows) == 0 })
	return s.render(c, http.StatusOK, levelList(p))
}

func (s *Server) handleLevel(c echo.Context) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	slug := c.Param("slug")
	lv := s.catalogue.Level(slug)
	if lv == nil {
		return s.noLevel(slug)
	}
	page := &levelPage{Level: lv, Lesson: s.catalogue.Lesson(lv.Lesson), First: !p.hasRun(), Next: s.levelAfter(lv)}
	if page.Hints, err = hintsOf(p.Seg, len(lv.Hints)); err != nil {
		return err
	}
	q := lv.Query()
	if p.hasRun() {
		if q = p.Query; q.Scenario == "" {
			q.Scenario = lv.Scenario
		}
		if q.Scenario != lv.Scenario {
			return &Problem{Status: 400, Param: "scenario", Found: q.Scenario, Allowed: lv.Scenario, Without: "/levels/" + slug, Msg: "This level starts from the scenario " + lv.Scenario + "."}
		}
	}
	if page.runPage, err = s.newRunPage(c, p, q, 0); err != nil {
		return err
	}
	page.Keep.Set("seg", page.seg(page.Hints))
	if p.FromForm {
		q.Set = s.differing(q)
		return c.Redirect(http.StatusSeeOther, string(page.link(q, 0))+"#result")
	}
	page.chrome = s.chrome(lv.Title+" · Effectively Once", "level")
	page.Crumbs = []crumb{{Text: "Levels", Href: "/levels"}, {Text: lv.Title}}
	page.Heading, page.Projector = lv.Title, p.Projector
	if err := s.judge(c, page); err != nil {
		return err
	}
	s.keepLevel(c, page)
	if lv.Kind == "repair" {
		page.Skips = []crumb{{"Skip to the result", "#result"}, {"Skip to the maps", "#maps"}}
		return s.render(c, http.StatusOK, repairLevel(page))
	}
	page.chrome.Run, page.Share, page.Skips = true, true, runSkips()
	return s.render(c, http.StatusOK, adversaryLevel(page))
}

func (s *Server) noLevel(slug string) error {
	var slugs []string
	for _, lv := range s.catalogue.Levels() {
		slugs = append(slugs, lv.Slug)
	}
	return &Problem{Status: 404, Param: "level", Found: slug, Allowed: strings.Join(slugs, ", "), Nearest: engine.Nearest(slug, slugs), Without: "/levels"}
}

// levelAfter is the level that follows in the index; nil after the last.
func (s *Server) levelAfter(lv *lessons.Level) *lessons.Level {
	all := s.catalogue.Levels()
	if i := slices.Index(all, lv); i+1 < len(all) {
		return all[i+1]
	}
	return nil
}

// seg is the step of this page with n hints opened: the parameter seg keeps it, so
// that a score can say how many hints it took.
func (p *levelPage) seg(n int) string { return hintSeg(n) }

func hintSeg(n int) string {
	if n == 0 {
		return stepLevel
	}
	return hintStep + strconv.Itoa(n)
}

func hintsOf(seg string, most int) (int, error) {
	if seg == "" || seg == stepLevel {
		return 0, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(seg, hintStep))
	if err != nil || n < 1 || n > most || !strings.HasPrefix(seg, hintStep) {
		return 0, bad("seg", seg, fmt.Sprintf("level, hint-1 to hint-%d", most))
	}
	return n, nil
}

// hintLink is this page with n hints opened.
func (p *levelPage) hintLink(n int) templ.SafeURL {
	return templ.SafeURL(p.Path + "?seg=" + p.seg(n) + "&" + queryOf(p.Run.Query) + "&at=" + strconv.Itoa(p.At) + "#hints")
}

// judge looks at the learner's try: by the run of an adversary, by the whole map of
// a repair.
func (s *Server) judge(c echo.Context, page *levelPage) error {
	lv, q := page.Level, page.Run.Query
	v := &levelView{Level: lv, Action: page.Path, Own: sandboxURL(q)}
	page.View = v
	start, _, err := s.catalogue.Compile(lv.Query())
	if err != nil {
		return problemOf(err)
	}
	changed := lv.Changed(start, page.Run.Job, q.Set)
	page.Changed = len(changed)
	if page.Best, err = s.bestScore(c, lv, start); err != nil {
		return err
	}
	v.Tried = len(changed) > 0
	if lv.Kind == "adversary" {
		v.Tried = len(q.Faults) > 0 && page.At == page.Run.Last()
	}
	why := lv.Refuses(changed, page.Run.Faults)
	if q.Seed != "" || q.Input != "" {
		why = "A level counts with its own records and its own seed."
	}
	if lv.Kind == "repair" {
		return s.judgeMap(c, page, changed, start, why)
	}
	if !v.Tried {
		return nil
	}
	v.Score = firstStruck(page.Run) + len(changed)
	if v.Result = why; why != "" {
		return nil
	}
	if v.Won, _, err = lv.WonBy(&quizzes.Run{Trace: page.Run.Trace, Verdicts: page.Run.Verdicts}); err != nil {
		return fmt.Errorf("level %s: %w", lv.Slug, err)
	}
	v.Result = "Not this time. This run ends " + string(check.WorstOf(page.Run.Verdicts)) + "."
	if v.Won {
		v.Result = "Won."
		v.Map = "/map?" + queryOf(lv.Query())
		if len(lv.Kinds) > 0 {
			v.Map += "&kind=" + strings.Join(lv.Kinds, ",")
		}
	}
	return nil
}

// keepLevel notes how a try went, of whoever made it.
func (s *Server) keepLevel(c echo.Context, page *levelPage) {
	if v := page.View; v.Tried && s.keeps() && played(c.Request()) {
		page.Trouble = s.save(c, progress.History{Levels: []progress.Level{{Lesson: page.Level.Slug, Won: v.Won, Score: v.Score, Hints: page.Hints, At: s.now()}}})
	}
}

// bestScore is the lowest score of the moves that are known to win.
func (s *Server) bestScore(c echo.Context, lv *lessons.Level, start *engine.Job) (int, error) {
	best := -1
	for _, m := range append([]lessons.LevelMove{lv.Best}, lv.Also...) {
		q := lv.Query()
		q.Set, q.Faults = append(q.Set, m.Set...), m.Faults
		job, _, err := s.catalogue.Compile(q)
		if err != nil {
			return 0, problemOf(err)
		}
		score := len(lv.Changed(start, job, m.Set))
		if lv.Kind == "adversary" {
			r, err := s.runOf(c, q)
			if err != nil {
				return 0, err
			}
			score += firstStruck(r)
		}
		if best < 0 || score < best {
			best = score
		}
	}
	return best, nil
}

// budget is what the level allows, in words.
func budgetWords(lv *lessons.Level) string {
	switch {
	case lv.Kind == "repair":
		return count(lv.Budget, "change", "changes")
	case slices.Equal(lv.Kinds, []string{string(engine.Pause)}):
		return count(lv.Budget, "pause", "pauses")
	}
	return count(lv.Budget, "crash", "crashes")
}

// score is the learner's: changes of a repair, events before the crash and changed
// settings of an adversary. Fewer is better.
func (p *levelPage) score() string {
	out := fmt.Sprintf("Your score: %s.", count(p.View.Score, "change", "changes"))
	if p.Level.Kind == "adversary" {
		out = fmt.Sprintf("Your score: %d, for %s before the crash and %s.", p.View.Score, count(p.View.Score-p.Changed, "event", "events"), count(p.Changed, "changed setting", "changed settings"))
	}
	if p.Hints > 0 {
		out += " With " + count(p.Hints, "hint", "hints") + "."
	}
	return out
}

// bestWords is the best score known.
func (p *levelPage) bestWords() string {
	if p.Level.Kind == "repair" {
		return count(p.Best, "change", "changes")
	}
	return fmt.Sprintf("score %d", p.Best)
}

// takesWords is how long a level takes, for people.
func takesWords(seconds int) string {
	if seconds < 60 {
		return "under a minute"
	}
	return "about " + strconv.Itoa((seconds+59)/60) + " min"
}

// faultExample is a fault as this level takes it.
func (p *levelPage) faultExample() string {
	names := p.Run.Job.Plan.TaskNames()
	last := names[len(names)-1]
	if contains(p.Level.Kinds, string(engine.Pause)) {
		return "pause:" + last + ":2s@" + strconv.Itoa(p.At)
	}
	return "crash:" + last + "@" + strconv.Itoa(max(p.At, 1))
}

// faultList are the faults that the level offers, at the event shown.
func (p *levelPage) faultList() []string {
	var out []string
	if contains(p.Level.Kinds, string(engine.Pause)) {
		for _, name := range p.Run.Job.Plan.TaskNames() {
			out = append(out, "pause:"+name+":2s@"+strconv.Itoa(p.At))
		}
		return out
	}
	for _, t := range p.targets() {
		out = append(out, t.Fault)
	}
	return out
}
