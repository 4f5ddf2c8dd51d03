package lab

import (
	"context"
	"fmt"
	"time"

	"effectivelyonce/engine/kafka"
)

// A broker that is stopped, or cut off from everything, takes requests and answers
// none. Nobody but a client's patience would notice.
const (
	pulseEvery = time.Second
	pulseTime  = 3 * time.Second // without an answer for so long, a broker is silent
)

// pulse asks the broker for a sign of life again and again, and says when there is
// none and when it is back. Nothing else follows from it: who needs the broker waits.
func (l *Lab) pulse() {
	for l.pause(pulseEvery) {
		l.mu.Lock()
		b := l.broker
		l.mu.Unlock()
		if b == nil {
			continue // its process has not come up, which is said elsewhere
		}
		asked := time.Now()
		ctx, cancel := context.WithTimeout(l.ctx, pulseTime)
		err := kafka.Ping(ctx, b)
		cancel()
		if l.ctx.Err() == nil {
			l.heard(err == nil, asked)
		}
	}
}

// heard notes whether the broker has answered what it was asked.
func (l *Lab) heard(answer bool, asked time.Time) {
	l.mu.Lock()
	since := l.silent
	switch {
	case answer:
		l.silent = time.Time{}
	case since.IsZero():
		l.silent = asked
	}
	if !answer || !since.IsZero() {
		l.touch()
	}
	l.mu.Unlock()
	switch {
	case answer && !since.IsZero():
		l.say("broker", fmt.Sprintf("answers again, after %s", time.Since(since).Round(time.Second)), true)
	case !answer && since.IsZero():
		l.say("broker", fmt.Sprintf("has given no answer for %s. Who needs it waits, and goes on when it answers", pulseTime), true)
	}
}
