package check_test

import (
	"testing"

	"effectivelyonce/engine"
	"effectivelyonce/engine/trace"
)

// hand writes traces by hand: what a run of topology J would have recorded,
// without an engine. The job is source/0, source/1, count/0, then a sink task
// for each sink.
type hand struct {
	t       *testing.T
	job     *engine.Job
	tr      *trace.Trace
	attempt int16
	counts  map[engine.KeyID]int64
	saved   map[int32]map[engine.KeyID]int64
	txn     engine.Txn
	rows    map[engine.Txn]int64
	table   map[engine.TaskID]map[int32]int64
}

const (
	counter   = engine.TaskID(2)
	firstSink = engine.TaskID(3)
)

// fruit is a small log: P0 is a b a, P1 is a b.
func fruit() *engine.Input {
	return &engine.Input{Name: "fruit", Keys: []string{"a", "b"}, Parts: [][]engine.Datum{
		{{Key: 0, Value: 1000}, {Key: 1, Value: 2000}, {Key: 0, Value: 3000}},
		{{Key: 0, Value: 4000}, {Key: 1, Value: 5000}},
	}}
}

func sink(name string, kind engine.SinkKind, out engine.Output) engine.SinkSettings {
	s := engine.BaseSink(name)
	s.Kind, s.Output = kind, out
	s.Readers = []engine.Isolation{engine.ReadCommitted, engine.ReadUncommitted}
	return s
}

func newHand(t *testing.T, sinks ...engine.SinkSettings) *hand {
	t.Helper()
	set := engine.BaseSettings()
	set.Sinks = sinks
	job, err := engine.NewJob("hand", set, fruit(), 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &hand{t: t, job: job, tr: trace.New(job, nil), attempt: 1, counts: map[engine.KeyID]int64{},
		saved: map[int32]map[engine.KeyID]int64{}, rows: map[engine.Txn]int64{}, table: map[engine.TaskID]map[int32]int64{}}
}

func (h *hand) add(e engine.Event) int32 {
	e.Attempt = h.attempt
	if e.Chan == 0 {
		e.Chan = engine.NoChan
	}
	e.Fault = -1
	return h.tr.Append(e).N
}

func (h *hand) rec(kind engine.Kind, task engine.TaskID, p, o int) engine.Event {
	d := h.job.Input.Parts[p][o]
	return engine.Event{Kind: kind, Task: task, Rec: engine.RecordID{Part: int16(p), Off: int32(o)}, Key: d.Key, Value: d.Value}
}

func (h *hand) read(p, o int) {
	h.add(h.rec(engine.SourceRead, engine.TaskID(p), p, o))
}

// count lets the counter process a record and returns the total it carries on.
func (h *hand) count(p, o int) int64 {
	e := h.rec(engine.RecordProcessed, counter, p, o)
	e.Before = h.counts[e.Key]
	h.counts[e.Key]++
	e.After = h.counts[e.Key]
	h.add(e)
	return e.After
}

// write lets a sink write a record; total is used by sinks of totals.
func (h *hand) write(sink, p, o int, total int64) {
	set := h.job.Settings.Sinks[sink]
	e := h.rec(engine.SinkWrite, firstSink+engine.TaskID(sink), p, o)
	if set.Output == engine.TotalOutput {
		e.Value = total
	}
	if set.Kind == engine.SinkTransactional {
		e.Txn = h.txn
		h.rows[h.txn]++
	}
	h.add(e)
}

// through takes records all the way: read, counted, written to every sink.
func (h *hand) through(recs ...[2]int) {
	for _, r := range recs {
		h.read(r[0], r[1])
		n := h.count(r[0], r[1])
		for i := range h.job.Settings.Sinks {
			h.write(i, r[0], r[1], n)
		}
	}
}

func (h *hand) begin(no int16) {
	h.txn = engine.Txn{Task: firstSink, No: no, Attempt: h.attempt}
	h.move(engine.TxnBegin, h.txn, engine.TxnNone, engine.TxnOpen)
}

func (h *hand) move(kind engine.Kind, x engine.Txn, from, to engine.TxnState) {
	h.add(engine.Event{Kind: kind, Task: x.Task, Txn: x, Before: int64(from), After: int64(to), Value: h.rows[x], Ckpt: int32(x.No)})
}

func (h *hand) precommit() {
	h.move(engine.TxnPrecommit, h.txn, engine.TxnOpen, engine.TxnPrecommitted)
}

func (h *hand) commit(x engine.Txn) {
	h.move(engine.TxnCommit, x, engine.TxnPrecommitted, engine.TxnCommitted)
}

// snapshot lets the counter copy its state for checkpoint n.
func (h *hand) snapshot(n int32) {
	c := map[engine.KeyID]int64{}
	for k, v := range h.counts {
		c[k] = v
	}
	h.saved[n] = c
	h.add(engine.Event{Kind: engine.SnapshotTaken, Task: counter, Ckpt: n, Rec: engine.NoRecord})
}

// restore starts the next attempt from checkpoint n, 0 is the beginning.
func (h *hand) restore(n int32) {
	h.add(engine.Event{Kind: engine.RestartBegin, Task: engine.JobID, Before: int64(h.attempt), After: int64(h.attempt + 1), Rec: engine.NoRecord})
	h.attempt++
	h.counts = map[engine.KeyID]int64{}
	for k, v := range h.saved[n] {
		h.counts[k] = v
	}
	h.add(engine.Event{Kind: engine.RestoreDone, Task: counter, Ckpt: n, Rec: engine.NoRecord})
}

func (h *hand) end(why engine.Reason) *trace.Trace {
	h.add(engine.Event{Kind: engine.RunEnded, Task: engine.JobID, Reason: why, Rec: engine.NoRecord})
	return h.tr
}

// all is the whole log in the order of its offsets.
func all() [][2]int { return [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}} }
