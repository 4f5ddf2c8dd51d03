package stage

import (
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// chip is a record or a result as it is drawn: tint and letter of the key, and a
// number (offset, or the value of a result).
type chip struct {
	ID, From string
	X, Y     int
	W, H     int
	Class    string
	Key, Num string
	Split    bool // the key is more than one letter: the number is set apart
}

// textY is the baseline of a chip's text.
func (c *chip) textY() int { return c.H/2 + 4 }

// chipFont is the size of the text in a chip of a height.
func chipFont(h int) int {
	switch {
	case h >= 20:
		return 12
	case h >= 18:
		return 11
	}
	return 10
}

func chipWidth(chars, h int) int {
	pad := 12
	if h < 20 {
		pad = 8
	}
	return monoText(chars, chipFont(h)) + pad
}

// recordChip draws an element of a channel or in a hand.
func (s *Stage) recordChip(e *trace.Elem, h int) chip {
	c := chip{ID: recordID(e.Rec, e.Attempt), H: h, Class: tint(e.Key), Key: s.lay.labels[e.Key], Num: num(e.Rec.Off)}
	if e.Row {
		c.Num = engine.FormatNumber(e.Value)
	}
	c.Split = len([]rune(c.Key)) > 1 || e.Row
	n := len([]rune(c.Key)) + len(c.Num)
	c.W = chipWidth(n, h)
	if c.Split {
		c.W += 3
	}
	if s.view.Again(e.Rec, e.Attempt) {
		c.Class += " again"
	}
	return c
}

// recordID is r0.8.1: partition, offset, attempt.
func recordID(rec engine.RecordID, attempt int16) string {
	return "r" + place(rec) + "." + num(attempt)
}

func place(rec engine.RecordID) string { return num(rec.Part) + "." + num(rec.Off) }

// copyID is the id of a record on a channel: copies that go to several operators
// at once carry the reader's name.
func (s *Stage) copyID(rec engine.RecordID, attempt int16, c engine.ChanID) string {
	id := recordID(rec, attempt)
	ch := &s.Job.Plan.Channels[c]
	if len(s.Job.Plan.Tasks[ch.From].Out) > 1 {
		id += "." + s.Job.Plan.Tasks[ch.To].Name
	}
	return id
}

// resultID is the id of what a sink wrote for a record, and inputID that of the
// copy that the sink took it from.
func (s *Stage) resultID(sink int, rec engine.RecordID, attempt int16) string {
	id := "o" + place(rec) + "." + num(attempt)
	if len(s.Job.Settings.Sinks) > 1 {
		id += "." + s.Job.Settings.Sinks[sink].Name
	}
	return id
}

func (s *Stage) inputID(sink int, rec engine.RecordID, attempt int16) string {
	id := recordID(rec, attempt)
	if len(s.Job.Settings.Sinks) > 1 { // then each has one task
		id += "." + s.Job.Settings.Sinks[sink].Name + "/0"
	}
	return id
}

// fullKey is a key for texts, shortened when it is long.
func (s *Stage) fullKey(k engine.KeyID) string { return trace.Clip(s.Job.Input.Keys[k], 24) }

// sayRecord is a record for readers of text: "record ana, partition 0, offset 8".
func (s *Stage) sayRecord(e *trace.Elem) string {
	switch e.Kind {
	case engine.BarrierElement:
		return "barrier " + num(e.Ckpt)
	case engine.WatermarkElement:
		return "watermark " + trace.Clock(int64(e.Mark))
	}
	return s.fullKey(e.Key) + " offset " + num(e.Rec.Off)
}

// list joins the parts of a text that there are.
func list(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
