package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// runner is one life of a task: a machine, and what its effects need.
type runner struct {
	h       *Host
	slot    *slot
	job     *engine.Job
	id      engine.TaskID
	spec    *engine.Task
	order   Order
	attempt int16

	ctx    context.Context
	cancel context.CancelFunc
	dead   atomic.Bool // killed: no effect is performed any more
	done   chan struct{}
	failed bool // it has told the leader, and waits to be stopped

	task  machine.Task
	bulk  machine.Bulk // the task, where several records may be told at once; nil otherwise
	sink  Outside      // nil unless a sink
	set   *engine.SinkSettings
	pump  *pump // nil unless a source
	ended bool  // the pump's end was told
	inbox *inbox
	outs  []*output // by channel, nil where this task does not write
	own   []*output
	mail  *mailbox[word]
	waits []backlog // by lane: batches that came while it was held back
	held  int       // lanes with a backlog

	in      machine.In // reused for records
	out     machine.Out
	ev      engine.Event // of the deed that is outside
	side    machine.Out  // of what is answered while a deed waits
	refs    []PartRef    // parts that are durable and not yet acknowledged
	offset  int32        // sources: the next to read
	cuts    []cut        // sources: what each checkpoint covers
	uploads sync.WaitGroup
	rec     recorder
	clocked bool
}

// word is a message for a running task: an order, or what became of an upload.
type word struct {
	kind   OrderKind // wordStored, wordDeclined: of the task's own upload
	final  bool
	ckpt   int32
	flying int64
	ref    PartRef
	err    error
}

const (
	wordStored OrderKind = 100 + iota
	wordDeclined
)

type cut struct{ ckpt, offset int32 }

// backlog is what came on a lane while it was held back.
type backlog struct {
	batches [][]engine.Element
	at      int // of the first one: elements that are done
}

// output is the writer's end of a channel.
type output struct {
	c     engine.ChanID
	lane  int
	buf   []engine.Element
	inbox *inbox // nil: the reader is elsewhere
	link  Link
}

var errNoSource = errors.New("the host has no source or outside system for it")

func newRunner(h *Host, s *slot, o *Order, x *exchange) *runner {
	r := &runner{h: h, slot: s, job: h.job, id: s.id, spec: &h.job.Plan.Tasks[s.id], order: *o, attempt: o.Attempt,
		done: make(chan struct{}), inbox: x.inboxes[s.id], mail: newMailbox[word](),
		outs: make([]*output, len(h.job.Plan.Channels)), waits: make([]backlog, len(h.job.Plan.Tasks[s.id].In)),
		rec: newRecorder(h.tapping(), s.id, o.Attempt)}
	r.ctx, r.cancel = context.WithCancel(h.ctx)
	r.task = machine.New(h.job).Task(h.job, s.id)
	if r.out.Unwatched = !r.rec.on(); r.out.Unwatched {
		r.bulk, _ = r.task.(machine.Bulk)
	}
	r.clocked = h.job.Settings.Clocked() || h.job.Settings.Operator == engine.OperatorDedup
	for i := range r.spec.Out {
		for _, c := range r.spec.Out[i].Chans {
			ch := &h.job.Plan.Channels[c]
			w := &output{c: c, lane: ch.ToIndex, inbox: x.inboxes[ch.To]}
			if w.inbox == nil {
				w.link = h.cfg.Remote(c)
			}
			r.outs[c] = w
			r.own = append(r.own, w)
		}
	}
	return r
}

// end stops the life and waits for its goroutine.
func (r *runner) end() {
	r.cancel()
	<-r.done
}

// die is a crash.
func (r *runner) die() {
	if !r.dead.Swap(true) {
		detection := time.Duration(r.job.Settings.CrashDetection) * time.Microsecond
		time.AfterFunc(detection, func() {
			r.h.report(Report{Kind: ReportFailed, Task: r.id, Attempt: r.attempt, Reason: engine.Crashed, Why: "its goroutine was killed"})
		})
		r.cancel()
	}
}

// fail tells the leader that the task cannot go on.
func (r *runner) fail(why engine.Reason, err error) {
	if r.failed || r.dead.Load() {
		return
	}
	r.failed = true
	r.rec.flush()
	if r.ctx.Err() != nil {
		return // it was stopped, and what failed was waiting
	}
	rep := Report{Kind: ReportFailed, Task: r.id, Attempt: r.attempt, Reason: why, Offset: r.offset}
	if err != nil {
		rep.Why = err.Error()
	}
	r.h.report(rep)
}

func (r *runner) run() {
	defer close(r.done)
	defer r.close()
	if err := r.revive(); err != nil {
		r.fail(engine.Crashed, err)
	}
	for !r.failed && r.ctx.Err() == nil && !r.dead.Load() {
		r.turn()
	}
	r.rec.flush()
	<-r.ctx.Done()
}

// close lets go of what the life held. A process that was killed calls nothing of its
// outside system any more.
func (r *runner) close() {
	r.cancel()
	r.uploads.Wait()
	if r.sink != nil && !r.dead.Load() {
		_ = r.sink.Close() // there is nobody left to whom an error matters
	}
	if r.pump != nil {
		_ = r.pump.src.Close()
	}
}

// revive opens what the task reads or writes, and has the machine restored.
func (r *runner) revive() error {
	part := Part{}
	if r.order.Part.Ckpt != 0 {
		p, err := r.h.cfg.Store.Load(r.order.Part)
		if err != nil {
			return err
		}
		part = p
	}
	in := machine.In{Kind: machine.InRestore, Ckpt: r.order.Ckpt, Next: r.order.Next, Attempt: r.attempt, Snapshot: part.Snapshot}
	if r.spec.Kind == engine.OpSink {
		if err := r.openSink(&part, &in); err != nil {
			return err
		}
	}
	r.offset = part.Snapshot.Offset
	if r.spec.Kind == engine.OpSource {
		in.Offset = r.seenUpTo(r.order.Offset)
		if err := r.openSource(); err != nil {
			return err
		}
	}
	in.Now = r.rec.now()
	r.task.Step(&in, &r.out)
	if r.perform() {
		r.h.report(Report{Kind: ReportStarted, Task: r.id, Attempt: r.attempt})
	}
	return nil
}

func (r *runner) openSink(part *Part, in *machine.In) (err error) {
	if r.h.cfg.Outside == nil {
		return errNoSource
	}
	r.set = &r.job.Settings.Sinks[r.spec.Sink]
	if r.sink, err = r.h.cfg.Outside(r.id); err != nil {
		return fmt.Errorf("opening what %s writes to: %w", r.spec.Name, err)
	}
	opened, err := r.sink.Open(r.ctx, Life{Task: r.id, Name: r.spec.Name, Attempt: r.attempt, Token: r.order.Token,
		Checkpoint: r.order.Ckpt, Promises: part.Promises})
	if err != nil {
		return fmt.Errorf("opening what %s writes to: %w", r.spec.Name, err)
	}
	in.Epoch, in.Lingering = opened.Epoch, opened.Lingering
	return nil
}

func (r *runner) openSource() error {
	if r.h.cfg.Source == nil {
		return errNoSource
	}
	src, err := r.h.cfg.Source(r.id, r.spec.Part)
	if err != nil {
		return fmt.Errorf("opening what %s reads: %w", r.spec.Name, err)
	}
	r.pump = newPump(src)
	if err := src.Open(r.ctx, r.offset); err != nil {
		return fmt.Errorf("opening what %s reads: %w", r.spec.Name, err)
	}
	r.uploads.Go(func() { r.pump.run(r.ctx) })
	return nil
}

// seenUpTo is the furthest offset that any life of this task is known to have read.
func (r *runner) seenUpTo(told int32) int32 {
	r.slot.mu.Lock()
	defer r.slot.mu.Unlock()
	r.slot.furthest = max(r.slot.furthest, told)
	return r.slot.furthest
}
