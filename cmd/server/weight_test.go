package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// Bounds of a lesson's page: server time to the first byte, and what is transferred
// before fonts.
const (
	firstByteBound = 100 * time.Millisecond
	weightBound    = 100_000
)

// transferred asks as browsers do and returns the bytes on the wire, the text, and
// the time to the first byte.
func transferred(t *testing.T, url string) (n int, text string, first time.Duration) {
	t.Helper()
	ask := func(encoding string) (*http.Response, []byte) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept-Encoding", encoding)
		began := time.Now()
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		first = time.Since(began)
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: status %d, %v", url, res.StatusCode, err)
		}
		return res, b
	}
	_, plain := ask("identity")
	_, packed := ask("br, gzip")
	return len(packed), string(plain), first
}

// Every lesson, opened by somebody who was never here: page, style sheet, all
// modules and everything else that is not a font. The numbers are printed; the time
// is the best of five, as other programs of the machine are not the server's.
func TestEveryLessonIsLightAndSoon(t *testing.T) {
	app, _ := serve(t, Config{})
	linked := regexp.MustCompile(`(?:src|href)="(/static/[^"]+\.(?:js|css))"`)
	imported := regexp.MustCompile(`(?:from |import |import\()['"]\./([\w-]+\.js)['"]`)
	weights := map[string]int{}
	var weigh func(path string) int
	weigh = func(path string) int { // a file and the modules that it imports, once each
		if _, ok := weights[path]; ok {
			return 0
		}
		n, text, _ := transferred(t, app.URL()+path)
		weights[path] = n
		for _, m := range imported.FindAllStringSubmatch(text, -1) {
			n += weigh(path[:strings.LastIndex(path, "/")+1] + m[1])
		}
		return n
	}
	for _, l := range courses(t).Lessons() {
		url := app.URL() + "/lessons/" + l.Slug
		page, text, best := transferred(t, url)
		for range 4 {
			_, _, again := transferred(t, url)
			best = min(best, again)
		}
		all := page
		clear(weights)
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			all += weigh(m[1])
		}
		t.Logf("%-24s first byte %5.1f ms, page %6d bytes, all before fonts %6d bytes", l.Slug, float64(best.Microseconds())/1000, page, all)
		if best > firstByteBound || all > weightBound || len(weights) < 10 {
			t.Errorf("%s: first byte after %v (at most %v), %d bytes (at most %d) in %d files", l.Slug, best, firstByteBound, all, weightBound, len(weights)+1)
		}
	}
}
