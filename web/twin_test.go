package web_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
)

func traceOf(t *testing.T, q lessons.Query) *trace.Trace {
	t.Helper()
	job, faults, err := catalogue().Compile(q)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := sim.Run(job, faults)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// Aligned against at_least_once on K: the runs part at the record that slipped past
// the barrier, and the sentence says so.
func TestTwinOfAlignedAndAtLeastOnce(t *testing.T) {
	aligned := traceOf(t, lessons.Query{Scenario: "skip-align", Set: []string{"checkpoint.mode=exactly_once"}})
	loose := traceOf(t, lessons.Query{Scenario: "skip-align"})
	d := trace.Compare(aligned, loose)
	if d.First == nil || d.First.Right == 0 {
		t.Fatalf("the runs part at %+v", d.First)
	}
	e := loose.At(d.First.Right)
	p := loose.Job.Plan
	if e.Kind != engine.RecordProcessed || p.Name(e.Task) != "count/0" {
		t.Fatalf("the runs part at event %d: %s", e.N, trace.Sentence(loose, e))
	}
	// The first record of the whole run that is behind a barrier its task still waits for.
	barrier := map[engine.ChanID]bool{}
	for n := 1; n < int(e.N); n++ {
		switch x := loose.At(n); x.Kind {
		case engine.BarrierArrived:
			barrier[x.Chan] = x.Before+1 < int64(len(p.Tasks[x.Task].In)) || barrier[x.Chan]
		case engine.BarrierAligned:
			for _, c := range p.Tasks[x.Task].In {
				barrier[c] = false
			}
		case engine.RecordProcessed:
			if barrier[x.Chan] {
				t.Fatalf("event %d slipped past before event %d", n, e.N)
			}
		}
	}
	if !barrier[e.Chan] {
		t.Errorf("event %d is behind no barrier", e.N)
	}
	why := d.Why(d.First, "run A", "run B")
	for _, want := range []string{"In run B", "slipped past barrier", e.Rec.String(), "In run A that input is blocked"} {
		if !strings.Contains(why, want) {
			t.Errorf("the sentence %q lacks %q", why, want)
		}
	}
	page := open(t, newServer(t), "/twin?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once")
	if first := text(page.byID("first")); !strings.Contains(first, "slipped past barrier") {
		t.Errorf("the page says %q", first)
	}
}

// A run is the same as itself, and a difference is one from both sides.
func TestDiffIsFair(t *testing.T) {
	for _, id := range []string{"skip-align", "orders-2pc", "streams-eos", "dashboard-append"} {
		a := traceOf(t, lessons.Query{Scenario: id})
		if d := trace.Compare(a, a); d.First != nil || len(d.All) > 0 || d.Moving > 0 {
			t.Errorf("%s differs from itself: %+v", id, d.First)
		}
		b := traceOf(t, lessons.Query{Scenario: id, Set: []string{"restart.delay=1s", "cost.hop=20ms"}})
		x, y := trace.Compare(a, b), trace.Compare(b, a)
		if x.OnlyLeft != y.OnlyRight || x.OnlyRight != y.OnlyLeft || x.Changed != y.Changed || x.Moving != y.Moving {
			t.Errorf("%s: %d %d %d %d and, turned round, %d %d %d %d", id, x.OnlyLeft, x.OnlyRight, x.Changed, x.Moving, y.OnlyLeft, y.OnlyRight, y.Changed, y.Moving)
		}
		if x.First == nil {
			t.Fatalf("%s: slower hops change nothing", id)
		}
		if x.Why(x.First, "run A", "run B") == "" {
			t.Errorf("%s: nothing is said of %+v", id, x.First)
		}
	}
}

// Every pair of values of every setting can be laid side by side and is spoken of.
func TestTwinOfEveryClick(t *testing.T) {
	s := newServer(t)
	for _, id := range []string{"hook-charges", "orders-2pc", "streams-eos", "skip-align"} {
		p := open(t, s, "/twin?scenario="+id)
		links := p.all(func(n *html.Node) bool {
			href, _ := attr(n, "href")
			return n.Data == "a" && strings.Contains(href, "other=")
		})
		if len(links) < 3 {
			t.Errorf("%s: only %d settings to change in one click", id, len(links))
		}
		for _, a := range links {
			href, _ := attr(a, "href")
			if q := open(t, s, href); q.byID("diff-title") == nil {
				t.Errorf("%s: no differences", href)
			}
		}
	}
}

// A fault that run A is given by number strikes at the same named moment in run B;
// a moment that B does not have is told.
func TestTwinTranslatesFaults(t *testing.T) {
	s := newServer(t)
	a := traceOf(t, lessons.Query{Scenario: "orders-2pc"})
	n := 0
	for i := 1; i <= a.Len() && n == 0; i++ {
		if a.At(i).Kind == engine.TxnCommit && a.At(i).Value > 0 {
			n = i
		}
	}
	p := open(t, s, "/twin?scenario=orders-2pc&fault=crash-job@"+strconv.Itoa(n)+"&other=cost.hop=12ms")
	b, _ := attr(p.byID("main"), "data-b")
	if !strings.Contains(b, "after:txn.commit") {
		t.Errorf("run B is %s", b)
	}
	p = open(t, s, "/twin?scenario=orders-2pc&fault=crash-job@"+strconv.Itoa(n)+"&other=sink=append")
	if got := text(p.byID("main")); !strings.Contains(got, "does not exist in run B") {
		t.Error("the page does not say that the moment is gone")
	}
	if b, _ := attr(p.byID("main"), "data-b"); strings.Contains(b, "fault=") {
		t.Errorf("run B is %s", b)
	}
}

func TestTwinRefuses(t *testing.T) {
	s := newServer(t)
	q := "/twin?scenario=orders-2pc"
	for path, says := range map[string][]string{
		"/twin":                                   {"names none"},
		q + "&other=sink":                         {"KEY=VALUE"},
		q + "&other=sinc=append":                  {"sinc", "sink"},
		q + "&other=sink=apend":                   {"apend", "append"},
		q + "&at=9999":                            {"moments 0 to"},
		q + "&other=strategy=trident":             {"state object"},
		q + "&otter=sink=append":                  {"otter"},
		q + "&other=gap=%01":                      {"printable"},
		"/twin/clock?scenario=orders-2pc&other=x": {"KEY=VALUE"},
	} {
		r := get(t, s, path)
		got := html.UnescapeString(body(t, r))
		if r.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
		for _, w := range says {
			if !strings.Contains(got, w) {
				t.Errorf("%s: does not say %q", path, w)
			}
		}
	}
	if r := get(t, s, "/twin?scenario=nowhere"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown scenario: status %d", r.StatusCode)
	}
}

// The clock of both runs never runs back, ends with both, and skips no event.
func TestTwinClock(t *testing.T) {
	s := newServer(t)
	r := get(t, s, "/twin/clock?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once")
	var c struct {
		Moments [][3]float64
		Pace    float64
	}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	page := body(t, get(t, s, "/twin?scenario=skip-align&set=checkpoint.mode=exactly_once&other=checkpoint.mode=at_least_once"))
	if !regexp.MustCompile(`data-time>\d+ms<`).MatchString(page) {
		t.Error("the page tells its time otherwise than the script, which rounds it")
	}
	a := traceOf(t, lessons.Query{Scenario: "skip-align", Set: []string{"checkpoint.mode=exactly_once"}})
	b := traceOf(t, lessons.Query{Scenario: "skip-align"})
	last := c.Moments[len(c.Moments)-1]
	if int(last[1]) != a.Len() || int(last[2]) != b.Len() || c.Pace <= 0 {
		t.Errorf("the clock ends at %v, the runs have %d and %d events", last, a.Len(), b.Len())
	}
	for i, m := range c.Moments[1:] {
		if was := c.Moments[i]; m[0] < was[0] || i > 0 && m[0] == was[0] || m[1] < was[1] || m[2] < was[2] || m[1] == was[1] && m[2] == was[2] {
			t.Errorf("moment %d is %v after %v", i+1, m, was)
		}
	}
}

// A crash of run B alone: the runs part where it strikes, and the page says what only B
// has. A fault of run A that would have struck later is left out of B, as a click on
// the stage leaves it out. The card that tells what a crash did leads here.
func TestTwinWithAndWithoutACrash(t *testing.T) {
	srv := newServer(t)
	p := open(t, srv, "/twin?scenario=hook-charges&fault=crash-job@90&other=fault=crash:count/0@60")
	if first := text(p.byID("first")); !strings.Contains(first, "count/0") || !strings.Contains(first, "B, event 61") {
		t.Errorf("the runs part so: %q", first)
	}
	if b := attribute(p.byID("main"), "data-b"); strings.Count(b, "fault=") != 1 || !strings.Contains(b, "crash:count/0@after:") {
		t.Errorf("run B is %s", b)
	}
	if says := text(p.byID("main")); !strings.Contains(says, "fault A none, B crash:count/0@60") {
		t.Errorf("what was changed is not said: %.300q", says)
	}
	if r := get(t, srv, attribute(p.byID("main"), "data-clock")); r.StatusCode != http.StatusOK {
		t.Errorf("the clock: status %d", r.StatusCode)
	}
	if r := get(t, srv, "/twin?scenario=hook-charges&other=fault=crash:cuont/0@60"); r.StatusCode != http.StatusOK || !strings.Contains(body(t, r), "does not exist in run B") {
		t.Errorf("a fault of nobody: status %d", r.StatusCode)
	}
	card := open(t, srv, "/run?scenario=hook-charges&fault=crash:count/0@60&card=reveal&at=200")
	links := 0
	for _, a := range card.all(func(n *html.Node) bool {
		return strings.HasPrefix(attribute(n, "href"), "/twin?scenario=hook-charges&")
	}) {
		if r := get(t, srv, attribute(a, "href")); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", attribute(a, "href"), r.StatusCode)
		}
		links++
	}
	if links < 2 {
		t.Errorf("the card has %d links to twin runs, want the run without the crash and that with another setting", links)
	}
}

// "This run in the crash map": a moment after the crash leads to the crash, any other
// to a crash of the whole job there.
func TestMapOfAMoment(t *testing.T) {
	srv := newServer(t)
	for from, to := range map[string]string{
		"scenario=hook-charges&at=40":                                                  "scenario=hook-charges&sel=crash-job@40",
		"scenario=hook-charges&fault=crash:count/0@60&at=80":                           "scenario=hook-charges&sel=crash:count/0@60",
		"scenario=hook-charges&fault=crash:count/0@60&at=20":                           "scenario=hook-charges&fault=crash:count/0@60&sel=crash-job@20",
		"scenario=hook-charges&fault=crash:coordinator@60&at=80":                       "scenario=hook-charges&kind=crash,crash:coordinator,crash-job&sel=crash:coordinator@60",
		"scenario=hook-charges&fault=crash:count/0@60&fault=pause:sink/0:8s@90&at=150": "scenario=hook-charges&fault=crash:count/0@60&kind=crash-job,pause:sink/0:8s&sel=pause:sink/0:8s@90",
		"scenario=hook-charges&fault=pause:sink/0:8s@90&at=150":                        "scenario=hook-charges&kind=crash-job,pause:sink/0:8s&sel=pause:sink/0:8s@90",
	} {
		r := get(t, srv, "/map?"+from)
		if got := r.Header.Get("Location"); r.StatusCode != http.StatusSeeOther || got != "/map?"+to {
			t.Errorf("%s leads with %d to %s, want %s", from, r.StatusCode, got, to)
		}
	}
	if r := get(t, srv, "/map?scenario=hook-charges&at=9999"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a moment that is not there: status %d", r.StatusCode)
	}
}
