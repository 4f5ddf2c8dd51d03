package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/a-h/templ"

	"effectivelyonce/engine/trace"
)

// screen is what a browser would hold: the newest version of everything.
type screen struct {
	regions map[string]string
	attrs   map[string]map[string]string
}

// enough events of a run for the tests that look at every one of them.
const enough = 520

func newScreen() *screen {
	return &screen{regions: map[string]string{}, attrs: map[string]map[string]string{}}
}

func (c *screen) add(st Step) {
	maps.Copy(c.regions, st.Regions)
	for name, kv := range st.Attrs {
		if c.attrs[name] == nil {
			c.attrs[name] = map[string]string{}
		}
		maps.Copy(c.attrs[name], kv)
	}
}

func step(t testing.TB, s *Stage) Step {
	t.Helper()
	st, err := s.Step(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func all(t testing.TB, s *Stage) Step {
	t.Helper()
	st, err := s.AllRegions(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func draw(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func stageOf(tr *trace.Trace) *Stage {
	return New(tr.Job, Options{Faults: tr.Faults, Coordinator: true})
}

// Drawing what changed gives the same as drawing everything, at every event: no
// flag is forgotten.
func TestStepsAddUpToTheWholePicture(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		s, c := stageOf(tr), newScreen()
		for n := 0; n <= min(enough, tr.Len()); n++ {
			if n > 0 {
				s.Apply(tr.At(n))
			}
			if n > 150 && n%6 != 0 && n < tr.Len() {
				c.add(step(t, s))
				continue
			}
			whole := all(t, s)
			c.add(step(t, s))
			for name, want := range whole.Regions {
				if got, there := c.regions[name]; !there || got != want {
					t.Fatalf("%s: event %d: region %s\nsteps give %s\nwhole  is  %s", sh.name, n, name, got, want)
				}
			}
			for name, want := range whole.Attrs {
				if !maps.Equal(c.attrs[name], want) {
					t.Fatalf("%s: event %d: attributes of %s: steps give %v, whole is %v", sh.name, n, name, c.attrs[name], want)
				}
			}
		}
	}
}

// The first step holds every region and attribute, so that seeking back to it
// leaves nothing of later events behind; and it equals the page at event 0.
func TestSeekBackToTheFirstStep(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		s := stageOf(tr)
		first := step(t, s)
		fresh := all(t, stageOf(tr))
		later := newScreen()
		later.add(first)
		for n := 1; n <= tr.Len(); n++ {
			s.Apply(tr.At(n))
			later.add(step(t, s))
		}
		if len(later.regions) != len(first.Regions) {
			t.Errorf("%s: %d regions later, %d at first", sh.name, len(later.regions), len(first.Regions))
		}
		for name := range later.attrs {
			for k := range later.attrs[name] {
				if _, there := first.Attrs[name][k]; !there {
					t.Errorf("%s: attribute %s of %s has no first version", sh.name, k, name)
				}
			}
		}
		later.add(first)
		if !maps.Equal(later.regions, fresh.Regions) {
			t.Errorf("%s: seeking back to the start leaves later contents", sh.name)
		}
	}
}

// The page draws the same contents as the stream, in places of the same name.
func TestPageEqualsStream(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		s := stageOf(tr)
		for n := 0; n <= tr.Len(); n += 37 {
			for int(s.view.N) < n {
				s.Apply(tr.At(int(s.view.N) + 1))
			}
			page := draw(t, SVG(s)) + draw(t, Shelf(s)) + draw(t, Verdict(s))
			whole := all(t, s)
			for name, markup := range whole.Regions {
				i := strings.Index(page, `data-region="`+name+`"`)
				if i < 0 {
					t.Fatalf("%s: the page has no region %s", sh.name, name)
				}
				rest := page[i+strings.Index(page[i:], ">")+1:]
				if !strings.HasPrefix(rest, markup) {
					t.Fatalf("%s: event %d: region %s on the page:\n%.300s\nstreamed:\n%.300s", sh.name, n, name, rest, markup)
				}
			}
			if got := strings.Count(page, "data-region="); got != len(whole.Regions) {
				t.Errorf("%s: the page has %d regions, the stream %d", sh.name, got, len(whole.Regions))
			}
			for name, kv := range whole.Attrs {
				if !strings.Contains(page, `data-attrs="`+name+`"`) {
					t.Errorf("%s: the page has no element for the attributes of %s", sh.name, name)
				}
				for _, v := range kv {
					if !strings.Contains(page, `="`+templ.EscapeString(v)+`"`) {
						t.Errorf("%s: event %d: %s=%q is not on the page", sh.name, n, name, v)
					}
				}
			}
		}
	}
}

var svgElements = map[string]bool{"g": true, "rect": true, "path": true, "text": true, "tspan": true, "use": true}

var htmlElements = map[string]bool{"p": true, "b": true, "s": true, "span": true, "div": true, "ul": true, "li": true, "th": true, "td": true, "svg": true, "use": true}

// Every region is well-formed, holds only elements that may stand in its place,
// nothing that can be focused, no style and no id; all text is Latin-1; numbers
// in the drawing are whole.
func TestMarkupOfRegions(t *testing.T) {
	fraction := regexp.MustCompile(`(?: [xy]| d|width|height|transform)="[^"]*\.\d`)
	for _, sh := range shapes() {
		tr := sh.run(t)
		s := stageOf(tr)
		for n := 0; n <= min(enough, tr.Len()); n++ {
			if n > 0 {
				s.Apply(tr.At(n))
			}
			st := step(t, s)
			for name, markup := range st.Regions {
				allowed := svgElements
				if name == "shelf" || strings.HasPrefix(name, "verdict/") {
					allowed = htmlElements
				} else if fraction.MatchString(markup) {
					t.Errorf("%s: region %s has fractions: %s", sh.name, name, markup)
				}
				checkMarkup(t, sh.name+" "+name, markup, allowed)
			}
			for _, text := range append([]string{st.Log, st.Text}, values(st.Attrs)...) {
				latin1(t, sh.name, text)
			}
		}
	}
}

func values(attrs map[string]map[string]string) []string {
	var out []string
	for _, kv := range attrs {
		for _, v := range kv {
			out = append(out, v)
		}
	}
	return out
}

func latin1(t *testing.T, where, text string) {
	t.Helper()
	for _, r := range text {
		if r > 0xff && r != '…' { // a name cut short is rare; everything else keeps a byte a character in the browser
			t.Fatalf("%s: %q is not Latin-1 in %s", where, r, text)
		}
	}
}

func checkMarkup(t *testing.T, where, markup string, allowed map[string]bool) {
	t.Helper()
	latin1(t, where, markup)
	d := xml.NewDecoder(strings.NewReader("<contents>" + markup + "</contents>"))
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s: %v in %s", where, err, markup)
		}
		el, ok := tok.(xml.StartElement)
		if !ok || el.Name.Local == "contents" {
			continue
		}
		if !allowed[el.Name.Local] {
			t.Fatalf("%s: element %s in %s", where, el.Name.Local, markup)
		}
		for _, a := range el.Attr {
			switch {
			case a.Name.Local == "style" || a.Name.Local == "id" || a.Name.Local == "tabindex" || strings.HasPrefix(a.Name.Local, "on"):
				t.Fatalf("%s: attribute %s in %s", where, a.Name.Local, markup)
			case strings.Contains(a.Value, "-9223") || a.Value == "":
				t.Fatalf("%s: attribute %s=%q in %s", where, a.Name.Local, a.Value, markup)
			}
		}
	}
}

var idPattern = regexp.MustCompile(`data-(id|from)="([^"]*)"`)

// A thing that can move is on the stage once; where it says it comes from there
// was something, or is.
func TestIdsAreUniqueAndBirthplacesExist(t *testing.T) {
	births, nowhere := 0, 0
	for _, sh := range shapes() {
		tr := sh.run(t)
		s, c := stageOf(tr), newScreen()
		strips := idPattern.FindAllStringSubmatch(cellsOnly(t, s), -1)
		before := map[string]bool{}
		for n := 0; n <= min(enough, tr.Len()); n++ {
			if n > 0 {
				s.Apply(tr.At(n))
			}
			c.add(step(t, s))
			now := map[string]bool{}
			for _, m := range strips {
				now[m[2]] = true
			}
			born := map[string]string{}
			last := ""
			for name, markup := range c.regions {
				for _, m := range idPattern.FindAllStringSubmatch(markup, -1) {
					if m[1] == "from" {
						born[last] = m[2]
						continue
					}
					last = m[2]
					if now[last] {
						t.Fatalf("%s: event %d: %s is on the stage twice, once in %s", sh.name, n, last, name)
					}
					now[last] = true
				}
			}
			for id, from := range born {
				if n == 0 || before[id] {
					continue
				}
				births++
				if !before[from] && !now[from] {
					nowhere++ // it was among the "+5" of a full lane
				}
			}
			before = now
		}
	}
	if births < 1000 || nowhere*12 > births {
		t.Errorf("of %d things that appeared %d came from nowhere", births, nowhere)
	}
}

// cellsOnly is the static layer: the page with its regions cut out.
func cellsOnly(t *testing.T, s *Stage) string {
	t.Helper()
	page := draw(t, SVG(s))
	for _, markup := range all(t, s).Regions {
		page = strings.Replace(page, markup, "", 1)
	}
	return page
}

// A run of 300 events costs at most 4 KiB of text an event.
func TestBytesPerEvent(t *testing.T) {
	rows := strings.Repeat("ana 12,ben 30,ana 5,cleo 44,", 5) + "ben 9|" + strings.Repeat("dan 18,ana 7,eve 25,ben 11,", 5) + "eve 3"
	for _, sink := range []string{"append", "transactional", "upsert", "email"} {
		tr := shape{name: sink, rows: rows, set: []string{"sink=" + sink}, faults: []string{"crash-job@before:checkpoint.complete~2"}}.run(t)
		s := stageOf(tr)
		first := size(t, step(t, s))
		total, events, most := 0, min(300, tr.Len()), 0
		for n := 1; n <= events; n++ {
			s.Apply(tr.At(n))
			b := size(t, step(t, s))
			total += b
			most = max(most, b)
		}
		t.Logf("%s: %d events, first step %d bytes, then %d an event on average, %d at most", sink, events, first, total/events, most)
		if events < 300 || total/events > 4096 {
			t.Errorf("%s: %d bytes an event over %d events, allowed: 4096 over 300", sink, total/events, events)
		}
	}
}

func size(t *testing.T, st Step) int {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"r": st.Regions, "a": st.Attrs, "l": st.Log, "text": st.Text}); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}
