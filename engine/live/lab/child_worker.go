package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/live/proc"
	"effectivelyonce/engine/sqldb"
)

// working is a worker's process: a host for the tasks of one node. When it is killed,
// their memory is lost and what they had under way.
type working struct {
	*child
	job    *engine.Job
	node   *node
	host   *live.Host
	broker kafka.Broker
	gate   *kafka.Gate
	db     *sqldb.DB // nil: the sink writes to a topic

	mu    sync.Mutex
	where string // the coordinator listens here
	moved chan struct{}
}

// RunWorker is the process of a worker. It returns when the lab is gone, or when
// another worker has taken its place.
func RunWorker(stdin io.Reader) error {
	c, err := meet(stdin)
	if err != nil {
		return err
	}
	w := &working{child: c, gate: &kafka.Gate{}, where: c.cfg.Coordinator, moved: make(chan struct{}, 1)}
	if err := w.prepare(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		c.parent.Listen(w.hear)
		cancel()
	}()
	go c.pass()
	if setup, _ := FindSetup(c.cfg.Spec.Setup); setup.Loop {
		c.tell(frameReady, "")
		return w.loop(ctx)
	}
	w.host = live.NewHost(w.job, live.HostConfig{Tasks: tasksOf(w.job, c.cfg.Node), Store: w.storeAt(c.cfg.Dir), Source: w.source, Outside: w.outside,
		Remote: w.remote, Report: w.report, Tap: c.tap, Rate: c.cfg.Rate, Epoch: c.cfg.epoch()})
	go w.node.serve(ctx, w.host)
	c.tell(frameReady, "")
	return w.work(ctx)
}

func (w *working) prepare() (err error) {
	if w.job, err = w.cfg.Spec.Job(true); err != nil {
		return err
	}
	w.broker = kafka.Through(kafka.Connect(w.cfg.Brokers...), w.gate)
	if setup, _ := FindSetup(w.cfg.Spec.Setup); setup.Table {
		if w.db, err = sqldb.Open(w.cfg.Database); err != nil {
			return err
		}
	}
	w.node, err = newNode(hello{Node: w.cfg.Node, Life: w.cfg.Life}, w.job.Plan.Nodes(), w.cfg.Secret, w.cfg.Beat)
	return err
}

func (w *working) storeAt(dir string) live.Store {
	s, err := live.OpenDir(dir, 0)
	if err != nil {
		return broken{err}
	}
	return s
}

// hear takes what the lab says.
func (w *working) hear(f proc.Frame) {
	switch f.Kind {
	case frameCoordinator:
		w.mu.Lock()
		w.where = string(f.Body)
		w.mu.Unlock()
		select {
		case w.moved <- struct{}{}:
		default:
		}
	case frameCut:
		d, err := time.ParseDuration(string(f.Body))
		if err != nil {
			return
		}
		w.gate.Cut()
		time.AfterFunc(d, w.gate.Mend)
	}
}

// again is how long a worker waits before it tries the same coordinator again.
const again = 100 * time.Millisecond

// parting is how long a worker that was replaced goes on, so that what the outside
// world says to it can be seen.
const parting = 3 * time.Second

// errReplaced ends a worker whose place another has taken.
var errReplaced = errors.New("another worker has taken this one's place")

func (w *working) work(ctx context.Context) error {
	for {
		w.mu.Lock()
		addr := w.where
		w.mu.Unlock()
		replaced, _ := w.node.obey(ctx, addr)
		wait := again
		if replaced {
			w.say("this worker was replaced while it was frozen; it is a zombie now, and ends")
			wait = parting
		}
		select {
		case <-ctx.Done():
			return nil
		case <-w.moved:
		case <-time.After(wait):
		}
		if replaced {
			return errReplaced
		}
	}
}

func (w *working) say(words string) { w.tell(frameNote, note{Kind: noteWords, Why: words}) }

// report hands a task's report to the coordinator; a failure is told to the lab too,
// because a worker that was replaced has no coordinator.
func (w *working) report(r live.Report) {
	if r.Kind == live.ReportFailed || r.Kind == live.ReportDeclined {
		w.say(fmt.Sprintf("%s: %s", w.job.Plan.Name(r.Task), reason(&r)))
	}
	w.node.report(r)
}

func reason(r *live.Report) string {
	if r.Why == "" {
		return r.Reason.String()
	}
	return r.Why
}

func (w *working) remote(c engine.ChanID) live.Link {
	return w.node.link(c, w.job.Plan.Tasks[w.job.Plan.Channels[c].To].Node)
}

func (w *working) source(_ engine.TaskID, part int) (live.Source, error) {
	return kafka.NewSource(kafka.SourceConfig{Broker: w.broker, Topic: w.cfg.input(), Partition: int16(part), Keys: w.job.Input.Keys,
		Until: w.cfg.Spec.until(part), Group: w.cfg.group()}), nil
}

func (w *working) outside(task engine.TaskID) (live.Outside, error) {
	sink := w.job.Plan.Tasks[task].Sink
	set := &w.job.Settings.Sinks[sink]
	to := kafka.SinkConfig{Broker: w.broker, Topic: w.cfg.output(), Keys: w.job.Input.Keys}
	switch {
	case w.db != nil:
		return w.db.Sink(w.job, sink, sqldb.Options{Place: w.cfg.Lab, Journal: true, Notice: w.trouble, Fenced: func(had, newest int64) {
			w.say(fmt.Sprintf("%s is fenced: the table has seen token %d, this one came with %d", w.job.Plan.Name(task), newest, had))
		}})
	case set.Kind == engine.SinkTransactional:
		return kafka.NewTxnSink(kafka.TxnConfig{SinkConfig: to, Prefix: w.cfg.Lab, Timeout: time.Duration(set.TxnTimeout) * time.Microsecond,
			Fenced: func(err error) {
				w.say(fmt.Sprintf("%s is fenced: the broker refuses an older epoch: %v", w.job.Plan.Name(task), err))
			}}), nil
	}
	return kafka.NewAppend(to), nil
}

func (w *working) trouble(t *sqldb.Trouble) {
	switch {
	case t == nil:
		w.tell(frameNote, note{Kind: noteWell})
	case t.Kind != sqldb.Cancelled: // that is the task being stopped, not the database
		w.tell(frameNote, note{Kind: noteTrouble, Why: t.Error()})
	}
}

// broken is a store that could not be opened: every use says why.
type broken struct{ err error }

func (b broken) Life() (int16, int32, error) { return 0, 0, b.err }
func (b broken) Put(int32, int16, engine.TaskID, *live.Part) (live.PartRef, error) {
	return live.PartRef{}, b.err
}
func (b broken) Load(live.PartRef) (live.Part, error) { return live.Part{}, b.err }
func (b broken) Seal(live.Manifest) error             { return b.err }
func (b broken) Newest() (live.Manifest, error)       { return live.Manifest{}, b.err }
func (b broken) Discard(int32, int16)                 {}
