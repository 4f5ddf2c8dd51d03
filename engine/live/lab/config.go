package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// config is what a child is told first.
type config struct {
	Spec        Spec
	Secret      proc.Secret
	Dir         string   // of checkpoints
	Database    string   // of a sink that writes to a table
	Brokers     []string // where the topic is
	Lab         string   // names topics and transactional ids, so that labs that share a broker do not meet
	Epoch       int64    // time 0 of events, in microseconds since 1970
	Beat        time.Duration
	Timeout     time.Duration // without a sign of life for so long, a worker is lost
	Session     time.Duration // session.timeout.ms of a consumer group
	Rate        int           // events of records a second and task that are shown
	Node, Life  int           // of a worker
	Lives       []int         // coordinator: the newest lives of all nodes
	Coordinator string        // worker: where the coordinator listens
	Port        int           // broker: 0 takes a free one
}

func (c *config) input() string         { return c.Lab + "-in" }
func (c *config) output() string        { return c.Lab + "-out" }
func (c *config) changes() string       { return c.Lab + "-changelog" }
func (c *config) group() string         { return c.Lab + "-job" }
func (c *config) epoch() time.Time      { return time.UnixMicro(c.Epoch) }
func (c *config) encode() []byte        { b, _ := json.Marshal(c); return b } // plain values: it cannot fail
func (c *config) decode(b []byte) error { return json.Unmarshal(b, c) }

// lost is a worker of which the coordinator hears nothing, although its process may
// still be there.
type lost struct{ Node, Life int }

// note is a state of the job or of a process, for people.
type note struct {
	Kind noteKind
	Why  string
	What live.Notice // noteLeader
}

type noteKind uint8

const (
	noteLeader  noteKind = iota + 1 // What
	noteWords                       // Why
	noteTrouble                     // Why: the database is in trouble
	noteWell                        // the database is well again
)

// done is the end of a run.
type done struct {
	AtRest bool
	Why    string
	Result live.Result
}

// child is what every child process has: its parent, and what it was told to be.
type child struct {
	parent *proc.Parent
	cfg    config
	up     *wire

	mu   sync.Mutex
	out  []live.Seen // events that wait to be told
	size int
	left int64
	bell chan struct{}
}

// waitingEvents bounds what waits for a lab that is slow. Beyond it events are left
// out, and their number is told.
const waitingEvents = 20_000

func meet(stdin io.Reader) (*child, error) {
	p, first, err := proc.Meet(stdin)
	if err != nil {
		return nil, err
	}
	c := &child{parent: p, up: newWire(pipe{p.Say}), bell: make(chan struct{}, 1)}
	if first.Kind != frameConfig {
		return nil, fmt.Errorf("the first message is %d, not what to be", first.Kind)
	}
	if err := c.cfg.decode(first.Body); err != nil {
		return nil, fmt.Errorf("read what to be: %w", err)
	}
	return c, nil
}

// tell says something to the lab. A lab that is gone is noticed elsewhere.
func (c *child) tell(kind byte, v any) { _ = c.up.send(kind, v) }

// tap takes events of a task. It does not wait.
func (c *child) tap(s live.Seen) {
	c.mu.Lock()
	if c.size+len(s.Events) > waitingEvents {
		c.left += s.Left + int64(len(s.Events))
	} else {
		s.Left += c.left
		c.left = 0
		s.Events = append(s.Events[:0:0], s.Events...)
		c.out = append(c.out, s)
		c.size += len(s.Events)
	}
	c.mu.Unlock()
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// pass tells the lab what was seen, in order, until the child ends.
func (c *child) pass() {
	for {
		select {
		case <-c.bell:
		case <-c.parent.Gone:
			return
		}
		c.mu.Lock()
		list := c.out
		c.out, c.size = nil, 0
		c.mu.Unlock()
		for i := range list {
			c.tell(frameSeen, list[i])
		}
	}
}
