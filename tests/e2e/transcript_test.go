package e2e

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/dom"
)

var rewrite = flag.Bool("rewrite", false, "write the screen reader's transcript again")

const transcriptFile = "../../docs/review/transcript-alignment.md"

// TestTranscriptOfALesson reads lesson 6 as a screen reader does, step by step,
// from the browser's accessibility tree, and compares it with the text that was
// read and judged: go test ./tests/e2e -run Transcript -rewrite writes it again.
func TestTranscriptOfALesson(t *testing.T) {
	b := open(t, site.URL, look{calm: true})
	var out strings.Builder
	out.WriteString("# Lesson 6, Waiting for the slow input, as a screen reader tells it\n\nMade by `go test ./tests/e2e -run Transcript -rewrite` from the browser's accessibility tree. The whole page once, then of each\nstep its text, the sentence of the event where it stops (the slider's value, and all that is spoken unasked), and what is new on\nthe stage, in durable storage and in the verdict. The rest stands there as before, for those who go there.\n")
	was := map[string]bool{}
	b.visit("/lessons/alignment")
	b.state("paused")
	b.await(complete)
	out.WriteString("\n## The page when it opens\n\n" + b.aloud("body"))
	for _, s := range eval[[][2]string](b, `[...document.querySelectorAll('[data-segment]')].map(s => [s.dataset.segment, s.dataset.untilEvent])`) {
		b.visit(fmt.Sprintf("/lessons/alignment?seg=%s", s[0]))
		b.await(complete)
		b.await(`['paused', 'ended', 'frozen'].includes(document.querySelector('main').dataset.state)`)
		section := `[data-segment="` + s[0] + `"]`
		last := eval[string](b, `document.querySelector('`+section+`').dataset.untilEvent`)
		if !b.is(`document.querySelector('main').dataset.state === 'frozen'`) && last != "0" {
			n := eval[int](b, `Math.min(Number(document.querySelector('`+section+`').dataset.untilEvent), Number(document.querySelector('main [data-last]').textContent))`)
			b.seek(n)
		}
		if n := eval[int](b, `document.querySelectorAll('#stage, #shelf, #verdict, :is(#stage, #shelf, #verdict) *').values().filter(e => e.matches('[aria-live], [role=status], [role=alert], [role=log]')).toArray().length`); n != 0 {
			t.Errorf("step %s: %d parts of the picture speak by themselves", s[0], n)
		}
		out.WriteString("\n## Step: " + s[0] + "\n\n" + b.aloud(section))
		out.WriteString("\nOn the stage, " + eval[string](b, `document.getElementById('timeline').getAttribute('aria-valuetext')`) + "\n\n" + news(was, b.aloud("#stage")+b.aloud("#shelf")+b.aloud("#verdict")))
	}
	if *rewrite {
		if err := os.WriteFile(transcriptFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(transcriptFile)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(kept), "\n")
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("line %d differs from %s:\nfound %q\nwant  %q\nread the difference; -rewrite writes it again", i+1, transcriptFile, at(got, i), at(want, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}

// news is what a part of the page tells that it did not tell when it was read
// last: the lines that changed, each under the names of what it belongs to. It
// remembers in was what stands there now.
func news(was map[string]bool, told string) string {
	var out strings.Builder
	var names []string // of what is around the line, without their states
	open := 0          // how many of them are written
	now := map[string]bool{}
	for line := range strings.Lines(told) {
		line = strings.TrimSuffix(line, "\n")
		depth := min((len(line)-len(strings.TrimLeft(line, " ")))/2, len(names))
		name, _, _ := strings.Cut(line, ",")
		names = append(names[:depth], name)
		open = min(open, depth)
		key := strings.Join(names[:depth], "\n") + "\n" + line
		now[key] = true
		if was[key] {
			continue
		}
		for ; open < depth; open++ {
			out.WriteString(names[open] + "\n")
		}
		out.WriteString(line + "\n")
		open = depth + 1
	}
	clear(was)
	maps.Copy(was, now)
	return cmp.Or(out.String(), "- nothing new\n")
}

// aloud is a part of the page as a screen reader tells it: a line for each thing
// that has a role people hear, with its name and state.
func (b *tab) aloud(selector string) string {
	b.t.Helper()
	tree := call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	r := reader{nodes: map[accessibility.NodeID]*accessibility.Node{}}
	for _, n := range tree.Nodes {
		r.nodes[n.NodeID] = n
	}
	root := b.axNode(selector, tree.Nodes)
	if root == nil {
		b.t.Fatalf("%s is not in the accessibility tree", selector)
	}
	r.tell(root, 0)
	return r.out.String()
}

// axNode is the node of the tree that belongs to an element.
func (b *tab) axNode(selector string, nodes []*accessibility.Node) *accessibility.Node {
	b.t.Helper()
	doc := call(b, dom.GetDocument, dom.GetDocumentParams{})
	found := call(b, dom.QuerySelector, dom.QuerySelectorParams{NodeID: doc.Root.NodeID, Selector: selector})
	el := call(b, dom.DescribeNode, dom.DescribeNodeParams{NodeID: found.NodeID})
	for _, n := range nodes {
		if n.BackendDOMNodeID == el.Node.BackendNodeID {
			return n
		}
	}
	return nil
}

// reader walks over an accessibility tree.
type reader struct {
	nodes map[accessibility.NodeID]*accessibility.Node
	out   strings.Builder
	last  string // what was told before: a label is told with the thing it labels
}

func (r *reader) line(depth int, role, text, state string) {
	if role == "" && (text == "" || text == r.last) {
		return
	}
	r.last = text
	if role != "" {
		role += ": "
	}
	fmt.Fprintf(&r.out, "%s- %s%s%s\n", strings.Repeat("  ", depth), role, text, state)
}

// spoken are the roles that are told, and what a screen reader calls them; other
// roles only hold what lies in them.
var spoken = map[string]string{"heading": "heading", "button": "button", "link": "link", "image": "picture", "img": "picture", "group": "group", "list": "list",
	"table": "table", "radio": "choice", "textbox": "text field", "slider": "slider", "checkbox": "check box", "region": "region", "complementary": "region",
	"navigation": "navigation", "main": "main part", "banner": "top of the page", "combobox": "selection", "form": "form", "radiogroup": "choices",
	"DisclosureTriangle": "button", "figure": "picture", "article": "article"}

// tidy takes back the spaces that joining the parts of a sentence has put in.
var tidy = strings.NewReplacer(" .", ".", " ,", ",", " ?", "?", " :", ":")

func word(v *accessibility.Value) string {
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) != nil {
		return strings.Trim(string(v.Value), `"`)
	}
	return strings.Join(strings.Fields(s), " ")
}

func (r *reader) tell(n *accessibility.Node, depth int) {
	role, name := word(n.Role), word(n.Name)
	switch {
	case n.Ignored:
	case role == "paragraph" || role == "listitem" || role == "row" || role == "term" || role == "definition" || role == "Legend" || role == "caption" || role == "Figcaption":
		r.line(depth, "", tidy.Replace(r.text(n)), "")
		return
	case role == "StaticText":
		r.line(depth, "", name, "")
		return
	case spoken[role] != "" && name != "" || role == "heading":
		r.line(depth, spoken[role], name, r.state(n))
		if role == "heading" || role == "button" || role == "link" || role == "image" || role == "img" || role == "radio" || role == "slider" {
			return
		}
		depth++
	}
	for _, id := range n.ChildIDs {
		if c := r.nodes[id]; c != nil {
			r.tell(c, depth)
		}
	}
}

func (r *reader) state(n *accessibility.Node) string {
	var out string
	if v := word(n.Value); v != "" && word(n.Role) == "slider" {
		out = ", " + v
	}
	for _, p := range n.Properties {
		switch v := word(p.Value); {
		case p.Name == "disabled" && v == "true":
			out += ", not available"
		case p.Name == "pressed" && v == "true":
			out += ", pressed"
		case p.Name == "checked" && v == "true":
			out += ", chosen"
		case p.Name == "expanded" && v == "false":
			out += ", closed"
		case p.Name == "valuetext" && v != "":
			out += ", " + v
		}
	}
	return out
}

// text is all that is read of a paragraph or a row, links and pictures included.
func (r *reader) text(n *accessibility.Node) string {
	switch role := word(n.Role); {
	case n.Ignored && len(n.ChildIDs) == 0:
		return ""
	case role == "StaticText" || role == "image" || role == "img" || role == "button" || role == "radio":
		return word(n.Name)
	}
	var parts []string
	for _, id := range n.ChildIDs {
		if c := r.nodes[id]; c != nil {
			if s := r.text(c); s != "" {
				parts = append(parts, s)
			}
		}
	}
	sep := " "
	if word(n.Role) == "row" {
		sep = " | "
	}
	return strings.Join(parts, sep)
}
