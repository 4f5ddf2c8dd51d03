package kafka

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"

	"github.com/twmb/franz-go/pkg/kgo"
)

// sameRun carries out one sequence on the model and on a broker at once.
type sameRun struct {
	e       *env
	m       modelled
	topic   string
	timeout time.Duration
	wait    func(r *sameRun, enough func() bool) // until transactions have expired
	cl      *kgo.Client
	plain   *Append
	lives   []*sameLife
	txns    []*sameTxn
	row     int32
	saw     tally
}

type sameLife struct {
	live.Life
	sink      *TxnSink
	epoch     int16 // as the model counts
	next      int16
	lingering []engine.Txn
}

type sameTxn struct {
	engine.Txn
	by      *sameLife
	began   time.Time
	handle  []byte
	broken  bool // a row was refused: its machine would have failed
	let     bool // its writer has ended it, and lets no row go to the broker any more
	dropped bool // its checkpoint was given up: no later life names it
}

// errSlow: the broker's clock may have ended a transaction before the sequence did.
var errSlow = errors.New("too slow for the transaction timeout")

func newSameRun(e *env, timeout time.Duration, wait func(*sameRun, func() bool)) *sameRun {
	r := &sameRun{e: e, m: modelled{kfake: !e.real}, topic: e.topic("same", 1), timeout: timeout, wait: wait}
	cl, err := client(e.b)
	e.must(err)
	r.cl = cl
	r.plain = NewAppend(SinkConfig{Broker: e.b, Topic: r.topic, Keys: e.keys})
	_, err = r.plain.Open(e.ctx, live.Life{})
	e.must(err)
	return r
}

func (r *sameRun) close() {
	r.cl.Close()
	_ = r.plain.Close()
	for _, l := range r.lives {
		_ = l.sink.Close()
	}
}

// run carries out a sequence; the error says where the two sides differ.
func (r *sameRun) run(ops []op) error {
	for i, o := range slices.Concat(ops, []op{{"read", 0, 0}}) {
		if err := r.do(o); err != nil {
			return fmt.Errorf("step %d, %s %d %d: %w", i+1, o.kind, o.a, o.b, err)
		}
		for _, x := range r.txns {
			if !x.began.IsZero() && r.m.pending(x.Txn) && time.Since(x.began) > r.timeout/2 {
				return errSlow
			}
		}
	}
	return nil
}

func (r *sameRun) do(o op) error {
	switch o.kind {
	case "life":
		return r.comeToLife(o.a%2, o.b)
	case "plain":
		r.marked()
		r.row++
		r.m.log = append(r.m.log, entry{row: r.row})
		e := machine.Effect{Kind: machine.DoWrite, Record: r.record()}
		_, err := r.plain.Perform(r.e.ctx, &e, new(engine.Event))
		return errors.Join(err, r.plain.Flush(r.e.ctx))
	case "expire":
		return r.expire()
	case "read":
		return errors.Join(r.read(true), r.read(false))
	case "begin":
		if len(r.lives) == 0 {
			return nil
		}
		return r.begin(newest(r.lives, o.a))
	}
	if len(r.txns) == 0 {
		return nil
	}
	x := newest(r.txns, o.a)
	switch o.kind {
	case "write":
		return r.write(x, 1+o.b%3)
	case "precommit":
		return r.precommit(x)
	case "commit":
		return r.commit(x, r.holder(x, o.b, func(l *sameLife) bool {
			return slices.ContainsFunc(l.Promises, func(p live.Promise) bool { return p.Txn == x.Txn })
		}))
	}
	return r.abort(x, r.holder(x, o.b, func(l *sameLife) bool { return slices.Contains(l.lingering, x.Txn) }))
}

func newest[T any](list []T, n int) T { return list[len(list)-1-n%len(list)] }

func (r *sameRun) record() engine.Record {
	return engine.Record{ID: engine.RecordID{Off: r.row}, Value: int64(r.row)}
}

// holder is a life that may end a transaction: its own, or one that knows it.
func (r *sameRun) holder(x *sameTxn, n int, knows func(*sameLife) bool) *sameLife {
	holders := []*sameLife{x.by}
	for _, l := range r.lives {
		if knows(l) {
			holders = append(holders, l)
		}
	}
	return holders[n%len(holders)]
}

// comeToLife restores a task from a checkpoint that may be the newest complete one:
// not older than anything that was committed, not newer than what was promised. What
// it names is promised, what is newer is given up for good.
func (r *sameRun) comeToLife(task, n int) error {
	l := &sameLife{Life: live.Life{Task: engine.TaskID(4 + task), Name: fmt.Sprintf("sink/%d", task),
		Attempt: int16(len(r.lives) + 1), Token: int64(len(r.lives) + 1)}, next: 1}
	least, most := r.checkpoints(l.Task)
	l.Checkpoint = least + int32(n)%(most-least+1)
	for _, x := range r.txns {
		if x.Task != l.Task {
			continue
		}
		l.next = max(l.next, x.No+1)
		if int32(x.No) > l.Checkpoint {
			x.dropped = true
			r.m.sweep(x.Txn)
		} else if !x.dropped && x.handle != nil {
			l.Promises = append(l.Promises, live.Promise{Txn: x.Txn, Handle: x.handle})
		}
	}
	l.sink = NewTxnSink(TxnConfig{SinkConfig: SinkConfig{Broker: r.e.b, Topic: r.topic, Keys: r.e.keys}, Prefix: r.e.name, Timeout: r.timeout})
	r.lives = append(r.lives, l)
	var want []engine.Txn
	l.epoch, want = r.m.init(l.Task, func(x engine.Txn) bool {
		return slices.ContainsFunc(l.Promises, func(p live.Promise) bool { return p.Txn == x })
	})
	got, err := l.sink.Open(r.e.ctx, l.Life)
	if err != nil {
		return err
	}
	l.lingering = got.Lingering
	r.saw["lingering"] += len(want)
	r.saw["lives"]++
	order := func(a, b engine.Txn) int { return int(a.Attempt-b.Attempt)*1000 + int(a.No-b.No) }
	slices.SortFunc(want, order)
	slices.SortFunc(got.Lingering, order)
	if got.Epoch != l.epoch || !slices.Equal(got.Lingering, want) {
		return fmt.Errorf("the broker gives epoch %d and finds %v lingering, the model %d and %v", got.Epoch, got.Lingering, l.epoch, want)
	}
	return nil
}

// checkpoints bounds what a task can be restored from. A checkpoint is complete only
// if its transaction was promised, and a commit is asked for only after that.
func (r *sameRun) checkpoints(task engine.TaskID) (least, most int32) {
	for _, x := range r.txns {
		if x.Task != task || x.dropped {
			continue
		}
		if s, _ := r.m.topic.State(x.Txn); s == engine.TxnCommitted {
			least = max(least, int32(x.No))
		}
		if x.handle != nil {
			most = max(most, int32(x.No))
		}
	}
	for _, l := range r.lives {
		if l.Task == task {
			least = max(least, l.Checkpoint)
		}
	}
	return least, max(least, most)
}

// open is the transaction that a life writes into; a writer has one at most.
func (r *sameRun) open(l *sameLife) *sameTxn {
	for _, x := range r.txns {
		if x.by == l && x.handle == nil && !x.broken && r.m.pending(x.Txn) {
			return x
		}
	}
	return nil
}

func (r *sameRun) begin(l *sameLife) error {
	if r.open(l) != nil {
		return nil
	}
	x := engine.Txn{Task: l.Task, No: l.next, Attempt: l.Attempt}
	l.next++
	ok := r.m.begin(x, l.epoch)
	r.count("begin", ok)
	if ok {
		r.txns = append(r.txns, &sameTxn{Txn: x, by: l})
	}
	return r.compare(l, machine.DoBegin, x, ok)
}

func (r *sameRun) count(what string, ok bool) {
	if !ok {
		what += " refused"
	}
	r.saw[what]++
}

// compare performs a deed at the broker and expects the model's answer.
func (r *sameRun) compare(l *sameLife, kind machine.EffectKind, x engine.Txn, ok bool) error {
	e, ev := machine.Effect{Kind: kind, Txn: x}, engine.Event{Txn: x}
	a, err := l.sink.Perform(r.e.ctx, &e, &ev)
	if err != nil {
		return err
	}
	if a.Refused == ok {
		return fmt.Errorf("transaction %v: refused by the model %t, by the broker %t", x, !ok, a.Refused)
	}
	return nil
}

func (r *sameRun) write(x *sameTxn, n int) error {
	if x.broken {
		return nil
	}
	if x.began.IsZero() {
		x.began = time.Now()
	}
	r.marked()
	for range n {
		r.row++
		ok := r.m.write(x.Txn, x.by.epoch, r.row)
		r.count("row", ok)
		e := machine.Effect{Kind: machine.DoWrite, Txn: x.Txn, Record: r.record()}
		a, err := x.by.sink.Perform(r.e.ctx, &e, new(engine.Event))
		if err == nil && !a.Refused {
			err = x.by.sink.Flush(r.e.ctx)
		}
		if err != nil && !errors.Is(err, ErrFenced) {
			return err
		}
		if refused := a.Refused || err != nil; refused == ok {
			return fmt.Errorf("row into %v: refused by the model %t, by the broker %t", x.Txn, !ok, refused)
		}
		if !ok {
			if x.handle == nil && !x.let {
				r.m.refused(x.Txn)
			}
			x.broken = true
			break
		}
	}
	return nil
}

func (r *sameRun) precommit(x *sameTxn) error {
	if x.broken || x.handle != nil || r.m.rows(x.Txn) == 0 {
		return nil // a machine promises only what it has written into, and once
	}
	if s, _ := r.m.topic.State(x.Txn); s == engine.TxnCommitted {
		return nil
	}
	r.m.topic.Precommit(x.Txn)
	r.saw["promised"]++
	if err := r.compare(x.by, machine.DoPrecommit, x.Txn, true); err != nil {
		return err
	}
	x.handle = x.by.sink.Handle(x.Txn)
	return nil
}

func (r *sameRun) commit(x *sameTxn, by *sameLife) error {
	if r.m.rows(x.Txn) == 0 {
		return nil
	}
	ok := r.m.commit(x.Txn)
	r.count("commit", ok)
	x.let = x.let || by == x.by
	if ok && x.handle == nil {
		x.dropped = true // committed without a promise: no checkpoint names it
	}
	return r.compare(by, machine.DoCommit, x.Txn, ok)
}

// abort of what was aborted already is answered as it comes: nothing changes.
func (r *sameRun) abort(x *sameTxn, by *sameLife) error {
	state, _ := r.m.topic.State(x.Txn)
	ok := r.m.abort(x.Txn, false)
	r.count("abort", ok)
	x.let = x.let || by == x.by
	if state == engine.TxnAborted || state == engine.TxnTimedOut || slices.Contains(by.lingering, x.Txn) {
		e := machine.Effect{Kind: machine.DoAbort, Txn: x.Txn}
		_, err := by.sink.Perform(r.e.ctx, &e, new(engine.Event))
		return err
	}
	return r.compare(by, machine.DoAbort, x.Txn, ok)
}

// expire lets the time of all open transactions run out.
func (r *sameRun) expire() error {
	var all []engine.Txn
	for _, x := range r.txns {
		all = append(all, x.Txn)
	}
	n := r.m.expire(all)
	r.saw["expired"] += n
	if n == 0 {
		return nil
	}
	r.wait(r, func() bool { return r.read(true) == nil })
	return r.read(true)
}

// marked waits until a real broker has written its markers. It answers before it does,
// when the outcome is decided (facts 5.5), and a row could come in between; the model and
// kfake write them at once (docs/conformance.md).
func (r *sameRun) marked() {
	if n := len(r.m.log); !r.e.real || n == 0 || r.m.log[n-1].row >= 0 {
		return
	}
	for range 200 {
		if at, err := ends(r.e.ctx, r.cl, r.topic, false); err != nil || at[0] >= int64(len(r.m.log)) {
			return // if it never comes, the next read tells
		}
		<-time.After(5 * time.Millisecond)
	}
}

// read compares what readers see, with the offset of each row, and the end: the last
// stable offset, or the high watermark. A real broker shows a commit a moment later.
func (r *sameRun) read(committed bool) error {
	want, got := r.m.sees(committed), ""
	for range 200 {
		at, err := ends(r.e.ctx, r.cl, r.topic, committed)
		if err != nil {
			return err
		}
		var seen []string
		err = readTo(r.e.ctx, r.cl, partition{r.topic, 0, committed}, 0, at[0], func(rec *kgo.Record) error {
			row, err := readRow(rec)
			seen = append(seen, fmt.Sprintf("%d:%d", rec.Offset, row.Value))
			return err
		})
		if err != nil {
			return err
		}
		if got = fmt.Sprintf("[%s] end %d", strings.Join(seen, " "), at[0]); got == want {
			return nil
		}
		if !r.e.real {
			break
		}
		<-time.After(5 * time.Millisecond)
	}
	return fmt.Errorf("reader, committed %t: the broker shows %s, the model %s", committed, got, want)
}
