package web_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// The picture of a moment is a document of its own: well formed, without the
// network, the same every time, and kept.
func TestCardIsAPictureOfItsOwn(t *testing.T) {
	s := newServer(t)
	for _, at := range []string{"0", "40", "120"} {
		path := "/card.svg?scenario=hook-charges&fault=crash:count/0@60&at=" + at
		res := get(t, s, path)
		picture := body(t, res)
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(res.Header.Get("Cache-Control"), "max-age") {
			t.Fatalf("%s: status %d, %v", path, res.StatusCode, res.Header)
		}
		if again := body(t, get(t, s, path)); again != picture {
			t.Errorf("%s differs from one request to the next", path)
		}
		if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sha256-") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %s", path, csp)
		}
		for _, outer := range []string{"url(http", "@import", "light-dark(", "<script", "href=\"/"} {
			if strings.Contains(picture, outer) {
				t.Errorf("%s holds %s", path, outer)
			}
		}
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Errorf("%s is not well formed: %v", path, err)
				break
			}
		}
	}
}

// Every kind of thing can be inspected, and what a panel leads to can be as well.
func TestInspectorLeadsOn(t *testing.T) {
	s := newServer(t)
	run := "/card/inspect?scenario=three-windows&fault=crash:sink/0@after:txn.precommit~2&at="
	for _, x := range []struct{ at, what, says string }{
		{"268", "r0.6", "Why is this twice in the"},
		{"268", "sink/0", "effect two"},
		{"150", "c1", "Read as a table"},
		{"268", "share", "&lt;iframe src="},
		{"268", "moment", "Event 268 at"},
		{"268", "t9.1.1", "What became of it"},
	} {
		if x.what == "t9.1.1" {
			x.what = between(body(t, get(t, s, run+"268&what=r0.6")), `data-what="t`, `"`)
			x.what = "t" + x.what
		}
		res := get(t, s, run+x.at+"&what="+x.what)
		if text := body(t, res); res.StatusCode != 200 || !strings.Contains(text, x.says) {
			t.Errorf("%s at %s: status %d, %q is missing in %s", x.what, x.at, res.StatusCode, x.says, text)
		}
	}
	if res := get(t, s, run+"268&what=t999.1.1"); res.StatusCode != 400 {
		t.Errorf("a transaction of a task that is not there: status %d", res.StatusCode)
	}
	if res := get(t, s, run+"268&what=t1.1.99"); res.StatusCode != 400 {
		t.Errorf("a transaction that never was: status %d", res.StatusCode)
	}
	if text := body(t, get(t, s, run+"130&what=r0.6")); strings.Contains(text, "Why is this") {
		t.Error("the panel tells at event 130 how the story ends")
	}
}

// A transaction's rows say what was written as the picture does: a count of five is
// "5", not a thousandth of it.
func TestATransactionsRowsSayWhatWasWritten(t *testing.T) {
	s := newServer(t)
	run := "/card/inspect?scenario=alignment-tour&fault=crash:count/0@64&at=500&what="
	text := body(t, get(t, s, run+"t"+between(body(t, get(t, s, run+"topic/0")), `data-what="t`, `"`)))
	if !strings.Contains(text, "value 5 (") || strings.Contains(text, "value 0.0") {
		t.Errorf("the rows of a transaction of totals: %s", text)
	}
}

func between(s, a, b string) string {
	_, s, _ = strings.Cut(s, a)
	s, _, _ = strings.Cut(s, b)
	return s
}

// Programs that draw links find out what a page shows; an embedded run has no
// header, may stand in another page and leads back.
func TestPreviewAndEmbed(t *testing.T) {
	s := newServer(t)
	text := body(t, get(t, s, "/run?scenario=hook-charges&at=40"))
	for _, want := range []string{`property="og:image" content="http://example.com/card.svg?scenario=hook-charges&amp;at=40"`, `property="og:description" content="Event 40 of `, `name="twitter:card"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	res := get(t, s, "/run?scenario=hook-charges&at=40&embed=1")
	text = body(t, res)
	if strings.Contains(text, `class="header"`) || !strings.Contains(text, `href="/run?scenario=hook-charges&amp;at=40">Open in`) {
		t.Error("the embedded run has a header, or no way to the whole page")
	}
	if csp := res.Header.Get("Content-Security-Policy"); !strings.HasSuffix(csp, "frame-ancestors *") {
		t.Errorf("it may not be embedded: %s", csp)
	}
}
