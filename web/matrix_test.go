package web_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// all are the elements of a kind below a node.
func all(n *html.Node, tag string) (out []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == tag {
			out = append(out, d)
		}
	}
	return out
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// The matrix is real tables: a caption, a scope on every heading, a cell for every
// column, and a word beside every glyph.
func TestMatrixPageIsMadeOfTables(t *testing.T) {
	page := body(t, get(t, newServer(t), "/matrix"))
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	tables := all(doc, "table")
	if len(tables) != 12 {
		t.Fatalf("%d tables", len(tables))
	}
	for _, table := range tables {
		if len(all(table, "caption")) != 1 {
			t.Error("a table without a caption")
		}
		columns := -1
		for _, row := range all(table, "tr") {
			cells := len(all(row, "td")) + len(all(row, "th"))
			if columns >= 0 && cells != columns {
				t.Errorf("%d cells in a row of %d columns", cells, columns)
			}
			columns = cells
		}
		for _, th := range all(table, "th") {
			if attribute(th, "scope") == "" {
				t.Error("a heading without a scope")
			}
		}
		for _, a := range all(table, "a") {
			if attribute(a, "aria-label") == "" && len(all(a, "span")) < 2 {
				t.Errorf("a link without words: %s", attribute(a, "href"))
			}
		}
	}
	for _, want := range []string{"every gap between two events × every task and the whole job, seed 1", "cannot be built, reason 1",
		"A batch task has no position to resume from", `aria-current="page">Guarantees`, "86<span class=\"visually-hidden\"> of 880 runs, open the shortest"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Links within the page lead somewhere, and every footnote is referred to.
func TestMatrixFootnotesAreReached(t *testing.T) {
	page := body(t, get(t, newServer(t), "/matrix"))
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	ids, used := map[string]bool{}, map[string]bool{}
	for n := range doc.Descendants() {
		if id := attribute(n, "id"); n.Type == html.ElementNode && id != "" {
			if ids[id] {
				t.Errorf("id %s twice", id)
			}
			ids[id] = true
		}
	}
	for _, a := range all(doc, "a") {
		if to, ok := strings.CutPrefix(attribute(a, "href"), "#"); ok {
			used[to] = true
			if !ids[to] {
				t.Errorf("#%s leads nowhere", to)
			}
		}
	}
	for id := range ids {
		if (strings.HasPrefix(id, "note-") || strings.HasPrefix(id, "reason-")) && !used[id] {
			t.Errorf("no cell refers to %s", id)
		}
	}
}
