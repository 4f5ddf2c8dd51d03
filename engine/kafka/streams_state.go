package kafka

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
)

// membership is what the group has told: which partitions are this member's. The client
// calls it from goroutines of its own.
type membership struct {
	mu    sync.Mutex
	owned []int32
	past  []int32 // given up since settle
	news  bool
}

func (m *membership) assigned(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, list := range parts {
		m.owned = append(m.owned, list...)
		m.news = m.news || len(list) > 0
	}
	slices.Sort(m.owned)
	m.owned = slices.Compact(m.owned)
}

func (m *membership) gone(_ context.Context, _ *kgo.Client, parts map[string][]int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, list := range parts {
		m.owned = slices.DeleteFunc(m.owned, func(p int32) bool { return slices.Contains(list, p) })
		m.past = append(m.past, list...)
		m.news = m.news || len(list) > 0
	}
}

// moved reports whether partitions have come or gone since settle.
func (m *membership) moved() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.news
}

// settle takes note: the state of these partitions is no longer this member's, even
// where they have come back since.
func (m *membership) settle() (past, now []int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	past = m.past
	m.past, m.news = nil, false
	return past, slices.Clone(m.owned)
}

func (m *membership) now() []int32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.owned)
}

// knows reports whether the state of every record's partition is there.
func (s *Streams) knows(recs []*kgo.Record) bool {
	for _, r := range recs {
		if s.state[r.Partition] == nil {
			return false
		}
	}
	return true
}

// restore reads the changelog of every partition whose state is missing, outside of
// any transaction of its own. It reads up to where the changelog ends now, and waits
// where that is hidden behind a transaction of another life: its owner or its time ends
// it. The position that led here was a stable one (KIP-447), so the writer before this
// one has ended everything that counts.
func (s *Streams) restore(ctx context.Context, recs []*kgo.Record) error {
	parts := s.group.now()
	for _, r := range recs {
		if !slices.Contains(parts, r.Partition) {
			return nil // it has gone again; its records do not come any more
		}
	}
	parts = slices.DeleteFunc(parts, func(p int32) bool { return s.state[p] != nil })
	ends, err := ends(ctx, s.sess.Client(), s.cfg.Changelog, false)
	if err != nil {
		return err
	}
	read := 0
	for _, p := range parts {
		counts := map[string]int64{}
		err := readTo(ctx, s.sess.Client(), partition{s.cfg.Changelog, p, true}, 0, ends[p], func(r *kgo.Record) error {
			read++
			n, err := strconv.ParseInt(string(r.Value), 10, 64)
			if err != nil {
				return misread(r, "the count", r.Value, "a number in decimal")
			}
			counts[string(r.Key)] = n
			return nil
		})
		if err != nil {
			return fmt.Errorf("restore the state of partition %d: %w", p, err)
		}
		s.state[p] = counts
	}
	s.cfg.Notice(StreamsNotice{Kind: StreamsRestored, Partitions: parts, Rows: read})
	return nil
}

// change is an entry of the changelog: how many records of the key were counted, and
// by which attempt.
func change(topic string, p int32, key string, n int64, attempt int16) *kgo.Record {
	return &kgo.Record{Topic: topic, Partition: p, Key: []byte(key), Value: strconv.AppendInt(nil, n, 10),
		Headers: []kgo.RecordHeader{{Key: headerAttempt, Value: strconv.AppendInt(nil, int64(attempt), 10)}}}
}
