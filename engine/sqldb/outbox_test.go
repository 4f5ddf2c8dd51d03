package sqldb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// memoryTopic keeps what was published, repeats included.
type memoryTopic struct {
	events []Event
	after  func() // called when a publication is acknowledged
}

func (m *memoryTopic) Publish(_ context.Context, events []Event) error {
	m.events = append(m.events, events...)
	if m.after != nil {
		m.after()
	}
	return nil
}

func eventOf(n int) Event {
	return Event{ID: fmt.Sprintf("P%d:%d", n%2, n/2), Key: []string{"ana", "bo", "cy"}[n%3], Value: int64(n + 1)}
}

// balances are what stands in a place, by key.
func balances(t *testing.T, address, place string) map[string]int64 {
	t.Helper()
	rows, err := reader(t, address, place).Rows(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int64{}
	for _, r := range rows {
		out[r.Key] = r.Value
	}
	return out
}

// Writers and relays die at every point at which they can. Every change has its
// event in the topic, some more than once; behind the reader's check each has
// taken effect once.
func TestOutboxSurvivesEveryDeath(t *testing.T) {
	each(t, func(t *testing.T, address string) {
		ctx, db, r := context.Background(), hasty(t, address), rand.New(rand.NewPCG(8, 8))
		topic, want := &memoryTopic{}, map[string]int64{}
		died := map[string]int{}
		for n := range 40 {
			e := eventOf(n)
			want[e.Key] += e.Value
			for done := false; !done; { // the input is replayed until it was acknowledged
				o := db.Outbox(OutboxOptions{Place: "shop", Patience: -1})
				done = die(o.ses, []string{"", "COMMIT", "INSERT INTO eo_balances"}[r.IntN(3)], func() error { _, err := o.Apply(ctx, e); return err }, died)
				_ = o.Close()
			}
			relay := db.Outbox(OutboxOptions{Place: "shop", Patience: -1})
			die(relay.ses, []string{"", "UPDATE eo_outbox"}[r.IntN(2)], func() error { _, err := relay.Relay(ctx, topic, 3); return err }, died)
			_ = relay.Close()
		}
		relay := db.Outbox(OutboxOptions{Place: "shop"})
		defer func() { _ = relay.Close() }()
		for left := -1; left != 0; {
			var err error
			if left, err = relay.Relay(ctx, topic, 7); err != nil {
				t.Fatal(err)
			}
		}
		repeats := received(t, db, topic.events)
		if repeats == 0 || died["UPDATE eo_outbox"] == 0 || died["COMMIT"] == 0 {
			t.Errorf("no relay died between the topic and its mark: %d repeats, deaths %v", repeats, died)
		}
		for _, place := range []string{"shop", "reader"} {
			if got := balances(t, address, place); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s has %v, want %v", place, got, want)
			}
		}
		t.Logf("%d changes, %d events in the topic, %d of them repeats, deaths %v", 40, len(topic.events), repeats, died)
	})
}

// die runs do with a session that dies at a statement, and reports whether it was
// acknowledged.
func die(ses *session, at string, do func() error, died map[string]int) bool {
	ses.inject = func(query string) error {
		if at != "" && len(query) >= len(at) && query[:len(at)] == at {
			died[at]++
			return errLost
		}
		return nil
	}
	return do() == nil
}

// received hands what is in a topic to a reader, and tells how many it knew.
func received(t *testing.T, db *DB, events []Event) int {
	t.Helper()
	in := db.Inbox(OutboxOptions{Place: "reader"})
	defer func() { _ = in.Close() }()
	repeats := 0
	for _, e := range events {
		known, err := in.Receive(context.Background(), e)
		if err != nil {
			t.Fatal(err)
		}
		if known {
			repeats++
		}
	}
	return repeats
}

// Of two transactions the one with the smaller number commits later. A relay that
// has been past it by then must still find its event.
func TestRelayFindsWhatCommitsLate(t *testing.T) {
	ctx, address := context.Background(), shared.Get().URL(t)
	db, topic := hasty(t, address), &memoryTopic{}
	slow, quick, relay := db.Outbox(OutboxOptions{}), db.Outbox(OutboxOptions{}), db.Outbox(OutboxOptions{})
	begun, finish, done := make(chan struct{}), make(chan struct{}), make(chan error)
	slow.ses.inject = func(query string) error {
		if query == "COMMIT" {
			close(begun)
			<-finish
		}
		return nil
	}
	go func() {
		_, err := slow.Apply(ctx, eventOf(0))
		done <- err
	}()
	<-begun
	if _, err := quick.Apply(ctx, eventOf(1)); err != nil {
		t.Fatal(err)
	}
	if n, err := relay.Relay(ctx, topic, 10); n != 1 || err != nil {
		t.Fatalf("while one transaction is open: %d events, %v", n, err)
	}
	close(finish)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if n, err := relay.Relay(ctx, topic, 10); n != 1 || err != nil || topic.events[1] != eventOf(0) {
		t.Errorf("the event that was committed late is not found: %d, %v, %v", n, err, topic.events)
	}
}
