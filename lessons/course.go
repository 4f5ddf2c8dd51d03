package lessons

import (
	"fmt"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/lessons/strict"
)

// maxLessonTime bounds how long a lesson may say it takes.
const maxLessonTime = 3 * time.Hour

// readCourse reads course.yaml: chapters and lessons, in order, and the paths.
func readCourse(file string, data []byte) (title string, chapters []*Chapter, paths []*Path, problems []Problem) {
	doc, root, ok := strict.Parse(file, data, 0)
	if !ok {
		return "", nil, nil, doc.Problems
	}
	m := root.Map("title", "chapters", "paths")
	title = m.NeedText("title")
	seen := map[string]bool{}
	number := 0
	for i, v := range m.List("chapters") {
		c := v.Map("title", "line", "lessons")
		ch := &Chapter{Number: i + 1, Title: c.NeedText("title"), Line: c.NeedText("line")}
		for _, l := range c.List("lessons") {
			number++
			ch.Lessons = append(ch.Lessons, readCourseLesson(l, number, ch.Number, seen))
		}
		chapters = append(chapters, ch)
	}
	paths = readPaths(m)
	resolvePaths(paths, chapters)
	return title, chapters, paths, doc.Problems
}

func readCourseLesson(v strict.Value, number, chapter int, seen map[string]bool) *Lesson {
	m := v.Map("slug", "title", "takes", "claim")
	l := &Lesson{Slug: m.NeedText("slug"), Title: m.NeedText("title"), Claim: m.NeedText("claim"),
		Number: number, Chapter: chapter, Coming: true, file: v.File(), line: v.Line()}
	switch {
	case l.Slug != "" && !engine.IsName(l.Slug):
		m.Bad("slug "+strict.Quote(l.Slug), "allowed: 1 to 40 letters, digits, dots, dashes or underscores")
	case seen[l.Slug]:
		m.Bad("slug "+strict.Quote(l.Slug)+" occurs twice", "give each lesson its own")
	}
	seen[l.Slug] = true
	if t, ok := m.Need("takes"); ok {
		d, err := time.ParseDuration(t.Text())
		if err != nil || d <= 0 || d > maxLessonTime {
			t.Bad("found "+strict.Quote(t.Text()), "allowed: a time like 30s or 7m")
		}
		l.Takes = d
		l.Minutes = max(1, int((d+time.Minute-1)/time.Minute))
	}
	return l
}

// Time is how long the lesson takes, for people: "30 s" or "7 min".
func (l *Lesson) Time() string {
	if l.Takes < time.Minute {
		return fmt.Sprintf("%d s", int(l.Takes.Seconds()))
	}
	return fmt.Sprintf("%d min", l.Minutes)
}

// Term is a word of the glossary.
type Term struct {
	ID    string
	Word  string
	Glyph string   // of the sprite; "" none
	Text  string   // one sentence
	Forms []string // other words that mean it, or a part of it: the adjective, the values of a setting
}

func readGlossary(file string, data []byte) (map[string]*Term, []Problem) {
	doc, root, ok := strict.Parse(file, data, 0)
	if !ok {
		return nil, doc.Problems
	}
	out := map[string]*Term{}
	for _, v := range root.List() {
		m := v.Map("id", "word", "glyph", "text", "forms")
		t := &Term{ID: m.NeedText("id"), Word: m.NeedText("word"), Glyph: m.Text("glyph"), Text: m.NeedText("text"), Forms: m.Texts("forms")}
		if _, twice := out[t.ID]; twice {
			m.Bad("term "+strict.Quote(t.ID)+" occurs twice", "keep one")
		}
		out[t.ID] = t
	}
	return out, doc.Problems
}
