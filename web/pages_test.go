package web_test

import (
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestEveryPageIsOneWholeDocument(t *testing.T) {
	s := newServer(t)
	for _, path := range allPages(t) {
		p := open(t, s, path)
		if h := p.all(func(n *html.Node) bool { return n.Data == "h1" }); len(h) != 1 {
			t.Errorf("%s: %d elements h1, want one", path, len(h))
		}
		if m := p.all(func(n *html.Node) bool { return n.Data == "main" }); len(m) != 1 {
			t.Errorf("%s: %d elements main, want one", path, len(m))
		}
		seen := map[string]bool{}
		for _, n := range p.all(func(n *html.Node) bool { _, ok := attr(n, "id"); return ok }) {
			id, _ := attr(n, "id")
			if seen[id] {
				t.Errorf("%s: id %q occurs twice", path, id)
			}
			seen[id] = true
		}
		for _, n := range p.all(func(n *html.Node) bool { return true }) {
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: <%s %s=%q>: the policy refuses what is written inline", path, n.Data, a.Key, a.Val)
				}
			}
			if n.Data == "style" || n.Data == "script" && n.FirstChild != nil {
				t.Errorf("%s: an inline <%s>", path, n.Data)
			}
		}
	}
}

// Labels, headings and skip links lead somewhere, on every page.
func TestEveryReferenceIsThere(t *testing.T) {
	s := newServer(t)
	for _, path := range allPages(t) {
		p := open(t, s, path)
		for _, n := range p.all(func(n *html.Node) bool { return true }) {
			for _, key := range []string{"aria-labelledby", "aria-describedby", "for", "form", "href"} {
				v, ok := attr(n, key)
				if !ok || key == "href" && !strings.HasPrefix(v, "#") {
					continue
				}
				for _, id := range strings.Fields(v) {
					if id = strings.TrimPrefix(id, "#"); p.byID(id) == nil {
						t.Errorf("%s: <%s %s=%q> names nothing", path, n.Data, key, v)
					}
				}
			}
		}
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	s := newServer(t)
	paths := append(allPages(t), "/nowhere", "/run?scenario=nowhere", "/api/run?scenario="+scenario(t), "/card/inspect?scenario="+scenario(t)+"&what=x")
	for _, path := range paths {
		h := get(t, s, path).Header
		csp := h.Get("Content-Security-Policy")
		for _, want := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'self'"} {
			if !strings.Contains(csp, want) {
				t.Errorf("%s: policy %q lacks %s", path, csp, want)
			}
		}
		if strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") == "" {
			t.Errorf("%s: headers %v", path, h)
		}
		if cc := h.Get("Cache-Control"); strings.Contains(cc, "no-store") || !strings.Contains(cc, "no-cache") {
			t.Errorf("%s: Cache-Control %q: back must be instant, and a page may not be stale", path, cc)
		}
	}
}

func TestOnlyTheEmbeddedStageMayBeFramed(t *testing.T) {
	s := newServer(t)
	q := "/run?scenario=" + scenario(t)
	for path, want := range map[string]string{q: "frame-ancestors 'none'", q + "&embed=1": "frame-ancestors *",
		"/?embed=1": "frame-ancestors 'none'", "/lessons/" + firstLesson(t).Slug + "?embed=1": "frame-ancestors 'none'"} {
		if csp := get(t, s, path).Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, want) {
			t.Errorf("%s: %q, want %s", path, csp, want)
		}
	}
	if p := open(t, s, q+"&embed=1"); len(p.all(func(n *html.Node) bool { return n.Data == "header" })) != 0 {
		t.Error("the embedded stage shows the site's bar")
	}
}

// Without scripts every event is a link, and every crash a form.
func TestWithoutScriptsEverythingCanBeReached(t *testing.T) {
	s := newServer(t)
	start := "/run?scenario=" + scenario(t) + "&at=0"
	p := open(t, s, start)
	for range 5 {
		next := p.all(func(n *html.Node) bool { v, _ := attr(n, "aria-label"); return n.Data == "a" && v == "Next event" })
		if len(next) != 1 {
			t.Fatalf("%d links to the next event", len(next))
		}
		href, _ := attr(next[0], "href")
		p = open(t, s, href)
	}
	if at, _ := attr(p.byID("run"), "data-at"); at != "5" {
		t.Fatalf("five steps lead to event %s", at)
	}
	rows := p.all(func(n *html.Node) bool { _, ok := attr(n, "data-n"); return n.Data == "a" && ok })
	if len(rows) < 5 {
		t.Fatalf("%d rows of the log are links, want 5", len(rows))
	}
	for _, a := range rows {
		href, _ := attr(a, "href")
		if r := get(t, s, href); r.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d", href, r.StatusCode)
		}
	}
}

func TestEveryLinkOfEveryPageWorks(t *testing.T) {
	s := newServer(t)
	done := map[string]bool{}
	for _, path := range allPages(t) {
		p := open(t, s, path)
		events := 0
		for _, a := range p.all(func(n *html.Node) bool { return n.Data == "a" }) {
			href, _ := attr(a, "href")
			if _, ok := attr(a, "data-n"); ok {
				if events++; events > 3 {
					continue // the log's rows are made alike
				}
			}
			if strings.HasPrefix(href, "?") {
				base, _, _ := strings.Cut(path, "?")
				href = base + href
			}
			if done[href] || !strings.HasPrefix(href, "/") {
				continue
			}
			done[href] = true
			href, _, _ = strings.Cut(href, "#")
			if r := get(t, s, href); r.StatusCode != http.StatusOK {
				t.Errorf("%s links to %s: status %d", path, href, r.StatusCode)
			}
		}
	}
	if len(done) < 50 {
		t.Fatalf("only %d links were followed", len(done))
	}
}
