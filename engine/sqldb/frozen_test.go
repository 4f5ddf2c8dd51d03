package sqldb

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A process is frozen inside a transaction, between its write and the commit.
// PostgreSQL ends that transaction, so that the replacement comes to life; when the
// frozen one goes on, its commit is refused and so is its second try.
func TestFrozenInsideATransaction(t *testing.T) {
	address := shared.Get().URL(t)
	db := hasty(t, address)
	frozen := newWriter(t, db, "dedup atomic fencing", "p", 1, Options{})
	inside, thaw, done := make(chan struct{}), make(chan struct{}), make(chan string)
	first := true
	frozen.l.sink.ses.inject = func(query string) error {
		if query == "COMMIT" && first {
			first = false
			close(inside)
			<-thaw
		}
		return nil
	}
	go func() {
		ev, err := frozen.write(0)
		if err != nil {
			done <- err.Error()
			return
		}
		done <- ev.Kind.String()
	}()
	<-inside
	began := time.Now()
	second := newWriter(t, db, "dedup atomic fencing", "p", 2, Options{Patience: time.Minute})
	second.must(0)
	if second.told[0] != Locked.String() {
		t.Errorf("the replacement was told %q", second.told)
	}
	close(thaw)
	if got := <-done; got != "fenced" {
		t.Errorf("when it goes on: %s", got)
	}
	if got := applied(t, address, "p"); got != "P0:0" {
		t.Errorf("applied %q", got)
	}
	t.Logf("the replacement waited %v", time.Since(began).Round(time.Millisecond))
}

// swallow stands between a writer and the server and can be told to let nothing
// through in either direction, without closing anything.
type swallow struct{ on atomic.Bool }

func (s *swallow) pass(to io.Writer, from io.Reader) {
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if s.on.Load() {
			continue
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
	}
}

// between is the address of the same database through the swallow.
func (s *swallow) between(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	dir, q := t.TempDir(), u.Query()
	server := filepath.Join(q.Get("host"), socket)
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("unix", server)
			if err != nil {
				_ = c.Close()
				return
			}
			go func() { s.pass(up, c); _ = up.Close() }()
			go func() { s.pass(c, up); _ = c.Close() }()
		}
	}()
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	return u.String()
}

// The network swallows everything: no answer is trouble too. When it passes, every
// write is there once; a commit whose answer was swallowed is recognised.
func TestNetworkThatSwallows(t *testing.T) {
	address, net := shared.Get().URL(t), &swallow{}
	db := hasty(t, net.between(t, address))
	w := newWriter(t, db, "dedup atomic fencing", "p", 1, Options{Patience: time.Minute})
	w.l.sink.ses.answer = 200 * time.Millisecond
	w.must(0)
	for n := 1; n <= 3; n++ {
		sent := 0
		w.l.sink.ses.inject = func(query string) error {
			if sent++; n < 3 && sent == 3*n || n == 3 && query == "COMMIT" {
				net.on.Store(true)
				w.l.sink.ses.inject = nil
			}
			return nil
		}
		done := make(chan error)
		go func() { _, err := w.write(n); done <- err }()
		<-w.wake
		net.on.Store(false)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		<-w.wake // well again
	}
	if got := applied(t, address, "p"); got != "P0:0 P1:0 P0:1 P1:1" {
		t.Errorf("applied %q", got)
	}
	if got, want := strings.Join(w.told, "|"), strings.Repeat(Unreachable.String()+"||", 3); got+"|" != want {
		t.Errorf("told %q", got)
	}
}
