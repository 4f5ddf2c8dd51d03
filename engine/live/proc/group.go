package proc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// Group is a set of child processes that live and die with this one. They form a
// process group of their own, so that a terminal's interrupt reaches only their
// parent. It is safe for concurrent use.
//
// A crash of this process takes every child along, frozen ones included.
type Group struct {
	exe  string
	asks chan func() // run on the thread that is the parent of all

	mu       sync.Mutex
	leader   int // process id of the first child, which the group is named after
	children map[*Process]struct{}
	closed   bool
}

// ErrClosed is a group that takes no more children.
var ErrClosed = errors.New("the group of processes is closed")

// NewGroup starts nothing yet. exe is the program of the children.
func NewGroup(exe string) *Group {
	g := &Group{exe: exe, asks: make(chan func()), children: map[*Process]struct{}{}}
	go g.parent()
	return g
}

// parent is the one thread from which children are started: the kernel sends the
// death signal when the thread that forked ends, not when the process does.
func (g *Group) parent() {
	runtime.LockOSThread()
	for ask := range g.asks {
		ask()
	}
}

// Process is one child. It is safe for concurrent use.
type Process struct {
	Name string
	PID  int

	cmd    *exec.Cmd
	in     *os.File // the child's standard input
	sendMu sync.Mutex
	said   tail
	done   chan struct{}
	err    error // after done
}

// Start runs the program with these arguments. hear is told, by one goroutine,
// every message of the child, and returns before the child counts as done.
func (g *Group) Start(name string, args []string, hear func(Frame)) (*Process, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, ErrClosed
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), inR.Close(), inW.Close())
	}
	p := &Process{Name: name, in: inW, done: make(chan struct{})}
	p.cmd = exec.Command(g.exe, args...)
	p.cmd.Stdin, p.cmd.Stderr, p.cmd.ExtraFiles = inR, &p.said, []*os.File{outW}
	if len(g.children) == 0 {
		g.leader = 0 // a group ends with its last member
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true, Pgid: g.leader}
	started := make(chan error)
	g.asks <- func() { started <- p.cmd.Start() }
	err = <-started
	err = errors.Join(err, inR.Close(), outW.Close())
	if p.cmd.Process == nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", name, err), inW.Close(), outR.Close())
	}
	p.PID = p.cmd.Process.Pid
	if g.leader == 0 {
		g.leader = p.PID
	}
	g.children[p] = struct{}{}
	go g.follow(p, outR, hear)
	return p, nil
}

// follow hands on what the child says, and reaps it.
func (g *Group) follow(p *Process, out *os.File, hear func(Frame)) {
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		f, err := ReadFrame(r)
		if err != nil {
			break
		}
		hear(f)
	}
	_ = out.Close() // read to its end, or torn by the death of the writer
	_ = p.Kill()    // it has ended, or says what nobody understands
	g.mu.Lock()     // from its reaping on the group may be gone
	p.err = p.cmd.Wait()
	delete(g.children, p)
	g.mu.Unlock()
	_ = p.in.Close()
	close(p.done)
}

// Close kills all children, waits until they are reaped and what they said has
// been heard, and ends the group. It may be called more than once.
func (g *Group) Close() {
	g.mu.Lock()
	first := !g.closed
	g.closed = true
	var left []*Process
	for p := range g.children {
		left = append(left, p)
	}
	g.mu.Unlock()
	for _, p := range left {
		_ = p.Kill() // it may have ended by itself
	}
	for _, p := range left {
		<-p.done
	}
	if first {
		close(g.asks)
	}
}

// Send tells the child something. A child that takes nothing, frozen say, blocks
// the call when the pipe is full (64 KiB).
func (p *Process) Send(kind byte, body []byte) error {
	p.sendMu.Lock()
	defer p.sendMu.Unlock()
	return WriteFrame(p.in, kind, body)
}

// Done is closed when the child has ended, was reaped, and everything it said was
// heard.
func (p *Process) Done() <-chan struct{} { return p.done }

// Ended says how the child ended, with the end of what it wrote to standard error.
// To be called after Done.
func (p *Process) Ended() string {
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	if s := p.said.String(); s != "" {
		how += ": " + s
	}
	return how
}

// Kill ends the process at once with SIGKILL: its memory is gone, and what it had
// written to the kernel stays.
func (p *Process) Kill() error { return p.signal(syscall.SIGKILL) }

// Freeze stops the process with SIGSTOP. It keeps its memory and connections.
func (p *Process) Freeze() error { return p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen process go on.
func (p *Process) Thaw() error { return p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) error {
	if err := p.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("%s, process %d: %w", p.Name, p.PID, err)
	}
	return nil
}

// tail keeps the last bytes of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailBytes = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - tailBytes; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.buf))
}

var _ io.Writer = (*tail)(nil)
