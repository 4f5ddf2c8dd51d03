package live

import (
	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// send puts a record into the batch for its channel.
func (r *runner) send(e *machine.Effect) bool {
	w := r.outs[e.Chan]
	if w.buf == nil && !r.grab(w) {
		return false
	}
	if n := len(w.buf); n == cap(w.buf) {
		w.buf = append(w.buf, engine.Element{Kind: engine.DataElement, Record: e.Record})
	} else { // filled in where it lies
		w.buf = w.buf[:n+1]
		elem := &w.buf[n]
		elem.Kind, elem.Checkpoint, elem.Record, elem.Mark = engine.DataElement, 0, e.Record, 0
	}
	if r.rec.wants(e.Record.ID) {
		ev := machine.Recorded(r.id, r.attempt, e)
		ev.Kind, ev.After = engine.RecordSent, int64(len(w.buf))
		r.rec.add(&ev)
	}
	if len(w.buf) >= r.h.cfg.Batch {
		return r.flush(w)
	}
	return true
}

// grab takes an empty batch, waiting while the channel is full. Meanwhile the task
// answers what can be answered at once: a full channel must not keep a durable part
// from being acknowledged.
func (r *runner) grab(w *output) bool {
	if w.inbox == nil {
		w.buf = make([]engine.Element, 0, r.h.cfg.Batch)
		return true
	}
	free := w.inbox.lanes[w.lane].free
	select {
	case w.buf = <-free:
	default:
		if !r.awaitSpace(w, free) {
			return false
		}
	}
	if cap(w.buf) == 0 {
		w.buf = make([]engine.Element, 0, r.h.cfg.Batch)
	}
	w.buf = w.buf[:0]
	return true
}

func (r *runner) awaitSpace(w *output, free chan []engine.Element) bool {
	if r.rec.on() {
		r.rec.add(&engine.Event{Kind: engine.ChannelFull, Task: r.id, Chan: w.c, Attempt: r.attempt, Rec: engine.NoRecord,
			After: int64(batches * r.h.cfg.Batch)})
		r.rec.flush()
	}
	rung := false
	defer func() {
		if rung {
			r.mail.ring()
		}
	}()
	for {
		select {
		case w.buf = <-free:
			return true
		case <-r.mail.bell:
			rung = true
			for {
				word, ok := r.mail.next(func(w *word) bool { return w.kind == wordStored || w.kind == wordDeclined })
				if !ok {
					break
				}
				r.uploaded(&word)
			}
		case <-r.ctx.Done():
			return false
		}
	}
}

// flush lets the batch for a channel go.
func (r *runner) flush(w *output) bool {
	if len(w.buf) == 0 {
		return true
	}
	r.rec.flush()
	if w.inbox != nil {
		w.inbox.ch <- delivery{w.lane, w.buf} // has room for all that the lane can hold
		w.buf = nil
		return true
	}
	if err := w.link.Send(r.ctx, r.attempt, w.buf); err != nil {
		r.fail(engine.Crashed, err)
		return false
	}
	w.buf = w.buf[:0]
	return true
}

func (r *runner) flushAll() bool {
	for _, w := range r.own {
		if !r.flush(w) {
			return false
		}
	}
	return true
}

// broadcast puts a barrier or a watermark behind the records on all outputs. A
// barrier goes out at once; sinks get no watermarks, as they do not work in event time.
func (r *runner) broadcast(elem engine.Element, timed bool) bool {
	for _, w := range r.own {
		if timed && r.job.Plan.Tasks[r.job.Plan.Channels[w.c].To].Kind == engine.OpSink {
			continue
		}
		if w.buf == nil && !r.grab(w) {
			return false
		}
		if w.buf = append(w.buf, elem); !timed && !r.flush(w) {
			return false
		}
	}
	return true
}

// upload sends a part on its way to the store while the task goes on. A sink's part
// is sent only when everything written before it is acknowledged.
func (r *runner) upload(e *machine.Effect) bool {
	part := &Part{Snapshot: *e.Snapshot}
	if r.sink != nil {
		if err := r.sink.Flush(r.ctx); err != nil {
			r.fail(engine.Crashed, err)
			return false
		}
		for _, x := range e.Snapshot.Txns {
			part.Promises = append(part.Promises, Promise{Txn: x, Handle: r.sink.Handle(x)})
		}
	}
	if r.pump != nil {
		r.cuts = append(r.cuts, cut{e.Ckpt, e.Snapshot.Offset})
	}
	n := e.Ckpt
	r.uploads.Go(func() {
		w := word{kind: wordStored, ckpt: n, flying: int64(len(part.Snapshot.InFlight))}
		if w.ref, w.err = r.h.cfg.Store.Put(n, r.attempt, r.id, part); w.err != nil {
			w.kind = wordDeclined
		}
		r.mail.put(w)
	})
	return true
}
