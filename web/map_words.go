package web

import (
	"fmt"
	"strings"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// panelTally is what the runs of a panel have in common.
type panelTally struct {
	Tried, Of int
	Classes   map[check.Class]int
	Most      map[check.Class]int // rows of the worst run of a class
	bad       []bool              // row → something was not exact
	spans     []gapSpan           // moments at which something was not exact
	safe      int                 // moments tried at which everything was exact
}

// gapSpan is a stretch of moments, both included.
type gapSpan struct{ From, To int }

// tally counts what is shown of a panel.
func (m *crashMap) tally(p *mapPanel) *panelTally {
	t := &panelTally{Classes: map[check.Class]int{}, Most: map[check.Class]int{}, bad: make([]bool, len(p.targets))}
	p.known.mu.Lock()
	defer p.known.mu.Unlock()
	open := false
	for gap := int(p.cols[m.From]); gap < int(p.cols[m.To+1]); gap++ {
		tried, off := 0, false
		for row := range p.targets {
			k := p.known.at(gap, row)
			t.Of++
			if k.class == 0 {
				continue
			}
			tried++
			is := k.is()
			t.Classes[is]++
			t.Most[is] = max(t.Most[is], k.rows())
			if is != check.Exact {
				off, t.bad[row] = true, true
			}
		}
		t.Tried += tried
		switch {
		case tried == 0: // a moment that nobody tried neither ends a stretch nor begins one
		case off && open:
			t.spans[len(t.spans)-1].To = gap
		case off:
			t.spans, open = append(t.spans, gapSpan{gap, gap}), true
		default:
			t.safe++
			open = false
		}
	}
	return t
}

// finding is one sentence that is made from the result: where crashes hurt, and how.
// As long as not everything was tried it says so.
func (m *crashMap) finding(p *mapPanel, t *panelTally) string {
	says := m.found(p, t)
	if t.Tried > 0 && t.Tried < t.Of {
		return "As far as it was tried: " + lower(says)
	}
	return says
}

func (m *crashMap) found(p *mapPanel, t *panelTally) string {
	bad := t.Tried - t.Classes[check.Exact]
	switch {
	case t.Tried == 0:
		return "Nothing tried yet."
	case bad == 0:
		return "Exact wherever the " + m.blow() + " comes."
	}
	does, who := t.harm(), m.who(p, t)
	if len(t.spans) == 1 && t.safe == 0 {
		return capitalised(who) + " " + does + ", whenever it comes."
	}
	if 4*bad > 3*t.Tried {
		return "Almost " + strings.Replace(who, "a "+m.blow(), "any "+m.blow(), 1) + " " + does + ". " + safeWords(p, t)
	}
	if len(t.spans) <= 2 {
		var where []string
		for _, s := range t.spans {
			where = append(where, spanWords(p.trace, s))
		}
		return fmt.Sprintf("Exact, except %s: there %s %s.", strings.Join(where, ", and "), who, does)
	}
	if from, to, ok := t.pattern(p.trace); ok {
		return fmt.Sprintf("Exact, except %d times between %s and %s: there %s %s.", len(t.spans), from, to, who, does)
	}
	return fmt.Sprintf("Exact, except in %d stretches, the first %s: there %s %s.", len(t.spans), spanWords(p.trace, t.spans[0]), who, does)
}

// harm is what bad crashes do, worst first.
func (t *panelTally) harm() string {
	var out []string
	for _, c := range classesIn(t.Classes) {
		n := t.Most[c]
		switch c {
		case check.Stuck:
			out = append(out, "leaves the job stuck")
		case check.Mixed:
			out = append(out, "loses and repeats "+upTo(n))
		case check.Lost:
			out = append(out, "loses "+upTo(n))
		case check.Duplicated:
			out = append(out, "repeats "+upTo(n))
		case check.Wrong:
			out = append(out, "leaves "+upTo(n)+" wrong")
		}
	}
	return strings.Join(out, " or ")
}

func upTo(n int) string {
	if n == 1 {
		return "one result"
	}
	return fmt.Sprintf("up to %d results", n)
}

// who names what has to crash, where that is not everything.
func (m *crashMap) who(p *mapPanel, t *panelTally) string {
	var names []string
	for i, bad := range t.bad {
		if bad {
			names = append(names, strings.Replace(rowName(p.targets[i]), "whole", "the whole", 1))
		}
	}
	switch {
	case len(names) == len(p.targets) || len(names) > 2:
		return "a " + m.blow()
	case m.blow() != "crash":
		return "a fault (" + strings.Join(names, " or ") + ")"
	}
	return "a crash of " + strings.Join(names, " or ")
}

// safeWords lists where no crash hurts.
func safeWords(p *mapPanel, t *panelTally) string {
	if t.safe == 0 {
		return "Some task survives every moment, but none is safe for all."
	}
	first, last := t.spans[0], t.spans[len(t.spans)-1]
	before := fmt.Sprintf("before event %d (%s)", first.From, eventWords(p.trace, first.From))
	after := fmt.Sprintf("after event %d (%s)", last.To, eventWords(p.trace, last.To+1))
	head, tail := first.From > 0, last.To < p.trace.Len()
	switch {
	case len(t.spans) > 1 && head:
		return fmt.Sprintf("Safe only %s, and in few moments after that.", before)
	case len(t.spans) > 1:
		return "Safe only in few moments."
	case head && tail:
		return fmt.Sprintf("Safe only %s and %s.", before, after)
	case head:
		return fmt.Sprintf("Safe only %s.", before)
	}
	return fmt.Sprintf("Safe only %s.", after)
}

func spanWords(t *trace.Trace, s gapSpan) string {
	to := "to the end"
	if s.To < t.Len() {
		to = fmt.Sprintf("until event %d (%s)", s.To+1, eventWords(t, s.To+1))
	}
	if s.From == 0 {
		return "from the beginning " + to
	}
	return fmt.Sprintf("from event %d (%s) %s", s.From, eventWords(t, s.From), to)
}

// eventWords is an event's sentence without its end, and short.
func eventWords(t *trace.Trace, n int) string {
	if n < 1 || n > t.Len() {
		return "the end"
	}
	s := strings.TrimSuffix(trace.Sentence(t, t.At(n)), ".")
	for _, end := range []string{": ", ", "} {
		s, _, _ = strings.Cut(s, end)
	}
	return s
}

// pattern finds two kinds of events between which all bad stretches lie.
func (t *panelTally) pattern(tr *trace.Trace) (from, to string, ok bool) {
	for i, s := range t.spans {
		if s.From == 0 || s.To >= tr.Len() {
			return "", "", false
		}
		a, b := tr.At(s.From).Kind.String(), tr.At(s.To+1).Kind.String()
		if i > 0 && (a != from || b != to) {
			return "", "", false
		}
		from, to = a, b
	}
	return from, to, true
}

// coverageWords states how much of the map was tried.
func (m *crashMap) coverageWords() string {
	tried, of := m.coverage()
	if tried == of {
		return "All " + thousands(of) + " runs"
	}
	return fmt.Sprintf("First %s of %s runs", thousands(tried), thousands(of))
}

// columnWords says what a column is.
func (m *crashMap) columnWords() string {
	var out string
	switch {
	case len(m.Panels) == 1:
		out = "Moment n is the gap after event n."
	default:
		out = fmt.Sprintf("Columns are the %s events that all panels have in the same order; what a run has of its own lies in the column before.", thousands(m.Columns-1))
	}
	if m.Bin > 1 {
		out += fmt.Sprintf(" %d moments a column: a cell shows the worst class in it, the number counts its moments of that class, a foot shows another class in it.", m.Bin)
	}
	return out
}

// rowSpans is a row of a panel in words: exact 0–2, duplicated 3–7.
func (m *crashMap) rowSpans(p *mapPanel, row int) string {
	var out []string
	var last, words string
	from := 0
	flush := func(to int) {
		if last == "" {
			return
		}
		if from == to {
			out = append(out, fmt.Sprintf("%s %d", words, from))
			return
		}
		out = append(out, fmt.Sprintf("%s %d–%d", words, from, to))
	}
	for bin := range m.bins() {
		c := m.cell(p, row, bin)
		says := c.verdict()
		switch {
		case c.None:
			return "this job has no such task"
		case c.Class == "":
			says = "not tried"
		}
		for _, k := range c.Also {
			says += " and " + mapWord(k)
		}
		if says != last {
			flush(m.startOf(bin) - 1)
			last, words, from = says, says, m.startOf(bin)
		}
	}
	flush(m.To)
	return strings.Join(out, ", ")
}
