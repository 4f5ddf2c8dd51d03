package web_test

import (
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

var incidentLink = regexp.MustCompile(`\]\((/sandbox\?[^)]*)\): (\w+)`)

// The incidents of docs/sandbox.md end as it says, and everything in their links can
// be chosen with clicks: every value is a card, an option, or in a field's list.
func TestIncidentsByClicks(t *testing.T) {
	doc, err := os.ReadFile("../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	links := incidentLink.FindAllStringSubmatch(string(doc), -1)
	if len(links) < 6 || strings.Count(string(doc), "\n### ") != 3 {
		t.Fatalf("docs/sandbox.md has %d links", len(links))
	}
	s := newServer(t)
	for _, l := range links {
		p := open(t, s, l[1])
		outcome := ""
		for n := range p.byID("result").Descendants() {
			if c, _ := attr(n, "class"); strings.HasPrefix(c, "class-word") && outcome == "" {
				outcome = strings.ToLower(text(n))
			}
		}
		if outcome != l[2] {
			t.Errorf("%s ends %s, the page says %s", l[1], outcome, l[2])
		}
		u, _ := url.Parse(l[1])
		for _, kv := range u.Query()["set"] {
			key, value, _ := strings.Cut(kv, "=")
			if !p.offers("set."+key, value) && !p.offers("set.sinks.sink."+key, value) {
				t.Errorf("%s: %s cannot be chosen", l[1], kv)
			}
		}
		for _, f := range u.Query()["fault"] {
			head, when, _ := strings.Cut(f, "@")
			parts := strings.Split(head, ":")
			ok := p.offers("fault.0.kind", parts[0]) && (len(parts) < 2 || p.offers("fault.0.target", parts[1])) && (len(parts) < 3 || p.offers("fault.0.arg", parts[2]))
			if when != "0" {
				ok = ok && p.offers("fault.0.named", strings.Replace(when, "before:", "after:", 1))
			}
			if !ok {
				t.Errorf("%s: the fault %s cannot be chosen", l[1], f)
			}
		}
	}
}

// offers reports whether a field of the form has a value to choose.
func (p *page) offers(name, value string) bool {
	for _, n := range p.all(func(n *html.Node) bool { v, _ := attr(n, "name"); return v == name }) {
		if kind, _ := attr(n, "type"); kind == "radio" {
			if v, _ := attr(n, "value"); v == value {
				return true
			}
			continue
		}
		from := n
		if list, ok := attr(n, "list"); ok {
			from = p.byID(list)
		}
		if slices.Contains(options(from), value) {
			return true
		}
	}
	return false
}

func options(n *html.Node) (out []string) {
	for o := range n.Descendants() {
		if v, ok := attr(o, "value"); ok && o.Data == "option" {
			out = append(out, v)
		}
	}
	return out
}
