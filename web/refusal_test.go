package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/sim"
	"effectivelyonce/engine/trace"
	"effectivelyonce/web"
)

type refusal struct {
	name, path string
	status     int
	says       []string
}

func refusals(t *testing.T) []refusal {
	q := "/run?scenario=" + scenario(t)
	return []refusal{
		{"unknown scenario", "/run?scenario=nowhere", 404, []string{"scenario", "nowhere", scenario(t)}},
		{"misspelt scenario", "/run?scenario=" + scenario(t)[:len(scenario(t))-1], 404, []string{"Did you mean", scenario(t)}},
		{"unknown parameter", q + "&falt=crash-job@3", 400, []string{"falt", "fault"}},
		{"parameter given twice", q + "&at=1&at=2", 400, []string{"at", "one value"}},
		{"event that is no number", q + "&at=three", 400, []string{"three", "the number of an event"}},
		{"negative event", q + "&at=-1", 400, []string{"-1"}},
		{"event beyond the run", q + "&at=9999", 400, []string{"9999", "of this run"}},
		{"huge event", q + "&at=99999999999999999999", 400, []string{"99999999999999999999"}},
		{"unknown task", q + "&fault=crash:cuont/0@3", 400, []string{"cuont/0", "count/0"}},
		{"unknown fault", q + "&fault=crahs:count/0@3", 400, []string{"crahs"}},
		{"fault without a moment", q + "&fault=crash:count/0", 400, []string{"fault"}},
		{"fault that never strikes", q + "&fault=crash-job@9999", 400, []string{"9999"}},
		{"unknown event name", q + "&fault=crash-job@after:sink.wrote", 400, []string{"sink.wrote", "sink.write"}},
		{"unknown setting", q + "&set=sinc=append", 400, []string{"sinc", "sink"}},
		{"setting without a value", q + "&set=sink", 400, []string{"KEY=VALUE"}},
		{"impossible value", q + "&set=sink=apend", 400, []string{"apend", "append"}},
		{"huge duration", q + "&set=checkpoint.interval=9999h", 400, []string{"9999h"}},
		{"seed that is no number", q + "&seed=x", 400, []string{"seed"}},
		{"too many faults", q + strings.Repeat("&fault=crash-job@3", 40), 400, []string{"16"}},
		{"control character", q + "&seed=%00", 400, []string{"control character"}},
		{"invalid UTF-8", q + "&set=%ff%fe", 400, []string{"UTF-8"}},
		{"broken escape", "/run?scenario=%zz", 400, []string{"not well formed"}},
		{"damaged records", q + "&input=z.%21%21", 400, []string{"input"}},
		{"bomb of records", q + "&input=z.AAAA", 400, []string{"input"}},
		{"hash that is none", q + "&input=h.12", 400, []string{"64 hexadecimal digits"}},
		{"records that are gone", q + "&input=h." + strings.Repeat("0f", 32), 410, []string{"30 days", "Paste them again"}},
		{"unknown card", q + "&card=predikt", 400, []string{"predikt", "predict"}},
		{"prediction without a crash", q + "&at=3&card=predict", 400, []string{"a fault of this run strikes"}},
		{"reveal without a crash", q + "&card=reveal", 400, []string{"no fault"}},
		{"prediction of nothing", q + "&fault=crash-job@3&card=reveal&predict=moon:exact", 400, []string{"moon"}},
		{"prediction of no class", q + "&fault=crash-job@3&card=reveal&predict=sink:fine", 400, []string{"fine", "duplicated"}},
		{"flag that is none", q + "&embed=yes", 400, []string{"embed", "yes"}},
		{"no scenario but faults", "/run?fault=crash-job@3", 400, []string{"names none"}},
		{"unknown page", "/lesons", 404, []string{"/lesons"}},
		{"unknown lesson", "/lessons/nowhere", 404, []string{"nowhere"}},
		{"unknown step", "/lessons/" + firstLesson(t).Slug + "?seg=nowhere", 404, []string{"nowhere", firstLesson(t).Segments[0].ID}},
		{"unknown path", "/lessons/" + catalogue().Paths()[0].Lessons[0].Slug + "?path=nowhere", 404, []string{"nowhere", catalogue().Paths()[0].ID}},
		{"unknown bet", "/lessons/" + firstLesson(t).Slug + "?bet=nowhere:a", 400, []string{"bet"}},
		{"unknown question", "/lessons/" + firstLesson(t).Slug + "?seg=quiz&quiz=nowhere:a", 400, []string{"quiz"}},
		{"URL without end", q + "&seed=" + strings.Repeat("1", 10000), 414, []string{"characters"}},
	}
}

func TestRefusalsNameThePartAndWhatIsAllowed(t *testing.T) {
	s := newServer(t)
	for _, c := range refusals(t) {
		t.Run(c.name, func(t *testing.T) {
			r := get(t, s, c.path)
			b := body(t, r)
			if r.StatusCode != c.status {
				t.Errorf("status %d, want %d", r.StatusCode, c.status)
			}
			for _, w := range c.says {
				if !strings.Contains(b, w) {
					t.Errorf("the page does not say %q", w)
				}
			}
			if strings.Contains(b, "our mistake") {
				t.Error("the page takes the blame for a bad link")
			}
		})
	}
}

// The button under a refusal leads to a page that works.
func TestTheWayOutOfARefusalWorks(t *testing.T) {
	s := newServer(t)
	q := "/run?scenario=" + scenario(t)
	for _, path := range []string{q + "&fault=crash-job@5&fault=crash:nobody/0@3", q + "&at=9999", q + "&seed=x", q + "&falt=1", q + "&set=sink=apend&at=7",
		"/lessons/" + firstLesson(t).Slug + "?seg=nowhere"} {
		b := body(t, get(t, s, path))
		_, rest, ok := strings.Cut(b, `button primary large" href="`)
		href, _, _ := strings.Cut(rest, `"`)
		href = strings.ReplaceAll(href, "&amp;", "&")
		if !ok {
			t.Errorf("%s: no way out", path)
			continue
		}
		if r := get(t, s, href); r.StatusCode != http.StatusOK {
			t.Errorf("%s: the way out %s answers %d", path, href, r.StatusCode)
		}
	}
}

func TestScriptsGetTheSameRefusalAsJSON(t *testing.T) {
	s := newServer(t)
	r := get(t, s, "/api/run?scenario=nowhere")
	b := body(t, r)
	if r.StatusCode != 404 || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") || !strings.Contains(b, `"found":"nowhere"`) {
		t.Errorf("status %d, %s: %s", r.StatusCode, r.Header.Get("Content-Type"), b)
	}
	for _, path := range []string{"&kind=pause", "&depth=3", "&depth=x"} {
		if r := get(t, s, "/api/explore?scenario="+scenario(t)+path); r.StatusCode != 400 {
			t.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
}

func TestOtherMethodsAreRefused(t *testing.T) {
	s := newServer(t)
	for _, path := range []string{"/", "/card/predict", "/api/run"} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, nil))
		if w.Code != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: status %d", path, w.Code)
		}
	}
}

// broken is a runner with a bug.
type broken struct{ simulator }

func (broken) Run(_ context.Context, job *engine.Job, faults []engine.Fault) (*trace.Trace, error) {
	if len(faults) > 0 {
		panic("two events at once in task 3")
	}
	return sim.Run(job, faults)
}

func TestOurMistakeSaysSo(t *testing.T) {
	s := newServer(t, func(c *web.Config) { c.Runner = broken{} })
	r := get(t, s, "/run?scenario="+scenario(t)+"&fault=crash-job@3")
	b := body(t, r)
	if r.StatusCode != 500 || !strings.Contains(b, "our mistake") || strings.Contains(b, "two events") {
		t.Errorf("status %d: %s", r.StatusCode, b)
	}
	if r := get(t, s, "/run?scenario="+scenario(t)); r.StatusCode != 200 {
		t.Errorf("the request after it: status %d; a turn was not given back?", r.StatusCode)
	}
}
