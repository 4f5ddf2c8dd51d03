package web_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"effectivelyonce/engine/check"
	"effectivelyonce/web"
)

// formURL is where a form without scripts leads: its hidden inputs, and what the
// learner adds.
func formURL(t *testing.T, form *html.Node, add url.Values) string {
	t.Helper()
	v := url.Values{}
	for n := range form.Descendants() {
		kind, _ := attr(n, "type")
		if name, ok := attr(n, "name"); ok && n.Data == "input" && kind == "hidden" {
			value, _ := attr(n, "value")
			v.Add(name, value)
		}
	}
	for k, vs := range add {
		v[k] = append(v[k], vs...)
	}
	action, _ := attr(form, "action")
	return action + "?" + v.Encode()
}

func (p *page) form(t *testing.T, class string) *html.Node {
	t.Helper()
	for _, f := range p.all(func(n *html.Node) bool { c, _ := attr(n, "class"); return strings.Contains(c, class) }) {
		if f.Data == "form" {
			return f
		}
		for n := range f.Descendants() {
			if n.Data == "form" {
				return n
			}
		}
	}
	t.Fatalf("no form %q", class)
	return nil
}

// The whole way without scripts: crash by a form, predict, read what happened.
func TestCrashPredictRevealWithoutScripts(t *testing.T) {
	s := newServer(t)
	p := open(t, s, "/run?scenario="+scenario(t)+"&at=100")
	p = open(t, s, formURL(t, p.form(t, "crash-list"), url.Values{"fault": {"crash-job@100"}}))
	run := p.byID("run")
	if state, _ := attr(run, "data-state"); state != "frozen" {
		t.Fatalf("after the crash the page is %q, want frozen", state)
	}
	if struck, _ := attr(run, "data-struck"); struck != "101" {
		t.Fatalf("the fault struck at %q, want 101", struck)
	}
	for _, mark := range p.all(func(n *html.Node) bool { _, ok := attr(n, "data-mark"); return ok }) {
		if n, _ := attr(mark, "data-n"); n > "101" && len(n) >= 3 {
			t.Errorf("the timeline tells of event %s before the prediction", n)
		}
	}
	card := p.form(t, "predict")
	if said := text(card); !strings.Contains(said, "You crashed the whole job at event 100") {
		t.Fatalf("the card says %q", said)
	}
	rows := 0
	for n := range card.Descendants() {
		if n.Data == "fieldset" {
			rows++
		}
	}
	if rows != 1 {
		t.Fatalf("%d rows for one outside system", rows)
	}
	p = open(t, s, formURL(t, card, url.Values{"predict-0": {"sink:exact"}}))
	said := text(p.byID("card"))
	for _, want := range []string{"You said exact.", "came twice", "missed", "event "} {
		if !strings.Contains(said, want) {
			t.Errorf("the reveal does not say %q: %s", want, said)
		}
	}
	if strings.Contains(said, "Wrong!") {
		t.Error("the reveal scolds")
	}
}

// The reveal's primary button was run before it was offered: what was duplicated
// is exact there, at the same crash.
func TestTheCounterfactualEndsExact(t *testing.T) {
	s := newServer(t)
	for _, fault := range []string{"crash-job@100", "crash:sink/0@120", "crash:count/0@after:sink.write~9"} {
		p := open(t, s, "/run?scenario="+scenario(t)+"&card=reveal&at=100&fault="+url.QueryEscape(fault))
		var href string
		for _, a := range p.all(func(n *html.Node) bool { return n.Data == "a" && strings.HasPrefix(text(n), "Same crash, ") }) {
			href, _ = attr(a, "href")
		}
		if href == "" {
			t.Errorf("%s: no counterfactual", fault)
			continue
		}
		u, _ := url.Parse(href)
		q := u.Query()
		q.Del("at")
		var rep web.Report
		if err := json.NewDecoder(get(t, s, "/api/run?"+q.Encode()).Body).Decode(&rep); err != nil {
			t.Fatal(err)
		}
		if rep.Class != check.Exact || len(rep.Faults) != 1 {
			t.Errorf("%s: %s ends %s with faults %v", fault, href, rep.Class, rep.Faults)
		}
	}
}

func paste(t *testing.T, s http.Handler, scenario, records string) *http.Response {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	_ = w.WriteField("scenario", scenario)
	_ = w.WriteField("records", records)
	_ = w.Close()
	r := httptest.NewRequest(http.MethodPost, "/run", &b)
	r.Header.Set("Content-Type", w.FormDataContentType())
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, r)
	return rec.Result()
}

func TestOwnRecordsRunAndAreEscaped(t *testing.T) {
	s := newServer(t)
	var csv strings.Builder
	csv.WriteString("partition,key,value\n")
	for i := range 100 {
		fmt.Fprintf(&csv, "%d,<b>k%d</b>,%d\n", i%3, i%12, i)
	}
	r := paste(t, s, scenario(t), csv.String())
	to := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.Contains(to, "input=z.") || len(to) > 8<<10 {
		t.Fatalf("status %d, location %q (%d characters)", r.StatusCode, to, len(to))
	}
	for _, path := range []string{to, to + "&at=50", to + "&fault=crash-job@300&at=301&card=predict", to + "&fault=crash-job@300&card=reveal",
		strings.Replace(to, "/run?", "/card/inspect?", 1) + "&at=80&what=l0.1", strings.Replace(to, "/run?", "/card/inspect?", 1) + "&at=80&what=count/0"} {
		res := get(t, s, path)
		b := body(t, res)
		if res.StatusCode != http.StatusOK || strings.Contains(b, "<b>k") {
			t.Errorf("%.60s…: status %d, unescaped: %v", path, res.StatusCode, strings.Contains(b, "<b>k"))
		}
	}
	var rep web.Report
	api := strings.Replace(to, "/run?", "/api/run?", 1)
	if err := json.NewDecoder(get(t, s, api+"&fault=crash-job@300").Body).Decode(&rep); err != nil {
		t.Fatal(err)
	}
	if v := rep.Verdicts[0]; v.Expected != 100 || v.Lost != 0 || v.Observed != 100+v.Duplicated || v.Duplicated == 0 {
		t.Errorf("verdict %+v", v)
	}
}

func TestRecordsThatDoNotFitAreKeptByTheirHash(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	s := newServer(t, func(c *web.Config) { c.Now = func() time.Time { return now } })
	var csv strings.Builder
	csv.WriteString("partition,key,value\n")
	state := uint64(88172645463325252)
	for i := range 500 {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		fmt.Fprintf(&csv, "%d,%x%x,%d\n", i%8, state, state*31, state%1000000)
	}
	to := paste(t, s, scenario(t), csv.String()).Header.Get("Location")
	if !strings.Contains(to, "input=h.") {
		t.Fatalf("location %q", to)
	}
	if r := get(t, s, to+"&at=10"); r.StatusCode != http.StatusOK {
		t.Fatalf("status %d", r.StatusCode)
	}
	now = now.Add(31 * 24 * time.Hour)
	r := get(t, s, to+"&seed=2")
	if b := body(t, r); r.StatusCode != http.StatusGone || !strings.Contains(b, "Paste them again") {
		t.Errorf("a month later: status %d", r.StatusCode)
	}
	again := paste(t, s, scenario(t), csv.String()).Header.Get("Location")
	if again != to {
		t.Errorf("pasted again the link is %q, was %q", again, to)
	}
}

func TestBadRecordsAreShownBesideWhatWasPasted(t *testing.T) {
	s := newServer(t)
	for _, records := range []string{"", "partition,key\n0,a\n", "partition,key,value\n0,a,x\n", "partition,key,value\n9,a,1\n",
		"{\"partition\":0,\"key\":\"a\"}\n", "{broken", "partition,key,value\n0,a\x00b,1\n", "partition,key,value\n0,\xff,1\n"} {
		r := paste(t, s, scenario(t), records)
		b := body(t, r)
		if r.StatusCode != http.StatusBadRequest || !strings.Contains(b, `id="paste-problem"`) {
			t.Errorf("%q: status %d", records, r.StatusCode)
		}
	}
	if r := paste(t, s, scenario(t), strings.Repeat("x", 70<<10)); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("70 KiB: status %d", r.StatusCode)
	}
	if r := paste(t, s, scenario(t), strings.Repeat("x", 1<<20)); r.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("1 MiB: status %d", r.StatusCode)
	}
	if r := paste(t, s, "nowhere", "partition,key,value\n0,a,1\n"); r.StatusCode != http.StatusNotFound {
		t.Errorf("unknown scenario: status %d", r.StatusCode)
	}
}

func TestTheInspectorKnowsTasksRecordsAndCheckpoints(t *testing.T) {
	s := newServer(t)
	q := "/card/inspect?scenario=" + scenario(t) + "&fault=crash-job@130&at=150&what="
	for what, says := range map[string]string{"source/0": "next offset", "count/0": "Queue from source/0", "sink/0": "writes to", "coordinator": "last complete checkpoint",
		"l0.1": "Ledger", "r0.1.1": "Ledger", "o0.1.1": "Ledger", "c1": "Parts"} {
		r := get(t, s, q+url.QueryEscape(what))
		if b := body(t, r); r.StatusCode != 200 || !strings.Contains(b, says) {
			t.Errorf("%s: status %d, does not say %q", what, r.StatusCode, says)
		}
	}
	for _, what := range []string{"", "count/7", "l9.9", "c99", "l0.-1", "<b>"} {
		r := get(t, s, q+url.QueryEscape(what))
		if b := body(t, r); r.StatusCode != 400 || strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") || b == "" {
			t.Errorf("%q: status %d, %s", what, r.StatusCode, r.Header.Get("Content-Type"))
		}
	}
}

func TestAPIRunPrintsWhatTheCommandLinePrints(t *testing.T) {
	s := newServer(t)
	var got map[string]any
	if err := json.NewDecoder(get(t, s, "/api/run?scenario="+scenario(t)+"&fault=crash-job@100").Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"scenario", "settings", "seed", "faults", "events", "duration_ms", "class", "verdicts"} {
		if _, ok := got[key]; !ok {
			t.Errorf("the answer has no %s", key)
		}
	}
	if got["class"] != "duplicated" || got["seed"] != 1.0 {
		t.Errorf("class %v, seed %v", got["class"], got["seed"])
	}
}

func TestHealthAndReadiness(t *testing.T) {
	s := newServer(t)
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/favicon.ico": 200, "/favicon.svg": 200} {
		if r := get(t, s, path); r.StatusCode != want {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodHead, "/", nil))
	if w.Code != http.StatusOK {
		t.Errorf("HEAD /: status %d", w.Code)
	}
	s.Close()
	if r := get(t, s, "/readyz"); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("/readyz after Close: status %d", r.StatusCode)
	}
	if r := get(t, s, "/healthz"); r.StatusCode != 200 {
		t.Errorf("/healthz after Close: status %d", r.StatusCode)
	}
}
