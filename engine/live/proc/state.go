package proc

import (
	"bytes"
	"fmt"
	"os"
)

// State is what the kernel says about a process.
type State uint8

// States of a process.
const (
	Gone    State = iota // no such process, or dead and not yet reaped
	Running              // it runs, or waits for something
	Frozen               // stopped by a signal
)

var stateNames = [...]string{"gone", "running", "frozen"}

// String is the state's word.
func (s State) String() string { return stateNames[s] }

// Look asks the kernel for the state of a process (proc(5), stat, third field).
func Look(pid int) State {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Gone
	}
	i := bytes.LastIndexByte(b, ')') // the name before it may hold anything
	if i < 0 || i+2 >= len(b) {
		return Gone
	}
	switch b[i+2] {
	case 'Z', 'X', 'x':
		return Gone
	case 'T', 't':
		return Frozen
	}
	return Running
}
