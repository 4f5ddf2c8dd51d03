package kafka

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"

	"github.com/twmb/franz-go/pkg/kgo"
)

// SinkConfig says where a sink's rows go.
type SinkConfig struct {
	Broker Broker
	Topic  string
	Keys   []string // names of the keys, in the order of their numbers
	Total  bool     // a row holds the key's total, not the record's amount
}

func (c *SinkConfig) row(r *engine.Record) (live.Row, error) {
	key, err := keyName(c.Keys, r.Key)
	out := live.Row{ID: r.ID, Key: key, Value: r.Value, Attempt: r.Attempt}
	if c.Total {
		out.Value = r.Total
	}
	return out, err
}

// linger is how long a producer waits for more rows before it sends a batch; a flush
// does not wait. The client's default is 10 ms.
const linger = 2 * time.Millisecond

// acks keeps the first error among rows whose acknowledgement is awaited.
type acks struct {
	first atomic.Pointer[error]
	told  func(error) // nil: nobody listens
}

func (a *acks) promise(_ *kgo.Record, err error) {
	if err != nil && a.first.CompareAndSwap(nil, &err) && a.told != nil && Fenced(err) {
		a.told(err)
	}
}

func (a *acks) err() error {
	if e := a.first.Load(); e != nil {
		return *e
	}
	return nil
}

// Append writes rows at once, without transactions, through an idempotent producer:
// the broker recognises the client's own repeats (facts 5.1), but not rows that a job
// writes again after a restart (facts 5.2). It is a live.Outside. When its process
// dies, rows that were not yet acknowledged may be there or not.
type Append struct {
	cfg  SinkConfig
	cl   *kgo.Client
	acks *acks
}

// NewAppend makes a sink; nothing is connected before Open.
func NewAppend(cfg SinkConfig) *Append { return &Append{cfg: cfg} }

// Open comes to life with a producer of its own.
func (a *Append) Open(context.Context, live.Life) (live.Opened, error) {
	_ = a.Close()
	cl, err := client(a.cfg.Broker, kgo.ProducerLinger(linger))
	if err != nil {
		return live.Opened{}, err
	}
	a.cl, a.acks = cl, &acks{}
	return live.Opened{}, nil
}

// Perform carries out DoWrite; nothing else is asked of a sink without transactions.
// A row that could not be written is the error of a later call.
func (a *Append) Perform(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	if e.Kind != machine.DoWrite {
		return live.Answer{}, fmt.Errorf("topic %s without transactions: deed %d is not a write", a.cfg.Topic, e.Kind)
	}
	if err := a.acks.err(); err != nil {
		return live.Answer{}, fmt.Errorf("write to topic %s: %w", a.cfg.Topic, err)
	}
	r, err := a.cfg.row(&e.Record)
	if err != nil {
		return live.Answer{}, err
	}
	ev.Kind, ev.Value, ev.After = engine.SinkWrite, r.Value, r.Value
	a.cl.Produce(ctx, row(a.cfg.Topic, r), a.acks.promise)
	return live.Answer{}, nil
}

// Flush returns when the broker has acknowledged every row.
func (a *Append) Flush(ctx context.Context) error {
	err := a.cl.Flush(ctx)
	if err == nil {
		err = a.acks.err()
	}
	if err != nil {
		return fmt.Errorf("flush topic %s: %w", a.cfg.Topic, err)
	}
	return nil
}

// Handle is nil: there is nothing to promise.
func (a *Append) Handle(engine.Txn) []byte { return nil }

// Close ends the producer. Rows that were not flushed may be lost, as in a crash.
func (a *Append) Close() error {
	if a.cl != nil {
		a.cl.Close()
		a.cl = nil
	}
	return nil
}
