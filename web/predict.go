package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// predictView is the card that asks, right after a crash, what the outside
// systems will show. It tells what is known at the crash and nothing of what
// comes.
type predictView struct {
	Deed   string // "You crashed count/0"
	Glyph  string // of the fault
	Dies   bool   // somebody dies of it
	Event  int    // the event before the crash
	Facts  []string
	Rows   []predictRow
	Fields []field
	Action string
	Skip   string // URL without the card
}

// predictRow is one outside system as one reader sees it.
type predictRow struct {
	Label   string // SINK or SINK/READER
	Name    string // of the form's inputs
	Title   string
	How     string // "read by read_committed readers"
	Options []predictOption
}

type predictOption struct{ Class, Word, Value string }

// predictClasses are the answers offered for every system.
var predictClasses = []predictOption{{"lost", "Lost", ""}, {"duplicated", "Duplicated", ""}, {"exact", "Exact", ""}}

// handlePredict answers /card/predict?QUERY&at=N: a fragment, for a run that
// crashes with event N.
func (s *Server) handlePredict(c echo.Context) error {
	page, _, err := s.cardPage(c)
	if err != nil {
		return err
	}
	v, err := newPredict(page)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, predictCard(v))
}

// cardPage is the page that a fragment belongs to: the one that asked for it, as
// far as its address tells.
func (s *Server) cardPage(c echo.Context) (*runPage, *params, error) {
	p, err := s.parse(c)
	if err != nil {
		return nil, nil, err
	}
	p.Card = ""
	page, err := s.newRunPage(c, p, p.Query, 0)
	if err != nil {
		return nil, nil, err
	}
	page.Path = "/run"
	if from := referrer(c.Request()); from != nil && strings.HasPrefix(from.Path, "/lessons/") {
		page.Path = from.Path
		for _, name := range []string{"path", "seg"} {
			if at := from.Query().Get(name); at != "" && unclean(at) == "" {
				page.Keep.Set(name, at)
			}
		}
	}
	return page, p, nil
}

func newPredict(page *runPage) (*predictView, error) {
	r := page.Run
	crash := crashAt(r, page.At)
	if crash == nil {
		return nil, bad("at", strconv.Itoa(page.At), "an event at which a fault of this run strikes: "+strings.TrimSpace(page.struck()))
	}
	f := r.Trace.FaultOf(crash)
	v := &predictView{Deed: faultDeed(r, f), Glyph: trace.FaultGlyph(f), Dies: f.Kind.Kills(), Event: page.At - 1, Action: page.Path,
		Skip: string(page.link(r.Query, page.At)), Fields: append(page.fields(r.Query), field{"at", strconv.Itoa(r.Last())}, field{"card", "reveal"})}
	v.Facts = crashFacts(r, page.Now, page.At)
	for i := range r.Verdicts {
		row := rowOf(r.Job, &r.Verdicts[i])
		row.Name = "predict-" + strconv.Itoa(i)
		for _, o := range predictClasses {
			o.Value = row.Label + ":" + o.Class
			row.Options = append(row.Options, o)
		}
		v.Rows = append(v.Rows, row)
	}
	return v, nil
}

// left is what the line under the button says before anything is answered; scripts
// keep it up to date in the same words.
func (v *predictView) left() string {
	var names []string
	for _, r := range v.Rows {
		names = append(names, r.Title)
	}
	if len(names) == 1 {
		return "One answer left: " + names[0] + "."
	}
	return fmt.Sprintf("%d answers left: %s.", len(names), strings.Join(names, ", "))
}

// crashAt is the event n, if a fault strikes with it.
func crashAt(r *run, n int) *engine.Event {
	if n < 1 || n > r.Last() || r.Trace.At(n).Kind != engine.FaultInjected {
		return nil
	}
	return r.Trace.At(n)
}

// rowOf describes a verdict's system in words.
func rowOf(job *engine.Job, v *check.Verdict) predictRow {
	row := predictRow{Label: v.Sink}
	if v.Reader != check.AnyReader {
		row.Label += "/" + v.Reader
	}
	for i := range job.Settings.Sinks {
		k := &job.Settings.Sinks[i]
		if k.Name != v.Sink {
			continue
		}
		row.Title = systemTitle(k)
		row.How = sinkHow(k, v.Reader)
	}
	return row
}

// systemTitle names an outside system at the head of a row, as the stage does.
func systemTitle(k *engine.SinkSettings) string {
	if k.Title == "" {
		return capitalised(k.Name)
	}
	return capitalised(k.Title)
}

func sinkHow(k *engine.SinkSettings, reader string) string {
	one, _ := nounOf(k)
	switch {
	case k.Kind == engine.SinkTransactional:
		return reader + " readers"
	case k.EmitAt > 0 && k.Kind == engine.SinkEmail:
		return fmt.Sprintf("one %s at count %d", one, k.EmitAt)
	case k.Kind == engine.SinkEmail:
		return "one " + one + " a record"
	case k.Kind == engine.SinkUpsert && k.Output == engine.TotalOutput:
		return "upsert by key"
	case k.Kind == engine.SinkUpsert:
		return "upsert by id"
	}
	return "plain append"
}

// crashFacts say what was saved and where everything goes on, as two sentences.
func crashFacts(r *run, now *trace.View, at int) []string {
	var out []string
	if c := now.Pending(); c != nil {
		text := fmt.Sprintf("Checkpoint %d had %d of its %d parts.", c.No, c.In, len(r.Job.Plan.Tasks))
		if c.In == len(r.Job.Plan.Tasks) {
			text = fmt.Sprintf("Checkpoint %d had all %d parts, but it was not sealed.", c.No, c.In)
		}
		out = append(out, text)
	}
	rec, e := recoveryAfter(r.Trace, at), r.Trace.At(at)
	switch f := r.Trace.FaultOf(e); {
	case f != nil && !f.Kind.Kills(): // whether anything is restarted is not known yet
		return append(out, capitalised(trace.Sentence(r.Trace, e)), "Nobody has died of it.")
	case rec == nil:
		return append(out, "The job had already come to rest, so nothing restarts.")
	case rec.Ckpt == 0:
		return append(out, "No checkpoint is complete, so everything starts again from the beginning of the log.")
	}
	return append(out, fmt.Sprintf("Everything restarts from checkpoint %d, and %s.", rec.Ckpt, rewinds(rec.Offsets)))
}

// rewinds says to which offsets the partitions go back.
func rewinds(offsets []int) string {
	same := true
	for _, o := range offsets {
		same = same && o == offsets[0]
	}
	switch {
	case len(offsets) == 1:
		return fmt.Sprintf("the partition rewinds to offset %d", offsets[0])
	case len(offsets) == 2 && same:
		return fmt.Sprintf("both partitions rewind to offset %d", offsets[0])
	case same:
		return fmt.Sprintf("all partitions rewind to offset %d", offsets[0])
	}
	var parts []string
	for p, o := range offsets {
		if p == 0 {
			parts = append(parts, fmt.Sprintf("partition 0 rewinds to offset %d", o))
			continue
		}
		parts = append(parts, fmt.Sprintf("partition %d to %d", p, o))
	}
	return listOf(parts)
}

// listOf joins words as a sentence does.
func listOf(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// referrer is the address of the page that asked for a fragment, nil when the
// browser does not say or it is not ours.
func referrer(r *http.Request) *url.URL {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Host != r.Host {
		return nil
	}
	return u
}
