package check

import "effectivelyonce/engine"

// changes follows the changelogs of Kafka Streams. Under exactly_once_v2 what was
// appended counts when the thread's transaction commits, and a store is rebuilt
// from what is committed. Without transactions the local stores survive, and one
// whose disk is lost is rebuilt from all that was appended.
type changes struct {
	on, eos  bool
	appended []int32 // counter × keys: the history of the newest entry
	sealed   []int32 // counter × keys: the history of the newest committed entry
}

func (c *changes) init(job *engine.Job, n int) {
	c.on, c.eos = job.Settings.Strategy == "kafka-streams", job.Settings.Guarantee == "exactly_once_v2"
	c.appended, c.sealed = make([]int32, n), make([]int32, n)
}

func (c *changes) reset() {
	clear(c.appended)
	clear(c.sealed)
}

func (c *changes) copyFrom(o *changes) {
	copy(c.appended, o.appended)
	copy(c.sealed, o.sealed)
}

// change notes that the total of one key, as the counter has it now, is in its changelog.
func (l *lineage) change(e *engine.Event) {
	if c := l.slot(e.Task); c >= 0 && e.Key >= 0 && int32(e.Key) < l.keys {
		at := int32(c)*l.keys + int32(e.Key)
		if e.After == 0 { // the key is deleted; what comes after starts at nothing
			l.heads[at], l.stored[at] = 0, 0
		}
		l.changes.appended[at] = l.heads[at]
	}
}

// rebuild gives a counter the store that its changelog makes. Before is how many
// keys it had found in its local store.
func (l *lineage) rebuild(e *engine.Event, c int16) {
	stored := l.stored[int32(c)*l.keys : (int32(c)+1)*l.keys]
	switch {
	case !l.changes.on:
	case l.changes.eos:
		copy(stored, l.changes.sealed[int32(c)*l.keys:])
	case e.Before == 0:
		copy(stored, l.changes.appended[int32(c)*l.keys:])
	}
}

// moveThread is a step of the one transaction of a stream thread. It holds rows of
// every transactional sink, and the changelogs.
func (f *Fold) moveThread(e *engine.Event) {
	for i := range f.sinks {
		if s := &f.sinks[i]; s.set.Kind == engine.SinkTransactional {
			s.move(e)
		}
	}
	if !f.follow {
		return
	}
	switch c := &f.lin.changes; engine.TxnState(e.After) {
	case engine.TxnCommitted:
		copy(c.sealed, c.appended)
	case engine.TxnAborted, engine.TxnTimedOut:
		copy(c.appended, c.sealed)
	}
}
