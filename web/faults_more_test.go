package web_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"effectivelyonce/engine"
)

// Every fault that the sheet offers strikes where the page stands, asks for a
// prediction in its own words under its own mark, and is listed with it after.
func TestEveryOfferedFaultStrikesAndIsNamed(t *testing.T) {
	s := newServer(t)
	marks := map[string]string{"pause": "pause", "lose-response": "answer-lost", "storage-down": "store-down", "broker-down": "broker-down", "late": "late", "second-job": "second-job"}
	p := open(t, s, "/run?scenario=lso-wall&at=100")
	form := p.form(t, "crash-list")
	seen := map[string]bool{}
	for n := range form.Descendants() {
		spec, ok := attr(n, "value")
		if n.Data != "button" || !ok || strings.HasPrefix(spec, "crash") {
			continue
		}
		f, err := engine.ParseFault(spec)
		if err != nil {
			t.Fatal(err)
		}
		kind := string(f.Kind)
		if head, _ := attr(n, "data-crash"); head+"@100" != spec {
			t.Errorf("scripts would inject %q, the form injects %q", head, spec)
		}
		if seen[kind] {
			continue // one of each kind is enough here
		}
		seen[kind] = true
		card := open(t, s, formURL(t, form, url.Values{"fault": {spec}})).form(t, "predict")
		if said := text(card); strings.Contains(said, "crashed") || !strings.Contains(said, "at event 100") || !strings.Contains(said, "Nobody has died of it.") {
			t.Errorf("%s: the card says %q", spec, said)
		}
		if !drawn(card, marks[kind]) {
			t.Errorf("%s: the card has not the mark %q", spec, marks[kind])
		}
		q := "/run?scenario=lso-wall&fault=" + url.QueryEscape(spec)
		for _, id := range []string{"prose", "timeline"} {
			if !drawn(open(t, s, q).byID(id), marks[kind]) {
				t.Errorf("%s: #%s has not the mark %q", spec, id, marks[kind])
			}
		}
		if said := text(open(t, s, q+"&card=reveal").byID("card")); !strings.Contains(said, "event 100") {
			t.Errorf("%s: what is revealed says %q", spec, said)
		}
	}
	if len(seen) != len(marks) {
		t.Errorf("offered kinds are %v, want all of %v", seen, marks)
	}
}

// What cannot act in a job is not offered.
func TestFaultsThatCannotActAreNotOffered(t *testing.T) {
	p := open(t, newServer(t), "/run?scenario=plain-memory&at=10")
	for n := range p.form(t, "crash-list").Descendants() {
		if spec, _ := attr(n, "value"); strings.HasPrefix(spec, "storage-down") || strings.HasPrefix(spec, "late") || strings.HasPrefix(spec, "second-job") || strings.HasPrefix(spec, "pause") {
			t.Errorf("a loop without checkpoints or transactions offers %s", spec)
		}
	}
}

// drawn reports whether a glyph stands below a node.
func drawn(n *html.Node, glyph string) bool {
	for d := range n.Descendants() {
		if href, _ := attr(d, "href"); d.Data == "use" && href == "#g-"+glyph {
			return true
		}
	}
	return false
}
