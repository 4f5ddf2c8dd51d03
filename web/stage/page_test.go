package stage

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// page draws everything that a page shows of a run at event n.
func page(t *testing.T, tr *trace.Trace, n int, opt Options) (*Stage, string) {
	t.Helper()
	opt.Faults = tr.Faults
	s := New(tr.Job, opt)
	for i := 1; i <= n; i++ {
		s.Apply(tr.At(i))
	}
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="en"><head><meta charset="utf-8"/><link rel="stylesheet" href="app.css"/></head><body>`)
	b.WriteString(draw(t, Sprite()))
	b.WriteString(`<main class="frame"><div class="prose-column"></div><div class="stage-column"><div class="stage-header"></div><div id="stage">`)
	b.WriteString(draw(t, SVG(s)) + `</div><section id="shelf">` + draw(t, Shelf(s)))
	b.WriteString(`</section><div class="dock"><div id="transport" class="transport">.</div>` + draw(t, Timeline(s, tr)))
	b.WriteString(`</div><div class="outcome-panels">` + draw(t, Verdict(s)))
	b.WriteString(`<section class="log-panel"><div class="panel-head"><h2>What just happened</h2></div><ol id="log" class="log">`)
	b.WriteString(draw(t, Log(s, 30)) + `</ol></section></div></div></main></body></html>`)
	return s, b.String()
}

// Whole pages: well-formed, no style attribute, every id once, every reference to
// a symbol or pattern is there, every crash button says what it does. With
// STAGE_OUT and STAGE_SHOTS ("J@64,tour@end") set, pages are written to be looked at.
func TestWholePages(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		for _, n := range []int{0, tr.Len() / 3, tr.Len() / 2, tr.Len()} {
			s, html := page(t, tr, n, Options{Coordinator: true})
			ids, refs, crashes := survey(t, sh.name, html)
			for r := range refs {
				if !ids[r] {
					t.Errorf("%s: event %d: nothing is called %s", sh.name, n, r)
				}
			}
			if want := len(tr.Job.Plan.Tasks) + 1; crashes != want {
				t.Errorf("%s: %d crash buttons, want %d", sh.name, crashes, want)
			}
			if text := strings.Join(s.Describe(), " "); len(text) < 200 || strings.Contains(text, "%!") {
				t.Errorf("%s: described as %s", sh.name, text)
			}
		}
	}
	for _, spec := range strings.FieldsFunc(os.Getenv("STAGE_SHOTS"), func(r rune) bool { return r == ',' }) {
		name, at, _ := strings.Cut(spec, "@")
		tr := runOf(t, name)
		n, err := strconv.Atoi(at)
		if err != nil || n > tr.Len() {
			n = tr.Len()
		}
		_, html := page(t, tr, n, Options{Coordinator: os.Getenv("STAGE_BAR") != ""})
		file := filepath.Join(os.Getenv("STAGE_OUT"), strings.ReplaceAll(name, " ", "-")+"-"+at+".html")
		if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func survey(t *testing.T, where, html string) (ids, refs map[string]bool, crashes int) {
	t.Helper()
	ids, refs = map[string]bool{}, map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(html, "<!doctype html>")))
	d.Strict = false
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return ids, refs, crashes
		}
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		el, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range el.Attr {
			switch {
			case a.Name.Local == "style" || strings.HasPrefix(a.Name.Local, "on"):
				t.Errorf("%s: %s has attribute %s", where, el.Name.Local, a.Name.Local)
			case a.Name.Local == "id" && ids[a.Value]:
				t.Errorf("%s: two elements have the id %s", where, a.Value)
			case a.Name.Local == "id":
				ids[a.Value] = true
			case a.Name.Local == "href" && el.Name.Local == "use":
				refs[strings.TrimPrefix(a.Value, "#")] = true
			case strings.HasPrefix(a.Value, "url(#"):
				refs[strings.TrimSuffix(strings.TrimPrefix(a.Value, "url(#"), ")")] = true
			case a.Name.Local == "data-crash":
				crashes++
				if label := attrOf(el, "aria-label"); label != "Crash "+a.Value+" now" || attrOf(el, "role") != "button" || attrOf(el, "tabindex") == "" {
					t.Errorf("%s: crash button of %s is called %q", where, a.Value, label)
				}
			}
		}
	}
}

func attrOf(el xml.StartElement, name string) string {
	for _, a := range el.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Every glyph that an event, a verdict or the shelf may ask for is in the sprite.
func TestSpriteHasEveryGlyph(t *testing.T) {
	sprite := draw(t, Sprite())
	j := build(t, shape{rows: tour, set: three})
	names := []string{"exact", "hidden", "duplicated", "lost", "mixed", "wrong", "stuck", "rewound", "slow", "checkpoint", "crash",
		"barrier", "record", "replayed", "position", "ring", "transaction", "blocked", "envelope", "tick", "part"}
	for k := engine.NoKind + 1; k < engine.KindCount; k++ {
		for id := range j.Plan.Tasks {
			if k == engine.SinkWrite && j.Plan.Tasks[id].Kind != engine.OpSink {
				continue
			}
			names = append(names, trace.GlyphOf(trace.New(j, nil), &engine.Event{Kind: k, Task: engine.TaskID(id), Fault: -1}).Name)
		}
	}
	for _, n := range names {
		if !strings.Contains(sprite, `id="g-`+n+`"`) {
			t.Errorf("the sprite has no %q", n)
		}
	}
	if strings.Contains(sprite, "#") && strings.Contains(sprite, `fill="#`) {
		t.Error("the sprite holds a colour")
	}
}

// What is there twice is doubled where it lies, and the panel says so.
func TestRepeatsAreDoubledWhereTheyLie(t *testing.T) {
	tr := runOf(t, "J")
	vs := check.Judge(tr)
	if vs[0].Duplicated == 0 {
		t.Fatalf("the run of this test repeats nothing: %+v", vs[0])
	}
	_, html := page(t, tr, tr.Len(), Options{})
	if got := strings.Count(html, `class="times"`); got != vs[0].Duplicated {
		t.Errorf("%d things are marked, %d are there twice", got, vs[0].Duplicated)
	}
	if want := strconv.Itoa(vs[0].Observed) + " written, " + strconv.Itoa(vs[0].Duplicated) + " twice"; !strings.Contains(html, want) {
		t.Errorf("the panel does not say %q", want)
	}
	_, calm := page(t, tr, 100, Options{})
	if strings.Contains(calm, `class="times"`) || strings.Contains(calm, "v-duplicated") {
		t.Error("repeats are marked before they happened")
	}
}

// Ghosts of lost results appear when the verdict is final and may be shown.
func TestGhostsOfLostResults(t *testing.T) {
	tr := runOf(t, "J expired")
	vs := check.Judge(tr)
	if vs[0].Lost == 0 {
		t.Fatalf("the run of this test loses nothing: %+v", vs[0])
	}
	_, html := page(t, tr, tr.Len(), Options{})
	_, hidden := page(t, tr, tr.Len(), Options{Hide: true})
	_, before := page(t, tr, tr.Len()-1, Options{})
	if got := strings.Count(html, `class="ghost"`); got == 0 || got > vs[0].Lost {
		t.Errorf("%d ghosts of %d lost results", got, vs[0].Lost)
	}
	for what, other := range map[string]string{"while the verdict is hidden": hidden, "before the end": before} {
		if strings.Contains(other, `class="ghost"`) {
			t.Errorf("the loss is drawn %s", what)
		}
	}
	// Its checkpoint is complete: nobody will read these inputs again, and the verdict says so.
	if strings.Contains(hidden, "v-row v-lost") || !strings.Contains(before, "v-row v-lost") {
		t.Error("the loss is told while the verdict is hidden, or not told before the end")
	}
	if !strings.Contains(hidden, `<span class="v-word">?</span>`) || strings.Contains(hidden, "Lost:") {
		t.Error("a hidden verdict is told")
	}
}

// Marks and spans tell the whole run from its trace.
func TestMarksAndSpans(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		last := 0
		for _, m := range Marks(tr) {
			if m.N <= last || m.Text != trace.Sentence(tr, tr.At(m.N)) || m.Kind != tr.At(m.N).Kind.String() {
				t.Errorf("%s: mark %+v", sh.name, m)
			}
			last = m.N
		}
		at := 0
		for _, sp := range Spans(tr) {
			if sp.From != at || sp.To < sp.From {
				t.Errorf("%s: span %+v begins at %d, the one before ends at %d", sh.name, sp, sp.From, at)
			}
			at = sp.To
		}
		if at != tr.Len() {
			t.Errorf("%s: spans end at %d of %d", sh.name, at, tr.Len())
		}
		tl := stageOf(tr).timeline(tr)
		for i := 1; i < len(tl.Ticks); i++ {
			if tl.Ticks[i].X-tl.Ticks[i-1].X < markGap {
				t.Errorf("%s: ticks at %d and %d touch", sh.name, tl.Ticks[i-1].X, tl.Ticks[i].X)
			}
		}
	}
}

// A slow task is no crash, and the picture knows both from the faults of the run.
func TestSlowTaskKeepsItsMemory(t *testing.T) {
	tr := runOf(t, "K")
	_, html := page(t, tr, 40, Options{})
	if !strings.Contains(html, "10\u00d7 slow") || strings.Contains(html, "node op-forward crashed") {
		t.Error("a slow task is not drawn as slow")
	}
}
