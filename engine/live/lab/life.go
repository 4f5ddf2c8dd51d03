package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
)

// role is what a process of a lab is.
type role string

const (
	roleBroker      role = "broker"
	roleCoordinator role = "coordinator"
	roleWorker      role = "worker"
)

// slot is the place of a process: one at a time serves there, and a frozen one that
// was replaced may still be around.
type slot struct {
	role role
	name string
	node int

	life    int // how often a process was started here
	p       *proc.Process
	ready   bool
	why     string // the last one ended
	earlier *proc.Process
	replace chan int // the life that is to be replaced although its process is there
}

func newSlot(r role, name string, node int) *slot {
	return &slot{role: r, name: name, node: node, replace: make(chan int, 1)}
}

// quick is how long a process must have lived to be started again without delay.
const quick = 3 * time.Second

// keep starts a process in the slot, again and again, until the lab ends.
func (l *Lab) keep(s *slot) {
	wait := time.Duration(0)
	for {
		if !l.pause(wait) || !l.wired(s) {
			return
		}
		began := time.Now()
		p, err := l.start(s)
		if err != nil {
			l.say(s.name, "cannot be started: "+err.Error(), true)
			wait = next(wait, l.cfg.Replace)
			continue
		}
		gone := l.serve(s, p)
		if l.ctx.Err() != nil {
			return
		}
		l.mu.Lock()
		s.p, s.ready = nil, false
		if gone {
			s.why = p.Ended()
		} else {
			s.earlier = p
			l.wait.Go(func() { l.haunt(s, p) })
		}
		if s.role == roleBroker {
			l.broker = nil
		}
		l.touch()
		l.mu.Unlock()
		if time.Since(began) > quick {
			wait = 0
		}
		wait = next(wait, l.cfg.Replace)
	}
}

// next is the pause before the next start: longer from one to the next while they
// do not last.
func next(wait, first time.Duration) time.Duration { return min(max(2*wait, first), 4*time.Second) }

// pause waits; false: the lab has ended.
func (l *Lab) pause(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return l.ctx.Err() == nil
	case <-l.ctx.Done():
		return false
	}
}

// wired waits until what the process needs is there: the broker, its topics, and for
// a worker the coordinator. False: the lab has ended.
func (l *Lab) wired(s *slot) bool {
	for {
		l.mu.Lock()
		ok := s.role == roleBroker || l.broker != nil && (s.role == roleCoordinator || l.setup.Loop || l.coordinator != "")
		changed := l.changed
		if first := s.role == roleCoordinator || l.setup.Loop && s.node == 0; !ok && first && l.cfg.Brokers != nil {
			l.mu.Unlock()
			l.meetBroker(kafka.Connect(l.cfg.Brokers...))
			if !l.pause(l.cfg.Replace) {
				return false
			}
			continue
		}
		l.mu.Unlock()
		if ok {
			return true
		}
		select {
		case <-changed:
		case <-l.ctx.Done():
			return false
		}
	}
}

// start starts a process and tells it what to be.
func (l *Lab) start(s *slot) (*proc.Process, error) {
	l.mu.Lock()
	s.life++
	life := s.life
	cfg := l.config()
	cfg.Node, cfg.Life = s.node, life
	l.mu.Unlock()
	h := &hearing{lab: l, slot: s, life: life}
	h.w = newWire(h)
	p, err := l.group.Start(s.name, []string{string(s.role)}, h.hear)
	if err != nil {
		return nil, err
	}
	if err := p.Send(frameConfig, cfg.encode()); err != nil {
		_ = p.Kill()
		<-p.Done()
		return nil, errors.Join(err, errors.New(p.Ended()))
	}
	l.mu.Lock()
	s.p = p
	l.story.add(l.since(), s.name, fmt.Sprintf("process %d starts", p.PID), false)
	l.touch()
	l.mu.Unlock()
	return p, nil
}

// serve waits until the process has ended (gone), or is to be replaced.
func (l *Lab) serve(s *slot, p *proc.Process) (gone bool) {
	for {
		select {
		case <-p.Done():
			if l.ctx.Err() == nil {
				l.say(s.name, fmt.Sprintf("process %d has ended: %s. What it had not reported is missing here", p.PID, p.Ended()), true)
				if !killed(p.Ended()) {
					l.worry(s.name, "its process has ended: "+p.Ended())
				}
			}
			return true
		case life := <-s.replace:
			l.mu.Lock()
			now := s.life
			l.mu.Unlock()
			if life == now {
				l.say(s.name, fmt.Sprintf("process %d gives no sign of life for %s. Another takes its place", p.PID, l.cfg.Beat), true)
				return false
			}
		}
	}
}

// haunt waits for the end of a process that was replaced.
func (l *Lab) haunt(s *slot, p *proc.Process) {
	<-p.Done()
	if l.ctx.Err() == nil {
		l.say(s.name, fmt.Sprintf("process %d, which had been replaced, has ended: %s", p.PID, p.Ended()), true)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.haunted = l.since()
	if s.earlier == p {
		s.earlier = nil
		l.touch()
	}
}

// hearing takes in what one process says. It is the receiving half of a wire.
type hearing struct {
	lab  *Lab
	slot *slot
	life int
	w    *wire
	f    proc.Frame
}

// Send is not used: the lab speaks to a child in plain bytes.
func (h *hearing) Send(byte, []byte) error      { return errors.ErrUnsupported }
func (h *hearing) Receive() (proc.Frame, error) { return h.f, nil }
func (h *hearing) Close() error                 { return nil }

func (h *hearing) hear(f proc.Frame) {
	h.f = f
	kind, _ := h.w.receive()
	l := h.lab
	switch kind {
	case frameReady:
		var where string
		if h.w.decode(&where) == nil {
			l.serves(h.slot, h.life, where)
		}
	case frameSeen:
		var s live.Seen
		if h.w.decode(&s) == nil {
			l.saw(&s)
		}
	case frameNote:
		var n note
		if h.w.decode(&n) == nil {
			l.noted(h.slot, &n)
		}
	case frameLost:
		var who lost
		if h.w.decode(&who) == nil {
			l.lostNode(who)
		}
	case frameDone:
		var d done
		if h.w.decode(&d) == nil {
			l.finished(&d)
		}
	}
}

// serves notes that a process is ready, and tells others where it is.
func (l *Lab) serves(s *slot, life int, where string) {
	if s.role == roleBroker {
		l.meetBroker(kafka.Connect(strings.Split(where, ",")...))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if s.life != life {
		return
	}
	s.ready, s.why = true, ""
	if s.role != roleCoordinator { // which is well when it has restored
		l.well(s.name)
	}
	if s.role == roleCoordinator {
		l.coordinator = where
		for _, w := range l.slots {
			if w.role == roleWorker && w.p != nil {
				l.tell(w.p, frameCoordinator, where)
			}
		}
	}
	l.touch()
}

// tell says something to a process without waiting for it: a frozen one reads nothing.
func (l *Lab) tell(p *proc.Process, kind byte, text string) {
	l.wait.Go(func() { _ = p.Send(kind, []byte(text)) })
}

// topicTime is how long the broker may take to make two topics.
const topicTime = 10 * time.Second

// meetBroker makes the topics; the broker counts as there when it has them.
func (l *Lab) meetBroker(b kafka.Broker) {
	l.mu.Lock()
	cfg := l.config()
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(l.ctx, topicTime)
	defer cancel()
	topics := []kafka.Topic{{Name: cfg.input(), Partitions: partitions}, {Name: cfg.output(), Partitions: partitions}}
	if l.setup.Loop {
		topics = append(topics, kafka.Topic{Name: cfg.changes(), Partitions: partitions})
	}
	err := kafka.CreateTopics(ctx, b, topics...)
	if err != nil {
		if l.ctx.Err() == nil {
			l.say("broker", "the topics cannot be made: "+err.Error(), true)
		}
		return
	}
	l.mu.Lock()
	l.broker = b
	l.touch()
	l.mu.Unlock()
}

func (l *Lab) lostNode(who lost) {
	for _, s := range l.slots {
		if s.role == roleWorker && s.node == who.Node {
			select {
			case s.replace <- who.Life:
			default:
			}
		}
	}
}
