package proc

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Secret opens the connections among the children of one lab. Anybody on the
// machine can reach their ports; nobody else knows it.
type Secret [32]byte

// NewSecret is a secret that nobody can guess.
func NewSecret() (s Secret) {
	_, _ = rand.Read(s[:]) // crypto/rand.Read never fails, says its documentation since Go 1.24
	return s
}

// meetTime is how long a connection may take to say the secret.
const meetTime = 5 * time.Second

// helloFrame is the first message on a connection: the secret and a name.
const helloFrame = 0

// Peer is a connection to another child. Send may be called concurrently; Receive
// by one goroutine at a time. The death of the other end ends it at once; its
// freezing does not.
type Peer struct {
	Name string
	conn net.Conn
	r    *bufio.Reader
	mu   sync.Mutex
}

func newPeer(name string, c net.Conn) *Peer {
	return &Peer{Name: name, conn: c, r: bufio.NewReaderSize(c, 64<<10)}
}

// Send writes one message. It blocks when the other end reads nothing.
func (p *Peer) Send(kind byte, body []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return WriteFrame(p.conn, kind, body)
}

// Receive reads the next message. Its error says that the connection is over.
func (p *Peer) Receive() (Frame, error) { return ReadFrame(p.r) }

// Close ends the connection, and whoever waits in Send or Receive.
func (p *Peer) Close() error { return p.conn.Close() }

// Listener takes connections of children that know the secret.
type Listener struct {
	l      net.Listener
	secret Secret
	met    chan *Peer
	done   chan struct{}
	wait   sync.WaitGroup
	once   sync.Once
}

// Listen opens a port of this machine that only this machine reaches.
func Listen(secret Secret) (*Listener, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the other processes of the lab: %w", err)
	}
	n := &Listener{l: l, secret: secret, met: make(chan *Peer), done: make(chan struct{})}
	n.wait.Go(n.accept)
	return n, nil
}

// Addr is where others dial.
func (n *Listener) Addr() string { return n.l.Addr().String() }

// Accept is the next peer that has said the secret; an error after Close.
func (n *Listener) Accept() (*Peer, error) {
	select {
	case p := <-n.met:
		return p, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener and forgets who has not been accepted.
func (n *Listener) Close() error {
	var err error
	n.once.Do(func() {
		close(n.done)
		err = n.l.Close()
		n.wait.Wait()
	})
	return err
}

func (n *Listener) accept() {
	for {
		c, err := n.l.Accept()
		if err != nil {
			select {
			case <-n.done:
				return
			case <-time.After(10 * time.Millisecond): // out of file descriptors, say: it may pass
				continue
			}
		}
		n.wait.Go(func() { n.meet(c) })
	}
}

// meet hears the secret. A stranger is hung up on without an answer.
func (n *Listener) meet(c net.Conn) {
	p, err := n.hear(c)
	if err != nil {
		_ = c.Close()
		return
	}
	select {
	case n.met <- p:
	case <-n.done:
		_ = c.Close()
	}
}

func (n *Listener) hear(c net.Conn) (*Peer, error) {
	hung := make(chan struct{})
	defer close(hung)
	n.wait.Go(func() {
		select {
		case <-n.done:
			_ = c.SetReadDeadline(time.Now()) // Close does not wait for strangers
		case <-hung:
		}
	})
	if err := c.SetReadDeadline(time.Now().Add(meetTime)); err != nil {
		return nil, err
	}
	p := newPeer("", c)
	var hello [header + len(Secret{}) + 64]byte
	if _, err := io.ReadFull(p.r, hello[:header+len(Secret{})+1]); err != nil {
		return nil, err
	}
	secret, size := hello[header:header+len(Secret{})], int(hello[header+len(Secret{})])
	if hello[4] != helloFrame || size > 63 || subtle.ConstantTimeCompare(secret, n.secret[:]) != 1 {
		return nil, errors.New("a stranger")
	}
	name := make([]byte, size)
	if _, err := io.ReadFull(p.r, name); err != nil {
		return nil, err
	}
	p.Name = string(name)
	return p, c.SetReadDeadline(time.Time{})
}

// Dial connects to another child as name, at most 63 bytes.
func Dial(ctx context.Context, addr, name string, secret Secret) (*Peer, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", addr, err)
	}
	p := newPeer(name, c)
	hello := append(append(secret[:len(secret):len(secret)], byte(len(name))), name...)
	if err := p.Send(helloFrame, hello); err != nil {
		return nil, errors.Join(fmt.Errorf("connect to %s: %w", addr, err), c.Close())
	}
	return p, nil
}
