package kafka

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
)

// brokers runs a test against the embedded broker, and against the real one that
// TEST_KAFKA_BROKERS names. make test starts one; without it there is nothing to run
// against, and the name of the missing subtest shows that.
func brokers(t *testing.T, run func(t *testing.T, e *env)) {
	t.Run("kfake", func(t *testing.T) {
		noLeaks(t)
		b, err := Embed(EmbedConfig{})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		run(t, newEnv(t, b, false))
	})
	if addrs := os.Getenv("TEST_KAFKA_BROKERS"); addrs != "" {
		t.Run("apache", func(t *testing.T) {
			noLeaks(t)
			run(t, newEnv(t, Connect(strings.Split(addrs, ",")...), true))
		})
	}
}

// env is a broker with names that no other test uses.
type env struct {
	*testing.T
	ctx  context.Context
	b    Broker
	real bool
	name string
	keys []string
}

func newEnv(t *testing.T, b Broker, real bool) *env {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	name := strings.NewReplacer("/", ".", "#", ".", " ", "_").Replace(t.Name()) + "." + strconv.FormatInt(time.Now().UnixNano(), 36)
	return &env{T: t, ctx: ctx, b: b, real: real, name: name, keys: []string{"ana", "bo", "cy"}}
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

func (e *env) topic(suffix string, partitions int) string {
	e.Helper()
	name := e.name + "." + suffix
	e.must(CreateTopics(e.ctx, e.b, Topic{Name: name, Partitions: partitions}))
	return name
}

func (e *env) rows(topic string, committed bool) string {
	e.Helper()
	rows, err := (&Reader{Broker: e.b, Topic: topic, Committed: committed}).Rows(e.ctx)
	e.must(err)
	var out []string
	for _, r := range rows {
		out = append(out, r.ID.String()+"="+strconv.FormatInt(r.Value, 10)+"/"+strconv.Itoa(int(r.Attempt)))
	}
	return strings.Join(out, " ")
}

// shows waits until a reader sees these rows: a real broker shows a commit a moment
// after it has answered.
func (e *env) shows(topic string, committed bool, want string) {
	e.Helper()
	var got string
	until(e.T, func() bool { got = e.rows(topic, committed); return got == want }, func() string {
		return "rows (committed " + strconv.FormatBool(committed) + ") are [" + got + "], want [" + want + "]"
	})
}

// until asks again until it is so, for 10 s at most.
func until(t testing.TB, so func() bool, otherwise func() string) {
	t.Helper()
	end := time.After(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal(otherwise())
		}
	}
}

// noLeaks fails the test if goroutines or file descriptors are left behind it.
func noLeaks(t *testing.T) {
	goroutines, fds := runtime.NumGoroutine(), openFiles()
	t.Cleanup(func() {
		until(t, func() bool { return runtime.NumGoroutine() <= goroutines && openFiles() <= fds }, func() string {
			buf := make([]byte, 1<<16)
			return "left behind: goroutines " + strconv.Itoa(runtime.NumGoroutine()-goroutines) + ", files " +
				strconv.Itoa(openFiles()-fds) + "\n" + string(buf[:runtime.Stack(buf, true)])
		})
	})
}

func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// task is a sink's life in a test.
type task struct {
	*env
	sink *TxnSink
	life live.Life
	ans  live.Opened
}

func (e *env) live(topic string, token int64, ckpt int32, timeout time.Duration, promises ...live.Promise) *task {
	e.Helper()
	sink := NewTxnSink(TxnConfig{SinkConfig: SinkConfig{Broker: e.b, Topic: topic, Keys: e.keys}, Prefix: e.name, Timeout: timeout})
	k := &task{env: e, sink: sink, life: live.Life{Task: 4, Name: "sink/0", Attempt: int16(token), Token: token, Checkpoint: ckpt, Promises: promises}}
	e.Cleanup(func() { _ = sink.Close() })
	var err error
	k.ans, err = sink.Open(e.ctx, k.life)
	e.must(err)
	return k
}

func (k *task) txn(no int16) engine.Txn {
	return engine.Txn{Task: 4, No: no, Attempt: k.life.Attempt}
}

func (k *task) do(kind machine.EffectKind, x engine.Txn, rec ...engine.Record) (engine.Event, bool) {
	k.Helper()
	e, ev := machine.Effect{Kind: kind, Txn: x}, engine.Event{Txn: x}
	if len(rec) == 1 {
		e.Record = rec[0]
	}
	a, err := k.sink.Perform(k.ctx, &e, &ev)
	k.must(err)
	return ev, !a.Refused
}

// writes begins a transaction and writes rows for input records off, off+1, …
func (k *task) writes(no int16, off int32, n int) engine.Txn {
	k.Helper()
	x := k.txn(no)
	if _, ok := k.do(machine.DoBegin, x); !ok {
		k.Fatalf("begin of %v is refused", x)
	}
	for i := range int32(n) {
		if _, ok := k.do(machine.DoWrite, x, k.record(off+i)); !ok {
			k.Fatalf("write into %v is refused", x)
		}
	}
	k.must(k.sink.Flush(k.ctx))
	return x
}

func (k *task) record(off int32) engine.Record {
	return engine.Record{ID: engine.RecordID{Off: off}, Value: int64(10 * (off + 1)), Key: engine.KeyID(off % 3), Attempt: k.life.Attempt}
}

func (k *task) promise(x engine.Txn) live.Promise {
	k.Helper()
	k.do(machine.DoPrecommit, x)
	return live.Promise{Txn: x, Handle: k.sink.Handle(x)}
}

func lifeOf(token int64) live.Life {
	return live.Life{Task: 4, Name: "sink/0", Attempt: int16(token), Token: token}
}
