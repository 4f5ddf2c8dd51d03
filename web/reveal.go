package web

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

// revealView is what happened, beside what was predicted.
type revealView struct {
	Badge    string // "count/0, event 64, recovered"
	Glyph    string // of the fault
	Headline string
	Rows     []revealRow
	Asked    bool // there were predictions
	WhyTitle string
	Why      []reason   // at most three
	Chain    *chainView // the first row that is not as it should be, event by event
	NotTitle string
	Not      []reason // one, about a system that behaved otherwise
	Counter  *counter // the same crash with one setting changed; nil: none found
	Again    string   // URL of the crash
	Free     string   // URL of the run before the crash
	Beside   string   // URL of the twin runs without and with the fault
	Map      string   // URL of the crash in the map of all of them; "" where its rows do not have it
	Embedded bool     // a part of a lesson's prose: no buttons
}

// revealRow compares one system.
type revealRow struct {
	Title, Said, SaidWord, Class, Word string
	Right                              bool
	Told                               string // the same as Word, for the middle of a sentence
	Rewound                            bool   // readers saw an older value on the way
}

// reason is one sentence with the event that shows it.
type reason struct {
	Text  string
	Event int
	Href  string
}

// handleReveal answers /card/reveal?QUERY&predict=SINK:CLASS…: a fragment.
func (s *Server) handleReveal(c echo.Context) error {
	page, p, err := s.cardPage(c)
	if err != nil {
		return err
	}
	v, err := s.newReveal(c, page, p.Predict)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, revealCard(v))
}

func (s *Server) newReveal(c echo.Context, page *runPage, predicted []string) (*revealView, error) {
	v := newStory(page)
	v.Embedded = false
	if err := v.compare(page.Run, predicted); err != nil {
		return nil, err
	}
	n := lastFault(page.Run)
	if n == 0 {
		return nil, &Problem{Status: 400, Param: "card", Found: "reveal", Allowed: "a run with a fault", Msg: "This run has no fault, so there is nothing to reveal."}
	}
	f := page.Run.Trace.FaultOf(page.Run.Trace.At(n))
	v.Glyph = trace.FaultGlyph(f)
	v.Badge = fmt.Sprintf("%s, event %d, %s", faultName(page.Run, f), n-1, recoveredWord(page.Run, n, f))
	v.Again = string(page.href(n))
	before := page.Run.fork(n-1, "")
	before.Faults = before.Faults[:len(before.Faults)-1]
	v.Free = string(page.link(before, n-1))
	v.Map = mapOf(page.Run, before, n)
	v.Beside = besideCalm(page.Run, before, n)
	v.Counter = s.counterfactual(c, page, n)
	return v, nil
}

func recoveredWord(r *run, crash int, f *engine.Fault) string {
	switch rec := recoveryAfter(r.Trace, crash); {
	case rec == nil && !f.Kind.Kills():
		return "nothing restarted"
	case rec == nil:
		return "after the end"
	}
	return "recovered"
}

// newStory is what happened in a run, without predictions.
func newStory(page *runPage) *revealView {
	v := &revealView{Embedded: true}
	r := page.Run
	for i := range r.Verdicts {
		x := &r.Verdicts[i]
		title := shortTitle(r.Job, x.Sink)
		if x.Reader != check.AnyReader && len(readersOf(r, x.Sink)) > 1 {
			title += ", " + x.Reader
		}
		v.Rows = append(v.Rows, revealRow{Title: title, Class: string(x.Class), Word: happened(x), Told: told(x), Rewound: x.Rewound > 0})
	}
	v.Headline = headline(v.Rows)
	explain(v, page)
	return v
}

// shortTitle is one word for a system where there is one: Topic, Mailbox.
func shortTitle(job *engine.Job, sink string) string {
	for i := range job.Settings.Sinks {
		if k := &job.Settings.Sinks[i]; k.Name == sink && (k.Name == "sink" && k.Title != "") {
			return capitalised(k.Title)
		}
	}
	return capitalised(sink)
}

func readersOf(r *run, sink string) (out []string) {
	for i := range r.Verdicts {
		if r.Verdicts[i].Sink == sink {
			out = append(out, r.Verdicts[i].Reader)
		}
	}
	return out
}

// happened is a verdict in two or three words.
func happened(v *check.Verdict) string {
	switch v.Class {
	case check.Duplicated:
		return fmt.Sprintf("%d twice", v.Duplicated)
	case check.Lost:
		return fmt.Sprintf("%d lost", v.Lost)
	case check.Mixed:
		return fmt.Sprintf("%d lost, %d twice", v.Lost, v.Duplicated)
	case check.Wrong:
		return fmt.Sprintf("%d wrong", v.Wrong)
	case check.Stuck:
		return fmt.Sprintf("Stuck, %d pending", v.Pending)
	}
	return "Exact"
}

// told is what happened as a clause.
func told(v *check.Verdict) string {
	switch v.Class {
	case check.Duplicated:
		return fmt.Sprintf("%d came twice", v.Duplicated)
	case check.Lost:
		return fmt.Sprintf("%d did not come", v.Lost)
	case check.Mixed:
		return fmt.Sprintf("%d did not come, %d came twice", v.Lost, v.Duplicated)
	case check.Wrong:
		return fmt.Sprintf("%d came with a wrong value", v.Wrong)
	case check.Stuck:
		return fmt.Sprintf("it got stuck, with %d pending", v.Pending)
	}
	return "everything came once"
}

// compare reads predictions SINK:CLASS or SINK/READER:CLASS and sets the headline.
func (v *revealView) compare(r *run, predicted []string) error {
	said, labels := map[string]string{}, []string{}
	for i := range r.Verdicts {
		labels = append(labels, rowOf(r.Job, &r.Verdicts[i]).Label)
	}
	for _, p := range predicted {
		label, class, ok := strings.Cut(p, ":")
		label = fullLabel(label, labels)
		if !ok || !contains(labels, label) {
			return &Problem{Status: 400, Param: "predict", Found: p, Allowed: "SINK:CLASS with SINK one of " + strings.Join(labels, ", "), Nearest: engine.Nearest(label, labels)}
		}
		if !contains(classNames(), class) {
			return &Problem{Status: 400, Param: "predict", Found: p, Allowed: label + ":CLASS with CLASS one of " + strings.Join(classNames(), ", "), Nearest: engine.Nearest(class, classNames())}
		}
		said[label] = class
	}
	if len(said) == 0 {
		return nil
	}
	v.Asked = true
	for i := range v.Rows {
		if c, ok := said[labels[i]]; ok {
			v.Rows[i].Said, v.Rows[i].SaidWord, v.Rows[i].Right = c, capitalised(c), c == v.Rows[i].Class
		}
	}
	v.Headline = score(v.Rows)
	return nil
}

// fullLabel completes SINK to SINK/READER where the sink has one reader.
func fullLabel(label string, labels []string) string {
	found := label
	for _, l := range labels {
		if l == label {
			return label
		}
		if strings.HasPrefix(l, label+"/") {
			if found != label {
				return label // two readers: it has to be said which
			}
			found = l
		}
	}
	return found
}

func classNames() []string {
	var out []string
	for _, c := range check.Classes() {
		out = append(out, string(c))
	}
	return out
}

// score is the headline after a prediction: how many, and which one surprised.
func score(rows []revealRow) string {
	var missed []string
	for _, r := range rows {
		if !r.Right {
			missed = append(missed, r.Title)
		}
	}
	total, right := len(rows), len(rows)-len(missed)
	switch {
	case total == 1 && right == 1:
		return fmt.Sprintf("As you said: %s.", lower(rows[0].Word))
	case total == 1:
		return fmt.Sprintf("You said %s. %s.", orNothing(rows[0].Said), capitalised(rows[0].Told))
	case right == total:
		return fmt.Sprintf("%s of %s. You saw it coming.", capitalised(number(right)), number(total))
	case len(missed) == 1:
		return fmt.Sprintf("%s of %s. The surprise: %s.", capitalised(number(right)), number(total), lower(missed[0]))
	case right == 0:
		return fmt.Sprintf("%s surprises. Here is why.", capitalised(number(total)))
	}
	return fmt.Sprintf("%s of %s. Look at %s.", capitalised(number(right)), number(total), listOf(missed))
}

// headline is what happened, when nobody predicted.
func headline(rows []revealRow) string {
	var off []string
	for _, r := range rows {
		if r.Class != string(check.Exact) {
			off = append(off, fmt.Sprintf("%s: %s", r.Title, lower(r.Word)))
		}
	}
	if len(off) == 0 {
		return "Everything outside is exact."
	}
	return strings.Join(off, "; ") + "."
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

func lower(s string) string {
	if s == "" || len(s) > 1 && s[1] >= 'A' && s[1] <= 'Z' {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func number(n int) string {
	words := []string{"none", "one", "two", "three", "four", "five", "six", "seven", "eight"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

// with is a query with settings changed.
func with(q lessons.Query, set ...string) lessons.Query {
	q.Set = append(append([]string(nil), q.Set...), set...)
	return q
}
