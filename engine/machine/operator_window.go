package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// clock is event time at a task. A source derives it from what it has read, the
// bounded out-of-orderness of Flink 2.x: the latest event time less
// watermark.delay. Every other task takes the least of the watermarks that came on
// its inputs. A watermark W says that no record earlier than W follows (Flink says
// W-1 ms and means the same).
//
// Here the clock is part of the snapshot, as in Flink SQL since FLINK-36663 and as
// in Spark's logs. With watermark.restore=none it starts again from nothing, as in
// Flink's DataStream windows: watermarks come anew from what is read after the
// restore (facts 3.10, incident C51).
type clock struct {
	lanes []engine.Time
	mark  engine.Time // a source: what it sent last
	most  engine.Time
	at    engine.Time // a source: when it sent last, in virtual time
}

func newClock(job *engine.Job, spec *engine.Task) *clock {
	if !job.Settings.Clocked() || spec.Kind == engine.OpSink {
		return nil
	}
	c := &clock{lanes: make([]engine.Time, len(spec.In))}
	c.load(nil, "")
	return c
}

func (c *clock) save(s *world.OpState) {
	s.Lanes, s.Mark, s.Most = append([]engine.Time(nil), c.lanes...), c.mark, c.most
}

func (c *clock) load(s *world.OpState, restore string) {
	c.mark, c.most, c.at = engine.NoTime, engine.NoTime, 0
	for i := range c.lanes {
		c.lanes[i] = engine.NoTime
	}
	if s == nil || restore == "none" {
		return
	}
	copy(c.lanes, s.Lanes)
	c.mark, c.most = s.Mark, s.Most
}

func (c *clock) forkTo(into *clock) *clock {
	if into == nil {
		into = &clock{}
	}
	lanes := append(into.lanes[:0], c.lanes...)
	*into = *c
	into.lanes = lanes
	return into
}

// tick lets a source send a watermark: not before watermark.interval has passed
// since the last one, and only a later one. Flink sends them by a timer
// (pipeline.auto-watermark-interval, default 200 ms in Flink 2.x); here the source
// looks at the time when it reads.
func (op *operator) tick(r *engine.Record, out *Out) {
	if op.clock == nil {
		return
	}
	c, s := op.clock, &op.job.Settings
	c.most = max(c.most, op.job.EventTime(r.ID))
	if mark := c.most - s.WatermarkDelay; mark > c.mark && op.now-c.at >= s.WatermarkInterval {
		op.advance(mark, false, out)
	}
}

// advance makes mark the source's watermark. Quiet: it does not go onto the
// channels, but with the messages of a batch.
func (op *operator) advance(mark engine.Time, quiet bool, out *Out) {
	c := op.clock
	if mark <= c.mark {
		return
	}
	out.add(Effect{Kind: DoWatermark, Chan: engine.NoChan, Value: int64(mark), Before: int64(c.mark), After: int64(mark), Final: quiet})
	c.mark, c.at = mark, op.now
}

// resume tells the next tasks where event time stood: a watermark that was on its
// way when the snapshot was taken is gone.
func (op *operator) resume(out *Out) {
	if c := op.clock; c != nil && c.mark > engine.NoTime {
		out.add(Effect{Kind: DoWatermark, Chan: engine.NoChan, Value: int64(c.mark), Before: int64(engine.NoTime), After: int64(c.mark)})
	}
}

// watermark takes one in from a lane. Event time here is the least over all inputs,
// so a fast input does not make the records of a slow one late.
func (op *operator) watermark(lane int, mark engine.Time, quiet bool, out *Out, emit func(*engine.Record)) {
	c := op.clock
	before := c.mark
	c.lanes[lane] = max(c.lanes[lane], mark)
	least := c.lanes[0]
	for _, m := range c.lanes {
		least = min(least, m)
	}
	c.mark = max(c.mark, least)
	out.add(Effect{Kind: DoWatermark, Chan: op.spec.In[lane], Value: int64(mark), Before: int64(before), After: int64(c.mark), Final: quiet})
	if c.mark > before && op.keyed != nil {
		op.keyed.passed(op, out, emit)
	}
}

// windows is an event-time tumbling window: it counts the records of a key whose
// event times lie in it, and writes one row when the watermark has reached its end.
// A record whose window is gone is late and dropped (Flink 2.x:
// numLateRecordsDropped). With allowed.lateness a window is kept that much longer,
// and each record that still comes makes it fire again with the new count.
type windows struct {
	panes []world.Pane // by end, then key
}

func (w *windows) take(op *operator, e *Effect, r *engine.Record, out *Out, emit func(*engine.Record)) bool {
	set := &op.job.Settings
	end := set.WindowEnd(op.job.EventTime(r.ID))
	if op.clock.mark >= end+set.AllowedLateness {
		e.Reason = engine.LateRecord
		out.add(*e)
		return false
	}
	p := w.pane(r.Key, end)
	e.Before = p.Count
	p.Count++
	e.After = p.Count
	out.add(*e)
	if op.clock.mark >= end {
		w.fire(op, p, out, emit)
	}
	return false
}

// pane finds or opens the key's part of a window.
func (w *windows) pane(key engine.KeyID, end engine.Time) *world.Pane {
	at := 0
	for at < len(w.panes) && (w.panes[at].End < end || w.panes[at].End == end && w.panes[at].Key < key) {
		at++
	}
	if at == len(w.panes) || w.panes[at].End != end || w.panes[at].Key != key {
		w.panes = append(w.panes, world.Pane{})
		copy(w.panes[at+1:], w.panes[at:])
		w.panes[at] = world.Pane{Key: key, End: end}
	}
	return &w.panes[at]
}

func (w *windows) fire(op *operator, p *world.Pane, out *Out, emit func(*engine.Record)) {
	row := engine.Record{ID: op.job.WindowRow(p.Key, p.End), Attempt: op.attempt, Key: p.Key, Value: p.Count * engine.ValueScale}
	out.add(Effect{Kind: DoFire, Record: row, Value: int64(p.End), Before: p.Fired, After: p.Count})
	p.Fired = p.Count
	emit(&row)
}

// passed fires the windows whose end event time has reached, and forgets those
// that no record can reach any more.
func (w *windows) passed(op *operator, out *Out, emit func(*engine.Record)) {
	kept := w.panes[:0]
	for i := range w.panes {
		p := w.panes[i]
		if p.End <= op.clock.mark && p.Fired == 0 {
			w.fire(op, &p, out, emit)
		}
		if p.End+op.job.Settings.AllowedLateness > op.clock.mark {
			kept = append(kept, p)
		}
	}
	w.panes = kept
}

func (w *windows) save(s *world.OpState) { s.Panes = append([]world.Pane(nil), w.panes...) }
func (w *windows) entries() int64        { return int64(len(w.panes)) }

func (w *windows) load(s *world.OpState) {
	w.panes = w.panes[:0]
	if s != nil {
		w.panes = append(w.panes, s.Panes...)
	}
}

func (w *windows) fork(into keyed) keyed {
	c, ok := into.(*windows)
	if !ok {
		c = &windows{}
	}
	c.panes = append(c.panes[:0], w.panes...)
	return c
}
