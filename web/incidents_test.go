package web_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Every incident has a page whose two sides say what the engine makes of them, and
// whose buttons open runs that exist.
func TestIncidentPages(t *testing.T) {
	s := newServer(t)
	list := body(t, get(t, s, "/incidents"))
	doc, err := html.Parse(strings.NewReader(list))
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, a := range all(doc, "a") {
		href := attribute(a, "href")
		if !strings.HasPrefix(href, "/incidents/") {
			continue
		}
		pages++
		page := body(t, get(t, s, href))
		story, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		watch := 0
		for _, b := range all(story, "a") {
			to := attribute(b, "href")
			if !strings.HasPrefix(to, "/run?scenario=incident-") {
				continue
			}
			watch++
			if r := get(t, s, to); r.StatusCode != http.StatusOK {
				t.Errorf("%s: %s answers %d", href, to, r.StatusCode)
			}
		}
		if n := strings.Count(page, "server run incident-"); watch < 2 || n != watch {
			t.Errorf("%s: %d runs to watch, %d commands", href, watch, n)
		}
		for _, want := range []string{"Before the change", "After the change", "What to learn", "Reported in", "strip s-exact"} {
			if !strings.Contains(page, want) {
				t.Errorf("%s does not say %q", href, want)
			}
		}
	}
	if pages < 11 {
		t.Errorf("%d incidents", pages)
	}
	if !strings.Contains(list, "4 lost") || !strings.Contains(list, "301 twice") {
		t.Error("the list does not say what came out")
	}
}

// An incident that does not exist is a 404 that names the nearest one.
func TestNoSuchIncident(t *testing.T) {
	r := get(t, newServer(t), "/incidents/c28-one-number-for-five-workers")
	if r.StatusCode != http.StatusNotFound || !strings.Contains(body(t, r), "/incidents/c28-one-number-for-four-workers") {
		t.Errorf("%d, the nearest is not named", r.StatusCode)
	}
}
