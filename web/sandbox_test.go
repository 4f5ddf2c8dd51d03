package web_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/engine"
	"effectivelyonce/web"
)

// fields are what a browser sends of a form as it stands.
func fields(form *html.Node) url.Values {
	v := url.Values{}
	for n := range form.Descendants() {
		name, ok := attr(n, "name")
		if !ok {
			continue
		}
		value, _ := attr(n, "value")
		kind, _ := attr(n, "type")
		_, checked := attr(n, "checked")
		switch {
		case n.Data == "input" && (kind != "radio" || checked):
			v.Add(name, value)
		case n.Data == "select":
			v.Add(name, chosen(n))
		}
	}
	return v
}

func chosen(list *html.Node) string {
	first, seen := "", false
	for o := range list.Descendants() {
		if o.Data != "option" {
			continue
		}
		value, _ := attr(o, "value")
		if _, ok := attr(o, "selected"); ok {
			return value
		}
		if !seen {
			first, seen = value, true
		}
	}
	return first
}

// submit sends the form and follows where it leads.
func submit(t *testing.T, s *web.Server, p *page, change url.Values) string {
	t.Helper()
	v := fields(p.byID("setup"))
	for k, x := range change {
		if _, ok := v[k]; !ok {
			t.Fatalf("the form has no field %s", k)
		}
		v[k] = x
	}
	r := get(t, s, "/sandbox?"+v.Encode())
	if r.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d\n%.600s", r.StatusCode, body(t, r))
	}
	return r.Header.Get("Location")
}

// A form that is sent as it stands leads back to where it came from, for every
// scenario: it shows everything and adds nothing.
func TestSandboxFormIsTheScenario(t *testing.T) {
	s := newServer(t)
	for _, id := range catalogue().ScenarioIDs() {
		link := "/sandbox?scenario=" + id
		for _, f := range catalogue().Scenario(id).Script {
			link += "&fault=" + url.QueryEscape(strings.ReplaceAll(f, "#", "~"))
		}
		to := submit(t, s, open(t, s, link), nil)
		a, _ := url.Parse(link)
		b, _ := url.Parse(to)
		if x, y := a.Query().Encode(), b.Query().Encode(); x != y {
			t.Errorf("%s: the form leads to %s", link, to)
		}
	}
}

func TestSandboxShowsEverySettingAndKind(t *testing.T) {
	s := newServer(t)
	p := open(t, s, "/sandbox")
	names := fields(p.byID("setup"))
	for _, d := range engine.SettingInfos() {
		name := "set." + d.Key
		if d.PerSink {
			name = "set.sinks.sink." + d.Key
		}
		if _, ok := names[name]; !ok && !d.Alias && d.Key != "sinks" {
			t.Errorf("the form lacks %s", name)
		}
	}
	page := body(t, get(t, s, "/sandbox"))
	for _, k := range engine.FaultKinds() {
		if !strings.Contains(page, `<option value="`+k+`"`) {
			t.Errorf("the schedule lacks the fault %s", k)
		}
	}
}

func TestSandboxFormMakesALink(t *testing.T) {
	s := newServer(t)
	p := open(t, s, "/sandbox")
	to := submit(t, s, p, url.Values{"set.strategy": {"offset-commit"}, "set.topology": {"LOOP"}, "set.sinks.sink.sink": {"append"}, "seed": {"7"},
		"fault.0.kind": {"crash"}, "fault.0.target": {"loop/0"}, "fault.0.named": {"after:offset.commit~2@loop/0"}, "fault.0.side": {"before"}})
	want := "/sandbox?scenario=sandbox&set=strategy=offset-commit&set=topology=LOOP&set=sink=append&seed=7&fault=crash:loop/0@before:offset.commit~2@loop/0"
	if to != want {
		t.Fatalf("led to\n%s, want\n%s", to, want)
	}
	result := text(open(t, s, to).byID("result"))
	if !strings.Contains(result, "Duplicated") {
		t.Errorf("the result says %q", result)
	}
}

// An impossible combination explains itself and offers the nearest legal one as a
// link; following such links ends at a job that runs.
func TestSandboxImpossibleLeadsToTheNearest(t *testing.T) {
	s := newServer(t)
	for _, set := range []string{"strategy=batch", "strategy=trident", "strategy=xa", "strategy=replicated", "strategy=kafka-streams", "topology=MAP",
		"sink=state", "strategy=dataflow", "strategy=offset-commit", "checkpoint.mode=at_least_once&set=checkpoint.unaligned=on",
		"strategy=replicated&set=sinks=sink,mail"} {
		path := "/sandbox?scenario=sandbox&set=" + set
		for step := 0; ; step++ {
			r := get(t, s, path)
			root, err := html.Parse(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			p := &page{root}
			if r.StatusCode == http.StatusOK {
				if first, _, _ := strings.Cut(set, "&"); !strings.Contains(path, "set="+first) && !strings.HasPrefix(first, "checkpoint.mode") && first != "sink=state" {
					t.Errorf("set=%s led to %s, which has given it up", set, path)
				}
				break
			}
			box := p.all(func(n *html.Node) bool { c, _ := attr(n, "class"); return c == "form-problem" })
			if len(box) == 0 || step == 8 {
				t.Fatalf("%s: status %d after %d steps, no way out", path, r.StatusCode, step)
			}
			if step == 0 && !strings.Contains(text(box[0]), "cannot be built") {
				t.Errorf("%s: says %q", path, text(box[0]))
			}
			for n := range box[0].Descendants() {
				if href, ok := attr(n, "href"); ok {
					path = href
				}
			}
		}
	}
}

func TestSandboxRefusesPartsOfItself(t *testing.T) {
	s := newServer(t)
	for path, says := range map[string][]string{
		"/sandbox?scenario=sandbox&set=checkpoint.intervall=1s":       {"checkpoint.intervall", "checkpoint.interval"},
		"/sandbox?scenario=sandbox&set=checkpoint.interval=soon":      {"soon", "a duration like 300ms"},
		"/sandbox?scenario=sandbox&set=sink=apend":                    {"apend", "Use append"},
		"/sandbox?scenario=sandbox&fault=crahs:count/0@3":             {"crahs", "crash"},
		"/sandbox?scenario=sandbox&fault=crash:cuont/0@3":             {"cuont/0", "count/0"},
		"/sandbox?scenario=sandbox&fault=crash-job@9999":              {"does not exist", "Go on without it"},
		"/sandbox?scenario=sandbox&set=input=nothing":                 {"nothing", "orders-18"},
		"/sandbox?scenario=sandbox&set=sinks=a,a":                     {"different names"},
		"/sandbox?scenario=sandbox&set=routing=count":                 {"OPERATOR:KEY:TASK"},
		"/sandbox?scenario=sandbox&input=z.AAAA":                      {"input"},
		"/sandbox?scenario=sandbox&at=x":                              {"the number of an event"},
		"/sandbox?scenario=sandbox&set.gap=%00&fault.0.kind=crash":    {"control character"},
		"/sandbox?scenario=sandbox&set=restart.delay=2h&set=gap=60ms": {"2h", "at most 1h"},
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
	if r := get(t, s, "/sandbox?scenario=sandbx"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown scenario: status %d", r.StatusCode)
	}
}

func TestSandboxTakesOwnRecords(t *testing.T) {
	s := newServer(t)
	post := func(records string) *http.Response {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for k, v := range map[string]string{"scenario": "sandbox", "query": "scenario=sandbox&set=sink=append", "records": records} {
			if err := w.WriteField(k, v); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/sandbox", &b)
		r.Header.Set("Content-Type", w.FormDataContentType())
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, r)
		return rec.Result()
	}
	r := post("partition,key,value\n0,zoe,12\n0,yan,1\n")
	to := r.Header.Get("Location")
	if r.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/sandbox?scenario=sandbox&set=sink=append&input=z.") {
		t.Fatalf("status %d, to %s", r.StatusCode, to)
	}
	if got := text(open(t, s, to).byID("result")); !strings.Contains(got, "source/0") || strings.Contains(got, "source/1") {
		t.Errorf("the job of one partition shows %q", got)
	}
	if r := post("partition,key,value\n0,zoe,twelve\n"); r.StatusCode != http.StatusBadRequest || !strings.Contains(body(t, r), "records:2") {
		t.Errorf("status %d for a value that is none", r.StatusCode)
	}
	var long strings.Builder
	long.WriteString("partition,key,value\n")
	for i := range 480 {
		long.WriteString("0," + strings.Repeat(string(rune('a'+i%26)), 1+i%37) + string(rune('a'+i*7%26)) + "," + strings.Repeat("1", 1+i*13%9) + "\n")
	}
	if to := post(long.String()).Header.Get("Location"); !strings.Contains(to, "input=") {
		t.Errorf("many records lead to %q", to)
	}
}
