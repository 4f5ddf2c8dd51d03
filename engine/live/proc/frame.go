package proc

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Frame is one message: what it is, and its contents.
type Frame struct {
	Kind byte
	Body []byte
}

// MaxFrame bounds a message, in bytes.
const MaxFrame = 16 << 20

// header is a length, four bytes, big endian, of what follows, and the kind.
const header = 5

// AppendFrame appends a message as it travels.
func AppendFrame(buf []byte, kind byte, body []byte) []byte {
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(body)+1))
	buf = append(buf, kind)
	return append(buf, body...)
}

// WriteFrame writes a message in one write, so that the death of the writer leaves
// at most its last message torn.
func WriteFrame(w io.Writer, kind byte, body []byte) error {
	if len(body) >= MaxFrame {
		return fmt.Errorf("message %d has %d bytes; allowed: less than %d", kind, len(body), MaxFrame)
	}
	_, err := w.Write(AppendFrame(make([]byte, 0, header+len(body)), kind, body))
	return err
}

// ReadFrame reads one message. The end between two messages is io.EOF, within one
// io.ErrUnexpectedEOF: a writer that was killed.
func ReadFrame(r io.Reader) (Frame, error) {
	var head [header]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return Frame{}, err
	}
	n := binary.BigEndian.Uint32(head[:4])
	if n == 0 || n > MaxFrame {
		return Frame{}, fmt.Errorf("message of %d bytes; allowed: 1 to %d", n, MaxFrame)
	}
	f := Frame{Kind: head[4], Body: make([]byte, n-1)}
	if _, err := io.ReadFull(r, f.Body); err != nil {
		return Frame{}, io.ErrUnexpectedEOF
	}
	return f, nil
}
