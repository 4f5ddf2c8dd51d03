package kafka

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// endTxn commits or aborts a transaction of any process, by its handle. No producer
// registers for it, so nothing is fenced by it, and it may be repeated: brokers
// recognise a repeated commit of the same transaction (EndTxn version 5, KIP-890).
func endTxn(ctx context.Context, cl *kgo.Client, h handle, commit bool) error {
	return again(ctx, func() error {
		req := kmsg.NewPtrEndTxnRequest()
		req.TransactionalID, req.ProducerID, req.ProducerEpoch, req.Commit = h.ID, h.Producer, h.Epoch, commit
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
}

// register is InitProducerID: whoever held the id is refused from now on, and what he
// left open is aborted before this returns (facts 5.6).
func register(ctx context.Context, cl *kgo.Client, id string, timeout time.Duration) (handle, error) {
	h := handle{ID: id}
	err := again(ctx, func() error {
		req := kmsg.NewPtrInitProducerIDRequest()
		req.TransactionalID, req.TransactionTimeoutMillis = kmsg.StringPtr(id), int32(timeout.Milliseconds())
		req.ProducerID, req.ProducerEpoch = -1, -1
		resp, err := req.RequestWith(ctx, cl)
		if err != nil {
			return err
		}
		h.Producer, h.Epoch = resp.ProducerID, resp.ProducerEpoch
		return kerr.ErrorForCode(resp.ErrorCode)
	})
	if err != nil {
		return h, fmt.Errorf("register transactional id %s: %w", id, err)
	}
	return h, nil
}

// again repeats a request while the broker says that it is only not yet time.
func again(ctx context.Context, ask func() error) error {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		err := ask()
		var k *kerr.Error
		if err == nil || !errors.As(err, &k) || !k.Retriable && k != kerr.ConcurrentTransactions {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// ongoing reports whether the coordinator takes a transaction for not decided.
func ongoing(state string) bool { return state == "Ongoing" }

// described is what the coordinator knows of an id; ok is false where it knows nothing.
func described(ctx context.Context, cl *kgo.Client, id string) (d kadm.DescribedTransaction, ok bool, err error) {
	err = again(ctx, func() error {
		got, err := kadm.NewClient(cl).DescribeTransactions(ctx, id)
		if err != nil {
			return err
		}
		d, ok = got[id]
		return d.Err
	})
	if errors.Is(err, kerr.TransactionalIDNotFound) {
		return d, false, nil
	}
	if err != nil {
		return d, false, fmt.Errorf("describe transactional id %s: %w", id, err)
	}
	return d, ok, nil
}
