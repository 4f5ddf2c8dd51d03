package main

import (
	"context"
	"html"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"effectivelyonce/content"
)

// serve starts the site on a free port. The function returned ends it as SIGTERM
// would and reports what Run returned.
func serve(t *testing.T, cfg Config) (*App, func() error) {
	t.Helper()
	cfg.Addr = "127.0.0.1:0"
	app, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx) }()
	stop := func() error { cancel(); return <-ended }
	t.Cleanup(func() { cancel(); _ = app.Close() })
	return app, stop
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	res, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

func TestServeListensSoonAndStopsGracefully(t *testing.T) {
	began := time.Now()
	app, stop := serve(t, Config{})
	// Half a second on an idle machine. The bound is wide, for a busy one under the
	// race detector; it catches work at the start that grows with the content.
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("listening took %s", took)
	}
	if status, body := get(t, app.URL()+"/healthz"); status != http.StatusOK || body != "ok\n" {
		t.Errorf("/healthz: %d %q", status, body)
	}
	if code, _, errs := server(t, "health", app.URL()+"/healthz"); code != exitDone {
		t.Errorf("server health: status %d, %s", code, errs)
	}
	if len(app.Problems()) > 0 {
		t.Errorf("problems in the embedded content: %v", app.Problems())
	}
	if err := stop(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if code, _, _ := server(t, "health", app.URL()+"/healthz"); code != exitDiffer {
		t.Errorf("server health after the end: status %d", code)
	}
}

// The command line and the page judge with the same words.
func TestPageAndCommandLineAgree(t *testing.T) {
	app, _ := serve(t, Config{})
	tags := regexp.MustCompile(`<[^>]*>`)
	for _, sc := range scenarios(t) {
		args := []string{"run", sc.ID, "--format", "json"}
		for _, f := range sc.Script {
			args = append(args, "--fault", f)
		}
		status, out, errs := server(t, args...)
		if status != exitDone {
			t.Fatal(errs)
		}
		query := "scenario=" + sc.ID
		for _, f := range sc.Script {
			query += "&fault=" + f
		}
		code, api := get(t, app.URL()+"/api/run?"+query)
		if code != http.StatusOK || api != out {
			t.Errorf("%s: /api/run: %d\n%s\nserver run:\n%s", sc.ID, code, api, out)
		}
		_, text, _ := server(t, scripted(sc, "text")...)
		_, page := get(t, app.URL()+"/run?"+query+"&at="+lastEvent(t, out))
		page = html.UnescapeString(tags.ReplaceAllString(page, " "))
		for _, line := range strings.Split(text[strings.LastIndex(text, "Class\n")+len("Class\n"):], "\n") {
			if line == "" {
				break
			}
			class := strings.Split(line[strings.LastIndex(line, "  ")+2:], ", was older")[0]
			if !strings.Contains(page, class) {
				t.Errorf("%s: the page does not say %q", sc.ID, class)
			}
		}
	}
}

func lastEvent(t *testing.T, report string) string {
	t.Helper()
	m := regexp.MustCompile(`"events":(\d+)`).FindStringSubmatch(report)
	if m == nil {
		t.Fatalf("no events in %s", report)
	}
	return m[1]
}

// copied copies a content folder, with one file changed.
func copied(t *testing.T, from fs.FS, file, old, new string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, from); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, filepath.FromSlash(file))
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), old, new, 1)
	if changed == string(text) {
		t.Fatalf("%s does not hold %q", file, old)
	}
	if err := os.WriteFile(name, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestATeachersFolder(t *testing.T) {
	dir := copied(t, content.FS, "course.yaml", "title: \"One crash, two charges\"", "title: \"A lesson of mine\"")
	app, _ := serve(t, Config{Content: dir})
	if _, body := get(t, app.URL()+"/lessons/one-crash-two-charges"); !strings.Contains(body, "A lesson of mine") {
		t.Error("the folder's title is not on the page")
	}
	broken := copied(t, content.FS, "lessons/alignment/lesson.md", "until: after:record.received(P0:10)~1@count/0", "until: after:record.recieved(P0:10)~1@count/0")
	app, _ = serve(t, Config{Content: broken})
	if len(app.Problems()) == 0 || !strings.HasPrefix(app.Problems()[0].String(), filepath.Join(broken, "lessons", "alignment", "lesson.md")+":") {
		t.Errorf("problems %v, want one with the folder's file", app.Problems())
	}
	if status, _ := get(t, app.URL()+"/lessons/one-crash-two-charges"); status != http.StatusOK {
		t.Error("one broken lesson takes the others with it")
	}
}

// The embedded content's own claims are tested in package lessons; here a small
// course shows what the command prints.
func TestCheck(t *testing.T) {
	const course = "../../lessons/testdata/course"
	status, out, errs := server(t, "check", course)
	if want := course + ": 1 lesson, 2 questions, 2 scenarios. Every claim holds.\n"; status != exitDone || out != want {
		t.Errorf("status %d, %s%s\nwant %s", status, out, errs, want)
	}
	dir := copied(t, os.DirFS(course), "lessons/toast/scenarios/toaster.yaml", "script: duplicated", "script: exact")
	status, out, errs = server(t, "check", dir)
	want := filepath.Join(dir, "lessons", "toast", "scenarios", "toaster.yaml") +
		":6: the scripted run is duplicated, the claim says exact; retune the scenario, or correct the claim if the engine is right\n"
	if status != exitDiffer || out != want || errs != "server check: 1 problem in "+dir+"\n" {
		t.Errorf("status %d\nfound %s%s\nwant  %s", status, out, errs, want)
	}
}
