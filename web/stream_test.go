package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// message is any message of the stream.
type message struct {
	Type string `json:"type"`
	Last int    `json:"last"`
	Run  struct {
		Query, Digest string
		Faults        []struct {
			Fault string
			N     int
		}
		Pace float64
	} `json:"run"`
	Window   int                      `json:"window"`
	Marks    [][2]any                 `json:"marks"`
	Timeline string                   `json:"timeline"`
	Steps    []streamStep             `json:"steps"`
	Verdicts []struct{ Class string } `json:"verdicts"`
	Text     string                   `json:"text"`
	Message  string                   `json:"message"`
	Status   int                      `json:"status"`
}

type streamStep struct {
	E struct {
		N    int     `json:"n"`
		T    float64 `json:"t"`
		Kind string  `json:"kind"`
		Text string  `json:"text"`
	} `json:"e"`
	R map[string]string            `json:"r"`
	A map[string]map[string]string `json:"a"`
	L string                       `json:"l"`
}

// listen serves s on a port and returns its address.
func listen(t *testing.T, s http.Handler) string {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return strings.TrimPrefix(srv.URL, "http://")
}

func dial(t *testing.T, addr, query string, head http.Header) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	d := websocket.Dialer{EnableCompression: true, HandshakeTimeout: 10 * time.Second}
	ws, r, err := d.Dial("ws://"+addr+"/stream?"+query, head)
	if err == nil {
		t.Cleanup(func() { ws.Close() })
		if err := ws.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	return ws, r, err
}

// receive reads a whole stream and returns its messages and the close code.
func receive(t *testing.T, addr, query string) (out []message, raw int, code int) {
	t.Helper()
	ws, _, err := dial(t, addr, query, nil)
	if err != nil {
		t.Fatal(err)
	}
	for {
		_, text, err := ws.ReadMessage()
		var closed *websocket.CloseError
		if errors.As(err, &closed) {
			return out, raw, closed.Code
		}
		if err != nil {
			t.Fatal(err)
		}
		var m message
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatalf("%v: %.200s", err, text)
		}
		out, raw = append(out, m), raw+len(text)
	}
}

func steps(messages []message) (out []streamStep) {
	for _, m := range messages {
		out = append(out, m.Steps...)
	}
	return out
}

// picture is what a browser holds after event n of the steps.
func picture(all []streamStep, n int) map[string]string {
	out := map[string]string{}
	for _, s := range all {
		if s.E.N > n {
			break
		}
		for k, v := range s.R {
			out[k] = v
		}
		for el, as := range s.A {
			for k, v := range as {
				out[el+"@"+k] = v
			}
		}
	}
	return out
}

const streamed = "scenario=alignment-tour&fault=crash:count/0@120"

func TestStreamSendsTheWholeRun(t *testing.T) {
	addr := listen(t, newServer(t))
	got, raw, code := receive(t, addr, streamed+"&at=333")
	if code != websocket.CloseNormalClosure {
		t.Errorf("closed with %d, want 1000", code)
	}
	hello, end := got[0], got[len(got)-1]
	if hello.Type != "hello" || hello.Window != 0 || hello.Run.Digest == "" || hello.Run.Pace <= 0 || len(hello.Marks) == 0 || !strings.Contains(hello.Timeline, "<svg") {
		t.Errorf("hello is %+v", hello)
	}
	if f := hello.Run.Faults; len(f) != 1 || f[0].Fault != "crash:count/0@120" || f[0].N != 121 {
		t.Errorf("faults %+v, want the crash, which strikes as event 121", f)
	}
	if end.Type != "end" || len(end.Verdicts) == 0 || end.Text == "" || end.Last != hello.Last {
		t.Errorf("end is %+v", end)
	}
	all := steps(got)
	if len(all) != hello.Last+1 {
		t.Fatalf("%d steps for %d events; event 0, the picture before the first, belongs to them", len(all), hello.Last)
	}
	for i, s := range all {
		if s.E.N != i {
			t.Fatalf("step %d is event %d", i, s.E.N)
		}
		if i > 0 && (s.E.Kind == "" || s.E.Text == "" || !strings.HasPrefix(s.L, "<li")) {
			t.Errorf("step %d lacks its kind, sentence or log row: %+v", i, s.E)
		}
	}
	if n := len(got[1].Steps); n != 334 {
		t.Errorf("the first batch holds %d steps, want 334: it reaches the event asked for", n)
	}
	for _, m := range got[2 : len(got)-2] {
		if len(m.Steps) != 50 {
			t.Errorf("a batch of %d steps, want 50", len(m.Steps))
		}
	}
	if per := raw / len(all); per > 4096 {
		t.Errorf("%d bytes an event, the budget is 4 KiB", per)
	}
}

// TestStreamFirstStepHoldsEverything: a region without a version at event 0 could
// not be emptied by seeking back.
func TestStreamFirstStepHoldsEverything(t *testing.T) {
	addr := listen(t, newServer(t))
	got, _, _ := receive(t, addr, streamed)
	all := steps(got)
	first := picture(all, 0)
	for name := range picture(all, len(all)) {
		if _, there := first[name]; !there {
			t.Errorf("%s has no version at event 0", name)
		}
	}
}

func TestStreamFromAnEvent(t *testing.T) {
	addr := listen(t, newServer(t))
	whole, _, _ := receive(t, addr, streamed)
	all := steps(whole)
	for _, from := range []int{1, 120, 400, len(all) - 1} {
		part, _, _ := receive(t, addr, fmt.Sprintf("%s&from=%d", streamed, from))
		rest := steps(part)
		if len(rest) != len(all)-1-from {
			t.Fatalf("from %d: %d steps, want %d", from, len(rest), len(all)-1-from)
		}
		for i := range rest {
			if !reflect.DeepEqual(rest[i], all[from+1+i]) {
				t.Fatalf("from %d: event %d differs from the whole stream", from, rest[i].E.N)
			}
		}
	}
	// The run without the crash, forked before it, goes on as its own stream says.
	clean, _, _ := receive(t, addr, "scenario=alignment-tour")
	forked, _, _ := receive(t, addr, streamed+"&from=120")
	joined := append(steps(clean)[:121:121], steps(forked)...)
	for _, n := range []int{120, 121, 200, len(all) - 1} {
		if got, want := picture(joined, n), picture(all, n); !reflect.DeepEqual(got, want) {
			t.Errorf("the forked run differs at event %d", n)
		}
	}
}

func TestStreamRefusals(t *testing.T) {
	s := newServer(t)
	addr := listen(t, s)
	for _, c := range []struct{ query, want string }{
		{"scenario=nowhere", "alignment-tour"},
		{"scenario=alignment-tour&fault=crash:count/7@3", "count/1"},
		{"scenario=alignment-tour&from=99999", "event"},
		{"scenario=alignment-tour&at=7000", "events 0 to"},
		{"scenario=alignment-tour&colour=red", "parameter"},
	} {
		got, _, code := receive(t, addr, c.query)
		if len(got) != 1 || got[0].Type != "error" || got[0].Status < 400 || got[0].Status > 499 || !strings.Contains(got[0].Message, c.want) || code != 1000 {
			t.Errorf("%s: %+v, closed with %d; want one error that says %q", c.query, got, code, c.want)
		}
	}
	_, r, err := dial(t, addr, "scenario=alignment-tour", http.Header{"Origin": {"http://elsewhere.example"}})
	if err == nil || r == nil || r.StatusCode != http.StatusForbidden {
		t.Errorf("a foreign origin got %v, want 403", r)
	}
	if r := get(t, s, "/stream?scenario=alignment-tour"); r.StatusCode != http.StatusBadRequest {
		t.Errorf("a plain GET got %d, want 400", r.StatusCode)
	}
}

// TestStreamIsDownstreamOnly: whoever talks is sent away.
func TestStreamIsDownstreamOnly(t *testing.T) {
	addr := listen(t, newServer(t))
	ws, _, err := dial(t, addr, streamed, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := ws.WriteMessage(websocket.TextMessage, []byte(strings.Repeat("x", 100))); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	if !websocket.IsCloseError(err, websocket.ClosePolicyViolation, websocket.CloseNormalClosure) {
		t.Errorf("ended with %v, want a policy violation, or the end if everything had been sent", err)
	}
}

func TestStreamWhenTheServerCloses(t *testing.T) {
	s := newServer(t)
	addr := listen(t, s)
	s.Close()
	if got, _, code := receive(t, addr, streamed); len(got) != 0 || code != websocket.CloseTryAgainLater {
		t.Errorf("%d messages, closed with %d; want none and 1013", len(got), code)
	}
}

func TestWindows(t *testing.T) {
	s := newServer(t)
	whole, _, _ := receive(t, listen(t, s), streamed)
	all := steps(whole)
	r := get(t, s, "/window?"+streamed+"&from=100&to=180")
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil || r.StatusCode != 200 {
		t.Fatalf("status %d, %v", r.StatusCode, err)
	}
	if len(m.Steps) != 81 || m.Steps[0].E.N != 100 {
		t.Fatalf("%d steps from %d on, want 81 from 100 on", len(m.Steps), m.Steps[0].E.N)
	}
	for _, n := range []int{100, 121, 180} {
		if got, want := picture(m.Steps, n), picture(all, n); !reflect.DeepEqual(got, want) {
			t.Errorf("the window differs from the stream at event %d", n)
		}
	}
	again := httptest.NewRequest(http.MethodGet, "/window?"+streamed+"&from=100&to=180", nil)
	again.Header.Set("If-None-Match", r.Header.Get("ETag"))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, again)
	if w.Code != http.StatusNotModified || w.Body.Len() != 0 {
		t.Errorf("asked again with its tag: status %d, %d bytes", w.Code, w.Body.Len())
	}
	for _, bad := range []string{"", "&from=5", "&from=5&to=4", "&from=0&to=500", "&from=600&to=99999", "&from=x&to=3"} {
		if r := get(t, s, "/window?"+streamed+bad); r.StatusCode != http.StatusBadRequest {
			t.Errorf("window %q got %d, want 400", bad, r.StatusCode)
		}
	}
}

// TestStreamIsSmall keeps the budget of a lesson on the wire.
func TestStreamIsSmall(t *testing.T) {
	srv := httptest.NewServer(newServer(t))
	defer srv.Close()
	counted := &counter{}
	d := websocket.Dialer{EnableCompression: true, NetDial: counted.dial}
	ws, _, err := d.Dial("ws"+strings.TrimPrefix(srv.URL, "http")+"/stream?scenario=hook-charges", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for err == nil {
		_, _, err = ws.ReadMessage()
	}
	if counted.bytes > 150<<10 {
		t.Errorf("the first lesson's run takes %d bytes on the wire, the budget is 150 KiB", counted.bytes)
	}
	t.Logf("%d bytes on the wire", counted.bytes)
}

// counter counts the bytes that come in through a connection.
type counter struct {
	net.Conn
	bytes int
}

func (c *counter) dial(network, addr string) (net.Conn, error) {
	var err error
	c.Conn, err = net.Dial(network, addr)
	return c, err
}

// Read counts.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.bytes += n
	return n, err
}
