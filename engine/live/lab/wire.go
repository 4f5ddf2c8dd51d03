package lab

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"io"
	"sync"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// Kinds of messages between the processes of a lab; proc keeps 0 for itself.
const (
	_           byte = iota
	frameHello       // worker → coordinator: hello
	frameNodes       // coordinator → worker: nodes
	frameOrder       // coordinator → worker: live.Order
	frameReport      // worker → coordinator: live.Report
	frameBeat        // worker → coordinator: empty, it is alive
	frameGone        // coordinator → worker: empty, another has taken its place
	frameBatch       // worker → worker: batch
	frameTaken       // worker → worker: taken, the answer

	frameConfig      // lab → child: Config as JSON, the first message
	frameCoordinator // lab → worker: where the coordinator listens, text
	frameCut         // lab → worker: cut, the broker cannot be reached for a while
	frameReady       // child → lab: it serves; text: where
	frameSeen        // child → lab: live.Seen
	frameLost        // coordinator → lab: lost, a worker gives no sign of life
	frameNote        // child → lab: note, something to know
	frameDone        // coordinator → lab: done, the job has come to rest
)

// hello is what a worker says of itself.
type hello struct {
	Node, Life int
	Addr       string // where its channels are taken in
}

// nodes are the addresses of all workers, "" where there is none.
type nodes struct{ Addrs []string }

// batch is some elements of one channel.
type batch struct {
	Attempt  int16
	Elements []engine.Element
}

// taken answers a batch; Why: it was not.
type taken struct{ Why string }

// wire is a connection on which Go values travel. Send may be called concurrently;
// receive and decode by one goroutine.
//
// gob describes a type once a connection, so each message must be decoded, in order.
type wire struct {
	to   messenger
	mu   sync.Mutex
	out  bytes.Buffer
	enc  *gob.Encoder
	in   bytes.Buffer
	dec  *gob.Decoder
	once sync.Once
}

// messenger carries frames.
type messenger interface {
	Send(kind byte, body []byte) error
	Receive() (proc.Frame, error)
	Close() error
}

func newWire(m messenger) *wire {
	w := &wire{to: m}
	w.enc, w.dec = gob.NewEncoder(&w.out), gob.NewDecoder(&w.in)
	return w
}

// send writes one message; v nil: without contents.
func (w *wire) send(kind byte, v any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.out.Reset()
	if v != nil {
		if err := w.enc.Encode(v); err != nil {
			return fmt.Errorf("encode message %d: %w", kind, err)
		}
	}
	return w.to.Send(kind, w.out.Bytes())
}

// receive waits for the next message and puts its contents where decode finds them.
func (w *wire) receive() (kind byte, err error) {
	f, err := w.to.Receive()
	if err != nil {
		return 0, err
	}
	w.in.Write(f.Body)
	return f.Kind, nil
}

func (w *wire) decode(v any) error {
	if err := w.dec.Decode(v); err != nil {
		return fmt.Errorf("decode a message: %w", err)
	}
	return nil
}

// close ends the connection. It may be called more than once.
func (w *wire) close() { w.once.Do(func() { _ = w.to.Close() }) }

// pipe makes a wire of what a child and the lab say over pipes: one direction of a
// messenger is the other's business.
type pipe struct {
	say func(kind byte, body []byte) error
}

func (p pipe) Send(kind byte, body []byte) error { return p.say(kind, body) }
func (pipe) Receive() (proc.Frame, error)        { return proc.Frame{}, io.EOF }
func (pipe) Close() error                        { return nil }

// deliverer is the part of live.Host that takes channels in.
type deliverer interface {
	Deliver(ctx context.Context, attempt int16, channel engine.ChanID, batch []engine.Element) error
}

var _ live.Link = (*link)(nil)
