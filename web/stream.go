package web

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"effectivelyonce/engine/check"
	"effectivelyonce/engine/trace"
	"effectivelyonce/web/stage"
)

// The stream sends a run to the browser, which keeps it and asks nothing more:
//
//	hello   what is known of the whole run: length, marks, faults and where they struck
//	events  steps in batches: each event with the markup of what it changed
//	end     the verdicts; or error, with the words of a Problem
//
// The first batch reaches the event that the page waits for (at). With from=n
// only what follows event n is sent: the browser has the rest, from before a
// broken connection or from the run it forked. Runs longer than longRun are not
// streamed: the browser fetches windows of them (stream_window.go).
const (
	batchSize  = 50
	longRun    = 2000
	windowSize = 500
)

type helloMessage struct {
	Type     string   `json:"type"`
	Run      runInfo  `json:"run"`
	Last     int      `json:"last"`
	Window   int      `json:"window"` // 0: everything is streamed
	Marks    [][2]any `json:"marks"`  // event number, kind
	Timeline string   `json:"timeline"`
}

type runInfo struct {
	Query    string        `json:"query"`
	Scenario string        `json:"scenario"`
	Digest   string        `json:"digest"` // equal digests: equal traces
	Faults   []struckFault `json:"faults"`
	Pace     float64       `json:"pace"` // real ms per virtual ms at 1×
}

type struckFault struct {
	Fault string `json:"fault"`
	N     int    `json:"n"` // its fault.injected event
}

type eventsMessage struct {
	Type  string `json:"type"`
	Steps []step `json:"steps"`
}

type endMessage struct {
	Type     string          `json:"type"`
	Last     int             `json:"last"`
	Verdicts []check.Verdict `json:"verdicts"`
	Text     string          `json:"text"`
}

type errorMessage struct {
	Type    string `json:"type"`
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// handleStream serves one socket. After the upgrade every refusal is a message
// or a close code that the page can show; a plain answer it could not read.
func (s *Server) handleStream(c echo.Context) error {
	closing, full := s.sockets.enter()
	if full == nil {
		defer s.sockets.leave()
	}
	sock, err := openSocket(c, closing)
	if err != nil {
		return nil // the upgrader has answered
	}
	defer sock.end()
	if full != nil {
		sock.bye(websocket.CloseTryAgainLater, full.Error())
		return nil
	}
	err = s.stream(c, sock)
	var p *Problem
	switch {
	case err == nil:
		sock.bye(websocket.CloseNormalClosure, "")
	case errors.Is(err, errClosing):
		sock.bye(websocket.CloseServiceRestart, "the server is closing")
	case errors.As(err, &p) && p.Status == 503:
		sock.bye(websocket.CloseTryAgainLater, p.Error())
	case errors.As(err, &p):
		_ = sock.send(errorMessage{Type: "error", Status: p.Status, Message: p.Error()})
		sock.bye(websocket.CloseNormalClosure, "")
	case !errors.Is(err, errGone):
		s.log.Error("stream", "query", c.Request().URL.RawQuery, "err", err)
		_ = sock.send(errorMessage{Type: "error", Status: 500, Message: "This run stopped by our mistake."})
		sock.bye(websocket.CloseInternalServerErr, "")
	}
	return nil
}

// stream sends one run.
func (s *Server) stream(c echo.Context, sock *socket) error {
	p, err := s.parse(c)
	if err != nil {
		return err
	}
	if p.View == "map" {
		return s.streamMap(c, sock, p)
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), pageBudget)
	defer cancel()
	r, err := s.make(ctx, c.RealIP(), p.Query)
	if err != nil {
		return err
	}
	at, from := max(p.At, 0), max(p.From, 0)
	if err := errors.Join(r.checkAt("at", at), r.checkAt("from", from)); err != nil {
		return problemOf(err)
	}
	hello, err := s.hello(ctx, r)
	if err != nil {
		return err
	}
	if err := sock.send(hello); err != nil {
		return err
	}
	if hello.Window == 0 {
		if err := sendSteps(ctx, sock, r, p.Tall, at, from); err != nil {
			return err
		}
	}
	return sock.send(endMessage{Type: "end", Last: r.Last(), Verdicts: r.Verdicts, Text: verdictText(r)})
}

// sendSteps sends the steps after event from, or all of them, from the picture
// before the first event on, when from is 0.
func sendSteps(ctx context.Context, sock *socket, r *run, tall bool, at, from int) error {
	d := newDrawer(r, tall)
	var batch []step
	if from > 0 {
		if err := d.skip(ctx, from); err != nil {
			return err
		}
	} else {
		first, err := d.first(ctx)
		if err != nil {
			return err
		}
		batch = append(batch, first)
	}
	full := max(at, from+batchSize)
	for d.n < r.Last() {
		st, err := d.next(ctx)
		if err != nil {
			return err
		}
		if batch = append(batch, st); d.n < full && d.n < r.Last() {
			continue
		}
		if err := sock.send(eventsMessage{Type: "events", Steps: batch}); err != nil {
			return err
		}
		batch, full = batch[:0], d.n+batchSize
	}
	return nil
}

func (s *Server) hello(ctx context.Context, r *run) (*helloMessage, error) {
	m := &helloMessage{Type: "hello", Last: r.Last(), Run: runInfo{Query: queryOf(r.Query), Scenario: r.Job.Scenario,
		Digest: digest(r.Trace), Pace: s.pace(r.Query.Scenario)}}
	for i, spec := range r.Query.Faults {
		m.Run.Faults = append(m.Run.Faults, struckFault{Fault: spec, N: r.Struck[i]})
	}
	if m.Last > longRun {
		m.Window = windowSize
	}
	for _, k := range stage.Marks(r.Trace) {
		m.Marks = append(m.Marks, [2]any{k.N, k.Kind})
	}
	var err error
	m.Timeline, err = markup(ctx, stage.TimelineContents(stage.New(r.Job, r.options(nil)), r.Trace))
	return m, err
}

func (s *Server) pace(scenario string) float64 {
	if sc := s.catalogue.Scenario(scenario); sc != nil && sc.Pace > 0 {
		return sc.Pace
	}
	return 12
}

// digest tells traces apart, so that a browser that resumes after the program
// was replaced notices that its run is no longer this one.
func digest(t *trace.Trace) string {
	h := fnv.New64a()
	for n := 1; n <= t.Len(); n++ {
		e := t.At(n)
		fmt.Fprintln(h, e.T, e.Kind, e.Task, e.Chan, e.Rec, e.Ckpt, e.Txn, e.Value, e.Before, e.After)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}
