package web

import (
	"context"
	"fmt"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"

	"effectivelyonce/web/stage"
)

// The stream of a live run uses the messages of /stream, as they come:
//
//	hello   first: the event whose picture comes first; nothing before it can be shown
//	events  steps in batches, as for a simulation
//	state   regions and attributes that belong to no event: processes, verdict, notes
//	end     the run is over and everything was told
const (
	livePause   = 120 * time.Millisecond // between two messages, so that many events share one
	liveHistory = 200                    // events before now that a new page gets
	liveBurst   = 400                    // events drawn one by one; of more, the last ones
)

type liveHello struct {
	Type  string `json:"type"`
	First int    `json:"first"`
}

// liveState is a part of the page that follows the clock and not the events.
type liveState struct {
	Type    string                       `json:"type"`
	Regions map[string]string            `json:"r,omitempty"`
	Attrs   map[string]map[string]string `json:"a,omitempty"`
	Say     string                       `json:"say,omitempty"` // something loud that has just happened
}

// liveDrawer folds the events of a live run as far as they were told. Gaps are
// possible: what a killed worker could not report. A picture that cannot be drawn any
// more because of one stands still instead of ending the page.
type liveDrawer struct {
	run    LiveRun
	stage  *stage.Stage
	n      int
	faults int
}

func newLiveDrawer(r LiveRun, tall bool) *liveDrawer {
	return &liveDrawer{run: r, stage: stage.New(r.Job(), stage.Options{Coordinator: !isLoop(r.Job()), Machines: true, Outside: true, Tall: tall, Log: "orders"})}
}

// catchUp folds everything that is there.
func (d *liveDrawer) catchUp(r LiveRun) {
	for d.advance(r, 1<<30) {
	}
}

// advance folds the next events, at most most, and reports whether there were any.
func (d *liveDrawer) advance(r LiveRun, most int) bool {
	events, faults := r.Events(d.n)
	for _, f := range faults[min(d.faults, len(faults)):] {
		d.stage.AddFault(f)
		d.faults++
	}
	for i := range events[:min(most, len(events))] {
		d.n++
		d.fold(func() { d.stage.Apply(&events[i]) })
	}
	return len(events) > 0
}

// fold does something that relies on events without gaps.
func (d *liveDrawer) fold(do func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a gap in the events: %v", r)
		}
	}()
	do()
	return nil
}

// handleLiveStream serves the socket of a live run.
func (s *Server) handleLiveStream(c echo.Context) error {
	closing, full := s.sockets.enter()
	if full == nil {
		defer s.sockets.leave()
	}
	sock, err := openSocket(c, closing)
	if err != nil {
		return nil // the upgrader has answered
	}
	defer sock.end()
	r, missing := s.liveRun(c)
	switch {
	case full != nil:
		sock.bye(websocket.CloseTryAgainLater, full.Error())
		return nil
	case missing != nil:
		_ = sock.send(errorMessage{Type: "error", Status: 404, Message: problemOf(missing).Error()})
		sock.bye(websocket.CloseNormalClosure, "")
		return nil
	}
	switch err := s.streamLive(c, sock, r); err {
	case nil:
		sock.bye(websocket.CloseNormalClosure, "")
	case errClosing:
		sock.bye(websocket.CloseServiceRestart, "the server is closing")
	case errGone:
	default:
		s.log.Error("live stream", "err", err)
		sock.bye(websocket.CloseInternalServerErr, "")
	}
	return nil
}

func (s *Server) streamLive(c echo.Context, sock *socket, r LiveRun) error {
	ctx := c.Request().Context()
	d := newLiveDrawer(r, c.QueryParam("tall") == "1")
	status, _ := r.Status()
	if n := status.Events - liveHistory; n > 0 {
		d.advance(r, n)
	}
	if err := sock.send(liveHello{Type: "hello", First: d.n}); err != nil {
		return err
	}
	first, err := d.step(ctx, true)
	if err != nil {
		return err
	}
	if err := sock.send(eventsMessage{Type: "events", Steps: []step{first}}); err != nil {
		return err
	}
	tell := &liveTeller{drawer: d, sent: map[string]string{}}
	for {
		s.lab.Run(c.Param("id")) // somebody looks
		over := isClosed(r.Ended())
		status, changed := r.Status()
		if err := tell.events(ctx, sock); err != nil {
			return err
		}
		if err := tell.state(ctx, sock, &status); err != nil || over {
			if err == nil {
				err = sock.send(endMessage{Type: "end", Last: d.n, Text: liveWords(&status)})
			}
			return err
		}
		if err := sock.rest(ctx, changed, r.Ended()); err != nil {
			return err
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// rest waits for something new, and at least a moment, so that a burst becomes one
// message. Once a second the clock on the page goes on.
func (s *socket) rest(ctx context.Context, changed, ended <-chan struct{}) error {
	pause, clock := time.NewTimer(livePause), time.NewTimer(time.Second)
	defer pause.Stop()
	defer clock.Stop()
	for _, wake := range [][2]<-chan struct{}{{nil, nil}, {changed, ended}} {
		tick := clock.C
		if wake[0] == nil {
			tick = pause.C
		}
		select {
		case <-wake[0]:
		case <-wake[1]:
		case <-tick:
		case <-s.closing:
			return errClosing
		case <-s.gone:
			return errGone
		case <-ctx.Done():
			return errGone
		}
	}
	return nil
}

// step draws what has changed since the step before, or everything.
func (d *liveDrawer) step(ctx context.Context, all bool) (out step, err error) {
	var st stage.Step
	broken := d.fold(func() {
		if st, err = d.stage.Step(ctx); err == nil && all {
			st, err = d.stage.AllRegions(ctx)
		}
	})
	if err != nil {
		return out, err
	}
	out.Event.N = d.n
	if broken != nil {
		out.Event.Text = "The picture stands still: " + broken.Error() + "."
		return out, nil
	}
	st.WithoutVerdicts()
	out.Event.Text, out.Regions, out.Attrs, out.Log = st.Text, st.Regions, st.Attrs, st.Log
	if e := d.stage.Last(); e != nil {
		out.Event.T, out.Event.Kind, out.Event.Loud = e.T.Millis(), e.Kind.String(), loud[e.Kind]
		out.Event.Task = d.run.Job().Plan.Name(e.Task)
	}
	return out, nil
}
