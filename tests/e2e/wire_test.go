package e2e

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
)

// wire is the network between a browser and a program: a relay that a test cuts, so
// that open sockets break too, which the browser's own emulation leaves alone.
type wire struct {
	URL    string
	to     string
	listen net.Listener

	mu    sync.Mutex
	cut   bool
	open  map[net.Conn]bool
	short []int64 // the next sockets of a stream are cut after so many bytes
}

// relay puts a wire before a program.
func relay(t *testing.T, p *program) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{URL: "http://" + l.Addr().String(), to: strings.TrimPrefix(p.URL, "http://"), listen: l, open: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = l.Close(); w.sever() })
	go w.serve()
	return w
}

func (w *wire) serve() {
	for {
		c, err := w.listen.Accept()
		if err != nil {
			return // closed: the test is over
		}
		go w.carry(c)
	}
}

// carry takes one connection to the program and back, until one of the two is closed or
// the wire is cut.
func (w *wire) carry(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	head, err := in.Peek(len("GET /stream"))
	if err != nil {
		return
	}
	p, err := net.Dial("tcp", w.to)
	if err != nil {
		w.refuse(c, in)
		return
	}
	defer p.Close()
	var back io.Reader = p
	if w.hold(c, p, bytes.HasPrefix(head, []byte("GET /stream")), &back) {
		defer w.release(c, p)
		go func() {
			_, _ = io.Copy(p, in)
			_ = p.Close()
		}()
		_, _ = io.Copy(c, back)
	}
}

// refuse answers for a program that is dead, as a proxy does.
func (w *wire) refuse(c net.Conn, in *bufio.Reader) {
	if _, err := http.ReadRequest(in); err == nil {
		_, _ = io.WriteString(c, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}
}

// hold remembers a connection, so that it can be cut, and refuses it when it is.
func (w *wire) hold(c, p net.Conn, stream bool, back *io.Reader) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		return false
	}
	if stream && len(w.short) > 0 {
		*back = io.LimitReader(p, w.short[0])
		w.short = w.short[1:]
	}
	w.open[c], w.open[p] = true, true
	return true
}

func (w *wire) release(c, p net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.open, c)
	delete(w.open, p)
}

// sever cuts what is open and refuses what comes, until mend.
func (w *wire) sever() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	for c := range w.open {
		_ = c.Close()
	}
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = false
}

// online tells a tab that its device has lost the network, or has it again.
func (b *tab) online(on bool) {
	b.t.Helper()
	rules := []*network.Conditions{} // none, which nil would not say
	if !on {
		rules = []*network.Conditions{{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}}
	}
	call(b, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: rules})
	call(b, network.OverrideNetworkState, network.OverrideNetworkStateParams{Offline: !on, DownloadThroughput: -1, UploadThroughput: -1})
}
