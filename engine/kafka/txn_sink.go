package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TxnConfig says how a two-phase sink writes.
type TxnConfig struct {
	SinkConfig
	// Prefix of the transactional ids: the same over restarts, and of no other job on
	// the cluster (facts 4.9, 4.10).
	Prefix string
	// Timeout is transaction.timeout.ms; 0: one minute, the default of Kafka's own
	// producer (4.3.1). Above the broker's transaction.max.timeout.ms Open fails.
	Timeout time.Duration
	// Fenced, if not nil, is told that the broker refuses this life, as one of the past:
	// a row of its transaction, or a new transaction. It may come before Perform says so,
	// or where nothing is performed any more, and is called by any goroutine.
	Fenced func(error)
}

// TxnSink writes rows into Kafka transactions that the machine of its task opens,
// promises, and commits once a checkpoint is complete. It is a live.Outside.
//
// To promise (DoPrecommit) is to flush and to note transactional id, producer id and
// epoch, which the checkpoint keeps as the transaction's Handle. The broker is asked
// nothing then, as it is in Flink (facts 4, step 3; KIP-939 is not released). Any
// later process commits by the handle alone. When the process dies, its transactions
// stay as they are until somebody ends them or their time is up; what has been
// promised and expires is lost, and the commit says so (Answer.Refused): the machine
// fails the job or goes on, by the setting on.expired (facts 4.2).
type TxnSink struct {
	cfg   TxnConfig
	life  live.Life
	guard handle
	cl    *kgo.Client // asks coordinators; produces nothing
	open  map[engine.Txn]*transaction
	known map[engine.Txn]*promised // handles by which transactions can be ended
	swept map[engine.Txn]bool      // ended by Open, to be told by DoAbort
}

// transaction is one that this life has begun and not ended.
type transaction struct {
	cl    *kgo.Client
	acks  acks
	state engine.TxnState
	rows  int64
}

type promised struct {
	handle handle
	state  engine.TxnState // TxnNone: not known
	rows   int64
}

// NewTxnSink makes a sink; nothing is connected before Open.
func NewTxnSink(cfg TxnConfig) *TxnSink {
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	return &TxnSink{cfg: cfg}
}

// Open registers the task's guard, so that older lives can begin nothing any more,
// and ends what they have left open, except what a promise names: that is committed
// by the machine first. Kafka counts epochs from 0; Opened.Epoch from 1.
func (s *TxnSink) Open(ctx context.Context, life live.Life) (live.Opened, error) {
	_ = s.Close()
	cl, err := client(s.cfg.Broker)
	if err != nil {
		return live.Opened{}, err
	}
	s.cl, s.life = cl, life
	o, err := s.comeToLife(ctx)
	if err != nil {
		_ = s.Close()
	}
	return o, err
}

func (s *TxnSink) comeToLife(ctx context.Context) (live.Opened, error) {
	life := s.life
	s.open, s.known, s.swept = map[engine.Txn]*transaction{}, map[engine.Txn]*promised{}, map[engine.Txn]bool{}
	for _, p := range life.Promises {
		if len(p.Handle) == 0 {
			continue // nothing was written into it
		}
		h, err := decodeHandle(p.Handle)
		if err != nil {
			return live.Opened{}, fmt.Errorf("%s: checkpoint %d: %w", life.Name, life.Checkpoint, err)
		}
		s.known[p.Txn] = &promised{handle: h}
	}
	var err error
	s.guard, err = register(ctx, s.cl, s.cfg.Prefix+"-"+life.Name, s.cfg.Timeout)
	if err != nil {
		return live.Opened{}, err
	}
	lingering, err := s.sweep(ctx)
	return live.Opened{Epoch: s.guard.Epoch + 1, Lingering: lingering}, err
}

// sweep takes the ids of earlier lives away from them. Ids that are not in a
// transaction matter as well: their owner may be asleep before its first row.
func (s *TxnSink) sweep(ctx context.Context) (lingering []engine.Txn, err error) {
	var all kadm.ListedTransactions
	err = again(ctx, func() error {
		all, err = kadm.NewClient(s.cl).ListTransactions(ctx, nil, nil)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list transactions: %w", err)
	}
	for _, t := range all.Sorted() {
		n, ours := parseName(s.guard.ID, t.TxnID)
		if !ours || n.token >= s.life.Token || s.promises(t.TxnID) {
			continue
		}
		open := ongoing(t.State)
		if !open && (t.State != "Empty" || int32(n.no) <= s.life.Checkpoint) {
			continue // it has ended, and its id is never used again
		}
		if _, err := register(ctx, s.cl, t.TxnID, s.cfg.Timeout); err != nil {
			return nil, err
		}
		if x := n.txn(s.life.Task); open {
			s.swept[x] = true
			lingering = append(lingering, x)
		}
	}
	return lingering, nil
}

func (s *TxnSink) promises(id string) bool {
	for _, p := range s.known {
		if p.handle.ID == id {
			return true
		}
	}
	return false
}

// Perform carries out the deeds of a transactional writer.
func (s *TxnSink) Perform(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	switch e.Kind {
	case machine.DoBegin:
		return s.begin(ctx, e, ev)
	case machine.DoWrite:
		return s.write(ctx, e, ev)
	case machine.DoPrecommit:
		return live.Answer{}, s.precommit(ctx, e.Txn, ev)
	case machine.DoCommit, machine.PostCommit:
		return s.commit(ctx, e.Txn, ev)
	case machine.DoAbort:
		return s.abort(ctx, e.Txn, ev)
	}
	return live.Answer{}, fmt.Errorf("topic %s: deed %d is not one of a transactional writer", s.cfg.Topic, e.Kind)
}

// begin registers the transaction's own id first and looks at the guard then. A later
// life does it the other way round (guard, then list of ids), so that one of the two
// always sees the other.
func (s *TxnSink) begin(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	id := name{s.life.Token, e.Txn.No, e.Txn.Attempt}.id(s.guard.ID)
	cl, err := client(s.cfg.Broker, kgo.TransactionalID(id), kgo.TransactionTimeout(s.cfg.Timeout), kgo.ProducerLinger(linger))
	if err != nil {
		return live.Answer{}, err
	}
	if _, _, err = cl.ProducerID(ctx); err == nil {
		err = cl.BeginTransaction()
	}
	if err != nil {
		cl.Close()
		if Fenced(err) {
			s.fenced(err)
			ev.Kind = engine.Fenced
			return live.Answer{Refused: true}, nil
		}
		return live.Answer{}, fmt.Errorf("begin transaction %s: %w", id, err)
	}
	d, ok, err := described(ctx, s.cl, s.guard.ID)
	if err != nil {
		cl.Close()
		return live.Answer{}, err
	}
	if !ok || d.ProducerID != s.guard.Producer || d.ProducerEpoch != s.guard.Epoch {
		cl.Close()
		s.fenced(fmt.Errorf("%s was registered again: its epoch was %d, now it is %d", s.guard.ID, s.guard.Epoch, d.ProducerEpoch))
		ev.Kind = engine.Fenced
		return live.Answer{Refused: true}, nil
	}
	s.open[e.Txn] = &transaction{cl: cl, state: engine.TxnOpen, acks: acks{told: s.cfg.Fenced}}
	ev.Kind, ev.After = engine.TxnBegin, int64(engine.TxnOpen)
	return live.Answer{}, nil
}

// write hands a row to the producer. A refusal of an earlier row is told here, or at
// the flush.
func (s *TxnSink) write(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	t := s.open[e.Txn]
	if t == nil || t.state != engine.TxnOpen {
		state := int64(s.state(e.Txn))
		ev.Kind, ev.Before, ev.After = engine.Fenced, state, state
		return live.Answer{Refused: true}, nil
	}
	if err := t.acks.err(); err != nil {
		return s.refused(t, ev, err)
	}
	r, err := s.cfg.row(&e.Record)
	if err != nil {
		return live.Answer{}, err
	}
	ev.Kind, ev.Value, ev.After = engine.SinkWrite, r.Value, r.Value
	t.rows++
	t.cl.Produce(ctx, row(s.cfg.Topic, r), t.acks.promise)
	return live.Answer{}, nil
}

func (s *TxnSink) fenced(why error) {
	if s.cfg.Fenced != nil {
		s.cfg.Fenced(why)
	}
}

func (s *TxnSink) refused(t *transaction, ev *engine.Event, err error) (live.Answer, error) {
	if !Fenced(err) {
		return live.Answer{}, fmt.Errorf("write to topic %s: %w", s.cfg.Topic, err)
	}
	t.state = engine.TxnAborted
	ev.Kind, ev.Before, ev.After = engine.Fenced, int64(engine.TxnAborted), int64(engine.TxnAborted)
	return live.Answer{Refused: true}, nil
}

func (s *TxnSink) state(x engine.Txn) engine.TxnState {
	if t := s.open[x]; t != nil {
		return t.state
	}
	if p := s.known[x]; p != nil {
		return p.state
	}
	return engine.TxnNone
}

// flush returns when every row of a transaction is acknowledged.
func (t *transaction) flush(ctx context.Context, topic string) error {
	err := t.cl.Flush(ctx)
	if err == nil {
		err = t.acks.err()
	}
	if err != nil && Fenced(err) {
		t.state = engine.TxnAborted
		err = errors.Join(ErrFenced, err)
	}
	if err != nil {
		return fmt.Errorf("flush topic %s: %w", topic, err)
	}
	return nil
}

func (s *TxnSink) precommit(ctx context.Context, x engine.Txn, ev *engine.Event) error {
	t := s.open[x]
	if t == nil {
		state := int64(s.state(x))
		ev.Kind, ev.Before, ev.After = engine.TxnPrecommit, state, state
		return nil
	}
	if err := s.promise(ctx, x, t); err != nil {
		return err
	}
	ev.Kind, ev.Before, ev.Value = engine.TxnPrecommit, int64(t.state), t.rows
	if t.state == engine.TxnOpen {
		t.state = engine.TxnPrecommitted
	}
	ev.After = int64(t.state)
	return nil
}

// promise flushes and notes by what the transaction can be ended.
func (s *TxnSink) promise(ctx context.Context, x engine.Txn, t *transaction) error {
	if t.state != engine.TxnOpen {
		return nil
	}
	if err := t.flush(ctx, s.cfg.Topic); err != nil {
		return err
	}
	producer, epoch, err := t.cl.ProducerID(ctx)
	if err != nil {
		return fmt.Errorf("promise %s: %w", s.cfg.Topic, err)
	}
	id := name{s.life.Token, x.No, x.Attempt}.id(s.guard.ID)
	s.known[x] = &promised{handle: handle{id, producer, epoch}, state: engine.TxnPrecommitted, rows: t.rows}
	return nil
}
