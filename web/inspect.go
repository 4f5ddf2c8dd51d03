package web

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// inspectView is everything that is known of one thing at one event, as text: the
// 14 px version of what the stage draws in 11.
type inspectView struct {
	Title string
	Kind  string // task, record, checkpoint, barrier
	Facts []fact
	Lists []namedList
	Links []eventLink
	// Chains tell why something outside is not as it should be, Things lead to
	// what hangs together with this, Gantt is a checkpoint as bars.
	Chains []*chainView
	Things []thing
	Gantt  *ganttView
	link   func(int) templ.SafeURL
	here   string // the panel's URL without what
}

// thing is something else that can be inspected.
type thing struct{ Text, What string }

// eventLink leads to an event.
type eventLink struct {
	Text, Href string
	Event      int
}

type fact struct{ Name, Value string }

type namedList struct {
	Name  string
	Items []string
	Empty string
}

var (
	recordThing = regexp.MustCompile(`^[lro](\d{1,3})\.(\d{1,6})(\.|$)`)
	numberThing = regexp.MustCompile(`^([cbk])(\d{1,5})(\.|$)`)
)

// handleInspect answers /card/inspect?QUERY&at=N&what=THING: a fragment.
func (s *Server) handleInspect(c echo.Context) error {
	page, p, err := s.cardPage(c)
	if err != nil {
		return err
	}
	if done, err := s.inspectMoment(c, page, p.What); done {
		return err
	}
	v, err := inspect(page, p.What)
	if err != nil {
		return err
	}
	v.link = page.href
	v.here = "/card/inspect?" + page.query() + "&at=" + strconv.Itoa(page.At) + "&what="
	return s.render(c, http.StatusOK, inspectPanel(v))
}

// inspect finds the thing by its name: a task, a chip, a disc or a barrier.
func inspect(page *runPage, what string) (*inspectView, error) {
	job := page.Run.Job
	if m := recordThing.FindStringSubmatch(what); m != nil {
		part, _ := strconv.Atoi(m[1])
		off, _ := strconv.Atoi(m[2])
		id := engine.RecordID{Part: int16(part), Off: int32(off)}
		if !job.Input.Has(id) {
			return nil, bad("what", what, "a record of this input")
		}
		return inspectRecord(page, id), nil
	}
	if m := numberThing.FindStringSubmatch(what); m != nil {
		no, _ := strconv.Atoi(m[2])
		if c := page.Now.Checkpoint(int32(no)); c != nil {
			return inspectCheckpoint(page, c), nil
		}
		return nil, bad("what", what, "a checkpoint that was triggered by event "+strconv.Itoa(page.At))
	}
	if x, ok := readTxn(what); ok {
		return inspectTxn(page, x)
	}
	if what == "coordinator" {
		return inspectCoordinator(page), nil
	}
	id, ok := job.Plan.Find(what)
	if !ok {
		names := append(job.Plan.TaskNames(), "coordinator")
		return nil, &Problem{Status: 400, Param: "what", Found: what, Allowed: strings.Join(names, ", ") + ", l0.8 (a record), c3 (a checkpoint), t4.1.2 (transaction 2 of task 4 in attempt 1)", Nearest: engine.Nearest(what, names)}
	}
	return inspectTask(page, id), nil
}

func inspectRecord(page *runPage, id engine.RecordID) *inspectView {
	job := page.Run.Job
	led := check.LedgerAt(page.Run.Trace, id, page.At)
	v := &inspectView{Kind: "record", Title: recordName(job, id)}
	d := job.Input.At(id)
	v.Facts = []fact{{"key", job.Input.Keys[d.Key]}, {"value", strings.TrimSpace(job.Input.FormatValue(d.Value) + " " + job.Input.Unit)}, {"id", id.String()}}
	v.Lists = []namedList{{Name: fmt.Sprintf("Ledger, up to event %d", page.At), Items: led.Sentences(job), Empty: "It has not been read yet."}}
	for _, a := range led.Attempts {
		if a.Read > 0 {
			v.Links = append(v.Links, eventLink{fmt.Sprintf("Attempt %d read it: event %d", a.No, a.Read), string(page.href(int(a.Read))), int(a.Read)})
		}
		for _, r := range a.Rows {
			if !r.Txn.IsZero() {
				v.Things = append(v.Things, thing{txnTitle(job, r.Txn), txnName(r.Txn)})
			}
		}
		for _, c := range a.Copies {
			if t := (thing{fmt.Sprintf("checkpoint %d", c.Ckpt), fmt.Sprintf("c%d", c.Ckpt)}); page.Now.Checkpoint(c.Ckpt) != nil && !slices.Contains(v.Things, t) {
				v.Things = append(v.Things, t)
			}
		}
	}
	v.Chains = whyRecord(page, id)
	return v
}

// recordName reads a record aloud.
func recordName(job *engine.Job, id engine.RecordID) string {
	return fmt.Sprintf("record %s, partition %d, offset %d", trace.Clip(job.Input.Keys[job.Input.At(id).Key], 24), id.Part, id.Off)
}

func inspectCheckpoint(page *runPage, c *trace.Checkpoint) *inspectView {
	v := &inspectView{Kind: "checkpoint", Title: fmt.Sprintf("checkpoint %d", c.No)}
	state := map[trace.CheckpointState]string{trace.InProgress: "in progress", trace.Complete: "complete, durable",
		trace.Discarded: "discarded, its parts are deleted", trace.Expired: "expired, its parts are deleted"}[c.State]
	v.Facts = []fact{{"state", state}, {"parts", fmt.Sprintf("%d of %d acknowledged", c.In, len(c.Parts))}}
	if p := page.Now.RestartPoint(); p != nil && p.No == c.No {
		v.Facts = append(v.Facts, fact{"restart point", "a restart now goes on from here"})
	}
	l := namedList{Name: "Parts"}
	for i := range c.Parts {
		l.Items = append(l.Items, page.Run.Job.Plan.Tasks[i].Name+": "+partWords(page.Run.Job, i, &c.Parts[i]))
	}
	v.Lists = []namedList{l}
	v.Links = []eventLink{{fmt.Sprintf("Triggered: event %d", c.Triggered), string(page.href(int(c.Triggered))), int(c.Triggered)}}
	if c.Closed > 0 {
		v.Links = append(v.Links, eventLink{fmt.Sprintf("Closed: event %d", c.Closed), string(page.href(int(c.Closed))), int(c.Closed)})
	}
	v.Gantt = newGantt(page.Run.Job, page.Run.Trace, c.No, page.At)
	return v
}

func partWords(job *engine.Job, task int, p *trace.Part) string {
	var words []string
	switch {
	case p.Acked:
		words = append(words, "acknowledged")
	case p.Stored:
		words = append(words, "stored")
	case p.Taken:
		words = append(words, "copied, on its way to storage")
	default:
		return "not yet"
	}
	if job.Plan.Tasks[task].Kind == engine.OpSource {
		return strings.Join(append(words, fmt.Sprintf("offset %d", p.Offset)), ", ")
	}
	for k, n := range p.Counts {
		if n > 0 {
			words = append(words, fmt.Sprintf("%s %d", trace.Clip(job.Input.Keys[k], 24), n))
		}
	}
	return strings.Join(words, ", ")
}

func inspectCoordinator(page *runPage) *inspectView {
	v := &inspectView{Kind: "task", Title: "coordinator"}
	state := "running"
	if page.Now.Coordinator.Down {
		state = "down"
	}
	v.Facts = []fact{{"state", state}, {"last complete checkpoint", "none"}, {"in progress", "none"}}
	if c := page.Now.RestartPoint(); c != nil {
		v.Facts[1].Value = strconv.Itoa(int(c.No))
	}
	if c := page.Now.Pending(); c != nil {
		v.Facts[2].Value = fmt.Sprintf("checkpoint %d, %d of %d parts", c.No, c.In, len(c.Parts))
	}
	return v
}
