package kafka

import (
	"context"
	"fmt"

	"effectivelyonce/engine/live"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Reader reads a whole topic, as one that knows nothing of the job. It is a
// live.Reader.
type Reader struct {
	Broker Broker
	Topic  string
	// Committed: isolation.level read_committed, which stops at the first transaction
	// that is still open (the last stable offset, facts 5.10). Otherwise
	// read_uncommitted, Kafka's default, which sees aborted rows too.
	Committed bool
}

// Rows reads each partition from its beginning to where it ends at the time of the
// call, partition after partition.
func (r *Reader) Rows(ctx context.Context) ([]live.Row, error) {
	cl, err := client(r.Broker)
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	var out []live.Row
	err = r.read(ctx, cl, func(rec *kgo.Record) error {
		row, err := readRow(rec)
		if err == nil {
			out = append(out, row)
		}
		return err
	})
	return out, err
}

// read hands over every record that the reader sees. It asks the brokers itself: a
// consumer does not tell how far it has come where nothing is to be shown.
func (r *Reader) read(ctx context.Context, cl *kgo.Client, each func(*kgo.Record) error) error {
	ends, err := ends(ctx, cl, r.Topic, r.Committed)
	if err != nil {
		return err
	}
	for p, end := range ends {
		if err := readTo(ctx, cl, partition{r.Topic, int32(p), r.Committed}, 0, end, each); err != nil {
			return err
		}
	}
	return nil
}

type partition struct {
	topic     string
	n         int32
	committed bool
}

// readTo reads a partition from one offset to another, which must be visible, or
// become so: it waits for what is not.
func readTo(ctx context.Context, cl *kgo.Client, p partition, from, to int64, each func(*kgo.Record) error) error {
	if from >= to {
		return nil
	}
	meta, err := kadm.NewClient(cl).Metadata(ctx, p.topic)
	if err != nil {
		return fmt.Errorf("metadata of topic %s: %w", p.topic, err)
	}
	topic := meta.Topics[p.topic]
	part, ok := topic.Partitions[p.n]
	if !ok || topic.Err != nil {
		return fmt.Errorf("topic %s has no partition %d that could be read: %w", p.topic, p.n, topic.Err)
	}
	for from < to {
		next, err := fetch(ctx, cl, part.Leader, topic.ID, p, from, to, each)
		if err != nil {
			return fmt.Errorf("read topic %s, partition %d at offset %d: %w", p.topic, p.n, from, err)
		}
		from = next
	}
	return nil
}

// fetch asks once and returns the offset to go on with.
func fetch(ctx context.Context, cl *kgo.Client, leader int32, id [16]byte, p partition, from, to int64, each func(*kgo.Record) error) (int64, error) {
	iso := kgo.ReadUncommitted()
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 250, 1, 8<<20
	if p.committed {
		req.IsolationLevel, iso = 1, kgo.ReadCommitted()
	}
	rp := kmsg.NewFetchRequestTopicPartition()
	rp.Partition, rp.FetchOffset, rp.PartitionMaxBytes = p.n, from, 8<<20
	rt := kmsg.NewFetchRequestTopic()
	rt.Topic, rt.TopicID, rt.Partitions = p.topic, id, []kmsg.FetchRequestTopicPartition{rp}
	req.Topics = []kmsg.FetchRequestTopic{rt}
	resp, err := req.RequestWith(ctx, cl.Broker(int(leader)))
	if err != nil {
		return from, err
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return from, err
	}
	if len(resp.Topics) != 1 || len(resp.Topics[0].Partitions) != 1 {
		return from, nil // nothing new within the wait
	}
	opts := kgo.ProcessFetchPartitionOpts{Offset: from, IsolationLevel: iso, Topic: p.topic, Partition: p.n}
	got, next := kgo.ProcessFetchPartition(opts, &resp.Topics[0].Partitions[0], kgo.DefaultDecompressor(), nil)
	if got.Err != nil {
		return from, got.Err
	}
	for _, r := range got.Records {
		if r.Offset >= to {
			break
		}
		if err := each(r); err != nil {
			return from, err
		}
	}
	return next, nil
}
