package lab

import (
	"context"
	"fmt"
	"strings"
	"time"

	"effectivelyonce/engine/kafka"
)

// loop is a worker that needs no coordinator: a member of a consumer group that
// commits its position, its state and its results by itself. When it is killed, its
// transaction stays open until its next life, which has the same transactional id,
// registers. One that is frozen is not replaced: the group gives its partitions to the
// other worker, as Kafka does.
func (w *working) loop(ctx context.Context) error {
	s := kafka.NewStreams(kafka.StreamsConfig{Broker: w.broker, Keys: w.job.Input.Keys, Input: w.cfg.input(), Output: w.cfg.output(), Changelog: w.cfg.changes(),
		Group: w.cfg.group(), ID: fmt.Sprintf("%s-node-%d", w.cfg.Lab, w.cfg.Node), Attempt: int16(w.cfg.Life),
		Interval: time.Duration(w.job.Settings.CommitInterval) * time.Microsecond, Timeout: time.Duration(w.job.Settings.StreamsTimeout()) * time.Microsecond,
		Session: w.cfg.Session, Notice: w.looped})
	for {
		err := s.Run(ctx)
		switch {
		case err == nil:
			return nil
		case kafka.Fenced(err):
			w.say("is fenced: the broker refuses its epoch or its transaction")
			return err
		}
		w.say("starts over: " + err.Error())
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(again):
		}
	}
}

// looped puts what a loop tells into words. That a transaction was committed is what
// the readers see.
func (w *working) looped(n kafka.StreamsNotice) {
	switch n.Kind {
	case kafka.StreamsOwns:
		w.say("the group gives it " + partsWords(n.Partitions))
	case kafka.StreamsRestored:
		w.say(fmt.Sprintf("has read %d changes of the state of %s", n.Rows, partsWords(n.Partitions)))
	case kafka.StreamsAborted:
		why := "partitions have moved meanwhile"
		if n.Why != nil {
			why = n.Why.Error()
		}
		w.say(fmt.Sprintf("its transaction of %d rows is aborted: %s", n.Rows, why))
	}
}

func partsWords(parts []int32) string {
	switch len(parts) {
	case 0:
		return "no partition"
	case 1:
		return fmt.Sprintf("partition %d", parts[0])
	}
	return "partitions " + strings.Trim(strings.ReplaceAll(fmt.Sprint(parts), " ", ", "), "[]")
}
