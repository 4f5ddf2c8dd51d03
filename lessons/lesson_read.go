package lessons

import (
	"fmt"
	"strings"

	"effectivelyonce/lessons/strict"
	"effectivelyonce/quizzes"
)

var lessonFields = []string{"scenario", "lead", "boundary", "outcomes", "simplified", "older", "facts", "level", "choices", "next"}

// readLesson fills a lesson of the course from its lesson.md: front matter between
// two lines of ---, then a segment under each ## heading.
func (l *Lesson) readLesson(file string, data []byte) []Problem {
	if len(data) > strict.MaxFile {
		return []Problem{{File: file, What: fmt.Sprintf("the file has %d bytes", len(data)), Do: fmt.Sprintf("allowed: at most %d", strict.MaxFile)}}
	}
	l.Coming, l.file, l.line = false, file, 1
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	end := closing(lines, 1, "---")
	if lines[0] != "---" || end < 0 {
		return []Problem{{File: file, Line: 1, What: "no front matter", Do: "begin with a line ---, the lesson's fields, and another line ---"}}
	}
	doc, root, ok := strict.Parse(file, []byte(strings.Join(lines[1:end], "\n")), 1)
	if ok {
		l.readFront(root.Map(lessonFields...))
	}
	problems := doc.Problems
	segments, more := splitSegments(file, lines, end+1)
	l.Segments = segments
	problems = append(problems, more...)
	if len(segments) == 0 && len(more) == 0 {
		problems = append(problems, Problem{File: file, Line: end + 1, What: "no segment", Do: "write a heading like \"## What happens {#what}\" and its text"})
	}
	return problems
}

// closing is the line at which a block that begins before from ends, -1 if it never does.
func closing(lines []string, from int, mark string) int {
	for i := from; i < len(lines); i++ {
		if lines[i] == mark {
			return i
		}
	}
	return -1
}

func (l *Lesson) readFront(m strict.Map) {
	l.Scenario = m.NeedText("scenario")
	l.Lead = quizzes.MapText(m, "lead", true)
	l.Bounds, l.Next = m.Text("boundary"), m.Text("next")
	l.Outcomes, l.Simplified, l.Older = texts(m, "outcomes"), texts(m, "simplified"), texts(m, "older")
	if len(l.Simplified) == 0 {
		m.Bad("field \"simplified\" is missing", "say what this engine simplifies")
	}
	for _, v := range m.List("facts") {
		f := v.Map("id", "product", "version", "text", "secondary")
		l.Facts = append(l.Facts, Fact{ID: f.NeedText("id"), Product: f.NeedText("product"), Version: f.Text("version"),
			Text: quizzes.MapText(f, "text", true), Secondary: f.Bool("secondary")})
	}
	for _, v := range m.List("choices") {
		c := v.Map("label", "to")
		l.Choices = append(l.Choices, Choice{Label: c.NeedText("label"), To: c.NeedText("to")})
	}
	if v, ok := m.Get("level"); ok {
		l.Level = readLevel(v.Map(levelFields...), v)
		l.Level.Slug, l.Level.Lesson, l.Level.file = l.Slug, l.Slug, l.file
		if l.Level.Scenario == "" {
			l.Level.Scenario = l.Scenario
		}
	}
}

func texts(m strict.Map, field string) []Text {
	var out []Text
	for _, v := range m.List(field) {
		out = append(out, quizzes.ValueText(v))
	}
	return out
}
