package trace

import (
	"bufio"
	"fmt"
	"io"

	"effectivelyonce/engine"
)

// WriteTranscript prints the run for people, an event a line in fixed columns:
// number, virtual time in milliseconds, the letter of the event's mark, sentence.
//
//	64    812.250  |  count/0 got barrier 3 from source/0, 1 of 2 inputs.
func WriteTranscript(w io.Writer, t *Trace) error {
	b := bufio.NewWriter(w)
	width := len(fmt.Sprint(t.Len()))
	for n := 1; n <= t.Len(); n++ {
		_, _ = b.WriteString(line(t, t.At(n), width))
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write transcript: %w", err)
	}
	return nil
}

func line(t *Trace, e *engine.Event, width int) string {
	return fmt.Sprintf("%*d %10.3f  %c  %s\n", width, e.N, e.T.Millis(), GlyphOf(t, e).Letter, Sentence(t, e))
}
