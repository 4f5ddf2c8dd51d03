package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/explore"
	"effectivelyonce/engine/trace"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

var (
	mapCell = regexp.MustCompile(`<button id="c-[^"]*" class="mc ([^"]*)" name="sel" value="([^"]*)" aria-label="([^"]*)"`)
	watched = regexp.MustCompile(`data-watch href="/run\?([^"]*)"`)
)

// TestCellsAreTheirRuns opens ten random cells of each of several maps: the run that
// a cell opens has the class and the counts that the cell shows. There are five
// scenarios as they stand, three choices side by side, second crashes, pauses and
// lost answers.
func TestCellsAreTheirRuns(t *testing.T) {
	app, _ := serve(t, Config{})
	random := rand.New(rand.NewPCG(5, 2))
	for _, of := range []struct{ query, kinds string }{
		{"scenario=hook-charges", "exact duplicated"},
		{"scenario=short-timeout", "exact lost"},
		{"scenario=balance-id-first", "exact lost"},
		{"scenario=streams-alo", "exact duplicated"},
		{"scenario=alignment-tour", "exact duplicated"},
		{"scenario=short-timeout&choice=base&choice=sink=append&choice=sink=upsert", "exact lost duplicated"},
		{"scenario=hook-charges&fault=crash:count/0@60&choice=base&choice=sink=transactional", "exact duplicated"},
		{"scenario=short-timeout&fault=crash-job@120", "lost"},
		{"scenario=zombie&kind=crash-job,pause", "exact lost"},
		{"scenario=hook-charges&kind=lose-response", "exact duplicated"},
	} {
		seen := cellsAreRuns(t, app.URL(), of.query, random)
		for _, class := range strings.Fields(of.kinds) {
			if seen[class] == 0 {
				t.Errorf("%s: no cell was %s, only %v", of.query, class, seen)
			}
		}
	}
}

// cellsAreRuns opens ten random places of a map, each in all its panels, and counts
// the classes.
func cellsAreRuns(t *testing.T, base, query string, random *rand.Rand) map[string]int {
	t.Helper()
	seen := map[string]int{}
	status, page := get(t, base+"/map?full=1&"+query)
	if status != 200 {
		t.Fatalf("%s: %d", query, status)
	}
	byClass := map[string][]string{} // the places of each class, so that rare ones are opened too
	for _, c := range mapCell.FindAllStringSubmatch(page, -1) {
		if class, _, _ := strings.Cut(c[1], " "); class != "none" {
			byClass[class] = append(byClass[class], c[2])
		}
	}
	classes := slices.Sorted(maps.Keys(byClass))
	for i := range 10 {
		places := byClass[classes[i%len(classes)]]
		sel := places[random.IntN(len(places))]
		column, _ := strconv.Atoi(sel[strings.LastIndexByte(sel, '@')+1:])
		one := fmt.Sprintf("%s&cols=%d-%d", query, column, column)
		_, page := get(t, base+"/map?full=1&"+one)
		_, detail := get(t, base+"/card/map?"+one+"&sel="+url.QueryEscape(sel))
		runs := watched.FindAllStringSubmatch(detail, -1)
		for _, c := range mapCell.FindAllStringSubmatch(page, -1) {
			if c[2] != sel || strings.HasPrefix(c[1], "none") {
				continue
			}
			if len(runs) == 0 {
				t.Fatalf("%s %s: no run to watch\n%s", query, sel, detail)
			}
			seen[sameAsRun(t, base, query, c, html.UnescapeString(runs[0][1]))]++
			runs = runs[1:]
		}
		if len(runs) > 0 {
			t.Errorf("%s %s: %d runs are offered that no cell shows", query, sel, len(runs))
		}
	}
	return seen
}

// several is what a cell of more than one moment adds to its class and counts.
var several = regexp.MustCompile(`( in \d+ of \d+ moments?)?(, also [^,]*)*(, a total went back)?$`)

// sameAsRun compares a cell of one column with the run that it opens.
func sameAsRun(t *testing.T, base, scenario string, c []string, query string) string {
	t.Helper()
	v, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	v.Del("at")
	_, body := get(t, base+"/api/run?"+v.Encode())
	var rep web.Report
	if err := json.Unmarshal([]byte(body), &rep); err != nil {
		t.Fatalf("%s: %v: %s", query, err, body)
	}
	rows := 0
	for i := range rep.Verdicts {
		if k := &rep.Verdicts[i]; k.Class == rep.Class {
			n := map[check.Class]int{check.Duplicated: k.Duplicated, check.Lost: k.Lost, check.Mixed: k.Lost + k.Duplicated, check.Wrong: k.Wrong, check.Stuck: k.Pending}[k.Class]
			rows = max(rows, n)
		}
	}
	want := string(rep.Class)
	if rep.Class == check.Mixed {
		want = "lost and duplicated"
	}
	if rows > 0 {
		want += " " + strconv.Itoa(rows)
	}
	if _, says, _ := strings.Cut(c[3], ": "); several.ReplaceAllString(says, "") != want || !slices.Contains(strings.Fields(c[1]), string(rep.Class)) {
		t.Errorf("%s: cell %s is drawn as %q and says %q; the run %s is %s", scenario, c[2], c[1], c[3], query, want)
	}
	return string(rep.Class)
}

// threeHundred is the query of a map of three choices whose run has 300 events and more.
const threeHundred = "scenario=alignment-tour&choice=base&choice=checkpoint.mode=at_least_once&choice=checkpoint.interval=200ms"

// stream reads a map's stream to its end and tells of each message.
func streamOf(t testing.TB, base, query string, tell func(kind string, m map[string]any) bool) {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws"+strings.TrimPrefix(base, "http")+"/stream?view=map&"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for {
		var m map[string]any
		if err := ws.ReadJSON(&m); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		kind := m["type"].(string)
		if !tell(kind, m) || kind == "end" || kind == "error" {
			return
		}
	}
}

// TestMapCostsWhatItsRunsCost: a map of three choices that is streamed, drawn and
// sent takes about as long as exploring the same three jobs and nothing else. The
// first cells are there after a small part of it.
func TestMapCostsWhatItsRunsCost(t *testing.T) {
	cat, _, err := catalogueFor("alignment-tour")
	if err != nil {
		t.Fatal(err)
	}
	app, _ := serve(t, Config{})
	v, _ := url.ParseQuery(threeHundred)
	began, runs := time.Now(), 0
	for _, c := range v["choice"] {
		q := lessons.Query{Scenario: v.Get("scenario")}
		if c != "base" {
			q.Set = []string{c}
		}
		job, faults, err := cat.Compile(q)
		if err != nil {
			t.Fatal(err)
		}
		r, err := explore.Explore(context.Background(), job, faults, explore.Options{Budget: -1})
		if err != nil {
			t.Fatal(err)
		}
		if r.Gaps < 300 {
			t.Fatalf("%s has %d events, want 300", c, r.Gaps-1)
		}
		runs += r.Points
	}
	alone := time.Since(began)
	began = time.Now()
	var first, all time.Duration
	done, of := 0.0, 0.0
	streamOf(t, app.URL(), threeHundred, func(kind string, m map[string]any) bool {
		if kind == "cells" {
			if first == 0 {
				first = time.Since(began)
			}
			done, of = m["done"].(float64), m["of"].(float64)
		}
		all = time.Since(began)
		return true
	})
	t.Logf("%d runs: explored in %s; streamed in %s, first cells after %s", runs, alone, all, first)
	if int(done) != runs || done != of {
		t.Errorf("%v of %v runs were made, want %d", done, of, runs)
	}
	// A second map of the same kind costs as much again; four times is a map that
	// does something else as well.
	if all > 4*alone+time.Second {
		t.Errorf("the map took %s, its runs alone %s", all, alone)
	}
	if 2*first > all {
		t.Errorf("the first cells came after %s of %s", first, all)
	}
}

// TestMapFillsSideBySide: no panel waits for another to be complete, and what is
// sent in the end is what the page draws.
func TestMapFillsSideBySide(t *testing.T) {
	app, _ := serve(t, Config{})
	var order []string
	last := map[string]string{}
	streamOf(t, app.URL(), threeHundred, func(kind string, m map[string]any) bool {
		if kind == "cells" {
			for _, c := range m["cells"].([]any) {
				id := c.([]any)[0].(string)
				last[id] = c.([]any)[3].(string)
				if p := id[2:3]; len(order) == 0 || order[len(order)-1] != p {
					order = append(order, p)
				}
			}
		}
		return true
	})
	if got := strings.Join(order, ""); !strings.HasPrefix(got, "012012") {
		t.Errorf("panels came in the order %s", got)
	}
	_, page := get(t, app.URL()+"/map?"+threeHundred)
	drawn := 0
	for _, c := range regexp.MustCompile(`<button id="([^"]*)"[^>]* aria-label="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		drawn++
		if last[c[1]] != html.UnescapeString(c[2]) {
			t.Errorf("%s: the stream says %q, the page %q", c[1], last[c[1]], c[2])
		}
	}
	if drawn < 100 || drawn != len(last) {
		t.Errorf("%d cells on the page, %d in the stream", drawn, len(last))
	}
}

// longMap is the query of a run of 16,960 events, the most that 500 records and no
// fault came to of what was tried; engine.MaxEvents is 20,000. A slow source lets a
// checkpoint follow every few records.
func longMap(t testing.TB) string {
	var b strings.Builder
	b.WriteString("partition,key,value\n")
	for i := range 500 {
		fmt.Fprintf(&b, "%d,k%d,%d\n", i%8, i%23, i%50)
	}
	input, err := lessons.EncodeInput([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return "scenario=alignment-tour&set=parallelism=4&set=checkpoint.interval=20ms&set=checkpoint.min-pause=0s&set=cost.read=700ms&set=cost.snapshot=1ms&set=horizon=600s&set=strategy=barriers&input=" + input
}

// counting is the runner, with a clock that ticks with the events of crash maps.
// It writes down how far the clock went between a request for a run and the run.
type counting struct {
	runner
	events, asked *atomic.Int64
	waited        chan int64
}

func (c counting) Run(ctx context.Context, job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
	c.waited <- c.events.Load() - c.asked.Load()
	return c.runner.Run(ctx, job, faults)
}

func (c counting) Survey(job *engine.Job, faults []engine.Fault, kinds []string) (web.Survey, error) {
	s, err := c.runner.Survey(job, faults, kinds)
	return countingSurvey{s, c.events}, err
}

type countingSurvey struct {
	web.Survey
	events *atomic.Int64
}

func (s countingSurvey) Try(ctx context.Context, points []web.Point, tell func(web.Point, web.Tried) bool) error {
	return s.Survey.Try(ctx, points, func(p web.Point, t web.Tried) bool {
		s.events.Add(int64(t.Events) - int64(p.Gap))
		return tell(p, t)
	})
}

// TestMapKeepsNobodyWaiting: while one learner's map of a very long run is made, on
// a server with a single turn, another learner's runs begin within a slice or two
// of the map, counted in events and not in seconds. The map is binned and says how
// little of it was tried.
func TestMapKeepsNobodyWaiting(t *testing.T) {
	cat, _, err := catalogueFor("alignment-tour")
	if err != nil {
		t.Fatal(err)
	}
	c := counting{events: &atomic.Int64{}, asked: &atomic.Int64{}, waited: make(chan int64, 1)}
	site, err := web.New(web.Config{Runner: c, Catalogue: cat, Turns: 1})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	t.Cleanup(site.Close)
	var waits []int64
	var last map[string]any
	streamOf(t, srv.URL, longMap(t), func(kind string, m map[string]any) bool {
		if kind == "cells" {
			last = m
		}
		if kind == "end" || len(waits) == 12 {
			return len(waits) < 12
		}
		c.asked.Store(c.events.Load())
		req, _ := http.NewRequest(http.MethodGet, fmt.Sprintf("%s/api/run?scenario=hook-charges&seed=%d", srv.URL, 100+len(waits)), nil)
		req.Header.Set("X-Forwarded-For", "192.0.2.7")
		res, err := http.DefaultClient.Do(req)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("the other learner: %v %v", res, err)
			return false
		}
		res.Body.Close()
		waits = append(waits, <-c.waited)
		return true
	})
	slices.Sort(waits)
	t.Logf("events of the map while the other waited: %v", waits)
	if len(waits) < 12 || waits[len(waits)/2] > 150_000 {
		t.Errorf("the other learner waited for %v events of the map", waits)
	}
	if last["of"].(float64) < 100_000 || last["done"].(float64) >= last["of"].(float64) {
		t.Errorf("done %v of %v", last["done"], last["of"])
	}
	_, page := get(t, srv.URL+"/map?"+longMap(t))
	if n := len(mapCell.FindAllString(page, -1)); n < 500 || n > 96*20 {
		t.Errorf("%d cells are drawn", n)
	}
	for _, says := range []string{"First ", " runs</b>", " moments a column", "data-open"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
}

// TestMapRefuses what it cannot draw, and says which part of the URL it is.
func TestMapRefuses(t *testing.T) {
	app, _ := serve(t, Config{})
	for query, part := range map[string]string{
		"scenario=hook-chargse":                                     "scenario",
		"choice=sink=append":                                        "scenario",
		"scenario=hook-charges&choice=sink=apend":                   "choice",
		"scenario=hook-charges&choice=base&choice=snik=append":      "choice",
		"scenario=hook-charges&choice=a&choice=b&choice=c&choice=d": "choice",
		"scenario=hook-charges&kind=crsh":                           "kind",
		"scenario=hook-charges&kind=crash:count/9":                  "kind",
		"scenario=hook-charges&cols=9-3":                            "cols",
		"scenario=hook-charges&cols=0-99999":                        "cols",
		"scenario=hook-charges&cols=x":                              "cols",
		"scenario=hook-charges&sel=crash:cuont/0@5":                 "sel",
		"scenario=hook-charges&sel=crash-job@9999":                  "sel",
		"scenario=hook-charges&full=2":                              "full",
		"scenario=hook-charges&fault=crash-job@9999":                "fault",
	} {
		status, page := get(t, app.URL()+"/map?"+query)
		if want := 400; status != want && !(part == "scenario" && status == 404) {
			t.Errorf("%s: status %d, want %d", query, status, want)
		}
		if !strings.Contains(page, `<dd class="mono">`+part+`</dd>`) && !strings.Contains(page, part) {
			t.Errorf("%s: the page does not name %s", query, part)
		}
	}
}
