package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"effectivelyonce/quizzes/progress/sqlstore"
)

// learnerAt is a browser of one learner.
func learnerAt(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

func answerAt(t *testing.T, c *http.Client, site string) string {
	t.Helper()
	res, err := c.PostForm(site+"/lessons/one-crash-two-charges", url.Values{"seg": {"quiz"}, "quiz": {"q01.1:a"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("answer: status %d %v", res.StatusCode, err)
	}
	return string(b)
}

func exported(t *testing.T, c *http.Client, site string) string {
	t.Helper()
	res, err := c.Get(site + "/progress/export")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Progress and pasted records outlive the server; two servers share the folder.
func TestServeKeepsProgressInTheDataFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "later")
	first, stop := serve(t, Config{Data: dir, Count: true})
	c := learnerAt(t)
	answerAt(t, c, first.URL())
	if err := stop(); err != nil {
		t.Errorf("ended with %v", err)
	}
	one, _ := serve(t, Config{Data: dir})
	two, _ := serve(t, Config{Data: dir, Count: true})
	for _, site := range []string{one.URL(), two.URL()} {
		if said := exported(t, c, site); strings.Count(said, `"question": "q01.1"`) != 1 {
			t.Errorf("after the restart there is\n%s", said)
		}
	}
	answerAt(t, c, one.URL())
	if said := exported(t, c, two.URL()); strings.Count(said, `"question": "q01.1"`) != 2 {
		t.Errorf("what one server saved, the other does not have:\n%s", said)
	}
	status, out, errs := server(t, "counts", "--data", dir)
	if status != exitDone || out != "question,chosen,outcome,times\nq01.1,a,missed,1\n" {
		t.Errorf("counts: status %d\n%s%s", status, out, errs)
	}
	var counts []map[string]any
	status, out, errs = server(t, "counts", "--data", dir, "--format", "json")
	if err := json.Unmarshal([]byte(out), &counts); err != nil || status != exitDone || len(counts) != 1 || len(counts[0]) != 4 || counts[0]["times"] != 1.0 {
		t.Errorf("counts as JSON: status %d %v\n%s%s", status, err, out, errs)
	}
}

// lockedBuffer is a log that goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A damaged database file does not stop the site: the log and the pages say so,
// and nothing is kept.
func TestServeIsReadOnlyOnADamagedFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, sqlstore.File), bytes.Repeat([]byte("not a database. "), 600), 0o600); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	app, _ := serve(t, Config{Data: dir, Log: slog.New(slog.NewTextHandler(&log, nil))})
	if !strings.Contains(log.String(), "the database file is damaged") || !strings.Contains(log.String(), "read only") {
		t.Errorf("the log says\n%s", log.String())
	}
	for _, path := range []string{"/", "/progress", "/lessons/one-crash-two-charges"} {
		if status, said := get(t, app.URL()+path); status != http.StatusOK || !strings.Contains(said, "Read only for now:</b> the database file is damaged") {
			t.Errorf("%s: status %d, and no word of it", path, status)
		}
	}
	if said := answerAt(t, learnerAt(t), app.URL()); !strings.Contains(said, "This answer could not be saved. It is still in this form.") {
		t.Error("an answer is lost silently")
	}
	if status, said := get(t, app.URL()+"/readyz"); status != http.StatusServiceUnavailable || said != "read only: the database file is damaged\n" {
		t.Errorf("/readyz: %d %q", status, said)
	}
	if status, _ := get(t, app.URL()+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d", status)
	}
}

// A database that is not there is no reason not to start.
func TestServeStartsWithoutItsDatabase(t *testing.T) {
	app, _ := serve(t, Config{Database: "postgres://nobody@127.0.0.1:1/none?connect_timeout=2"})
	if status, said := get(t, app.URL()+"/progress"); status != http.StatusOK || !strings.Contains(said, "Read only for now:</b> the database cannot be reached") {
		t.Errorf("/progress: status %d\n%s", status, said)
	}
}

// Records that do not fit into a link outlive the server that they were pasted to.
func TestServeKeepsPastedRecords(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("partition,key,value\n")
	for i := range 500 { // noise, which does not pack
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		fmt.Fprintf(&b, "%d,%c%x,%d\n", i%2, 'a'+rune(i%26), sum[:14], int(sum[20])<<8|int(sum[21]))
	}
	first, stop := serve(t, Config{Data: dir})
	noFollow := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := noFollow.PostForm(first.URL()+"/run", url.Values{"scenario": {"hook-charges"}, "records": {b.String()}})
	if err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	to := res.Header.Get("Location")
	if res.StatusCode != http.StatusSeeOther || !strings.Contains(to, "input=h.") {
		t.Fatalf("pasting leads to %d %q\n%s", res.StatusCode, to, said)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	second, _ := serve(t, Config{Data: dir})
	if status, said := get(t, second.URL()+to); status != http.StatusOK {
		t.Errorf("after the restart the link is %d\n%s", status, said)
	}
}
