package live

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// turn gives the machine what is next: a message first, then what came on a lane
// that is no longer held back, then what arrives. Before it waits, everything that
// was gathered for others goes out.
func (r *runner) turn() {
	if len(r.mail.bell) > 0 {
		if r.readMail() {
			return
		}
	}
	if r.held > 0 && r.catchUp() {
		return
	}
	var fetch chan fetched
	if r.pump != nil && !r.ended {
		fetch = r.pump.ch
	}
	select {
	case d := <-r.inbox.ch:
		r.arrived(d)
		return
	case f := <-fetch:
		r.read(f)
		return
	default:
	}
	if !r.flushAll() {
		return
	}
	r.rec.flush()
	select {
	case d := <-r.inbox.ch:
		r.arrived(d)
	case f := <-fetch:
		r.read(f)
	case <-r.mail.bell:
		r.mail.ring()
	case <-r.ctx.Done():
	}
}

// readMail handles what has been said so far. It reports false if there was nothing.
func (r *runner) readMail() bool {
	<-r.mail.bell
	any := false
	for {
		w, ok := r.mail.next(nil)
		if !ok || r.failed || r.ctx.Err() != nil {
			return any
		}
		any = true
		r.hear(&w)
	}
}

func (r *runner) hear(w *word) {
	in := machine.In{Ckpt: w.ckpt, Final: w.final, Now: r.rec.now()}
	switch w.kind {
	case OrderTrigger:
		in.Kind = machine.InTrigger
	case OrderNotify:
		in.Kind = machine.InNotify
		r.covered(w.ckpt)
	case OrderAbort:
		in.Kind = machine.InAborted
	default:
		r.uploaded(w)
		return
	}
	r.task.Step(&in, &r.out)
	r.perform()
}

// uploaded tells the machine that its part is durable, or the leader that it cannot be.
func (r *runner) uploaded(w *word) {
	if w.kind == wordDeclined {
		r.rec.flush()
		r.h.report(Report{Kind: ReportDeclined, Task: r.id, Attempt: r.attempt, Ckpt: w.ckpt, Why: w.err.Error()})
		return
	}
	if r.rec.on() {
		ev := machine.Recorded(r.id, r.attempt, &machine.Effect{Ckpt: w.ckpt})
		ev.Kind, ev.Value = engine.SnapshotStored, w.flying
		r.rec.add(&ev)
	}
	r.refs = append(r.refs, w.ref)
	r.side.Effects = r.side.Effects[:0]
	r.task.Step(&machine.In{Kind: machine.InStored, Ckpt: w.ckpt, Value: w.flying}, &r.side)
	for i := range r.side.Effects {
		r.post(&r.side.Effects[i])
	}
}

// covered tells the source what a completed checkpoint covers.
func (r *runner) covered(n int32) {
	for i, c := range r.cuts {
		if c.ckpt == n {
			r.pump.src.Covered(r.ctx, c.offset)
			r.cuts = append(r.cuts[:0], r.cuts[i+1:]...)
			return
		}
	}
}

// read hands fetched records to a source.
func (r *runner) read(f fetched) {
	r.in = machine.In{Kind: machine.InRead, Log: r.spec.Part, Now: r.now()}
	for i := 0; i < len(f.records); {
		n := r.readSome(f.records[i:])
		if !r.perform() {
			return
		}
		if i += n; i%bulk == 0 && len(r.mail.bell) > 0 {
			r.readMail()
			r.in.Now = r.now()
		}
	}
	r.seenUpTo(r.offset)
	switch {
	case f.err != nil && r.ctx.Err() == nil:
		r.fail(engine.Crashed, f.err)
	case f.end:
		r.ended = true
		r.task.Step(&machine.In{Kind: machine.InLogEnd, Log: r.spec.Part, Now: r.now()}, &r.out)
		r.perform()
	default:
		r.pump.free <- f.records
	}
}

// bulk is how many records a machine is told at once: few enough that what they lead to
// stays in the processor's cache.
const bulk = 32

// readSome hands the first of these records to the machine, or the first few, and
// tells how many.
func (r *runner) readSome(records []engine.Record) int {
	n := 1
	if r.bulk != nil {
		n = min(bulk, len(records))
	}
	records = records[:n]
	for i := range records {
		records[i].Attempt = r.attempt
	}
	r.offset = records[n-1].ID.Off + 1
	if r.bulk != nil {
		r.bulk.StepRecords(&r.in, records, &r.out)
		return n
	}
	r.in.Record = records[0]
	r.task.Step(&r.in, &r.out)
	return n
}

// now is asked for only where a rule depends on it.
func (r *runner) now() engine.Time {
	if r.clocked {
		return r.rec.now()
	}
	return 0
}

// arrived takes a batch, or keeps it while its lane is held back.
func (r *runner) arrived(d delivery) {
	b := &r.waits[d.lane]
	if len(b.batches) > 0 || r.task.Blocked(d.lane) {
		if len(b.batches) == 0 {
			r.held++
		}
		b.batches = append(b.batches, d.batch)
		return
	}
	if at := r.consume(d.lane, d.batch, 0); at < len(d.batch) {
		b.batches, b.at = append(b.batches, d.batch), at
		r.held++
		return
	}
	r.inbox.lanes[d.lane].free <- d.batch[:0]
}

// catchUp goes on with a lane that is no longer held back, if there is one.
func (r *runner) catchUp() bool {
	for lane := range r.waits {
		b := &r.waits[lane]
		if len(b.batches) == 0 || r.task.Blocked(lane) {
			continue
		}
		batch := b.batches[0]
		if b.at = r.consume(lane, batch, b.at); b.at < len(batch) {
			return true
		}
		b.batches, b.at = append(b.batches[:0], b.batches[1:]...), 0
		if len(b.batches) == 0 {
			r.held--
		}
		r.inbox.lanes[lane].free <- batch[:0]
		return true
	}
	return false
}

// consume hands elements to the machine until the lane is held back or the life is
// over, and tells how many it has taken.
func (r *runner) consume(lane int, batch []engine.Element, at int) int {
	r.in = machine.In{Kind: machine.InElement, Lane: lane, Now: r.now()}
	for ; at < len(batch); at++ {
		if r.bulk != nil {
			if n := r.bulk.StepElements(&r.in, batch[at:min(at+bulk, len(batch))], &r.out); n > 0 {
				if !r.perform() {
					return at
				}
				at += n - 1
				continue
			}
		}
		if batch[at].Kind == engine.DataElement && r.rec.wants(batch[at].Record.ID) {
			r.received(lane, &batch[at].Record, len(batch)-at)
		}
		r.in.Element = batch[at]
		r.task.Step(&r.in, &r.out)
		if !r.perform() {
			return at
		}
		if batch[at].Kind == engine.BarrierElement && r.task.Blocked(lane) {
			return at + 1
		}
	}
	return at
}

func (r *runner) received(lane int, rec *engine.Record, waiting int) {
	r.rec.add(&engine.Event{Kind: engine.RecordReceived, Task: r.id, Chan: r.spec.In[lane], Rec: rec.ID, Key: rec.Key, Value: rec.Value,
		Attempt: rec.Attempt, After: int64(waiting)})
}
