package lessons

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"effectivelyonce/lessons/prose"
	"effectivelyonce/quizzes"
)

// A beat is a paragraph that belongs to one moment of the run.
const (
	beatOpen  = ":::beat "
	beatClose = ":::"
	ganttLine = ":::gantt "
)

// body renders a segment's prose: Markdown, and beats between ::: lines.
func (p *preparer) body(l *Lesson, s *Segment, r *played) {
	f := p.forms(r, s.ID)
	lines := strings.Split(s.body.Text, "\n")
	var out strings.Builder
	plain := func(from, to int) {
		src := Source{File: s.body.File, Line: s.body.Line + from, Text: strings.Join(lines[from:to], "\n")}
		markup, problems := prose.Block(src, f)
		out.WriteString(string(markup))
		p.note(problems)
	}
	s.Beats, s.Plots = nil, nil
	from := 0
	for i := 0; i < len(lines); i++ {
		if what, ok := strings.CutPrefix(lines[i], ganttLine); ok {
			plain(from, i)
			out.WriteString(p.gantt(l, r, what, s.body.Line+i))
			from = i + 1
			continue
		}
		title, isPlot := strings.CutPrefix(lines[i], plotLine)
		head, ok := strings.CutPrefix(lines[i], beatOpen)
		if !ok && !isPlot {
			continue
		}
		end := closing(lines, i+1, beatClose)
		if end < 0 {
			p.bad(l.file, s.body.Line+i, "the block is not closed: "+lines[i], "end it with a line :::")
			break
		}
		plain(from, i)
		if isPlot {
			out.WriteString(p.plot(l, s, title, strings.Join(lines[i+1:end], "\n"), s.body.Line+i))
		} else {
			out.WriteString(p.beat(l, s, r, head, s.body.Line+i))
			plain(i+1, end)
			out.WriteString("</div>")
		}
		i, from = end, end+1
	}
	plain(from, len(lines))
	s.HTML = out.String()
}

// gantt marks the place where the page draws a checkpoint's bars: checkpoint N.
func (p *preparer) gantt(l *Lesson, r *played, what string, line int) string {
	no, err := strconv.ParseInt(strings.TrimPrefix(what, "checkpoint "), 10, 16)
	if err != nil || no < 1 || !strings.HasPrefix(what, "checkpoint ") {
		p.bad(l.file, line, fmt.Sprintf("gantt: %q", what), "write :::gantt checkpoint N, with the number of a checkpoint of this step's run")
		return ""
	}
	if r.run != nil {
		if _, err := r.run.At(quizzes.Moment(fmt.Sprintf("after:checkpoint.triggered~%d", no))); err != nil {
			p.bad(l.file, line, "gantt: "+err.Error(), "")
		}
	}
	return fmt.Sprintf(`<figure class="gantt-here" data-gantt="%d"></figure>`, no)
}

// beat opens a beat's element: MOMENT [watch REGION…].
func (p *preparer) beat(l *Lesson, s *Segment, r *played, head string, line int) string {
	moment, watch, _ := strings.Cut(head, " watch ")
	b := Beat{Moment: quizzes.Moment(strings.TrimSpace(moment)), Watch: strings.Fields(watch)}
	if err := quizzes.CheckMoment(r.job, b.Moment); err != nil {
		p.bad(l.file, line, "beat: "+err.Error(), "")
		return `<div class="beat">`
	}
	label := ""
	if r.run != nil {
		n, err := r.run.At(b.Moment)
		if err != nil {
			p.bad(l.file, line, "beat: "+err.Error(), "")
		}
		b.Event = n
		label = beatLabel(r.query, s.ID, n)
	}
	s.Beats = append(s.Beats, b)
	return fmt.Sprintf(`<div class="beat" data-beat data-event="%d" data-watch="%s">%s`, b.Event, html.EscapeString(strings.Join(b.Watch, " ")), label)
}

// beatLabel ties a paragraph to its moment; without scripts it is a link.
func beatLabel(q Query, seg string, n int) string {
	return fmt.Sprintf(`<p class="beat-at"><a href="?%s" data-event="%d">Shown on the stage, event %d</a></p>`, html.EscapeString(link(q, seg, n)), n, n)
}
