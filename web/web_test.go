package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/content"
	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

// simulator is the runner of the program, as far as these tests need it.
type simulator struct{}

func (simulator) Run(ctx context.Context, job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
	return sim.Run(job, faults)
}

func (simulator) Explore(context.Context, *engine.Job, []engine.Fault, web.Exploration) (*web.Explored, error) {
	return &web.Explored{Points: 3, Of: 3, Classes: map[string]int{"exact": 3}}, nil
}

func (simulator) Survey(job *engine.Job, faults []engine.Fault, _ []string) (web.Survey, error) {
	base, err := sim.Run(job, faults)
	return &wholeJob{job: job, faults: faults, base: base}, err
}

// wholeJob tries crash-job only, each run from its start.
type wholeJob struct {
	job    *engine.Job
	faults []engine.Fault
	base   *trace.Trace
}

func (w *wholeJob) Base() *trace.Trace { return w.base }
func (w *wholeJob) Targets() []string  { return []string{"crash-job"} }

func (w *wholeJob) Try(ctx context.Context, points []web.Point, tell func(web.Point, web.Tried) bool) error {
	for _, p := range points {
		f, err := engine.ParseFault(fmt.Sprintf("crash-job@%d", p.Gap))
		if err != nil {
			return err
		}
		if err := f.Resolve(w.job); err != nil {
			return err
		}
		t, err := sim.Run(w.job, append(w.faults[:len(w.faults):len(w.faults)], f))
		if err != nil {
			return err
		}
		if !tell(p, web.Tried{Class: check.WorstOf(check.Judge(t)), Events: t.Len()}) {
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// catalogue is read and worked out once for all tests.
var catalogue = sync.OnceValue(func() *lessons.Catalogue {
	cat, _ := lessons.Load(content.FS)
	cat.Prepare(sim.Run)
	return cat
})

func newServer(t *testing.T, change ...func(*web.Config)) *web.Server {
	t.Helper()
	cfg := web.Config{Runner: simulator{}, Catalogue: catalogue()}
	for _, f := range change {
		f(&cfg)
	}
	s, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// get answers one request without a network.
func get(t *testing.T, s http.Handler, path string) *http.Response {
	t.Helper()
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// scenario is one that the content has: the one the first lesson plays.
func scenario(t *testing.T) string { return firstLesson(t).Scenario }

func firstLesson(t *testing.T) *lessons.Lesson {
	t.Helper()
	for _, l := range catalogue().Lessons() {
		if !l.Coming {
			return l
		}
	}
	t.Fatal("the content has no lesson")
	return nil
}

// page is a parsed document.
type page struct{ root *html.Node }

func open(t *testing.T, s http.Handler, path string) *page {
	t.Helper()
	r := get(t, s, path)
	if r.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d\n%s", path, r.StatusCode, body(t, r))
	}
	root, err := html.Parse(strings.NewReader(body(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	return &page{root}
}

// all returns the elements that a test wants.
func (p *page) all(want func(*html.Node) bool) (out []*html.Node) {
	for n := range p.root.Descendants() {
		if n.Type == html.ElementNode && want(n) {
			out = append(out, n)
		}
	}
	return out
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

func (p *page) byID(id string) *html.Node {
	for _, n := range p.all(func(n *html.Node) bool { v, ok := attr(n, "id"); return ok && v == id }) {
		return n
	}
	return nil
}

func text(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// pagesWithRuns are one URL of every kind of page that shows a run.
func pagesWithRuns(t *testing.T) []string {
	q := "/run?scenario=" + scenario(t)
	return []string{q, q + "&at=40", q + "&fault=crash-job@40&at=41&card=predict", q + "&fault=crash-job@40&card=reveal&at=60",
		q + "&embed=1", "/lessons/" + firstLesson(t).Slug}
}

func allPages(t *testing.T) []string {
	out := append([]string{"/", "/run", "/glossary", "/sandbox", "/twin?scenario=" + scenario(t), "/twin?scenario=" + scenario(t) + "&fault=crash-job@40&other=checkpoint.interval=200ms&at=50",
		"/sandbox?scenario=" + scenario(t) + "&fault=crash-job@40",
		"/sandbox?scenario=sandbox&set=sinks=sink,mail&set=sinks.mail.sink=email&card=promise"}, pagesWithRuns(t)...)
	for _, l := range catalogue().Lessons() {
		if l.Coming {
			continue
		}
		for _, seg := range l.Segments {
			out = append(out, "/lessons/"+l.Slug+"?seg="+url.QueryEscape(seg.ID))
		}
		for _, seg := range []string{"level", "quiz", "end"} {
			out = append(out, "/lessons/"+l.Slug+"?seg="+seg)
		}
	}
	return out
}
