package stage

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"effectivelyonce/engine/trace"
)

// The drawing for a narrow screen: nothing covers anything, and two subtasks fit
// without scrolling.
func TestTallLayoutHasNoOverlaps(t *testing.T) {
	for _, sh := range append(combos(), shapes()...) {
		job := build(t, sh)
		for _, bar := range []bool{false, true} {
			l := NewLayout(job, Options{Coordinator: bar, Machines: bar, Tall: true})
			name := fmt.Sprintf("%s bar %t", sh.name, bar)
			checkNodes(t, name, job, l)
			if l.Columns == 2 && l.W != tallWidest {
				t.Errorf("%s: %d wide", name, l.W)
			}
			for i := range l.Panels {
				p := &l.Panels[i]
				if p.Y < l.Boundary || p.Bottom() > l.H || p.Right() > l.W {
					t.Errorf("%s: panel %d at %v, drawing %d × %d", name, i, p.Rect, l.W, l.H)
				}
				if p.Lines[len(p.Lines)-1]+p.CellH > p.H-8-noteH*p.Notes {
					t.Errorf("%s: panel %d: lines %v of %d in %v", name, i, p.Lines, p.CellH, p.Rect)
				}
				for j := range i {
					if overlap(p.Rect, l.Panels[j].Rect) {
						t.Errorf("%s: panels %d and %d overlap", name, i, j)
					}
				}
			}
			for i := range l.Logs {
				if b := &l.Logs[i]; b.Bottom() > l.Frame.Y || b.CellX+b.Cells*CellW > b.W || b.Right() > l.W {
					t.Errorf("%s: partition %d at %v", name, i, b.Rect)
				}
			}
			for _, k := range l.Links {
				if k.Y2-k.Y1 < 10 || k.X1 < 0 || k.X2 < 0 || k.X1 > l.W || k.X2 > l.W {
					t.Errorf("%s: link %+v", name, k)
				}
			}
		}
	}
}

func tallOf(tr *trace.Trace) *Stage {
	return New(tr.Job, Options{Faults: tr.Faults, Coordinator: true, Tall: true})
}

// What holds for the wide drawing holds for the tall one: steps add up to the whole
// picture, the page shows it, and going back to the start leaves nothing behind.
func TestTallStepsAddUp(t *testing.T) {
	for _, sh := range shapes() {
		tr := sh.run(t)
		s, c := tallOf(tr), newScreen()
		first := step(t, s)
		c.add(first)
		for n := 1; n <= min(enough, tr.Len()); n++ {
			s.Apply(tr.At(n))
			var whole Step
			if check := n%9 == 0 || n == tr.Len(); check {
				whole = all(t, s)
			}
			c.add(step(t, s))
			for name, want := range whole.Regions {
				if c.regions[name] != want {
					t.Fatalf("%s: event %d: region %s\nsteps give %s\nwhole  is  %s", sh.name, n, name, c.regions[name], want)
				}
			}
		}
		page := draw(t, SVG(s)) + draw(t, Shelf(s)) + draw(t, Verdict(s))
		for name, markup := range all(t, s).Regions {
			_, rest, found := strings.Cut(page, `data-region="`+name+`"`)
			if !found || !strings.HasPrefix(rest[strings.Index(rest, ">")+1:], markup) {
				t.Fatalf("%s: the page has another region %s than the stream", sh.name, name)
			}
		}
		c.add(first)
		if !maps.Equal(c.regions, all(t, tallOf(tr)).Regions) {
			t.Errorf("%s: seeking back to the start leaves later contents", sh.name)
		}
	}
}
