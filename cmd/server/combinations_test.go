package main

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"effectivelyonce/content"
	"effectivelyonce/engine/sim"
	"effectivelyonce/lessons"
	"effectivelyonce/web"
)

// refusedPairs are the messages of curriculum 3.6 that are said before a run, by
// their number there: the two settings, the reason, the nearest legal choice. Of
// number 8 the half without an interval cannot be written: checkpoint.interval has
// no value that means none.
var refusedPairs = []struct{ name, set, one, other, why, nearest string }{
	{"1 batch, transactional", "strategy=batch topology=BATCH sink=transactional", "strategy=batch", "sink=transactional",
		"A batch task has no position to resume from and publishes by renaming a finished file.", "sink=files"},
	{"1 batch, offset-with-output", "strategy=batch topology=BATCH sink=offset-with-output", "strategy=batch", "sink=offset-with-output", "A batch task has no position", "sink=files"},
	{"2 loop, files", "strategy=offset-commit topology=LOOP sink=files", "strategy=offset-commit", "sink=files", "Nobody decides when a file is final.", "sink=append"},
	{"2 streams, files", "strategy=kafka-streams sink=files", "strategy=kafka-streams", "sink=files", "Nobody decides when a file is final.", "sink=append"},
	{"3 async, state", "strategy=microbatch async.progress=on sink=append", "async.progress=on", "topology=J",
		"Async progress tracking is for stateless queries that write to a topic, and gives up exactly-once.", "async.progress=off"},
	{"3 async, not a topic", "strategy=microbatch async.progress=on topology=MAP output=event sink=upsert", "async.progress=on", "sink=upsert",
		"Async progress tracking is for stateless queries", "async.progress=off"},
	{"4 streams at least once, transactional", "strategy=kafka-streams sink=transactional", "processing.guarantee=at_least_once", "sink=transactional",
		"Kafka Streams opens transactions only under exactly_once_v2.", "processing.guarantee=exactly_once_v2"},
	{"5 dataflow, position", "strategy=dataflow sink=offset-with-output", "strategy=dataflow", "sink=offset-with-output",
		"Dataflow does not promise order between stages, which a position guard needs.", "sink=dedup"},
	{"5 dataflow, transactional", "strategy=dataflow sink=transactional", "strategy=dataflow", "sink=transactional", "Not modelled: this engine removes repeats by record id.", "sink=dedup"},
	{"5 dataflow, files", "strategy=dataflow sink=files", "strategy=dataflow", "sink=files", "Not modelled: this engine removes repeats by record id.", "sink=dedup"},
	{"6 unaligned, at least once", "checkpoint.unaligned=on checkpoint.mode=at_least_once", "checkpoint.unaligned=on", "checkpoint.mode=at_least_once",
		"There is no alignment to skip.", "checkpoint.mode=exactly_once"},
	{"8 no prefix", "sink=transactional transactional.id.prefix=", "sink=transactional", "transactional.id.prefix=", "transactional.id.prefix is required", "transactional.id.prefix=job-a"},
	{"9 commit interval", "strategy=kafka-streams processing.guarantee=exactly_once_v2 sink=transactional commit.interval=20s", "commit.interval=20s", "transaction.timeout=10s",
		"Kafka Streams rejects the configuration.", "commit.interval=10s"},
	{"10 replicated, mail", "strategy=replicated sink=email", "strategy=replicated", "sink=email", "Every one of the k+1 replicas would make the call.", "sink=state"},
	{"11 xa, mail", "strategy=xa topology=LOOP sink=email", "strategy=xa", "sink=email", "A mailbox cannot promise to send later.", "sink=transactional"},
	{"12 trident, outside", "strategy=trident sink=upsert", "strategy=trident", "sink=upsert", "The guarantee is a property of the state object.", "sink=state"},
}

// site is the site without a network.
func site(t *testing.T) http.Handler {
	t.Helper()
	cat, _ := lessons.Load(content.FS)
	cat.Prepare(sim.Run)
	s, err := web.New(web.Config{Runner: runner{}, Catalogue: cat})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func ask(h http.Handler, path string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

// Command line, page and API refuse a pair of settings in the same words, and the
// button of the page makes a run.
func TestPairsThatCannotBeBuiltAreRefusedAlikeEverywhere(t *testing.T) {
	h := site(t)
	for _, c := range refusedPairs {
		t.Run(c.name, func(t *testing.T) {
			args, query := []string{"run", "barrier-cut"}, url.Values{"scenario": {"barrier-cut"}, "set": strings.Fields(c.set)}
			for _, kv := range strings.Fields(c.set) {
				args = append(args, "--set", kv)
			}
			words := []string{c.one, c.other, c.why, c.nearest}
			status, out, errs := server(t, args...)
			if status != exitUsage || out != "" {
				t.Errorf("command line: status %d, printed %q", status, out)
			}
			says(t, "command line", errs, words)
			for _, path := range []string{"/api/run?", "/api/explore?"} {
				code, body := ask(h, path+query.Encode())
				if code != http.StatusBadRequest {
					t.Errorf("%s: status %d", path, code)
				}
				says(t, path, body, words)
			}
			code, body := ask(h, "/run?"+query.Encode())
			if code != http.StatusBadRequest {
				t.Errorf("page: status %d", code)
			}
			says(t, "page", html.UnescapeString(body), append(words, "These two settings do not go together", "Use "+c.nearest))
			_, rest, _ := strings.Cut(body, `button primary large" href="`)
			href, _, _ := strings.Cut(rest, `"`)
			if code, body := ask(h, "/api"+html.UnescapeString(href)); code != http.StatusOK {
				t.Errorf("the button leads to %s: status %d\n%.300s", href, code, body)
			}
		})
	}
}

func says(t *testing.T, who, text string, words []string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q: %.300s", who, w, text)
		}
	}
}

// Number 7 is the broker's own refusal: the run starts, is refused and ends stuck.
func TestATimeoutAboveTheBrokersIsRefusedByTheBroker(t *testing.T) {
	args := []string{"run", "barrier-cut", "--set", "sink=transactional", "--set", "transaction.timeout=20s", "--format"}
	status, out, errs := server(t, append(args, "ndjson")...)
	if status != exitDone || !strings.Contains(out, "start.refused") {
		t.Errorf("status %d, %s", status, errs)
	}
	status, out, _ = server(t, append(args, "json")...)
	if status != exitDone || !strings.Contains(out, `"class": "stuck"`) && !strings.Contains(out, `"class":"stuck"`) {
		t.Errorf("status %d: %s", status, out)
	}
	if _, out, _ = server(t, append(args, "text")...); !strings.Contains(out, "INVALID_TRANSACTION_TIMEOUT") {
		t.Errorf("the log does not say that the broker refused: %s", out)
	}
	query := "scenario=barrier-cut&set=sink=transactional&set=transaction.timeout=20s"
	h := site(t)
	if code, body := ask(h, "/run?"+query+"&at=1"); code != http.StatusOK || !strings.Contains(body, "INVALID_TRANSACTION_TIMEOUT") {
		t.Errorf("page: status %d", code)
	}
	if code, body := ask(h, "/api/run?"+query); code != http.StatusOK || !strings.Contains(body, `"class":"stuck"`) {
		t.Errorf("API: status %d, %s", code, body)
	}
}
