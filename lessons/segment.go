package lessons

import (
	"fmt"
	"regexp"
	"strings"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

var headingForm = regexp.MustCompile(`^## (.+?) \{#([^}]*)\}$`)

const (
	segmentOpen  = "```segment"
	segmentClose = "```"
)

// splitSegments cuts the text below the front matter at its ## headings.
func splitSegments(file string, lines []string, from int) (out []*Segment, problems []Problem) {
	bad := func(i int, what, do string) {
		problems = append(problems, Problem{File: file, Line: i + 1, What: what, Do: do})
	}
	start := -1
	cut := func(end int) {
		if start < 0 {
			return
		}
		s, ps := readSegment(file, lines, start, end)
		problems = append(problems, ps...)
		for _, o := range out {
			if s != nil && o.ID == s.ID {
				bad(start, "segment "+strict.Quote(s.ID)+" occurs twice", "give each segment its own id")
			}
		}
		if s != nil {
			out = append(out, s)
		}
	}
	for i := from; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "## ") {
			cut(i)
			start = i
		} else if start < 0 && strings.TrimSpace(lines[i]) != "" {
			bad(i, "text before the first heading", "put it under a ## heading, or into the field lead")
			return out, problems
		}
	}
	cut(len(lines))
	return out, problems
}

// readSegment reads lines[start:end): the heading, the segment block, the prose.
func readSegment(file string, lines []string, start, end int) (*Segment, []Problem) {
	h := headingForm.FindStringSubmatch(lines[start])
	if h == nil || !engine.IsName(h[2]) {
		return nil, []Problem{{File: file, Line: start + 1, What: "heading " + strict.Quote(lines[start]), Do: "write it as \"## Title {#id}\", the id in letters, digits and dashes"}}
	}
	s := &Segment{ID: h[2], Title: h[1], Until: quizzes.End, StartEvent: -1, at: map[string]int{}}
	var problems []Problem
	body := start + 1
	for body < end && strings.TrimSpace(lines[body]) == "" {
		body++
	}
	if body < end && lines[body] == segmentOpen {
		stop := closing(lines[:end], body+1, segmentClose)
		if stop < 0 {
			return nil, []Problem{{File: file, Line: body + 1, What: "the segment block is not closed", Do: "end it with a line of three backticks"}}
		}
		doc, root, ok := strict.Parse(file, []byte(strings.Join(lines[body+1:stop], "\n")), body+1)
		if ok {
			s.readFields(root.Map("from", "until", "scenario", "set", "faults", "watch", "do", "bet", "crash", "reveal", "ledger", "free"))
		}
		problems = doc.Problems
		body = stop + 1
	}
	s.body = Source{File: file, Line: body + 1, Text: strings.Join(lines[body:end], "\n")}
	if strings.TrimSpace(s.body.Text) == "" {
		problems = append(problems, Problem{File: file, Line: start + 1, What: fmt.Sprintf("segment %q has no text", s.ID), Do: "write one or two paragraphs"})
	}
	return s, problems
}

func (s *Segment) readFields(m strict.Map) {
	s.Scenario, s.Set, s.Faults, s.Watch = m.Text("scenario"), m.Texts("set"), m.Texts("faults"), m.Texts("watch")
	s.Do, s.Ledger, s.Reveal, s.Free = m.Text("do"), m.Text("ledger"), m.Bool("reveal"), m.Bool("free")
	s.From = quizzes.Moment(m.Text("from"))
	if u := m.Text("until"); u != "" {
		s.Until = quizzes.Moment(u)
	}
	for _, f := range []string{"from", "until", "set", "faults", "ledger", "crash", "bet", "scenario"} {
		s.at[f] = m.Line()
		if v, ok := m.Get(f); ok {
			s.at[f] = v.Line()
		}
	}
	if v, ok := m.Get("crash"); ok {
		c := v.Map("fault", "label", "text", "auto")
		s.Crash = &CrashPrompt{Fault: c.NeedText("fault"), Label: c.NeedText("label"), Auto: c.Int("auto", 0, 0, 60), Text: quizzes.MapText(c, "text", false)}
	}
	if v, ok := m.Get("bet"); ok {
		s.Bet = readBet(v)
	}
}

func readBet(v strict.Value) *Bet {
	m := v.Map("question", "options")
	b := &Bet{Question: quizzes.MapText(m, "question", true)}
	right := 0
	for i, o := range m.List("options") {
		f := o.Map("text", "right", "why", "holds")
		opt := BetOption{ID: quizzes.OptionID(i), Text: quizzes.MapText(f, "text", true), Right: f.Bool("right"), Why: quizzes.MapText(f, "why", true), Holds: f.Texts("holds")}
		for _, h := range opt.Holds {
			if _, err := quizzes.ParseExpr(h); err != nil {
				f.Bad(err.Error(), "")
			}
		}
		if len(opt.Holds) == 0 {
			f.Bad("holds is missing", "say what is true of the run exactly if this option is right, so that the engine can check it")
		}
		if opt.Right {
			right++
		}
		b.Options = append(b.Options, opt)
	}
	if right != 1 || len(b.Options) < 2 {
		m.Bad(fmt.Sprintf("%d of %d options are right", right, len(b.Options)), "a bet has two or more options, exactly one of them with right: true")
	}
	return b
}
