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
		l.Level = readLevel(v)
	}
}

func texts(m strict.Map, field string) []Text {
	var out []Text
	for _, v := range m.List(field) {
		out = append(out, quizzes.ValueText(v))
	}
	return out
}

func readLevel(v strict.Value) *Level {
	m := v.Map("kind", "title", "task", "goal", "scenario", "set", "budget", "seconds", "keys", "win", "all", "duplicated", "best", "also", "decoys", "locked", "hints")
	lv := &Level{Kind: m.OneOf("kind", "adversary", "repair"), Title: m.NeedText("title"), Task: quizzes.MapText(m, "task", true),
		Goal: m.NeedText("goal"), Scenario: m.Text("scenario"), Set: m.Texts("set"), Budget: m.Int("budget", 1, 1, 16),
		Seconds: m.Int("seconds", 0, 0, 600), Repeats: m.Int("duplicated", -1, 0, 1<<20), Keys: m.Texts("keys"), Win: m.Texts("win"), Hints: texts(m, "hints"), places: map[string]int{}}
	for _, c := range readClasses(m, "all") {
		lv.All = append(lv.All, string(c))
	}
	if b, ok := m.Need("best"); ok {
		lv.Best = readMove(b)
	}
	for _, o := range m.List("also") {
		lv.Also = append(lv.Also, readMove(o))
	}
	for _, o := range m.List("decoys") {
		lv.Decoys = append(lv.Decoys, readMove(o))
	}
	if locked, ok := m.Get("locked"); ok {
		for _, p := range locked.Pairs() {
			lv.Locked = append(lv.Locked, LevelLock{Key: p.Key, Why: p.Value.Text()})
		}
	}
	if len(lv.Hints) != 3 {
		m.Bad(fmt.Sprintf("%d hints", len(lv.Hints)), "allowed: three: where to look, which mechanism, the move")
	}
	switch {
	case lv.Kind == "adversary" && len(lv.Win) == 0:
		m.Bad("an adversary level needs win", "list what must be true of the learner's run")
	case lv.Kind == "repair" && (len(lv.All) == 0 || len(lv.Keys) == 0):
		m.Bad("a repair level needs all and keys", "list the classes that may occur over the crash map, and the settings that may change")
	}
	for _, f := range []string{"win", "best", "decoys", "also", "all"} {
		lv.places[f] = v.Line()
		if fv, ok := m.Get(f); ok {
			lv.places[f] = fv.Line()
		}
	}
	return lv
}

func readMove(v strict.Value) LevelMove {
	m := v.Map("faults", "set", "why")
	return LevelMove{Faults: m.Texts("faults"), Set: m.Texts("set"), Why: quizzes.MapText(m, "why", true), line: v.Line()}
}
