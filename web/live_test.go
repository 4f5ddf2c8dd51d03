package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A server without a lab says how to switch it on, and starts nothing.
func TestLiveSwitchedOff(t *testing.T) {
	s := newServer(t)
	for _, x := range []struct {
		method, path string
		status       int
		says         string
	}{
		{"GET", "/live", 200, "server serve --live"},
		{"POST", "/live", 404, "switched off"},
		{"GET", "/live/abc", 404, "switched off"},
		{"POST", "/live/abc", 404, "switched off"},
	} {
		r := httptest.NewRequest(x.method, x.path, strings.NewReader("setup=append&records=10&rate=1"))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.says) {
			t.Errorf("%s %s: %d %s, want %d and %q", x.method, x.path, w.Code, http.StatusText(w.Code), x.status, x.says)
		}
	}
}
