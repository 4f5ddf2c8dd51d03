package machine

import "effectivelyonce/engine"

// handed is the record that a worker has been given and has not worked on yet
// (commit.handoff=async). The loop goes on polling and saves positions without
// asking the worker: the saved position can be ahead of the work (Kafka consumer
// 4.x; facts 5.12). Here the worker is one record behind. A crash loses the record
// with the worker.
type handed struct {
	record engine.Record
	holds  bool
}

// handOver works on a record, or gives it to the worker, who finishes the one before.
func (t *loopTask) handOver(r *engine.Record, out *Out) {
	if t.job.Settings.State.Handoff != "async" {
		t.handle(*r, out)
		return
	}
	t.drain(out)
	t.held = handed{record: *r, holds: true}
}

// drain waits for the worker.
func (t *loopTask) drain(out *Out) {
	if t.held.holds && !t.stopped {
		t.held.holds = false
		t.handle(t.held.record, out)
	}
}
