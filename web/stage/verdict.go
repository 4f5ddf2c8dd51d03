package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
)

// verdictRow is one outside system as one reader sees it, against the truth.
type verdictRow struct {
	Name, Kind string
	Expected   string
	Observed   string
	Lost       string
	Duplicated string
	Pending    string
	Glyph      string
	Words      string
	Rewound    string
	Short      string // for a tile: "8 of 20"
	Class      string
	Hidden     bool // the verdict may not be shown
}

// verdictName is the region of the i-th verdict.
func (s *Stage) verdictName(i int) string {
	v := s.Verdicts()[i]
	name := "verdict/" + v.Sink
	if i > 0 && s.Verdicts()[i-1].Sink == v.Sink {
		name += "/" + v.Reader
	}
	return name
}

func (s *Stage) sinkIndex(name string) int {
	for i := range s.Job.Settings.Sinks {
		if s.Job.Settings.Sinks[i].Name == name {
			return i
		}
	}
	panic("stage: no sink " + name)
}

func (s *Stage) verdictRow(i int) verdictRow {
	v := &s.Verdicts()[i]
	set := &s.Job.Settings.Sinks[s.sinkIndex(v.Sink)]
	r := verdictRow{Name: trace.Clip(sinkTitle(set), 20), Kind: rowKind(set, v), Expected: itoa(v.Expected), Observed: itoa(v.Observed),
		Lost: itoa(v.Lost), Duplicated: itoa(v.Duplicated), Pending: s.pendingWords(v), Hidden: s.opt.Hide, Class: s.rowClass(i)}
	r.Short = itoa(v.Observed) + " of " + itoa(v.Expected)
	r.Glyph, r.Words = s.words(v, set)
	if v.Rewound > 0 {
		r.Rewound = "was older " + timesWord(v.Rewound)
		if n := s.olderNow(s.sinkIndex(v.Sink)); n > 0 {
			r.Rewound += ", " + itoa(n) + " still"
		}
	}
	return r
}

func timesWord(n int) string {
	if n == 1 {
		return "once"
	}
	return itoa(n) + " times"
}

// rowKind is what stands beside the name: the reader, where there can be two.
func rowKind(set *engine.SinkSettings, v *check.Verdict) string {
	if len(set.Readers) < 2 || v.Reader == check.AnyReader {
		return ""
	}
	return v.Reader
}

// pendingWords counts what is not seen and not lost. What will not be read again and
// stands in no total is neither hidden nor in flight, and of a job that was never
// started nothing flies.
func (s *Stage) pendingWords(v *check.Verdict) string {
	way := " in flight"
	if s.view.Phase == trace.Ended && s.view.Reason == engine.NeverStarted {
		way = " not read"
	}
	text := list(", ", class(v.Unshown > 0, itoa(v.Unshown)+" not shown"), class(v.Hidden > 0, itoa(v.Hidden)+" hidden"),
		class(v.InFlight > 0, itoa(v.InFlight)+way))
	if text == "" {
		return "0"
	}
	return text
}

// words is the verdict's glyph and its words: the class first, then whom it hit.
func (s *Stage) words(v *check.Verdict, set *engine.SinkSettings) (glyph, words string) {
	started := v.Expected+v.Observed > 0
	switch {
	case !started && !v.Final:
		return "", "Nothing yet"
	case v.Class == check.Exact && v.Hidden > 0:
		return "hidden", "Exact, " + itoa(v.Hidden) + " hidden"
	}
	switch v.Class {
	case check.Exact:
		return "exact", "Exact"
	case check.Duplicated:
		return "duplicated", "Duplicated: " + s.who(v.DuplicatedRows, v.Duplicated, "twice", "\u00d7")
	case check.Lost:
		return "lost", "Lost: " + s.who(v.LostRows, v.Lost, "missing", "")
	case check.Mixed:
		return "mixed", "Lost " + itoa(v.Lost) + " and twice " + itoa(v.Duplicated)
	case check.Wrong:
		if v.Wrong == 0 {
			return "wrong", "Not shown: " + s.who(v.UnshownRows, v.Unshown, "of "+itoa(v.Expected), "")
		}
		return "wrong", "Wrong: " + s.who(v.WrongRows, v.Wrong, "wrong", "")
	}
	return "stuck", list(", ", "Stuck", class(v.Pending > 0, itoa(v.Pending)+" pending"))
}

// who names the keys that a verdict hit, or counts them when they are many.
func (s *Stage) who(rows []check.Ref, n int, word, sign string) string {
	times := map[engine.KeyID]int{}
	var keys []engine.KeyID
	most := 0
	for _, r := range rows {
		if times[r.Key] == 0 {
			keys = append(keys, r.Key)
		}
		times[r.Key] = max(times[r.Key], max(1, r.Times))
		most = max(most, times[r.Key])
	}
	var names []string
	for _, k := range keys {
		names = append(names, s.Job.Input.Keys[k])
	}
	text := strings.Join(names, ", ")
	if len(rows) != n || len(keys) != n && sign != "" || len([]rune(text)) > 18 {
		return itoa(n) + " " + word
	}
	if sign != "" {
		text += " " + sign + itoa(most)
	}
	return text
}

func (s *Stage) rowClass(i int) string {
	v := &s.Verdicts()[i]
	if s.opt.Hide || v.Class == check.Exact {
		return "v-row"
	}
	return "v-row v-" + string(v.Class)
}

func (s *Stage) verdictAttrs(i int) map[string]string {
	return map[string]string{"class": s.rowClass(i)}
}

// frozenTruth stands there while a prediction is open.
const frozenTruth = "Frozen at the fault. The result opens after your prediction."

// truth is the verdict's title line: what everything is compared with.
func (s *Stage) truth() string {
	if s.opt.Hide {
		return frozenTruth
	}
	n, verb := 0, "read"
	for p := range s.view.Logs {
		n += int(s.view.Logs[p].Furthest)
	}
	if s.view.Phase == trace.Ended && s.view.Reason == engine.AtRest {
		all := "Truth: all " + count(n, "record") + " " + verb + ", each counted once. "
		if back := s.backWords(); back != "" {
			return all + "The job " + back + "."
		}
		return all + "Compared with each outside system."
	}
	return "Truth: " + count(n, "record") + " " + verb + ", each counted once. Compared with each outside system."
}

// keyCount is one key's part of the first verdict.
type keyCount struct {
	Class, Label, Name, Text string
}

// maxName is the longest key that is written out beside its label.
const maxName = 6

// maxKeys is how many keys are told one by one.
const maxKeys = 6

func (s *Stage) keyCount(k int) keyCount {
	s.Verdicts()
	c := s.keys[k]
	out := keyCount{Class: tint(engine.KeyID(k)), Label: s.lay.labels[k], Name: trace.Clip(s.Job.Input.Keys[k], 10),
		Text: itoa(c.Observed) + " of " + itoa(c.Expected)}
	if out.Name == out.Label || len([]rune(out.Name)) > maxName {
		out.Name = ""
	}
	if c.Lost > 0 {
		out.Text += ", " + itoa(c.Lost) + " lost"
	}
	if c.Duplicated > 0 {
		out.Text += ", " + itoa(c.Duplicated) + " twice"
	}
	if c.Unshown > 0 {
		out.Text += ", " + itoa(c.Unshown) + " not shown"
	}
	if p := c.Pending(); p > 0 {
		out.Text += ", " + itoa(p) + " pending"
	}
	return out
}

// keysTitle says of which outside system the keys are counted, where there are several.
func (s *Stage) keysTitle() string {
	if sinks := s.Job.Settings.Sinks; len(sinks) > 1 {
		return "By key, " + trace.Clip(sinks[0].Name, 16)
	}
	return "By key"
}

func (s *Stage) shownKeyCounts() int {
	if s.opt.Outside {
		return 0 // rows alone do not tell which key is pending
	}
	return min(maxKeys, len(s.Job.Input.Keys))
}
