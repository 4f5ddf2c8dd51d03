package kafka

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// onKfake runs a sequence against an embedded broker of its own, in virtual time.
func onKfake(t *testing.T, ops []op) (err error) {
	synctest.Test(t, func(t *testing.T) {
		b, berr := Embed(EmbedConfig{InMemory: true})
		if berr != nil {
			t.Fatal(berr)
		}
		defer b.Close()
		r := newSameRun(newEnv(t, b, false), time.Minute, func(*sameRun, func() bool) { <-time.After(time.Minute) })
		defer r.close()
		err = r.run(ops)
	})
	return err
}

// onApache runs it against the real broker. If the machine was so slow that a
// transaction may have expired on the way, it is run again with more time.
func onApache(t *testing.T, b Broker, ops []op, timeout time.Duration) error {
	for n := 0; ; n++ {
		e := newEnv(t, b, true)
		e.name = fmt.Sprintf("%s.%d", e.name, n)
		r := newSameRun(e, timeout, func(r *sameRun, enough func() bool) {
			for end := time.Now().Add(2 * r.timeout); !enough() && time.Now().Before(end); {
			}
		})
		err := r.run(ops)
		r.close()
		if !errors.Is(err, errSlow) || n == 4 {
			return err
		}
		timeout *= 2
	}
}

// differ fails the test with the smallest sequence that still shows the difference.
func differ(t *testing.T, what string, ops []op, err error, run func([]op) error) {
	t.Helper()
	small := shrink(ops, func(less []op) bool {
		err := run(less)
		return err != nil && !errors.Is(err, errSlow)
	})
	t.Fatalf("%s differs from the model: %v\nthe sequence: %s\nshrunk: %s\nwhere it differs: %v", what, err, sequenceText(ops), sequenceText(small), run(small))
}

func conformKfake(t *testing.T, from, n uint64) {
	for seed := from; seed < from+n; seed++ {
		ops := sequence(seed)
		if err := onKfake(t, ops); err != nil {
			differ(t, fmt.Sprintf("kfake, seed %d,", seed), ops, err, func(ops []op) error { return onKfake(t, ops) })
		}
	}
}

// conformApache runs n sequences without expiry, of one minute's timeout, and then
// some with it, of two seconds.
func conformApache(t *testing.T, n, expiring uint64) {
	b := Connect(strings.Split(os.Getenv("TEST_KAFKA_BROKERS"), ",")...)
	for seed := range n {
		ops := sequence(seed, "expire")
		if err := onApache(t, b, ops, time.Minute); err != nil {
			differ(t, fmt.Sprintf("Apache Kafka, seed %d,", seed), ops, err, func(ops []op) error { return onApache(t, b, ops, time.Minute) })
		}
	}
	for seed := uint64(0); expiring > 0; seed++ {
		if ops := sequence(seed); strings.Contains(sequenceText(ops), "expire") {
			expiring--
			if err := onApache(t, b, ops, 2*time.Second); err != nil {
				differ(t, fmt.Sprintf("Apache Kafka, expiry, seed %d,", seed), ops, err, func(ops []op) error { return onApache(t, b, ops, 2*time.Second) })
			}
		}
	}
}

func TestTheModelIsKfake(t *testing.T) { conformKfake(t, 0, 300) }

func TestTheModelIsApacheKafka(t *testing.T) {
	if os.Getenv("TEST_KAFKA_BROKERS") == "" {
		t.Log("no TEST_KAFKA_BROKERS: nothing was compared; make kafka starts a broker and does it")
		return
	}
	noLeaks(t)
	conformApache(t, 20, 2)
}
