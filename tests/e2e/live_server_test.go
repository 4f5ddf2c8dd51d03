package e2e

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// A server that is killed leaves no process of a lab behind, at whatever moment of
// the lab's life, a frozen one included.
func TestKilledServerLeavesNoProcess(t *testing.T) {
	for i := range serverKills {
		p, err := launchArgs("127.0.0.1:0", "--data", t.TempDir(), "--live")
		if err != nil {
			t.Fatal(err)
		}
		run := post(t, p.URL+"/live", url.Values{"setup": {"transactional"}, "records": {"200"}, "rate": {"20"}})
		var pids []int
		for want := 1 + i%4; len(pids) < want; {
			pids = pidsOf(t, run)
		}
		if i%2 == 1 {
			post(t, run, url.Values{"do": {"freeze"}, "pid": {strconv.Itoa(pids[len(pids)-1])}})
		}
		p.kill()
		late := time.Now().Add(patience)
		for _, pid := range pids {
			for runs(pid) {
				if time.Now().After(late) {
					t.Fatalf("run %d: process %d outlives its server", i, pid)
				}
			}
		}
	}
}

// post sends a form and returns the address of the page that comes of it.
func post(t *testing.T, to string, form url.Values) string {
	t.Helper()
	r, err := http.PostForm(to, form)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	return r.Request.URL.String()
}

// pidsOf are the process ids that a page of a live run shows.
func pidsOf(t *testing.T, page string) []int {
	t.Helper()
	r, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, m := range regexp.MustCompile(`class="mono pid">(\d+)<`).FindAllSubmatch(b, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		out = append(out, n)
	}
	return out
}
