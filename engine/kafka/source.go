package kafka

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"

	"effectivelyonce/engine"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// SourceConfig names one partition of an input topic.
type SourceConfig struct {
	Broker    Broker
	Topic     string
	Partition int16
	Keys      []string // names of the keys, in the order of their numbers
	// Until is the offset at which the input ends; 0: it never does.
	Until int32
	// Group, if not empty, is told positions that checkpoints cover, so that ordinary
	// tools show the lag. Nothing ever reads them back.
	Group string
	// Committed reads committed records only. Flink's Kafka source (connector 5.0) reads
	// uncommitted ones unless told otherwise (facts 4.17); so does this one.
	Committed bool
}

// Source is a live.Source over one partition.
type Source struct {
	cfg  SourceConfig
	keys map[string]engine.KeyID
	cl   *kgo.Client
	next int32

	mu      sync.Mutex
	covered int64 // newest position not yet told to the group; -1: none
	telling bool
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// NewSource makes a source; nothing is connected before Open.
func NewSource(cfg SourceConfig) *Source {
	return &Source{cfg: cfg, keys: keyIDs(cfg.Keys), covered: -1}
}

// Open goes to an offset of the partition. An offset that retention has taken away
// is an error at the first Fetch, not a silent jump (facts 13.13).
func (s *Source) Open(_ context.Context, offset int32) error {
	iso := kgo.ReadUncommitted()
	if s.cfg.Committed {
		iso = kgo.ReadCommitted()
	}
	at := map[string]map[int32]kgo.Offset{s.cfg.Topic: {int32(s.cfg.Partition): kgo.NewOffset().At(int64(offset))}}
	cl, err := client(s.cfg.Broker, kgo.ConsumePartitions(at), kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(iso))
	if err != nil {
		return err
	}
	s.cl, s.next = cl, offset
	return nil
}

// Fetch waits for records and appends those that are there, 1000 at most.
func (s *Source) Fetch(ctx context.Context, buf []engine.Record) (out []engine.Record, end bool, err error) {
	for {
		if s.cfg.Until > 0 && s.next >= s.cfg.Until {
			return buf, true, nil
		}
		n := len(buf)
		fetches := s.cl.PollRecords(ctx, 1000)
		for _, e := range fetches.Errors() {
			if errors.Is(e.Err, context.Canceled) || errors.Is(e.Err, context.DeadlineExceeded) {
				return buf, false, ctx.Err()
			}
			return buf, false, fmt.Errorf("read topic %s, partition %d at offset %d: %w", s.cfg.Topic, s.cfg.Partition, s.next, e.Err)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			r, err := s.record(it.Next())
			if err != nil {
				return buf[:n], false, err
			}
			if s.cfg.Until == 0 || r.ID.Off < s.cfg.Until {
				buf = append(buf, r)
			}
			s.next = r.ID.Off + 1
		}
		if len(buf) > n {
			return buf, false, nil
		}
	}
}

func (s *Source) record(r *kgo.Record) (engine.Record, error) {
	if r.Offset >= math.MaxInt32 {
		return engine.Record{}, fmt.Errorf("topic %s, partition %d: offset %d is beyond %d, where positions end", r.Topic, r.Partition, r.Offset, math.MaxInt32-1)
	}
	out := engine.Record{ID: engine.RecordID{Part: int16(r.Partition), Off: int32(r.Offset)}}
	key, ok := s.keys[string(r.Key)]
	if !ok {
		return out, misread(r, "the key", r.Key, "one of the input's keys")
	}
	v, err := strconv.ParseInt(string(r.Value), 10, 64)
	if err != nil {
		return out, misread(r, "the value", r.Value, "a number in decimal")
	}
	out.Key, out.Value = key, v
	return out, nil
}

// Covered tells the group where a completed checkpoint stands. It does not wait, and
// what goes wrong is not heard of: the position that counts is in the checkpoint.
func (s *Source) Covered(_ context.Context, offset int32) {
	if s.cfg.Group == "" || s.cl == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.covered = int64(offset)
	if s.telling {
		return
	}
	ctx := context.Background()
	ctx, s.stop = context.WithCancel(ctx)
	s.telling = true
	s.done.Go(func() { s.tell(ctx) })
}

func (s *Source) tell(ctx context.Context) {
	adm := kadm.NewClient(s.cl)
	for {
		s.mu.Lock()
		at := s.covered
		s.covered = -1
		if at < 0 || ctx.Err() != nil {
			s.telling = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		var os kadm.Offsets
		os.AddOffset(s.cfg.Topic, int32(s.cfg.Partition), at, -1)
		_, _ = adm.CommitOffsets(ctx, s.cfg.Group, os)
	}
}

// Close ends the source. Opening it again is allowed.
func (s *Source) Close() error {
	s.mu.Lock()
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.done.Wait()
	if s.cl != nil {
		s.cl.Close()
		s.cl = nil
	}
	return nil
}

// Feed appends input to a topic: partition p of the input goes to partition p. It
// returns when the broker has acknowledged everything. A repeat within one call is
// recognised by the broker (idempotent producer, facts 5.1); a repeated call writes
// again, behind the first.
func Feed(ctx context.Context, b Broker, topic string, in []engine.Record, keys []string) error {
	cl, err := client(b, kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		return err
	}
	defer cl.Close()
	var first kgo.FirstErrPromise
	for i := range in {
		key, err := keyName(keys, in[i].Key)
		if err != nil {
			return err
		}
		cl.Produce(ctx, &kgo.Record{Topic: topic, Partition: int32(in[i].ID.Part), Key: []byte(key),
			Value: strconv.AppendInt(nil, in[i].Value, 10)}, first.Promise())
	}
	if err := cl.Flush(ctx); err != nil {
		return fmt.Errorf("feed topic %s: %w", topic, err)
	}
	if err := first.Err(); err != nil {
		return fmt.Errorf("feed topic %s: %w", topic, err)
	}
	return nil
}
