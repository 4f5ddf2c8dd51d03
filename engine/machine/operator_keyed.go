package machine

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// keyed is what a step does to a record in place of counting it or handing it on.
type keyed interface {
	// take appends what the record leads to. It may change the record, and reports
	// whether it goes on.
	take(op *operator, e *Effect, r *engine.Record, out *Out, emit func(*engine.Record)) bool
	// passed is told that event time has moved on.
	passed(op *operator, out *Out, emit func(*engine.Record))
	save(into *world.OpState)
	load(s *world.OpState) // nil is the beginning
	entries() int64
	fork(into keyed) keyed
}

// newKeyed is what the settings make of a step, nil for a plain one.
func newKeyed(job *engine.Job, spec *engine.Task) keyed {
	keys := len(job.Input.Keys)
	switch {
	case spec.Kind == engine.OpForward && job.Settings.Lookup != engine.LookupOff:
		return &lookup{}
	case spec.Kind != engine.OpCount:
		return nil
	}
	switch job.Settings.Operator {
	case engine.OperatorWindow:
		return &windows{}
	case engine.OperatorJoin:
		if job.Settings.Clocked() {
			return &timedJoin{table: make([]int64, keys)}
		}
		return &join{table: make([]int64, keys)}
	case engine.OperatorDedup:
		d := &firsts{seen: make([]engine.Time, keys)}
		d.load(nil)
		return d
	}
	return nil
}

// join is a stream–table join in processing time: a record gets what the table
// holds for its key at that moment. The table is made from a changelog, the last
// partition of the input, and is part of the snapshot (Flink 2.x regular join with
// an upsert table; facts 12).
type join struct{ table []int64 }

func (j *join) take(op *operator, e *Effect, r *engine.Record, out *Out, _ func(*engine.Record)) bool {
	if op.job.IsChange(r.ID) {
		e.Reason, e.Before, e.After = engine.TableChange, j.table[r.Key], r.Value
		j.table[r.Key] = r.Value
		out.add(*e)
		return false
	}
	e.Before, e.After = r.Value, engine.Joined(r.Value, j.table[r.Key])
	out.add(*e)
	r.Value = e.After
	return true
}

func (j *join) passed(*operator, *Out, func(*engine.Record)) {}
func (j *join) save(s *world.OpState)                        { s.Table = append([]int64(nil), j.table...) }

func (j *join) load(s *world.OpState) {
	clear(j.table)
	if s != nil {
		copy(j.table, s.Table)
	}
}

func (j *join) entries() int64 {
	n := int64(0)
	for _, v := range j.table {
		if v != 0 {
			n++
		}
	}
	return n
}

func (j *join) fork(into keyed) keyed {
	c, ok := into.(*join)
	if !ok {
		c = &join{}
	}
	c.table = append(c.table[:0], j.table...)
	return c
}

// firsts is a dedup operator: it hands on the first record of a key and drops what
// follows, as long as it remembers the key. The time to live is one of processing
// time, and counts from the first record (Flink 2.x state TTL, OnCreateAndWrite).
// The counter beside it counts the records since then; see Settings.refuseOperator.
type firsts struct{ seen []engine.Time }

func (d *firsts) take(op *operator, e *Effect, r *engine.Record, out *Out, _ func(*engine.Record)) bool {
	if at := d.seen[r.Key]; at >= 0 && op.now-at > op.job.Settings.StateTTL {
		op.counts.Set(r.Key, 0)
	}
	e.Before = op.counts.Add(r.Key)
	e.After = e.Before + 1
	if e.Before > 0 {
		e.Reason = engine.KnownRecord
		out.add(*e)
		return false
	}
	d.seen[r.Key] = op.now
	out.add(*e)
	r.Total = 1
	return true
}

func (d *firsts) passed(*operator, *Out, func(*engine.Record)) {}
func (d *firsts) save(s *world.OpState)                        { s.Seen = append([]engine.Time(nil), d.seen...) }
func (d *firsts) entries() int64                               { return -1 }

func (d *firsts) load(s *world.OpState) {
	for k := range d.seen {
		d.seen[k] = -1
	}
	if s != nil {
		copy(d.seen, s.Seen)
	}
}

func (d *firsts) fork(into keyed) keyed {
	c, ok := into.(*firsts)
	if !ok {
		c = &firsts{}
	}
	c.seen = append(c.seen[:0], d.seen...)
	return c
}

// lookup asks a service outside for each record. Its answer depends on the attempt
// of the job, so a replay gets another one (facts 15.7). With lookup=stored the
// answer is made durable before anything is done with it, and a replay uses it.
type lookup struct{ known world.Answers }

func (l *lookup) take(op *operator, e *Effect, r *engine.Record, out *Out, _ func(*engine.Record)) bool {
	e.Before = r.Value
	stored := op.job.Settings.Lookup == engine.LookupStored
	row := op.row(r.ID)
	if stored && row < len(l.known) && l.known[row] != 0 {
		e.Reason, e.After = engine.KnownRecord, l.known[row]
		out.add(*e)
		r.Value = e.After
		return true
	}
	e.After = engine.LookupAnswer(r.Value, op.attempt)
	out.add(*e)
	if stored {
		out.add(Effect{Kind: DoOp, Op: &world.StoreAnswer{Record: *r, Answer: e.After}})
	}
	r.Value = e.After
	return true
}

func (l *lookup) passed(*operator, *Out, func(*engine.Record)) {}
func (l *lookup) save(*world.OpState)                          {}
func (l *lookup) load(*world.OpState)                          {}
func (l *lookup) entries() int64                               { return 0 }

func (l *lookup) fork(into keyed) keyed {
	c, ok := into.(*lookup)
	if !ok {
		c = &lookup{}
	}
	c.known = append(c.known[:0], l.known...)
	return c
}

// recall is what the task finds outside when it comes to life.
func (op *operator) recall(in *In) {
	op.attempt = in.Attempt
	if l, ok := op.keyed.(*lookup); ok && in.World != nil {
		l.known = append(l.known[:0], in.World.Answers...)
	}
}

// row is the place of a record among all of the input.
func (op *operator) row(id engine.RecordID) int {
	n := int(id.Off)
	for p := range id.Part {
		n += len(op.job.Input.Parts[p])
	}
	return n
}

// extras is what the snapshot holds beside position and counts, nil if nothing.
func (op *operator) extras() *world.OpState {
	if op.keyed == nil && op.clock == nil {
		return nil
	}
	s := &world.OpState{}
	if op.clock != nil {
		op.clock.save(s)
	}
	if op.keyed != nil {
		op.keyed.save(s)
	}
	return s
}

// loadExtras is the inverse of extras.
func (op *operator) loadExtras(s *world.OpState) {
	if op.clock != nil {
		op.clock.load(s, op.job.Settings.WatermarkRestore)
	}
	if op.keyed != nil {
		op.keyed.load(s)
	}
}
