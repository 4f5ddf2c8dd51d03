package stage

import (
	"strconv"

	"github.com/a-h/templ"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// listRegions names every region of the drawing, says when it may have changed,
// and how its contents are drawn.
func (s *Stage) listRegions() []region {
	out := []region{{name: "links", dirty: never, draw: func(s *Stage) templ.Component { return linksRegion(s.lay.Links) }}}
	for p := range s.Job.Input.Parts {
		out = append(out, region{"log/" + itoa(p), func(d *trace.Dirty) bool { return d.Logs[p] },
			func(s *Stage) templ.Component { return partitionRegion(s.partition(p)) }})
	}
	for i := range s.Job.Plan.Tasks {
		out = append(out, s.taskRegions(engine.TaskID(i))...)
	}
	if s.opt.Coordinator {
		out = append(out, region{"coordinator", durable, func(s *Stage) templ.Component { return coordinatorRegion(s.coordinatorLine()) }})
	}
	for i := range s.Job.Settings.Sinks {
		out = append(out, s.panelRegions(i)...)
	}
	out = append(out, region{"shelf", func(d *trace.Dirty) bool {
		return durable(d) || s.Job.Settings.Strategy == "offset-commit" && d.Outside[0]
	}, func(s *Stage) templ.Component { return shelfRegion(s.shelf()) }},
		region{"verdict/truth", judged, func(s *Stage) templ.Component { return textRegion(s.truth()) }})
	for i := range s.Verdicts() {
		out = append(out, region{s.verdictName(i), judged, func(s *Stage) templ.Component { return verdictRegion(s.verdictRow(i)) }})
	}
	for k := range s.shownKeyCounts() {
		out = append(out, region{"verdict/key/" + itoa(k), judged, func(s *Stage) templ.Component { return keyCountRegion(s.keyCount(k)) }})
	}
	return out
}

func never(*trace.Dirty) bool { return false }

func durable(d *trace.Dirty) bool { return d.Durable || d.Job }

// judged is for verdicts: what was read and what lies outside decide them.
func judged(d *trace.Dirty) bool {
	if d.Job {
		return true
	}
	for _, on := range d.Logs {
		if on {
			return true
		}
	}
	for _, on := range d.Outside {
		if on {
			return true
		}
	}
	for _, on := range d.States {
		if on {
			return true
		}
	}
	return false
}

func (s *Stage) taskRegions(id engine.TaskID) []region {
	t := &s.Job.Plan.Tasks[id]
	task := func(d *trace.Dirty) bool { return d.Tasks[id] || d.Job }
	var out []region
	for i, c := range t.In {
		out = append(out, region{t.Name + "/in/" + itoa(i), func(d *trace.Dirty) bool { return d.Chans[c] || d.Tasks[id] },
			func(s *Stage) templ.Component { return laneRegion(s.lane(c)) }})
	}
	if t.Kind == engine.OpLoop {
		for p := range s.Job.Input.Parts {
			out = append(out, region{t.Name + "/log/" + itoa(p), func(d *trace.Dirty) bool { return d.Logs[p] || d.Tasks[id] || d.Job },
				func(s *Stage) templ.Component { return laneRegion(s.loopLane(id, p)) }})
		}
	}
	if countsKeys(s.Job, t) {
		out = append(out, region{t.Name + "/state", func(d *trace.Dirty) bool { return d.States[id] || d.Tasks[id] },
			func(s *Stage) templ.Component { return tableRegion(s.table(id)) }})
	}
	status := task
	if trace.Writes(t.Kind) {
		status = func(d *trace.Dirty) bool { return task(d) || d.Outside[t.Sink] }
	}
	out = append(out, region{t.Name + "/status", status, func(s *Stage) templ.Component { return statusRegion(s.status(id)) }})
	if t.Kind != engine.OpSink {
		out = append(out, region{t.Name + "/out", task, func(s *Stage) templ.Component { return handRegion(s.hand(id)) }})
	}
	return out
}

func (s *Stage) panelRegions(i int) []region {
	k := &s.Job.Settings.Sinks[i]
	name := "outside/" + k.Name
	dirty := func(d *trace.Dirty) bool { return d.Outside[i] || d.Job }
	var out []region
	for n := range s.lay.Panels[i].Lines {
		out = append(out, region{name + "/" + itoa(n), dirty, func(s *Stage) templ.Component { return outsideLineRegion(drawnAs(k.Kind), s.outsideLine(i, n)) }})
	}
	return append(out, region{name + "/note", dirty, func(s *Stage) templ.Component { return noteRegion(s.outsideNote(i)) }})
}

// listAttrs names every element of the static layer whose attributes change.
func (s *Stage) listAttrs() []attr {
	out := []attr{{"stage", func(d *trace.Dirty) bool { return true }, (*Stage).stageAttrs}}
	for p := range s.Job.Input.Parts {
		dirty := func(d *trace.Dirty) bool { return d.Logs[p] }
		name := "log/" + itoa(p)
		out = append(out, attr{name, dirty, func(s *Stage) map[string]string { return s.partitionAttrs(p) }},
			attr{name + "/strip", dirty, func(s *Stage) map[string]string { return s.stripAttrs(p) }},
			attr{name + "/read", dirty, func(s *Stage) map[string]string { return s.readAttrs(p) }})
	}
	for i := range s.Job.Plan.Tasks {
		id, t := engine.TaskID(i), &s.Job.Plan.Tasks[i]
		out = append(out, attr{t.Name, func(d *trace.Dirty) bool {
			return d.Tasks[id] || d.Job || t.Sink >= 0 && trace.Writes(t.Kind) && d.Outside[t.Sink]
		},
			func(s *Stage) map[string]string { return s.nodeAttrs(id) }})
		for n, c := range t.In {
			out = append(out, attr{t.Name + "/in/" + itoa(n), func(d *trace.Dirty) bool { return d.Chans[c] },
				func(s *Stage) map[string]string { return s.laneAttrs(c) }})
		}
		if t.Kind == engine.OpLoop {
			for p := range s.Job.Input.Parts {
				out = append(out, attr{t.Name + "/log/" + itoa(p), func(d *trace.Dirty) bool { return d.Logs[p] || d.Tasks[id] || d.Job },
					func(s *Stage) map[string]string { return s.loopAttrs(id, p) }})
			}
		}
		if countsKeys(s.Job, t) {
			out = append(out, attr{t.Name + "/state", func(d *trace.Dirty) bool { return d.States[id] || d.Tasks[id] },
				func(s *Stage) map[string]string { return s.tableAttrs(id) }})
		}
	}
	if s.opt.Coordinator {
		out = append(out, attr{"coordinator", durable, (*Stage).coordinatorAttrs})
	}
	for i := range s.Job.Settings.Sinks {
		out = append(out, attr{"outside/" + s.Job.Settings.Sinks[i].Name, func(d *trace.Dirty) bool { return d.Outside[i] || d.Job },
			func(s *Stage) map[string]string { return s.outsideAttrs(i) }})
	}
	for i := range s.Verdicts() {
		out = append(out, attr{s.verdictName(i), judged, func(s *Stage) map[string]string { return s.verdictAttrs(i) }})
	}
	return out
}

// path is an arrow from right edge to left edge.
func (l Link) path() string {
	n := strconv.Itoa
	if l.Down {
		mid, head := (l.Y1+l.Y2)/2, "M"+n(l.X2-4)+" "+n(l.Y2-6)+"L"+n(l.X2)+" "+n(l.Y2)+"L"+n(l.X2+4)+" "+n(l.Y2-6)
		return "M" + n(l.X1) + " " + n(l.Y1) + "C" + n(l.X1) + " " + n(mid) + " " + n(l.X2) + " " + n(mid) + " " + n(l.X2) + " " + n(l.Y2) + head
	}
	mid := (l.X1 + l.X2) / 2
	line := "M" + n(l.X1) + " " + n(l.Y1) + "C" + n(mid) + " " + n(l.Y1) + " " + n(mid) + " " + n(l.Y2) + " " + n(l.X2) + " " + n(l.Y2)
	if l.Y1 == l.Y2 {
		line = "M" + n(l.X1) + " " + n(l.Y1) + "H" + n(l.X2)
	}
	return line + "M" + n(l.X2-6) + " " + n(l.Y2-4) + "L" + n(l.X2) + " " + n(l.Y2) + "L" + n(l.X2-6) + " " + n(l.Y2+4)
}

func radius(k engine.OpKind) int {
	if trace.Counts(k) || k == engine.OpForward {
		return 12
	}
	return 9
}

// tabIndex: the nodes are one tab stop; scripts let arrows move it.
func tabIndex(first bool) string {
	if first {
		return "0"
	}
	return "-1"
}

// nodeName is a task's name as far as its node has room for it.
func (s *Stage) nodeName(id engine.TaskID) string {
	b := &s.lay.Nodes[id]
	room := b.W - b.NameX - 6
	if b.Crash.Y < b.NameY {
		room = b.Crash.X - b.NameX - 4
	}
	if b.Row && len(b.Lanes) > 0 && b.Lanes[0].X > b.NameX {
		room = b.Lanes[0].X - b.NameX - 4
	}
	if b.NameW > 0 {
		room = b.NameW
	}
	em := 70
	if b.Row {
		em = 58
	}
	return shorten(s.Job.Plan.Tasks[id].Name, max(5, room*10/em))
}

// panelHeadline is an outside system's name and, where there is room beside it,
// its kind: in full, in a word, or not at all. The name goes first.
func (s *Stage) panelHeadline(i int) (name, kind string) {
	k := &s.Job.Settings.Sinks[i]
	room := s.lay.Panels[i].W - 20
	name = sinkTitle(k)
	for _, kind := range []string{panelKind(k), shortKind(k)} {
		if sansText(name, 13)+10+monoText(len(kind), 11) <= room {
			return name, kind
		}
	}
	return trace.Clip(name, max(6, room/7)), ""
}

// shortKind is an outside system's kind in a word.
func shortKind(k *engine.SinkSettings) string {
	switch k.Kind {
	case engine.SinkTransactional:
		return map[engine.Isolation]string{"read_committed": "committed", "read_uncommitted": "uncommitted"}[k.Readers[0]]
	case engine.SinkEmail:
		return "e-mail"
	case engine.SinkAppend:
		return "append"
	}
	return string(k.Kind)
}
