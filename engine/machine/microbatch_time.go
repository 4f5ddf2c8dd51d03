package machine

import "effectivelyonce/engine"

// Event time of a microbatch query moves with its batches: it is a function of the
// logged ranges, so a batch that is run again closes the same windows (Spark 3.5
// writes the watermark into its logs; facts 2, steps 2 and 5). Here the watermark
// that a batch's own records give closes windows at its end; Spark uses it from the
// next batch on, and takes the maximum over partitions where this takes the minimum.

// keep holds a row back until the state version is stored.
func (t *batchTask) keep(r *engine.Record) { t.rows = append(t.rows, *r) }

// readTime is a source's watermark at the end of its range.
func (t *batchTask) readTime(out *Out) {
	if t.op.clock == nil || t.op.ended {
		return
	}
	t.rememberTime()
	if most := t.op.clock.most; most > engine.NoTime {
		t.op.advance(most-t.op.job.Settings.WatermarkDelay, true, out)
	}
}

// rememberTime finds the latest event time before a source's position.
func (t *batchTask) rememberTime() {
	c := t.op.clock
	if c == nil || t.op.spec.Kind != engine.OpSource {
		return
	}
	for o := range t.op.offset {
		c.most = max(c.most, t.op.job.EventTime(engine.RecordID{Part: int16(t.op.spec.Part), Off: o}))
	}
}

// tellTime tells the next tasks that work in event time where it stands.
func (t *batchTask) tellTime(out *Out) {
	if t.op.clock == nil {
		return
	}
	plan := t.op.job.Plan
	for _, c := range t.outs {
		if to := plan.Channels[c].To; plan.Tasks[to].Kind != engine.OpSink {
			out.add(Effect{Kind: PostMessage, Task: to, Note: noteMark, Ckpt: t.batch, Value: int64(t.op.clock.mark)})
		}
	}
}

func (t *batchTask) marked(in *In) {
	for lane, c := range t.op.spec.In {
		if t.op.job.Plan.Channels[c].From == in.Task {
			t.lanes[lane].mark, t.lanes[lane].marked = engine.Time(in.Value), true
		}
	}
}

// passTime lets event time move on when the whole batch is here.
func (t *batchTask) passTime(out *Out) {
	if t.op.clock == nil {
		return
	}
	for lane := range t.lanes {
		if m := t.lanes[lane].mark; m > t.op.clock.lanes[lane] {
			t.op.watermark(lane, m, true, out, t.keep)
		}
	}
}
