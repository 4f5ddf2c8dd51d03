package proc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
)

// Parent is what a child knows of the process that started it.
type Parent struct {
	in   *bufio.Reader
	out  *os.File
	mu   sync.Mutex
	Gone chan struct{} // closed when the parent has gone, or wants the child to end
}

// messageFile is the number of the open file on which a child speaks.
const messageFile = 3

// ErrAlone is a child command that was started by hand.
var ErrAlone = errors.New("this command is started by the lab, not by hand")

// Meet is called by a child at its start. first is the first message: what to be.
// It fails with ErrAlone where nobody listens.
func Meet(stdin io.Reader) (p *Parent, first Frame, err error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(messageFile, &st); err != nil || st.Mode&syscall.S_IFMT != syscall.S_IFIFO {
		return nil, Frame{}, ErrAlone
	}
	p = &Parent{in: bufio.NewReader(stdin), out: os.NewFile(messageFile, "messages"), Gone: make(chan struct{})}
	if first, err = ReadFrame(p.in); err != nil {
		return nil, Frame{}, fmt.Errorf("read what to be: %w", err)
	}
	return p, first, nil
}

// Listen hands on every later message until there are no more, and then closes
// Gone: a child that hears nothing any more has to end.
func (p *Parent) Listen(hear func(Frame)) {
	defer close(p.Gone)
	for {
		f, err := ReadFrame(p.in)
		if err != nil {
			return
		}
		hear(f)
	}
}

// Say tells the parent something. It blocks while the parent does not listen: the
// pipe holds 64 KiB.
func (p *Parent) Say(kind byte, body []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return WriteFrame(p.out, kind, body)
}
