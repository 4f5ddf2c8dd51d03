package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Sheet is the name under which all style sheets are served as one.
const Sheet = "css/app.css"

// Assets are files that never change under their URL. The zero value is not
// usable; see Load. It is safe for concurrent use and keeps no state.
type Assets struct {
	hash  string
	files map[string]file
}

type file struct {
	mime   string
	body   []byte
	packed []byte // gzip; nil where it would not be smaller
}

var mimes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8", ".svg": "image/svg+xml",
}

// Load reads the folders css, js and fonts of fsys, joins the style sheets and
// computes the hash. A file of an unknown type is an error, so that nothing is
// published by accident.
func Load(fsys fs.FS) (*Assets, error) {
	a := &Assets{files: map[string]file{}}
	sum := sha256.New()
	var sheets []string
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		mime, ok := mimes[path.Ext(name)]
		if !ok {
			return fmt.Errorf("static: %s: no content type for this kind of file", name)
		}
		body, err := fs.ReadFile(fsys, name)
		if err != nil {
			return fmt.Errorf("static: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(body))
		sum.Write(body)
		if path.Ext(name) == ".css" {
			sheets = append(sheets, name)
		}
		a.files[name] = file{mime: mime, body: body, packed: pack(name, body)}
		return nil
	})
	if err != nil {
		return nil, err
	}
	joined := a.join(sheets)
	a.files[Sheet] = file{mime: mimes[".css"], body: joined, packed: pack(Sheet, joined)}
	a.hash = hex.EncodeToString(sum.Sum(nil))[:12]
	return a, nil
}

// join puts the style sheets behind each other: the one that declares the order
// of the layers first, the others by name, so that verdict-tiles comes behind
// verdict. Between layers the order means nothing.
func (a *Assets) join(sheets []string) []byte {
	slices.SortFunc(sheets, func(x, y string) int {
		if first := "css/layers.css"; (x == first) != (y == first) {
			if x == first {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.TrimSuffix(x, ".css"), strings.TrimSuffix(y, ".css"))
	})
	var b bytes.Buffer
	for _, s := range sheets {
		b.Write(a.files[s].body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func pack(name string, body []byte) []byte {
	if path.Ext(name) == ".woff2" {
		return nil // compressed already
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic("static: gzip refuses its own best level: " + err.Error())
	}
	_, _ = w.Write(body) // a bytes.Buffer takes everything
	_ = w.Close()
	if b.Len() >= len(body) {
		return nil
	}
	return b.Bytes()
}

// URL is the path of a file, css/app.css say, with the hash in it.
func (a *Assets) URL(name string) string { return "/static/" + a.hash + "/" + name }

// ServeHTTP answers GET and HEAD of /static/HASH/NAME. Under the current hash a
// file may be kept for ever; under another one (a page from before an update
// asks) the file of today is sent and not kept.
func (a *Assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	hash, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/static/"), "/")
	f, ok := a.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.mime)
	h.Set("Vary", "Accept-Encoding")
	h.Set("Cache-Control", "no-cache")
	if hash == a.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	body := f.body
	if f.packed != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.packed
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the client is gone: nothing to tell it
	}
}
