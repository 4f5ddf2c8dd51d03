package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// edited writes a file of a folder anew, as an editor does: its time is a later one.
// The time is set, so that the test needs no pause for the clock of the disk.
func edited(t *testing.T, dir, file, old, new string, later time.Duration) {
	t.Helper()
	name := filepath.Join(dir, filepath.FromSlash(file))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, new, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	at := time.Now().Add(later)
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

// Whoever writes in a content folder sees a change with the next page. What is
// wrong is not taken over: the page stays, names file and line, and the log too.
func TestAChangedFolderIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../../lessons/testdata/course")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	app, _ := serve(t, Config{Content: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	const lesson = "lessons/toast/lesson.md"
	page := func() string {
		_, body := get(t, app.URL()+"/lessons/toast")
		return body
	}
	shows := func(when, body string, want, not []string) {
		t.Helper()
		for _, w := range want {
			if !strings.Contains(body, w) {
				t.Errorf("%s: the page does not show %q", when, w)
			}
		}
		for _, w := range not {
			if strings.Contains(body, w) {
				t.Errorf("%s: the page shows %q", when, w)
			}
		}
	}
	const before, after, banner = "will be on the plate", "will lie on the plate", "in the content folder"
	shows("at the start", page(), []string{before}, []string{banner})

	edited(t, dir, lesson, before, after, time.Minute)
	shows("after a change", page(), []string{after}, []string{before, banner})

	edited(t, dir, lesson, after, "will {run dupliated} lie there", 2*time.Minute)
	at := filepath.Join(dir, "lessons", "toast", "lesson.md") + ":"
	shows("after a mistake", page(), []string{after, "1 problem in the content folder. Pages show it as it last was right.", at}, []string{"will {run"})
	if status, body := get(t, app.URL()+"/"); status != 200 || !strings.Contains(body, at) {
		t.Errorf("the home page: %d, and it does not name the file", status)
	}
	if said := log.String(); strings.Count(said, "is not right") != 1 || !strings.Contains(said, "lesson.md:") {
		t.Errorf("the log says %s", said)
	}

	edited(t, dir, lesson, "will {run dupliated} lie there", before, 3*time.Minute)
	shows("after it was mended", page(), []string{before}, []string{after, banner})

	if err := os.WriteFile(filepath.Join(dir, "inputs", "brad-4.yml"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	shows("after a file that nobody reads", page(), []string{before, banner, "brad-4.yml: nothing reads this file"}, nil)
}
