package stage

import (
	"fmt"
	"strings"
	"testing"

	"effectivelyonce/engine"
)

// combos are all plans that the limits allow, roughly: every topology, parallelism
// 1 to 4, 1 to 8 partitions, one and three sinks of every kind.
func combos() []shape {
	var out []shape
	for _, topology := range []string{"J", "J2", "K", "MAP"} {
		for par := 1; par <= 4; par++ {
			for _, parts := range []int{1, 2, 3, 4, 5, 6, 8} {
				for _, sinks := range []string{"append", "transactional", "three", "two"} {
					sh := shape{name: fmt.Sprintf("%s par %d parts %d %s", topology, par, parts, sinks),
						rows: strings.TrimSuffix(strings.Repeat("ana 12,ben 30,cleo 5,dan 4,eve 9,flo 1,gus 2|", parts), "|"),
						set:  []string{"topology=" + topology}}
					if topology != "MAP" {
						sh.set = append(sh.set, fmt.Sprintf("parallelism=%d", par))
					} else if par > 1 {
						continue
					}
					if topology == "K" {
						sh.set = append(sh.set, fmt.Sprintf("parallelism=enrich:%d", par))
					}
					sh.set = append(sh.set, sinkSets[sinks]...)
					out = append(out, sh)
				}
			}
		}
	}
	for _, set := range []string{"strategy=offset-commit topology=LOOP", "strategy=xa topology=LOOP sink=transactional", "strategy=batch topology=BATCH sink=files",
		"strategy=replicated sink=state output=total k=0", "strategy=replicated sink=state output=total k=1", "strategy=replicated sink=state output=total k=2",
		"strategy=trident sink=state output=total", "strategy=trident topology=J2 sink=state output=total"} {
		for parts := 1; parts <= 8; parts++ {
			out = append(out, shape{name: fmt.Sprintf("%s parts %d", set, parts), set: strings.Fields(set),
				rows: strings.TrimSuffix(strings.Repeat("ana 12,ben 30,cleo 5,dan 4,eve 9,flo 1,gus 2|", parts), "|")})
		}
	}
	return out
}

var sinkSets = map[string][]string{
	"append":        {"sink=append"},
	"transactional": {"sink=transactional", "readers=read_committed+read_uncommitted"},
	"three":         {"sinks=topic+table+mailbox", "sinks.topic.sink=transactional", "sinks.table.sink=upsert", "sinks.mailbox.sink=email"},
	"two":           {"sinks=charges+mailbox", "sinks.mailbox.sink=email"},
}

func (r Rect) holds(o Rect) bool {
	return o.X >= r.X && o.Y >= r.Y && o.Right() <= r.Right() && o.Bottom() <= r.Bottom()
}

func TestLayoutHasNoOverlaps(t *testing.T) {
	highest := 0
	for _, sh := range combos() {
		job := build(t, sh)
		for _, bar := range []bool{false, true} {
			l := NewLayout(job, Options{Coordinator: bar, Machines: bar})
			name := fmt.Sprintf("%s bar %t", sh.name, bar)
			highest = max(highest, l.H)
			checkNodes(t, name, job, l)
			checkOutside(t, name, l)
			for _, k := range l.Links {
				if k.X2-k.X1 < 16 || k.Y1 < 0 || k.Y2 < 0 || k.Y1 > l.H || k.Y2 > l.H {
					t.Errorf("%s: link %+v", name, k)
				}
			}
			if l.W > 1126 { // text of 11 would be less than 10 at natural width
				t.Errorf("%s: %d wide", name, l.W)
			}
		}
	}
	t.Logf("the highest drawing is %d", highest)
	if highest > 520 {
		t.Errorf("the highest drawing is %d, which is too small to read where %d fit", highest, naturalH)
	}
}

func checkNodes(t *testing.T, name string, job *engine.Job, l *Layout) {
	t.Helper()
	for i := range l.Nodes {
		n := &l.Nodes[i]
		task := job.Plan.Tasks[i].Name
		if n.H < 35 || !l.Frame.holds(n.Rect) {
			t.Errorf("%s: %s at %v is not in the frame %v", name, task, n.Rect, l.Frame)
		}
		if l.Coordinator.W > 0 && overlap(n.Rect, l.Coordinator) {
			t.Errorf("%s: %s at %v covers the coordinator %v", name, task, n.Rect, l.Coordinator)
		}
		for _, m := range l.Machines {
			if overlap(n.Rect, m) || overlap(m, l.Coordinator) || !l.Frame.holds(m) {
				t.Errorf("%s: %s at %v, machine %v, coordinator %v", name, task, n.Rect, m, l.Coordinator)
			}
		}
		for j := range i {
			if overlap(n.Rect, l.Nodes[j].Rect) {
				t.Errorf("%s: %s covers %s", name, task, job.Plan.Tasks[j].Name)
			}
		}
		own := Rect{W: n.W, H: n.H}
		parts := map[string]Rect{"crash": n.Crash, "state": n.State}
		for k := range n.Lanes {
			b := &n.Lanes[k]
			if b.W < 28 || b.H < 12 || b.ChipH < 12 || b.ChipH > b.H {
				t.Errorf("%s: %s has a lane of %v with chips of %d", name, task, b.Rect, b.ChipH)
			}
			parts[fmt.Sprint("lane ", k)] = b.Rect
			if b.Label > 0 && b.Y+b.Label > n.H-3 {
				t.Errorf("%s: %s: label of lane %d sticks out", name, task, k)
			}
		}
		for a, ra := range parts {
			if ra.W < 0 || ra.H < 0 || ra.W > 0 && !own.holds(ra) {
				t.Errorf("%s: %s: %s at %v is not in the node %v", name, task, a, ra, own)
			}
			for b, rb := range parts {
				if a < b && overlap(ra, rb) {
					t.Errorf("%s: %s: %s %v covers %s %v", name, task, a, ra, b, rb)
				}
			}
		}
		if len(n.Lanes) != lanesOf(job, &job.Plan.Tasks[i]) {
			t.Errorf("%s: %s has %d lanes", name, task, len(n.Lanes))
		}
		for what, r := range map[string]Rect{"status": n.Status, "saved": n.Saved} {
			if r.W < 0 || r.H < 0 || !own.holds(r) || overlap(r, n.Crash) {
				t.Errorf("%s: %s: %s at %v, node %v, crash button %v", name, task, what, r, own, n.Crash)
			}
		}
	}
}

func checkOutside(t *testing.T, name string, l *Layout) {
	t.Helper()
	for i := range l.Panels {
		p := &l.Panels[i]
		if p.Y < frameTop || p.Bottom() > l.H || p.X < l.Boundary+8 || p.Right() > l.W {
			t.Errorf("%s: panel %d at %v, drawing %d × %d", name, i, p.Rect, l.W, l.H)
		}
		for j := range i {
			if overlap(p.Rect, l.Panels[j].Rect) {
				t.Errorf("%s: panels %d and %d overlap", name, i, j)
			}
		}
		if len(p.Lines) == 0 || p.PerLine*p.CellW > p.W || p.Lines[len(p.Lines)-1]+p.CellH > p.H-8-noteH*p.Notes {
			t.Errorf("%s: panel %d: lines %v, cells %d of %d × %d in %v", name, i, p.Lines, p.PerLine, p.CellW, p.CellH, p.Rect)
		}
	}
	for i := range l.Logs {
		b := &l.Logs[i]
		if b.Y < 18 || b.Bottom() > l.H || b.CellX+b.Cells*CellW > l.Frame.X-16 {
			t.Errorf("%s: partition %d at %v", name, i, b.Rect)
		}
		for j := range i {
			if o := &l.Logs[j]; b.Y < o.Bottom() && o.Y < b.Bottom() {
				t.Errorf("%s: partitions %d %v and %d %v overlap", name, i, b.Rect, j, o.Rect)
			}
		}
	}
}

// The drawing of design section 4: natural size and columns.
func TestNaturalLayout(t *testing.T) {
	l := NewLayout(build(t, shape{rows: tour, set: three}), Options{})
	if l.W != 1024 || l.H != 386 || l.Boundary != 793 || l.Frame != (Rect{230, 28, 552, 356}) {
		t.Errorf("size %d × %d, frame %v, boundary %d", l.W, l.H, l.Frame, l.Boundary)
	}
	sizes := map[int][2]int{0: {84, 78}, 2: {272, 162}, 4: {92, 108}}
	for i, want := range sizes {
		if n := l.Nodes[i]; n.W != want[0] || n.H < want[1]-4 || n.H > want[1]+4 {
			t.Errorf("node %d is %d × %d, want about %v", i, n.W, n.H, want)
		}
	}
}

func TestKeyLabels(t *testing.T) {
	for _, c := range []struct{ keys, want string }{
		{"ana ben cleo", "a b c"},
		{"m1 m2 m3", "m1 m2 m3"},
		{"home shop blog", "h s b"},
		{"customer-001 customer-002 customer-113", "1 2 3"},
		{"anna anton andi", "ann ant and"},
		{"x", "x"},
		{"- / +", "A B C"},
		{"Éva Eva", "é e"},
	} {
		if got := strings.Join(keyLabels(strings.Fields(c.keys)), " "); got != c.want {
			t.Errorf("keys %s: labels %s, want %s", c.keys, got, c.want)
		}
	}
	many := make([]string, 500)
	for i := range many {
		many[i] = strings.Repeat("k", 30) + fmt.Sprint(i*7919%100000) + strings.Repeat("z", 8)
	}
	seen := map[string]bool{}
	for _, s := range keyLabels(many) {
		if seen[s] || len(s) > maxLabel {
			t.Fatalf("label %q", s)
		}
		seen[s] = true
	}
}
