package lab

import (
	"context"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/kafka"
)

const (
	feedEvery = 100 * time.Millisecond
	feedMost  = 2000 // records at a time
	feedTime  = 10 * time.Second
	// bringTime is how long records under way are left to the client, which sends them
	// again as often as it must, and the broker recognises the repeat. To give up
	// sooner would be wrong: what a stopped broker has received it appends when it
	// goes on, and a second client would bring the same records once more.
	bringTime = 2 * MostCut
)

// feed fills the input topic at the rate that is set, partition after partition in
// turn. The topic is the truth: after an error the feeder asks it how far it came.
func (l *Lab) feed() {
	tick := time.NewTicker(feedEvery)
	defer tick.Stop()
	owed, sure := 0.0, false
	for {
		select {
		case <-l.ctx.Done():
			return
		case <-tick.C:
		}
		l.mu.Lock()
		b, rate := l.broker, l.rate
		l.mu.Unlock()
		if b == nil {
			sure = false
			continue
		}
		if !sure {
			sure = l.findEnd(b)
			continue
		}
		n := feedMost
		if rate > 0 {
			owed = min(owed+rate*feedEvery.Seconds(), feedMost)
			n = int(owed)
			owed -= float64(n)
		}
		if recs := l.batch(n); len(recs) > 0 {
			sure = l.bring(b, recs)
		}
	}
}

// batch is the next n records, or as many as are left.
func (l *Lab) batch(n int) []engine.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := append([]int32(nil), l.fed...)
	var out []engine.Record
	for len(out) < n {
		p := 0
		for q := range at {
			if at[q] < l.Spec.until(q) && (at[p] >= l.Spec.until(p) || at[q] < at[p]) {
				p = q
			}
		}
		if at[p] >= l.Spec.until(p) {
			break
		}
		out = append(out, l.Spec.record(p, at[p]))
		at[p]++
	}
	return out
}

// bring appends records to the topic. False: nobody knows how many arrived.
func (l *Lab) bring(b kafka.Broker, recs []engine.Record) bool {
	ctx, cancel := context.WithTimeout(l.ctx, bringTime)
	defer cancel()
	if err := kafka.Feed(ctx, b, l.input(), recs, keyNames()); err != nil {
		if l.ctx.Err() == nil {
			l.say("feeder", err.Error(), true)
		}
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range recs {
		l.fed[recs[i].ID.Part] = recs[i].ID.Off + 1
	}
	l.touch()
	return true
}

func (l *Lab) input() string  { return "lab-" + l.ID + "-in" }
func (l *Lab) output() string { return "lab-" + l.ID + "-out" }

// findEnd asks the topic how many records it has.
func (l *Lab) findEnd(b kafka.Broker) bool {
	ctx, cancel := context.WithTimeout(l.ctx, feedTime)
	defer cancel()
	ends, err := kafka.Ends(ctx, b, l.input(), false)
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, n := range ends {
		l.fed[p] = int32(n)
	}
	return true
}
