package live

import (
	"context"
	"sync"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
)

// MemoryLog is a replayable input in memory: one slice of records a partition. It
// survives every crash of a job's goroutines.
type MemoryLog [][]engine.Record

// Source reads one partition of the log.
func (l MemoryLog) Source(part int) Source { return &memorySource{log: l[part]} }

type memorySource struct {
	log []engine.Record
	at  int32
}

func (s *memorySource) Open(_ context.Context, offset int32) error {
	s.at = offset
	return nil
}

func (s *memorySource) Fetch(_ context.Context, buf []engine.Record) ([]engine.Record, bool, error) {
	n := min(len(s.log)-int(s.at), 256)
	buf = append(buf, s.log[s.at:int(s.at)+n]...)
	s.at += int32(n)
	return buf, int(s.at) == len(s.log), nil
}

func (s *memorySource) Covered(context.Context, int32) {}
func (s *memorySource) Close() error                   { return nil }

// Topic is a topic with transactions in memory, in the manner of Kafka's (4.x; facts
// 4 and 5): registering raises the producer's epoch, an older one is refused, and a
// transaction's rows are visible when it is committed. It has no clock: nothing
// expires. It survives every crash of a job's goroutines.
type Topic struct {
	Counts bool // rows are counted and not kept, for measurements

	mu     sync.Mutex
	epochs map[engine.TaskID]int16
	txns   map[engine.Txn]*memoryTxn
	rows   []Row
	count  int64
	keys   []string
	total  bool // rows carry totals
}

type memoryTxn struct {
	state engine.TxnState
	rows  []Row
	count int64
}

// NewTopic is an empty topic for a sink of the job.
func NewTopic(job *engine.Job, sink int) *Topic {
	return &Topic{epochs: map[engine.TaskID]int16{}, txns: map[engine.Txn]*memoryTxn{}, keys: job.Input.Keys,
		total: job.Settings.Sinks[sink].Output == engine.TotalOutput}
}

// Outside is a producer of the topic.
func (t *Topic) Outside() Outside { return &producer{topic: t} }

// Rows implements Reader with isolation read_committed.
func (t *Topic) Rows(context.Context) ([]Row, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Row(nil), t.rows...), nil
}

// Count is how many rows are visible to read_committed.
func (t *Topic) Count() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// Pending is how many transactions nobody has ended.
func (t *Topic) Pending() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := 0
	for _, x := range t.txns {
		if x.state == engine.TxnOpen || x.state == engine.TxnPrecommitted {
			n++
		}
	}
	return n
}

// producer is one life of a sink task at a Topic.
type producer struct {
	topic *Topic
	task  engine.TaskID
	epoch int16
	open  *memoryTxn
	txn   engine.Txn
}

func (p *producer) Open(_ context.Context, life Life) (Opened, error) {
	t := p.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epochs[life.Task]++
	p.task, p.epoch = life.Task, t.epochs[life.Task]
	o := Opened{Epoch: p.epoch}
	for x, state := range t.txns {
		if x.Task == life.Task && (state.state == engine.TxnOpen || state.state == engine.TxnPrecommitted) && !promised(life.Promises, x) {
			o.Lingering = append(o.Lingering, x)
		}
	}
	return o, nil
}

func promised(list []Promise, x engine.Txn) bool {
	for i := range list {
		if list[i].Txn == x {
			return true
		}
	}
	return false
}

func (p *producer) Perform(_ context.Context, e *machine.Effect, ev *engine.Event) (Answer, error) {
	if e.Kind == machine.DoWrite && !e.Txn.IsZero() && e.Txn == p.txn {
		p.write(&e.Record)
		return Answer{}, nil
	}
	t := p.topic
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Kind {
	case machine.DoWrite:
		if !e.Txn.IsZero() {
			return Answer{Refused: true}, nil
		}
		t.count++
		if !t.Counts {
			t.rows = append(t.rows, t.row(&e.Record))
		}
	case machine.DoBegin:
		if t.epochs[p.task] != e.Epoch {
			return Answer{Refused: true}, nil
		}
		p.open, p.txn = &memoryTxn{state: engine.TxnOpen}, e.Txn
		t.txns[e.Txn] = p.open
	case machine.DoPrecommit:
		if p.open.state == engine.TxnOpen {
			p.open.state = engine.TxnPrecommitted
		}
		ev.After, ev.Value = int64(p.open.state), p.open.count
		p.open, p.txn = nil, engine.Txn{}
	case machine.DoCommit, machine.DoAbort:
		return t.end(e, ev), nil
	}
	return Answer{}, nil
}

func (t *Topic) end(e *machine.Effect, ev *engine.Event) Answer {
	x := t.txns[e.Txn]
	if x == nil {
		ev.Before, ev.After = int64(engine.TxnNone), int64(engine.TxnNone)
		return Answer{Refused: true}
	}
	ev.Before, ev.Value = int64(x.state), x.count
	pending := x.state == engine.TxnOpen || x.state == engine.TxnPrecommitted
	switch {
	case pending && e.Kind == machine.DoCommit:
		x.state = engine.TxnCommitted
		t.rows = append(t.rows, x.rows...)
		t.count += x.count
		x.rows = nil
	case pending:
		x.state, x.rows = engine.TxnAborted, nil
	case e.Kind == machine.DoCommit && x.state == engine.TxnCommitted: // a repeat changes nothing (facts 4.1)
	default:
		ev.After = int64(x.state)
		return Answer{Refused: true}
	}
	return Answer{}
}

func (p *producer) write(r *engine.Record) {
	p.open.count++
	if !p.topic.Counts {
		p.open.rows = append(p.open.rows, p.topic.row(r))
	}
}

func (t *Topic) row(r *engine.Record) Row {
	row := Row{ID: r.ID, Key: t.keys[r.Key], Value: r.Value, Attempt: r.Attempt}
	if t.total {
		row.Value = r.Total
	}
	return row
}

func (p *producer) Flush(context.Context) error { return nil }
func (p *producer) Handle(x engine.Txn) []byte  { return []byte{byte(p.epoch), byte(p.epoch >> 8)} }
func (p *producer) Close() error                { return nil }
