package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// tally is what occurred in sequences, so that it can be seen that something did.
type tally map[string]int

func (n tally) String() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(n)) {
		out = append(out, fmt.Sprintf("%s %d", k, n[k]))
	}
	return strings.Join(out, ", ")
}

// onKfake runs a sequence against an embedded broker of its own, in virtual time, with
// a mistake in the model, or none.
func onKfake(t *testing.T, ops []op, wrong mistake, saw tally) (err error) {
	synctest.Test(t, func(t *testing.T) {
		b, berr := Embed(EmbedConfig{InMemory: true})
		if berr != nil {
			t.Fatal(berr)
		}
		defer b.Close()
		e := newEnv(t, b, false)
		ctx, cancel := context.WithTimeout(context.Background(), 24*time.Hour) // of virtual time
		defer cancel()
		e.ctx = ctx
		r := newSameRun(e, time.Minute, func(*sameRun, func() bool) { <-time.After(time.Minute) })
		defer r.close()
		r.m.wrong, r.saw = wrong, saw
		err = r.run(ops)
	})
	return err
}

// onApache runs it against the real broker. If the machine was so slow that a
// transaction may have expired on the way, it is run again with more time.
func onApache(t *testing.T, b Broker, ops []op, timeout time.Duration, saw tally) error {
	for n := 0; ; n++ {
		e := newEnv(t, b, true)
		e.name = fmt.Sprintf("%s.%d", e.name, n)
		r := newSameRun(e, timeout, func(r *sameRun, enough func() bool) {
			for end := time.Now().Add(2 * r.timeout); !enough() && time.Now().Before(end); {
			}
		})
		r.saw = tally{}
		err := r.run(ops)
		r.close()
		if !errors.Is(err, errSlow) || n == 4 {
			for k, v := range r.saw {
				saw[k] += v
			}
			return err
		}
		timeout *= 2
	}
}

// differ fails the test with the smallest sequence that still shows the difference.
func differ(t *testing.T, what string, ops []op, err error, run func([]op) error) {
	t.Helper()
	small := smallest(ops, run)
	t.Fatalf("%s differs from the model: %v\nthe sequence: %s\nshrunk: %s\nwhere it differs: %v", what, err, sequenceText(ops), sequenceText(small), run(small))
}

func smallest(ops []op, run func([]op) error) []op {
	return shrink(ops, func(less []op) bool {
		err := run(less)
		return err != nil && !errors.Is(err, errSlow)
	})
}

func sameOnKfake(t *testing.T, what string, ops []op, saw tally) {
	t.Helper()
	if err := onKfake(t, ops, none, saw); err != nil {
		differ(t, what, ops, err, func(ops []op) error { return onKfake(t, ops, none, tally{}) })
	}
}

func conformKfake(t *testing.T, from, n uint64) {
	saw := tally{}
	for seed := from; seed < from+n; seed++ {
		sameOnKfake(t, fmt.Sprintf("kfake, seed %d,", seed), sequence(seed), saw)
	}
	t.Logf("%d sequences agree: %s", n, saw)
}

// conformApache runs n sequences without expiry, of one minute's timeout, and then
// some in which transactions expire after two seconds.
func conformApache(t *testing.T, b Broker, from, n, expiring uint64) {
	saw := tally{}
	for seed := from; seed < from+n; seed++ {
		sameOnApache(t, b, fmt.Sprintf("Apache Kafka, seed %d,", seed), sequence(seed, "expire"), time.Minute, saw)
	}
	t.Logf("%d sequences agree: %s", n, saw)
	saw = tally{}
	with := uint64(0)
	for seed := from; with < expiring; seed++ {
		before := saw["expired"]
		if ops := sequence(seed); expires(ops) {
			sameOnApache(t, b, fmt.Sprintf("Apache Kafka, expiry, seed %d,", seed), ops, expiry, saw)
		}
		if saw["expired"] > before {
			with++
		}
	}
	t.Logf("%d sequences with expiry agree: %s", with, saw)
}

// expiry is the timeout of transactions that are to expire at a real broker.
const expiry = 2 * time.Second

func expires(ops []op) bool {
	return slices.ContainsFunc(ops, func(o op) bool { return o.kind == "expire" })
}

func sameOnApache(t *testing.T, b Broker, what string, ops []op, timeout time.Duration, saw tally) {
	t.Helper()
	if err := onApache(t, b, ops, timeout, saw); err != nil {
		differ(t, what, ops, err, func(ops []op) error { return onApache(t, b, ops, timeout, tally{}) })
	}
}

// apache is the real broker that TEST_KAFKA_BROKERS names.
func apache(t *testing.T) (Broker, bool) {
	addrs := os.Getenv("TEST_KAFKA_BROKERS")
	if addrs == "" {
		t.Log("no TEST_KAFKA_BROKERS: nothing was compared; make kafka starts a broker and does it")
		return nil, false
	}
	noLeaks(t)
	return Connect(strings.Split(addrs, ",")...), true
}

func TestTheModelIsKfake(t *testing.T) { conformKfake(t, 0, 400) }

func TestTheModelIsApacheKafka(t *testing.T) {
	if b, ok := apache(t); ok {
		conformApache(t, b, 0, 20, 2)
	}
}
