package web

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/web/stage"
)

// livePage is /live: what can be started, or how the lab is switched on.
type livePage struct {
	chrome
	On      bool
	Setups  []LiveSetup
	Bounds  LiveBounds
	Chosen  liveForm
	Problem string
}

// liveForm is what a learner chose.
type liveForm struct {
	Setup   string
	Records int
	Rate    float64
}

// liveRunPage is /live/ID: a run in real processes, as it stood when the page was
// made. With scripts the socket keeps it up to date.
type liveRunPage struct {
	chrome
	ID     string
	Job    *engine.Job
	Status LiveStatus
	Setup  LiveSetup
	stages [2]*stage.Stage // wide, tall
	Said   string          // what came of the deed before
}

// Choices of the forms.
func liveRecords() []int   { return []int{60, 200, 1000, 20000} }
func liveRates() []float64 { return []float64{1, 5, 20, 200, 0} }
func liveCuts() []int      { return []int{5, 30} }

// rateValue is a rate as a form sends it.
func rateValue(r float64) string { return strconv.FormatFloat(r, 'f', -1, 64) }

func rateWords(r float64) string {
	if r == 0 {
		return "as fast as it goes"
	}
	return rateValue(r) + " a second"
}

func (s *Server) handleLive(c echo.Context) error {
	return s.liveChooser(c, http.StatusOK, liveForm{Records: 200, Rate: 5}, "")
}

func (s *Server) liveChooser(c echo.Context, status int, chosen liveForm, problem string) error {
	page := &livePage{chrome: s.chrome("Live lab · Effectively Once", "live"), On: s.lab != nil, Chosen: chosen, Problem: problem}
	page.Nav = "/live"
	if page.On {
		page.Setups, page.Bounds = s.lab.Setups(), s.lab.Bounds()
		if chosen.Setup == "" {
			page.Chosen.Setup = page.Setups[0].ID
		}
	}
	return s.render(c, status, live(page))
}

// errNoLab is a form for a lab that this server does not have.
func errNoLab() *Problem {
	return &Problem{Status: http.StatusNotFound, Param: "lab", Found: "off", Allowed: "a server that was started with --live", Msg: "The live lab is switched off on this server."}
}

func (s *Server) handleLiveStart(c echo.Context) error {
	if s.lab == nil {
		return errNoLab()
	}
	f, err := readLiveForm(c)
	if err != nil {
		return err
	}
	id, err := s.lab.Start(f.Setup, f.Records, f.Rate)
	if err != nil {
		return s.liveChooser(c, http.StatusBadRequest, f, sentence(err.Error()))
	}
	return c.Redirect(http.StatusSeeOther, "/live/"+id)
}

// readLiveForm reads the form of the chooser, strictly.
func readLiveForm(c echo.Context) (liveForm, error) {
	var f liveForm
	if err := strictForm(c, "setup", "records", "rate"); err != nil {
		return f, err
	}
	f.Setup = c.FormValue("setup")
	var err error
	if f.Records, err = strconv.Atoi(c.FormValue("records")); err != nil {
		return f, bad("records", clipped(c.FormValue("records"), 40), "a whole number")
	}
	if f.Rate, err = strconv.ParseFloat(c.FormValue("rate"), 64); err != nil || f.Rate != f.Rate {
		return f, bad("rate", clipped(c.FormValue("rate"), 40), "a number of records a second; 0: as fast as it goes")
	}
	return f, nil
}

// strictForm reads a form, and refuses fields that none of our pages sends.
func strictForm(c echo.Context, allowed ...string) error {
	r := c.Request()
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		return &Problem{Status: http.StatusUnsupportedMediaType, Param: "Content-Type", Found: clipped(kind, 60), Allowed: "application/x-www-form-urlencoded"}
	}
	if err := r.ParseForm(); err != nil {
		return &Problem{Status: 400, Param: "form", Msg: "The form could not be read: " + err.Error() + "."}
	}
	for name := range r.PostForm {
		if !slices.Contains(allowed, name) {
			return bad("form", clipped(name, 40), listed(allowed))
		}
	}
	return nil
}

// liveRun finds the run of a URL.
func (s *Server) liveRun(c echo.Context) (LiveRun, error) {
	if s.lab == nil {
		return nil, errNoLab()
	}
	if r := s.lab.Run(c.Param("id")); r != nil {
		return r, nil
	}
	return nil, &Problem{Status: http.StatusNotFound, Param: "run", Found: clipped(c.Param("id"), 40), Allowed: "a live run that has not ended; start one under /live",
		Msg: "This live run is over. Its processes, topics and tables are gone; nothing of it was kept."}
}

func (s *Server) handleLiveRun(c echo.Context) error {
	r, err := s.liveRun(c)
	if err != nil {
		return err
	}
	return s.liveRunPage(c, r, http.StatusOK, "")
}

func (s *Server) liveRunPage(c echo.Context, r LiveRun, status int, said string) error {
	page := &liveRunPage{chrome: s.chrome("Live run · Effectively Once", "live-run"), ID: c.Param("id"), Job: r.Job(), Said: said}
	page.Crumbs = []crumb{{Text: "Live lab", Href: "/live"}, {Text: "real processes"}}
	page.Skips = []crumb{{"To the processes", "#processes"}, {"To the stage", "#stage"}, {"To the verdict", "#verdict-title"}}
	page.chrome.Run = true
	if isLoop(page.Job) {
		page.Skips = slices.Delete(page.Skips, 1, 2)
	}
	for _, set := range s.lab.Setups() {
		if strings.HasSuffix(page.Job.Scenario, "live-"+set.ID) {
			page.Setup = set
		}
	}
	page.Status, _ = r.Status()
	for i := range page.stages {
		d := newLiveDrawer(r, i == 1)
		d.catchUp(r)
		d.stage.SetVerdicts(page.Status.Verdicts)
		page.stages[i] = d.stage
	}
	return s.render(c, status, liveRun(page))
}

// handleLiveDeed does something to the processes of a run.
func (s *Server) handleLiveDeed(c echo.Context) error {
	r, err := s.liveRun(c)
	if err != nil {
		return err
	}
	if err := strictForm(c, "do", "pid", "seconds", "rate"); err != nil {
		return err
	}
	if err := liveDeed(c, r); err != nil {
		if p := (*Problem)(nil); errors.As(err, &p) {
			return p
		}
		return s.liveRunPage(c, r, http.StatusConflict, sentence(err.Error()))
	}
	if c.FormValue("do") == "close" {
		return c.Redirect(http.StatusSeeOther, "/live")
	}
	return c.Redirect(http.StatusSeeOther, "/live/"+c.Param("id"))
}

func liveDeed(c echo.Context, r LiveRun) error {
	do := c.FormValue("do")
	switch do {
	case "kill", "freeze", "thaw":
		pid, err := strconv.Atoi(c.FormValue("pid"))
		if err != nil || pid <= 0 {
			return bad("pid", clipped(c.FormValue("pid"), 20), "the id of a process of this run")
		}
		return map[string]func(int) error{"kill": r.Kill, "freeze": r.Freeze, "thaw": r.Thaw}[do](pid)
	case "cut":
		n, err := strconv.Atoi(c.FormValue("seconds"))
		if err != nil {
			return bad("seconds", clipped(c.FormValue("seconds"), 20), "a whole number")
		}
		return r.CutBroker(time.Duration(n) * time.Second)
	case "rate":
		rate, err := strconv.ParseFloat(c.FormValue("rate"), 64)
		if err != nil || rate != rate {
			return bad("rate", clipped(c.FormValue("rate"), 20), "a number of records a second; 0: as fast as it goes")
		}
		return r.SetRate(rate)
	case "close":
		r.Close()
		return nil
	}
	return bad("do", clipped(do, 20), "kill, freeze, thaw, cut, rate, close")
}

// liveWords tells how a run stands, in a sentence or two.
func liveWords(s *LiveStatus) string {
	var out []string
	switch {
	case s.Why != "":
		out = append(out, "This run is over: "+s.Why+".")
	case s.Done:
		out = append(out, "The job has ended: "+s.DoneWhy+".")
	}
	feed := fmt.Sprintf("%d of %d records fed, %s.", s.Fed, s.All, rateWords(s.Rate))
	if s.Fed == s.All {
		feed = fmt.Sprintf("All %d records are fed.", s.All)
	}
	out = append(out, feed)
	if s.Cut > 0 {
		out = append(out, fmt.Sprintf("The workers do not reach the broker for another %d s.", int(s.Cut.Seconds())+1))
	}
	if s.Silent > 0 {
		out = append(out, fmt.Sprintf("The broker has not answered for %d s. Who needs it waits.", int(s.Silent.Seconds())))
	}
	for _, t := range s.Troubles {
		out = append(out, "Trouble with "+clipped(t, 240)+".")
	}
	if s.Every > 1 {
		out = append(out, fmt.Sprintf("Sampled: of the records' own events those of every %s record are shown.", ordinal(int(s.Every))))
	}
	if s.Left > 0 {
		out = append(out, count(int(s.Left), "event was", "events were")+" left out because they came too fast.")
	}
	return strings.Join(out, " ")
}

func ordinal(n int) string {
	switch {
	case n%10 == 2 && n%100 != 12:
		return itoa(n) + "nd"
	case n%10 == 3 && n%100 != 13:
		return itoa(n) + "rd"
	}
	return itoa(n) + "th"
}

// liveTruth is the verdict's title line.
func liveTruth(s *LiveStatus) string {
	switch {
	case s.ReadWhy != "":
		return "The readers could not read: " + clipped(s.ReadWhy, 120) + "."
	case s.ReadAt == 0:
		return "Nothing has been read outside yet."
	}
	return fmt.Sprintf("Truth: %s fed. Read at %s by a reader that knows nothing of the job.", count(s.Fed, "record", "records"), clockText(s.ReadAt))
}

func clockText(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s" }

// stateWords is a process's state on the page.
func (p *LiveProcess) stateWords() string {
	switch {
	case p.PID == 0 && p.Starts == 0:
		return "not started"
	case p.PID == 0:
		return "gone, another starts"
	case p.State == "frozen":
		return "frozen"
	case p.State == "gone":
		return "gone"
	case !p.Ready:
		return "starting"
	}
	return "running"
}

// tasksText lists the tasks of a place.
func tasksText(job *engine.Job, name string) string {
	switch name {
	case "broker":
		return "Kafka, embedded"
	case "coordinator":
		return "checkpoints and restarts"
	}
	if isLoop(job) {
		return "consumes, transforms, produces"
	}
	var out []string
	for i := range job.Plan.Tasks {
		if t := &job.Plan.Tasks[i]; "node/"+itoa(t.Node) == name {
			out = append(out, t.Name)
		}
	}
	return strings.Join(out, ", ")
}

// isLoop reports whether the workers of a live job are members of a consumer group,
// each with a loop of its own. They tell no single events.
func isLoop(job *engine.Job) bool { return job.Settings.Strategy == "kafka-streams" }

// briefly is a bound in words: 15 min, 90 s.
func briefly(d time.Duration) string {
	if d >= time.Minute && d%time.Minute == 0 {
		return strconv.Itoa(int(d/time.Minute)) + " min"
	}
	return strconv.Itoa(int(d/time.Second)) + " s"
}
