package live

import (
	"context"
	"sync"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// HostConfig is what a Host needs from around it. Store, Report and, by the plan,
// Source and Outside are required.
type HostConfig struct {
	Tasks   []engine.TaskID // hosted here; nil: all of the plan
	Store   Store
	Source  func(task engine.TaskID, part int) (Source, error) // a new one for each life of a source task
	Outside func(task engine.TaskID) (Outside, error)          // a new one for each life of a sink task
	Remote  func(c engine.ChanID) Link                         // channels whose reader is hosted elsewhere
	Report  func(Report)                                       // to the leader; called by many goroutines, must not wait
	Tap     Tap                                                // nil: nobody watches
	Rate    int                                                // events of records a second and task that Tap can take; 0: all
	Epoch   time.Time                                          // time 0 of events; zero: when the host was made
	Batch   int                                                // elements a batch, 0: 256
	// Crash is asked before each effect of a task; true kills the task there: its memory,
	// this effect and everything after it are lost, and nobody is told before
	// crash.detection (of the settings) is over. For tests.
	Crash func(task engine.TaskID, attempt int16, e *machine.Effect) bool
}

// Host runs tasks, one goroutine each. It does what the leader orders and decides
// nothing itself. A crash of its process loses the tasks' memory and what they had
// under way; parts that were acknowledged and what outside systems have acknowledged
// stay.
type Host struct {
	job    *engine.Job
	cfg    HostConfig
	ctx    context.Context
	cancel context.CancelFunc
	slots  []*slot // by task, nil if hosted elsewhere
	hosted []bool
	all    sync.WaitGroup

	mu       sync.Mutex
	exchange *exchange // of the newest attempt seen
}

// slot is a task's place on a host. Its lives follow each other; orders are taken
// by one goroutine, so that a life has ended before the next one begins.
type slot struct {
	id     engine.TaskID
	orders *mailbox[Order]
	life   *runner
	newest int16 // attempt started last; older orders change nothing

	mu       sync.Mutex
	furthest int32 // offset before which something was read by any life here
	kill     *runner
}

// NewHost makes a host whose tasks wait for orders.
func NewHost(job *engine.Job, cfg HostConfig) *Host {
	h := &Host{job: job, cfg: cfg, slots: make([]*slot, len(job.Plan.Tasks)), hosted: make([]bool, len(job.Plan.Tasks))}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	if h.cfg.Epoch.IsZero() {
		h.cfg.Epoch = time.Now()
	}
	if h.cfg.Batch == 0 {
		h.cfg.Batch = 256
	}
	ids := cfg.Tasks
	if ids == nil {
		for i := range job.Plan.Tasks {
			ids = append(ids, engine.TaskID(i))
		}
	}
	for _, id := range ids {
		s := &slot{id: id, orders: newMailbox[Order]()}
		h.slots[id], h.hosted[id] = s, true
		h.all.Go(func() { h.keep(s) })
	}
	return h
}

// Tasks lists what is hosted here, for Leader.Joined.
func (h *Host) Tasks() []engine.TaskID {
	var ids []engine.TaskID
	for id, yes := range h.hosted {
		if yes {
			ids = append(ids, engine.TaskID(id))
		}
	}
	return ids
}

// Do takes an order of the leader. It does not wait. An order for a task that is not
// hosted here changes nothing.
func (h *Host) Do(o Order) {
	if int(o.Task) < len(h.slots) && o.Task >= 0 && h.slots[o.Task] != nil {
		h.slots[o.Task].orders.put(o)
	}
}

// Deliver hands a batch that came over a Link to its reader. It copies the batch and
// waits while the reader's lane is full, until the context or the host is done. A
// batch of an older attempt is dropped.
func (h *Host) Deliver(ctx context.Context, attempt int16, c engine.ChanID, batch []engine.Element) error {
	x := h.exchangeOf(attempt)
	if x == nil {
		return nil
	}
	spec := &h.job.Plan.Channels[c]
	b := x.inboxes[spec.To]
	if b == nil {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer context.AfterFunc(h.ctx, stop)()
	return b.put(ctx, spec.ToIndex, batch)
}

// Kill ends a task's life as a crash does: nothing that it had not done yet is done,
// nothing of its outside system is called again, and the leader hears of it after
// crash.detection.
func (h *Host) Kill(task engine.TaskID) {
	if s := h.slots[task]; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.kill != nil {
			s.kill.die()
		}
	}
}

// Close stops all tasks and returns when their goroutines have ended.
func (h *Host) Close() {
	h.cancel()
	h.all.Wait()
}

// exchangeOf is the exchange of an attempt, nil if that is not the newest.
func (h *Host) exchangeOf(attempt int16) *exchange {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.exchange == nil || h.exchange.attempt < attempt:
		h.exchange = newExchange(h.job, attempt, h.hosted)
	case h.exchange.attempt > attempt:
		return nil
	}
	return h.exchange
}

// keep takes the orders for one task.
func (h *Host) keep(s *slot) {
	defer func() {
		if s.life != nil {
			s.life.end()
		}
	}()
	for {
		o, ok := s.orders.next(nil)
		if !ok {
			select {
			case <-s.orders.bell:
				continue
			case <-h.ctx.Done():
				return
			}
		}
		switch o.Kind {
		case OrderStart:
			h.start(s, &o)
		case OrderStop:
			if s.life != nil && s.life.attempt <= o.Attempt {
				s.life.end()
				s.life = nil
			}
			h.report(Report{Kind: ReportStopped, Task: s.id, Attempt: o.Attempt})
		default:
			if s.life != nil && s.life.attempt == o.Attempt {
				s.life.mail.put(word{kind: o.Kind, ckpt: o.Ckpt, final: o.Final})
			}
		}
	}
}

func (h *Host) start(s *slot, o *Order) {
	if o.Attempt <= s.newest {
		return
	}
	if s.life != nil {
		s.life.end()
	}
	x := h.exchangeOf(o.Attempt)
	if x == nil {
		return
	}
	s.newest = o.Attempt
	s.life = newRunner(h, s, o, x)
	s.mu.Lock()
	s.kill = s.life
	s.mu.Unlock()
	h.all.Go(s.life.run)
}

func (h *Host) report(r Report) { h.cfg.Report(r) }

func (h *Host) tapping() tapping {
	return tapping{tap: h.cfg.Tap, rate: h.cfg.Rate, epoch: h.cfg.Epoch}
}
