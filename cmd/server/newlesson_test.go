package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A new lesson is a folder that loads and runs: check has nothing to say but that
// texts are to be written, each at its line, and nothing at all once they are.
func TestNewLesson(t *testing.T) {
	dir := t.TempDir()
	course := "title: T\nchapters:\n  - title: C\n    line: L.\n    lessons:\n      - {slug: my-lesson, title: A, takes: 1m, claim: C.}\n"
	write(t, filepath.Join(dir, "course.yaml"), course)
	cards, err := os.ReadFile("../../content/inputs/cards-16.yaml")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "inputs", "cards-16.yaml"), string(cards))

	if status, out, errs := server(t, "new-lesson", "my-lesson", "--content", dir); status != exitDone || !strings.Contains(out, "slug: my-lesson") {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	status, out, _ := server(t, "check", dir)
	todo := 0
	for _, name := range []string{"lesson.md", "quiz.yaml", "scenarios/my-lesson.yaml"} {
		path := filepath.Join(dir, "lessons", "my-lesson", filepath.FromSlash(name))
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		todo += strings.Count(string(text), "TODO")
		write(t, path, regexp.MustCompile("TODO ").ReplaceAllString(string(text), ""))
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if status != exitDiffer || len(lines) != todo || strings.Count(out, "a text is still to be written") != todo {
		t.Errorf("status %d, %d problems, %d texts to write:\n%s", status, len(lines), todo, out)
	}
	if status, out, _ := server(t, "check", dir); status != exitDone {
		t.Errorf("with its texts written:\n%s", out)
	}
	refused(t, []string{"new-lesson", "my-lesson", "--content", dir}, `server new-lesson: lesson my-lesson exists already`)
	refused(t, []string{"new-lesson", "My Lesson", "--content", dir}, `server new-lesson: slug "My Lesson"; allowed:`)
	refused(t, []string{"new-lesson", "other", "--content", filepath.Join(dir, "none")}, `server new-lesson: content folder `)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
