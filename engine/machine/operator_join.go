package machine

import (
	"slices"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// timedJoin is a stream–table join in event time: a record waits until the
// watermark has reached its time, so that every change of the table before it is
// known, and gets the version that was valid then (Flink 2.x event-time temporal
// join). What a replay finds does not depend on which partition is read first.
// Versions are kept; a real table drops those that the watermark has passed.
type timedJoin struct {
	table    []int64 // the newest value by key, for those who look
	versions []world.Version
	waiting  []engine.Record // by event time, then in order of arrival
}

func (j *timedJoin) take(op *operator, e *Effect, r *engine.Record, out *Out, emit func(*engine.Record)) bool {
	at := op.job.EventTime(r.ID)
	if op.job.IsChange(r.ID) {
		e.Reason, e.Before, e.After = engine.TableChange, j.table[r.Key], r.Value
		j.table[r.Key] = r.Value
		j.versions = append(j.versions, world.Version{Key: r.Key, Since: at, Value: r.Value})
		out.add(*e)
		return false
	}
	e.Reason = engine.AwaitsTime
	out.add(*e)
	i := len(j.waiting)
	for i > 0 && op.job.EventTime(j.waiting[i-1].ID) > at {
		i--
	}
	j.waiting = slices.Insert(j.waiting, i, *r)
	j.release(op, out, emit)
	return false
}

func (j *timedJoin) passed(op *operator, out *Out, emit func(*engine.Record)) {
	j.release(op, out, emit)
}

// release joins what event time has gone past. A watermark says that nothing
// earlier follows, so a record of that very time may still be preceded by a change.
func (j *timedJoin) release(op *operator, out *Out, emit func(*engine.Record)) {
	n := 0
	for ; n < len(j.waiting) && op.job.EventTime(j.waiting[n].ID) < op.clock.mark; n++ {
		r := j.waiting[n]
		joined := engine.Joined(r.Value, j.at(r.Key, op.job.EventTime(r.ID)))
		out.add(Effect{Kind: DoJoin, Record: r, Before: r.Value, After: joined})
		r.Value = joined
		emit(&r)
	}
	j.waiting = append(j.waiting[:0], j.waiting[n:]...)
}

// at is what the table holds for a key at an event time.
func (j *timedJoin) at(key engine.KeyID, t engine.Time) int64 {
	held, newest := int64(0), engine.NoTime
	for _, v := range j.versions {
		if v.Key == key && v.Since <= t && v.Since >= newest {
			held, newest = v.Value, v.Since
		}
	}
	return held
}

func (j *timedJoin) save(s *world.OpState) {
	s.Table, s.Versions, s.Waiting = slices.Clone(j.table), slices.Clone(j.versions), slices.Clone(j.waiting)
}

func (j *timedJoin) load(s *world.OpState) {
	clear(j.table)
	j.versions, j.waiting = j.versions[:0], j.waiting[:0]
	if s != nil {
		copy(j.table, s.Table)
		j.versions, j.waiting = append(j.versions, s.Versions...), append(j.waiting, s.Waiting...)
	}
}

func (j *timedJoin) entries() int64 { return int64(len(j.versions) + len(j.waiting)) }

func (j *timedJoin) fork(into keyed) keyed {
	c, ok := into.(*timedJoin)
	if !ok {
		c = &timedJoin{}
	}
	c.table = append(c.table[:0], j.table...)
	c.versions, c.waiting = append(c.versions[:0], j.versions...), append(c.waiting[:0], j.waiting...)
	return c
}
