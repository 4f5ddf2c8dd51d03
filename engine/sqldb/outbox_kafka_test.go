package sqldb_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/kafka"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/sqldb"
)

// topicPublisher takes events to a Kafka topic without transactions. It dies after
// a publication that the broker has acknowledged, before it can say so.
type topicPublisher struct {
	sink *kafka.Append
	keys []string
	dies int
}

var errDied = errors.New("the relay dies here")

func (p *topicPublisher) Publish(ctx context.Context, events []sqldb.Event) error {
	for _, e := range events {
		id, err := engine.ParseRecordID(e.ID)
		if err != nil {
			return err
		}
		r := engine.Record{ID: id, Value: e.Value, Attempt: 1}
		for k, name := range p.keys {
			if name == e.Key {
				r.Key = engine.KeyID(k)
			}
		}
		if _, err := p.sink.Perform(ctx, &machine.Effect{Kind: machine.DoWrite, Record: r}, &engine.Event{}); err != nil {
			return err
		}
	}
	if err := p.sink.Flush(ctx); err != nil {
		return err
	}
	if p.dies--; p.dies >= 0 {
		return errDied
	}
	return nil
}

// The outbox over a broker that speaks Kafka's protocol: the relay dies three times
// between the topic and its marks. The topic has repeats; behind the check of ids
// the reader's table is the writer's.
func TestOutboxThroughKafka(t *testing.T) {
	ctx, keys := t.Context(), []string{"ana", "bo", "cy"}
	b, err := kafka.Embed(kafka.EmbedConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = b.Close() }()
	if err := kafka.CreateTopics(ctx, b, kafka.Topic{Name: "orders", Partitions: 2}); err != nil {
		t.Fatal(err)
	}
	sink := kafka.NewAppend(kafka.SinkConfig{Broker: b, Topic: "orders", Keys: keys})
	if _, err := sink.Open(ctx, live.Life{}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sink.Close() }()
	address := filepath.Join(t.TempDir(), "shop.db")
	db, err := sqldb.Open(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	shop, inbox := db.Outbox(sqldb.OutboxOptions{Place: "shop"}), db.Inbox(sqldb.OutboxOptions{Place: "reader"})
	for n := range 20 {
		e := sqldb.Event{ID: engine.RecordID{Off: int32(n)}.String(), Key: keys[n%3], Value: int64(n + 1)}
		if _, err := shop.Apply(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	to := &topicPublisher{sink: sink, keys: keys, dies: 3}
	for left := -1; left != 0; {
		if left, err = shop.Relay(ctx, to, 6); err != nil && !errors.Is(err, errDied) {
			t.Fatal(err)
		} else if err != nil {
			left = -1
		}
	}
	rows, err := (&kafka.Reader{Broker: b, Topic: "orders"}).Rows(ctx)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, r := range rows {
		again, err := inbox.Receive(ctx, sqldb.Event{ID: r.ID.String(), Key: r.Key, Value: r.Value})
		if err != nil {
			t.Fatal(err)
		}
		if again {
			known++
		}
	}
	if len(rows) != 38 || known != 18 {
		t.Errorf("%d rows in the topic, %d of them known; want 38 and 18: three times six again", len(rows), known)
	}
	if got, want := stands(t, address, "reader"), stands(t, address, "shop"); got != want || len(got) < 20 {
		t.Errorf("the reader has %s, the shop %s", got, want)
	}
}

func stands(t *testing.T, address, place string) string {
	t.Helper()
	r, err := sqldb.NewReader(address, place)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	rows, err := r.Rows(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(rows)
}
