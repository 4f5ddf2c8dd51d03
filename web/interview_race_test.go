package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func classed(pg *page, class string) []*html.Node {
	return pg.all(func(n *html.Node) bool {
		c, _ := attr(n, "class")
		return slices.Contains(strings.Fields(c), class)
	})
}

// Before the answer a race says what each of its jobs has to do, and leads to none of
// their runs; after it each option leads to a run of its own, where its crash strikes.
func TestARaceShowsEachJob(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q19.4~3590&n=1"
	q := seeds(t, at)[0]
	pg, said := p.visit(at)
	if n := len(classed(pg, "lane-needs")); n != len(q.Options) || strings.Contains(said, "/run?") {
		t.Errorf("before the answer %d of %d jobs say what they have to do; runs: %v", n, len(q.Options), strings.Contains(said, "/run?"))
	}
	pg, _ = p.visit(at + "&a=1:a")
	seen := map[string]bool{}
	for _, a := range classed(pg, "lane-run") {
		href, _ := attr(a, "href")
		seen[href] = true
		if !strings.Contains(href, "&fault=crash-node:node/0@before:") || !strings.Contains(href, "&at=") {
			t.Errorf("%s has no crash, or does not begin at it", href)
		}
		if _, run := p.visit(href); !strings.Contains(run, "node/0") {
			t.Errorf("%s shows no crash of the node", href)
		}
	}
	if len(seen) != len(q.Options) {
		t.Errorf("%d runs of %d jobs", len(seen), len(q.Options))
	}
}

// Two right events that are parts of one thing, and right moments next to each other,
// are said to be one; two records that are counted in a row are not.
func TestRightNeighboursAreOneStep(t *testing.T) {
	p := newPerson(t, newServer(t))
	const at = "/interview?minutes=15&since=1&plan=q05.3~210&n=1"
	set := seeds(t, at)[0].Derived.Set
	if len(set) != 2 || set[1] != set[0]+1 {
		t.Fatalf("right are %v; want two neighbours", set)
	}
	want := fmt.Sprintf("%d and %d are one step: either is right.", set[0], set[1])
	if _, said := p.visit(at); strings.Contains(said, want) {
		t.Error("said before the answer")
	}
	for _, n := range []int{1, set[0], set[1]} {
		if _, said := p.visit(fmt.Sprintf("%s&a=1:%d", at, n)); !strings.Contains(said, want) {
			t.Errorf("who answers %d is not told %q", n, want)
		}
	}
	if _, said := p.visit(fmt.Sprintf("%s&a=1:1", at)); !strings.Contains(said, fmt.Sprintf("it is %d or %d", set[0], set[1])) {
		t.Error("the right ones are not named as one")
	}
	if pg, _ := p.visit(strings.Replace(at, "&n=1", "&n=2", 1) + "&a=1:1"); !strings.Contains(text(pg.byID("main")), want) {
		t.Error("the review does not say it")
	}
	const moments = "/interview?minutes=15&since=1&plan=q11.3~8471&n=1"
	if set = seeds(t, moments)[0].Derived.Set; len(set) < 2 {
		t.Fatalf("right are %v", set)
	}
	if _, said := p.visit(fmt.Sprintf("%s&a=1:%d", moments, set[0])); !strings.Contains(said, "are one st") {
		t.Errorf("right are %v, and nothing says that they are one stretch", set)
	}
}

// Short forms and settings that an interview's page shows are explained on it.
func TestShortFormsAreExplained(t *testing.T) {
	p := newPerson(t, newServer(t))
	for id, want := range map[string]string{
		"q11.3~8471": "“s1 20” is a row of s1 with the value 20",
		"q08.4~4126": "backlog on: all records wait in the input from the start",
	} {
		if _, said := p.visit("/interview?minutes=15&since=1&plan=" + id + "&n=1"); !strings.Contains(said, want) {
			t.Errorf("%s: the page does not say %q", id, want)
		}
	}
}
