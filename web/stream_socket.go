package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/labstack/echo/v4"
)

// Bounds of a socket. A run of ordinary length is sent within milliseconds, so
// that few are open at a time however many people watch.
const (
	maxSockets  = 512
	maxUpstream = 512 // bytes; nothing is expected from the browser but control frames
	writeWait   = 10 * time.Second
	pongWait    = 45 * time.Second
	pingEvery   = 15 * time.Second
	closeWait   = 2 * time.Second // for the browser's answer to our close
	deflate     = 6               // gorilla's default, 1, costs twice the bytes
)

var upgrader = websocket.Upgrader{
	EnableCompression: true, // the default CheckOrigin refuses a foreign Origin with 403
	WriteBufferPool:   &sync.Pool{},
	ReadBufferSize:    maxUpstream,
}

// errGone is a browser that left, or fell too far behind; it resumes by number.
var errGone = errors.New("the browser is gone")

// errClosing is a server that stops.
var errClosing = errors.New("the server is closing")

// sockets counts the open ones and tells them when the server stops. The zero
// value is ready.
type sockets struct {
	mu      sync.Mutex
	open    int
	closing chan struct{}
	closed  bool
}

// enter takes a place, or fails when all are taken or the server is closing.
func (s *sockets) enter() (closing <-chan struct{}, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing == nil {
		s.closing = make(chan struct{})
	}
	switch {
	case s.closed:
		return nil, errClosing
	case s.open >= maxSockets:
		return nil, fmt.Errorf("%d streams are open, which is the most this server has at a time", s.open)
	}
	s.open++
	return s.closing, nil
}

func (s *sockets) leave() {
	s.mu.Lock()
	s.open--
	s.mu.Unlock()
}

// close tells every socket, now and later, that the server stops.
func (s *sockets) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closing == nil {
		s.closing = make(chan struct{})
	}
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
}

// socket sends messages to one browser. Only the handler's goroutine writes
// data; a second one reads, because only a reader sees pongs and closes.
type socket struct {
	ws      *websocket.Conn
	closing <-chan struct{} // the server stops
	gone    chan struct{}   // closed by the reader
	pinged  time.Time
	buf     bytes.Buffer
	enc     *json.Encoder
}

// openSocket upgrades the request. When it fails, the request has been answered.
func openSocket(c echo.Context, closing <-chan struct{}) (*socket, error) {
	ws, err := upgrader.Upgrade(c.Response(), c.Request(), http.Header{})
	if err != nil {
		return nil, err
	}
	s := &socket{ws: ws, closing: closing, gone: make(chan struct{}), pinged: time.Now()}
	if err := ws.SetCompressionLevel(deflate); err != nil {
		ws.Close()
		return nil, err
	}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false) // markup would grow by half
	go s.read()
	return s, nil
}

// read waits for the end. The stream is downstream only: a message ends it too.
func (s *socket) read() {
	defer close(s.gone)
	s.ws.SetReadLimit(maxUpstream)
	alive := func(string) error { return s.ws.SetReadDeadline(time.Now().Add(pongWait)) }
	s.ws.SetPongHandler(alive)
	if alive("") != nil {
		return
	}
	if _, _, err := s.ws.NextReader(); err == nil {
		s.bye(websocket.ClosePolicyViolation, "this stream is downstream only")
	}
}

// send writes one message. It fails with errClosing, or with errGone when the
// browser left or did not take the message in time.
func (s *socket) send(message any) error {
	select {
	case <-s.closing:
		return errClosing
	case <-s.gone:
		return errGone
	default:
	}
	s.buf.Reset()
	if err := s.enc.Encode(message); err != nil {
		return fmt.Errorf("encode a message of the stream: %w", err)
	}
	now := time.Now()
	if now.Sub(s.pinged) > pingEvery {
		s.pinged = now
		if s.ws.WriteControl(websocket.PingMessage, nil, now.Add(writeWait)) != nil {
			return errGone
		}
	}
	if s.ws.SetWriteDeadline(now.Add(writeWait)) != nil || s.ws.WriteMessage(websocket.TextMessage, s.buf.Bytes()) != nil {
		return errGone
	}
	return nil
}

// bye says why the socket is closed. It may be called beside send.
func (s *socket) bye(code int, why string) {
	// A browser that is gone is not told; the error says nothing else.
	_ = s.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, why), time.Now().Add(closeWait))
}

// end closes the socket: it waits a little for the browser's answer, so that the
// last message is not lost.
func (s *socket) end() {
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-s.gone:
	case <-late.C:
	}
	s.ws.Close()
	<-s.gone
}
