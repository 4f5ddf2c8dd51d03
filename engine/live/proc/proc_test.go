package proc_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"effectivelyonce/engine/live/proc"
)

// The test binary is its own child: "child" echoes messages, "deaf" hears nothing
// after the first, "server" has children of its own and waits to be killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "child" {
		os.Exit(child((*proc.Parent).Listen))
	}
	if len(os.Args) > 1 && os.Args[1] == "deaf" {
		os.Exit(child(func(*proc.Parent, func(proc.Frame)) {
			signal.Ignore(syscall.SIGHUP) // which the kernel sends to a group that is left alone with a frozen member
			<-time.After(time.Hour)
		}))
	}
	if len(os.Args) > 1 && os.Args[1] == "server" {
		os.Exit(server())
	}
	os.Exit(m.Run())
}

func child(listen func(*proc.Parent, func(proc.Frame))) int {
	p, first, err := proc.Meet(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	_ = p.Say(first.Kind, first.Body)
	listen(p, func(f proc.Frame) { _ = p.Say(f.Kind, f.Body) })
	return 0
}

func server() int {
	g := proc.NewGroup("/proc/self/exe")
	for _, role := range []string{"child", "deaf", "child"} {
		heard := make(chan struct{}, 1)
		p, err := g.Start("worker", []string{role}, func(proc.Frame) { heard <- struct{}{} })
		if err != nil {
			return 1
		}
		_ = p.Send(1, nil)
		<-heard
		fmt.Println(p.PID)
	}
	fmt.Println("ready")
	<-time.After(time.Hour)
	return 1
}

// until waits for something that other processes do. It polls, because the kernel
// tells nobody but a parent; the test fails when it does not come.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	late := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-tick.C:
		case <-late:
			t.Fatalf("%s: did not happen within 20 s", what)
		}
	}
}

func start(t *testing.T, g *proc.Group) (*proc.Process, chan proc.Frame) {
	t.Helper()
	heard := make(chan proc.Frame, 16)
	p, err := g.Start("worker", []string{"child"}, func(f proc.Frame) { heard <- f })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Send(7, []byte("be this")); err != nil {
		t.Fatal(err)
	}
	if f := <-heard; f.Kind != 7 || string(f.Body) != "be this" {
		t.Fatalf("heard %v", f)
	}
	return p, heard
}

func TestKillFreezeThaw(t *testing.T) {
	g := proc.NewGroup("/proc/self/exe")
	defer g.Close()
	p, heard := start(t, g)
	if err := p.Freeze(); err != nil {
		t.Fatal(err)
	}
	until(t, "frozen", func() bool { return proc.Look(p.PID) == proc.Frozen })
	if err := p.Send(8, []byte("later")); err != nil {
		t.Fatal(err)
	}
	if err := p.Thaw(); err != nil {
		t.Fatal(err)
	}
	if f := <-heard; f.Kind != 8 {
		t.Fatalf("heard %v", f)
	}
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if s := proc.Look(p.PID); s != proc.Gone || !strings.Contains(p.Ended(), "killed") {
		t.Errorf("state %s, ended by %q", s, p.Ended())
	}
	if err := p.Kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a dead process is killed again: %v", err)
	}
}

// A frozen child does not outlive the group, and a closed group takes no more.
func TestCloseLeavesNothing(t *testing.T) {
	before, files := runtime.NumGoroutine(), openFiles(t)
	for range 5 {
		g := proc.NewGroup("/proc/self/exe")
		var all []*proc.Process
		for range 3 {
			p, _ := start(t, g)
			all = append(all, p)
		}
		_ = all[1].Freeze()
		g.Close()
		g.Close()
		for _, p := range all {
			if s := proc.Look(p.PID); s != proc.Gone {
				t.Errorf("process %d is %s after the group was closed", p.PID, s)
			}
		}
		if _, err := g.Start("late", []string{"child"}, nil); !errors.Is(err, proc.ErrClosed) {
			t.Errorf("a closed group starts: %v", err)
		}
	}
	until(t, "goroutines end", func() bool { return runtime.NumGoroutine() <= before })
	if now := openFiles(t); now > files {
		t.Errorf("%d open files before, %d after", files, now)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// A parent that is killed leaves no child, not even a frozen one, or one that does
// not notice that its input has ended.
func TestKilledParentLeavesNoChild(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "server")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	for {
		var pid int
		if n, _ := fmt.Fscanln(out, &pid); n == 0 {
			break
		}
		pids = append(pids, pid)
	}
	if len(pids) != 3 || proc.Look(pids[0]) != proc.Running {
		t.Fatalf("children %v", pids)
	}
	freeze(t, pids[2])
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	for _, pid := range pids {
		until(t, fmt.Sprintf("child %d ends", pid), func() bool { return proc.Look(pid) == proc.Gone })
	}
}

func freeze(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	until(t, "frozen", func() bool { return proc.Look(pid) == proc.Frozen })
}

func TestMeetAlone(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "child")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte(proc.ErrAlone.Error())) {
		t.Errorf("a child started by hand: %v, %s", err, out)
	}
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	if err := proc.WriteFrame(&b, 3, []byte("abc")); err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(b.Bytes())
	f, err := proc.ReadFrame(&b)
	if err != nil || f.Kind != 3 || string(f.Body) != "abc" {
		t.Errorf("%v %v", f, err)
	}
	if _, err := proc.ReadFrame(&b); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
	for n := 1; n < len(whole); n++ {
		if _, err := proc.ReadFrame(bytes.NewReader(whole[:n])); err != io.ErrUnexpectedEOF {
			t.Errorf("torn after %d bytes: %v", n, err)
		}
	}
	long := binary.BigEndian.AppendUint32(nil, proc.MaxFrame+1)
	if _, err := proc.ReadFrame(bytes.NewReader(append(long, 1))); err == nil || err == io.ErrUnexpectedEOF {
		t.Errorf("a message that is too long: %v", err)
	}
}

func TestMesh(t *testing.T) {
	secret := proc.NewSecret()
	l, err := proc.Listen(secret)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.Dial("tcp", l.Addr()) // says nothing, and holds nobody up
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	stranger, err := proc.Dial(context.Background(), l.Addr(), "mallory", proc.NewSecret())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stranger.Receive(); err == nil {
		t.Error("a stranger is talked to")
	}
	a, err := proc.Dial(context.Background(), l.Addr(), "node/0", secret)
	if err != nil {
		t.Fatal(err)
	}
	b, err := l.Accept()
	if err != nil || b.Name != "node/0" {
		t.Fatalf("%v %v", b, err)
	}
	if err := a.Send(5, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if f, err := b.Receive(); err != nil || f.Kind != 5 {
		t.Errorf("%v %v", f, err)
	}
	_ = a.Close()
	if _, err := b.Receive(); err == nil {
		t.Error("the connection outlives its other end")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); err == nil {
		t.Error("a closed listener accepts")
	}
}
