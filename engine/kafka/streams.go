package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"effectivelyonce/engine"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// StreamsConfig says what a consume-transform-produce loop reads and writes.
type StreamsConfig struct {
	Broker Broker
	Keys   []string // names of the keys, in the order of their numbers
	// Input, Output and Changelog have the same partitions: what is read from a partition
	// is written to the same one.
	Input, Output, Changelog string
	Group                    string
	// ID is the transactional id: of one process at a time, the same when it is started
	// again, so that its new life ends what the old one left open (facts 5.6).
	ID      string
	Attempt int16 // of the process; rows carry it
	// Interval is commit.interval.ms; 0: 100 ms, Kafka Streams' default with
	// exactly_once_v2 (facts 6.1).
	Interval time.Duration
	// Timeout is transaction.timeout.ms; 0: 10 s, Kafka Streams' default (4.x).
	Timeout time.Duration
	// Session is session.timeout.ms: after so long without a sign of life the group gives
	// this one's partitions to others. 0: 45 s, the consumer's default (4.3.1).
	// A member that died while the group was being formed is waited for four times as
	// long: the rebalance timeout, a Java consumer's max.poll.interval.ms (5 min).
	Session time.Duration
	Notice  func(StreamsNotice) // nil: nobody listens; called by any goroutine
}

// StreamsNotice is something that a loop tells of itself.
type StreamsNotice struct {
	Kind       StreamsKind
	Partitions []int32 // StreamsOwns: all that it reads; StreamsRestored: of the state
	Rows       int     // StreamsCommitted, StreamsAborted: in the transaction; StreamsRestored: changes that were read
	Why        error   // StreamsAborted; nil: the group has moved partitions
}

// StreamsKind is a kind of notice.
type StreamsKind uint8

// Kinds of notices.
const (
	StreamsOwns StreamsKind = iota + 1
	StreamsRestored
	StreamsCommitted
	StreamsAborted
)

// Streams is a consume-transform-produce loop in the manner of Kafka Streams'
// exactly_once_v2 (facts 6; KIP-447): for each input record it writes one output row
// and one change of its state, a count of records by partition and key, and commits
// them with the position in the input in one transaction. It reads committed records
// only. Unlike a Kafka Streams job with a keyed count it has no repartition topic, so
// that a count is one of its partition.
//
// Nothing here decides a guarantee: the broker's transaction does, and the group, which
// refuses the position of a member that is none any more. A crash leaves the transaction
// open; the next life of the same ID ends it, or its time does. The state is lost with
// the process and is read again from the changelog.
type Streams struct {
	cfg   StreamsConfig
	keys  map[string]engine.KeyID
	group membership
	sess  *kgo.GroupTransactSession
	state map[int32]map[string]int64 // by partition and key: records counted
	acks  *kgo.FirstErrPromise       // of the transaction's rows
	rows  int                        // in the transaction
}

// NewStreams makes a loop; nothing is connected before Run.
func NewStreams(cfg StreamsConfig) *Streams {
	if cfg.Interval == 0 {
		cfg.Interval = 100 * time.Millisecond
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 10 * time.Second
	}
	if cfg.Session == 0 {
		cfg.Session = 45 * time.Second
	}
	if cfg.Notice == nil {
		cfg.Notice = func(StreamsNotice) {}
	}
	return &Streams{cfg: cfg, keys: keyIDs(cfg.Keys)}
}

// Run works until the context is done (nil), or something goes wrong that the client
// does not mend by itself. After an error for which Fenced holds, another process has
// taken the ID over, or the time of a transaction was up: the broker does not say
// which. This process must not run again then, only its successor.
func (s *Streams) Run(ctx context.Context) error {
	s.state, s.group = map[int32]map[string]int64{}, membership{}
	sess, err := kgo.NewGroupTransactSession(append(options(s.cfg.Broker),
		kgo.TransactionalID(s.cfg.ID), kgo.TransactionTimeout(s.cfg.Timeout), kgo.ProducerLinger(linger), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ConsumerGroup(s.cfg.Group), kgo.ConsumeTopics(s.cfg.Input), kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.SessionTimeout(s.cfg.Session), kgo.HeartbeatInterval(s.cfg.Session/5), kgo.RebalanceTimeout(4*s.cfg.Session),
		kgo.OnPartitionsAssigned(s.group.assigned), kgo.OnPartitionsRevoked(s.group.gone), kgo.OnPartitionsLost(s.group.gone))...)
	if err != nil {
		return fmt.Errorf("kafka session: %w", err)
	}
	s.sess = sess
	defer sess.Close()
	if _, _, err := sess.Client().ProducerID(ctx); err != nil && ctx.Err() == nil { // the client would register with its first row only
		return fmt.Errorf("register transactional id %s: %w", s.cfg.ID, err)
	}
	for ctx.Err() == nil {
		err := s.transaction(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("transactional id %s: %w", s.cfg.ID, err)
		}
	}
	return nil
}

// transaction is one round: begin, work for the commit interval, end.
func (s *Streams) transaction(ctx context.Context) error {
	if err := s.sess.Begin(); err != nil {
		return err
	}
	s.rows, s.acks = 0, kgo.AbortingFirstErrPromise(s.sess.Client())
	until := time.Now().Add(s.cfg.Interval)
	for {
		if s.group.moved() { // everything that was read is done: the session knows whether that may still count
			return s.end(ctx, s.rows > 0)
		}
		recs, err := s.poll(ctx, until)
		if err != nil || ctx.Err() != nil {
			return err
		}
		if len(recs) > 0 && (s.group.moved() || !s.knows(recs)) {
			if err := s.end(ctx, false); err != nil { // they come again
				return err
			}
			return s.restore(ctx, recs)
		}
		for _, r := range recs {
			if err := s.work(ctx, r); err != nil {
				return err
			}
		}
		switch {
		case time.Now().Before(until):
		case s.rows > 0:
			return s.end(ctx, true)
		default:
			until = time.Now().Add(s.cfg.Interval) // nothing was begun at the broker
		}
	}
}

// poll waits for records until a moment.
func (s *Streams) poll(ctx context.Context, until time.Time) ([]*kgo.Record, error) {
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	fetches := s.sess.PollRecords(ctx, 500)
	for _, e := range fetches.Errors() {
		if !errors.Is(e.Err, context.DeadlineExceeded) && !errors.Is(e.Err, context.Canceled) {
			return nil, fmt.Errorf("read topic %s: %w", s.cfg.Input, e.Err)
		}
	}
	return fetches.Records(), nil
}

// work counts a record and writes what follows from it.
func (s *Streams) work(ctx context.Context, r *kgo.Record) error {
	if r.Offset >= math.MaxInt32 {
		return fmt.Errorf("topic %s, partition %d: offset %d is beyond %d, where positions end", r.Topic, r.Partition, r.Offset, math.MaxInt32-1)
	}
	in, err := readRow(r)
	if err != nil {
		return err
	}
	if _, ok := s.keys[in.Key]; !ok {
		return misread(r, "the key", r.Key, "one of the input's keys")
	}
	in.ID, in.Attempt = engine.RecordID{Part: int16(r.Partition), Off: int32(r.Offset)}, s.cfg.Attempt
	counts := s.state[r.Partition]
	counts[in.Key]++
	out := row(s.cfg.Output, in)
	out.Partition = r.Partition
	s.rows++
	s.sess.Produce(ctx, out, s.acks.Promise())
	s.sess.Produce(ctx, change(s.cfg.Changelog, r.Partition, in.Key, counts[in.Key], s.cfg.Attempt), s.acks.Promise())
	return nil
}

// end ends the transaction: rows, changes and position become valid together, or none
// does. What was counted in an aborted one is forgotten with it.
func (s *Streams) end(ctx context.Context, commit bool) error {
	why := error(nil)
	if commit {
		if err := s.sess.Client().Flush(ctx); err != nil {
			return err
		}
		why = s.acks.Err()
	}
	done, err := s.sess.End(ctx, kgo.TransactionEndTry(commit && why == nil))
	switch rows := s.rows; {
	case err != nil:
		return errors.Join(why, err)
	case done && rows > 0:
		s.cfg.Notice(StreamsNotice{Kind: StreamsCommitted, Rows: rows})
	case !done && rows > 0:
		s.cfg.Notice(StreamsNotice{Kind: StreamsAborted, Rows: rows, Why: why})
		clear(s.state)
	}
	if why != nil && Fenced(why) {
		return why
	}
	if s.group.moved() {
		past, now := s.group.settle()
		for _, p := range past {
			delete(s.state, p)
		}
		s.cfg.Notice(StreamsNotice{Kind: StreamsOwns, Partitions: now})
	}
	return nil
}

// StreamsAtRest reports whether a group has committed all input up to until, by
// partition, and no transaction is open on the topics that it writes to.
func StreamsAtRest(ctx context.Context, cfg *StreamsConfig, until []int32) (bool, error) {
	cl, err := client(cfg.Broker)
	if err != nil {
		return false, err
	}
	defer cl.Close()
	got, err := kadm.NewClient(cl).FetchOffsets(kadm.RequireStable(ctx), cfg.Group)
	if err != nil {
		return false, fmt.Errorf("positions of group %s: %w", cfg.Group, err)
	}
	for p, end := range until {
		if o, ok := got.Lookup(cfg.Input, int32(p)); end > 0 && (!ok || o.Err != nil || o.At < int64(end)) {
			return false, nil
		}
	}
	for _, topic := range []string{cfg.Output, cfg.Changelog} {
		all, err := ends(ctx, cl, topic, false)
		if err != nil {
			return false, err
		}
		stable, err := ends(ctx, cl, topic, true)
		if err != nil {
			return false, err
		}
		for p := range all {
			if stable[p] < all[p] {
				return false, nil
			}
		}
	}
	return true, nil
}
