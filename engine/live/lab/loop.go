package lab

import (
	"context"
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/check"
	"effectivelyonce/engine/kafka"
)

// awaitRest looks whether the group has committed all input. Nobody but the broker
// knows: a loop has no coordinator of its own.
func (l *Lab) awaitRest() {
	l.mu.Lock()
	cfg := l.config()
	l.mu.Unlock()
	until := make([]int32, partitions)
	for p := range until {
		until[p] = l.Spec.until(p)
	}
	for l.pause(judgeEvery) {
		l.mu.Lock()
		b, all := l.broker, slices.Equal(l.fed, until)
		l.mu.Unlock()
		if b == nil || !all {
			continue
		}
		ctx, cancel := context.WithTimeout(l.ctx, judgeTime)
		over, err := kafka.StreamsAtRest(ctx, &kafka.StreamsConfig{Broker: b, Group: cfg.group(), Input: cfg.input(), Output: cfg.output(), Changelog: cfg.changes()}, until)
		cancel()
		if over && err == nil { // what went wrong may pass
			l.say("broker", "the group has committed all input, and no transaction is open", true)
			l.finished(&done{AtRest: true, Why: engine.AtRest.String()})
			return
		}
	}
}

// checkChangelog compares the last count of each key and partition in the changelog
// with what was fed. A state that does not fit is a wrong value, whatever the rows say.
func (l *Lab) checkChangelog(ctx context.Context, v *check.Verdict) error {
	l.mu.Lock()
	cfg, b := l.config(), l.broker
	l.mu.Unlock()
	if b == nil || v.Reader == string(engine.ReadUncommitted) { // which sees what was aborted too
		return nil
	}
	rows, err := (&kafka.Reader{Broker: b, Topic: cfg.changes(), Committed: true}).Rows(ctx)
	if err != nil {
		return err
	}
	type cell struct {
		part int16
		key  string
	}
	is, want := map[cell]int64{}, map[cell]int64{}
	for _, r := range rows {
		is[cell{r.ID.Part, r.Key}] = r.Value
	}
	for p, part := range l.Job.Input.Parts {
		for _, d := range part {
			want[cell{int16(p), l.Job.Input.Keys[d.Key]}]++
		}
	}
	keys := keyNumbers(l.Job)
	for c, n := range is {
		if want[c] != n {
			v.Wrong++
			v.WrongRows = addRef(v.WrongRows, check.Ref{ID: engine.NoRecord, Key: keys[c.key], Value: n})
		}
	}
	if len(is) != len(want) {
		v.Wrong++
	}
	v.Class = classOf(v)
	return nil
}
