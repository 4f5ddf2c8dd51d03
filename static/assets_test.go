package static

import (
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

func TestOneSheetBeginsWithTheOrderOfTheLayers(t *testing.T) {
	a, err := Load(Files)
	if err != nil {
		t.Fatal(err)
	}
	sheet := string(a.files[Sheet].body)
	if at := strings.Index(sheet, "@layer"); !strings.HasPrefix(sheet[at:], "@layer tokens, base, layout, stage, components, pages;") {
		t.Fatalf("the joined sheet begins with %q", sheet[at:at+80])
	}
	for name, f := range a.files {
		if strings.HasPrefix(name, "css/") && name != "css/layers.css" && name != Sheet && !strings.Contains(string(f.body), "@layer ") {
			t.Errorf("%s puts its rules into no layer", name)
		}
	}
}

func TestFilesAreKeptForEverOnlyUnderTheCurrentHash(t *testing.T) {
	a, err := Load(fstest.MapFS{"css/layers.css": {Data: []byte("@layer a;")}, "js/main.js": {Data: []byte(strings.Repeat("export {};\n", 50))}})
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		path, encoding, cache string
		status                int
	}{
		{a.URL("js/main.js"), "gzip", "public, max-age=31536000, immutable", 200},
		{"/static/0123456789ab/js/main.js", "", "no-cache", 200},
		{a.URL("js/other.js"), "", "", 404},
		{a.URL("../embed.go"), "", "", 404},
	}
	for _, c := range cases {
		r := httptest.NewRequest("GET", c.path, nil)
		r.Header.Set("Accept-Encoding", c.encoding)
		w := httptest.NewRecorder()
		a.ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Cache-Control") != c.cache {
			t.Errorf("%s: status %d, cache %q", c.path, w.Code, w.Header().Get("Cache-Control"))
		}
		if w.Header().Get("Content-Encoding") != c.encoding {
			t.Errorf("%s: encoding %q, want %q", c.path, w.Header().Get("Content-Encoding"), c.encoding)
		}
	}
}

func TestTheHashChangesWithAnyFile(t *testing.T) {
	one, _ := Load(fstest.MapFS{"css/layers.css": {Data: []byte("a")}})
	two, _ := Load(fstest.MapFS{"css/layers.css": {Data: []byte("b")}})
	if one.hash == two.hash {
		t.Fatal("two trees, one hash")
	}
	if _, err := Load(fstest.MapFS{"css/notes.docx": {Data: []byte("a")}}); err == nil {
		t.Fatal("a file of an unknown kind was taken")
	}
}
