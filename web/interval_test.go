package web_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// The page draws every plot beside a table of the same numbers, and works the form's
// numbers out.
func TestIntervalPage(t *testing.T) {
	page := body(t, get(t, newServer(t), "/interval"))
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	figures := all(doc, "figure")
	if len(figures) != 7 {
		t.Fatalf("%d figures", len(figures))
	}
	for _, f := range figures {
		if tables := all(f, "table"); len(tables) != 1 || len(all(tables[0], "tr")) < 6 {
			t.Errorf("%s: no table, or a short one", attribute(f, "id"))
		}
		for _, svg := range all(f, "svg") {
			if attribute(svg, "role") == "img" && attribute(svg, "aria-label") == "" {
				t.Errorf("%s: a picture without words", attribute(f, "id"))
			}
		}
	}
	for _, want := range []string{"4.9 min", "40 s, at most 70 s", "3,500,000", "3.8 min, at most 4.6 min", "31.2 min", "survive an outage of 13.8 min"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	own := body(t, get(t, newServer(t), "/interval?c=10s&m=1d&t=300s&d=120s&outage=30m&lambda=80000&mu=80000&timeout=2m"))
	for _, want := range []string{"21.9 min", "1.5 % is wasted", "37 min", "too short even without an outage", "never", "Headroom comes before any interval"} {
		if !strings.Contains(own, want) {
			t.Errorf("with own numbers the page does not say %q", want)
		}
	}
}

// A number that cannot be read is refused with its place, what was found and what is
// allowed.
func TestIntervalRefusesWhatItCannotRead(t *testing.T) {
	s := newServer(t)
	for query, want := range map[string]string{
		"t=never": "above 0 and at most 1000d", "c=-1s": "above 0", "m=0s": "above 0", "d=1e9s": "above 0", "lambda=many": "records a second",
		"mu=0": "records a second", "t=60s&t=70s": "one value", "lamda=5": "did you mean", "outage=2000d": "at most 1000d", "t=%zz": "percent-encoded", "down=5": "a number with ms",
	} {
		r := get(t, s, "/interval?"+query)
		page := body(t, r)
		if query == "lamda=5" {
			want = "lambda"
		}
		if r.StatusCode != http.StatusBadRequest || !strings.Contains(page, want) {
			t.Errorf("%s: %d, the page does not say %q", query, r.StatusCode, want)
		}
	}
	if r := get(t, s, "/interval?outage=0s&down=0s"); r.StatusCode != http.StatusOK {
		t.Errorf("no outage and no downtime: %d", r.StatusCode)
	}
}
