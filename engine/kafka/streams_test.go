package kafka

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"effectivelyonce/engine"
)

// streamers are loops of one group over one input of two partitions.
type streamers struct {
	*env
	cfg  StreamsConfig
	wait sync.WaitGroup
	n    int32 // records a partition
	mu   sync.Mutex
	said []string
	news chan struct{}
}

func newStreamers(e *env, n int32) *streamers {
	s := &streamers{env: e, n: n, news: make(chan struct{}, 1), cfg: StreamsConfig{Broker: e.b, Keys: e.keys, Group: e.name,
		Interval: 50 * time.Millisecond, Session: time.Second}}
	if e.real {
		s.cfg.Session = 6 * time.Second // group.min.session.timeout.ms (4.3.1)
	}
	s.cfg.Input, s.cfg.Output, s.cfg.Changelog = e.topic("in", 2), e.topic("out", 2), e.topic("changelog", 2)
	e.Cleanup(s.wait.Wait)
	return s
}

func (s *streamers) feed(from, to int32) {
	var in []engine.Record
	for p := range int16(2) {
		for o := from; o < to; o++ {
			in = append(in, engine.Record{ID: engine.RecordID{Part: p, Off: o}, Key: engine.KeyID(int(o) % len(s.keys)), Value: int64(o) * 10})
		}
	}
	s.must(Feed(s.ctx, s.b, s.cfg.Input, in, s.keys))
}

// start starts a member behind a gate, which starts over after what passes, as a
// worker does. Stopping it is a crash as far as its transaction
// goes: nobody ends it.
func (s *streamers) start(id string, g *Gate) (stop func() error) {
	cfg := s.cfg
	cfg.Broker, cfg.ID = Through(s.b, g), s.name+"."+id
	cfg.Notice = func(n StreamsNotice) { s.tell(id, n.Kind, n.Partitions, n.Rows, n.Why) }
	ctx, cancel := context.WithCancel(s.ctx)
	ended := make(chan error, 1)
	s.wait.Go(func() {
		for {
			err := NewStreams(cfg).Run(ctx)
			s.tell(id, "ended:", err, Fenced(err))
			if err == nil || Fenced(err) || ctx.Err() != nil {
				ended <- err
				return
			}
		}
	})
	s.Cleanup(cancel)
	return func() error { cancel(); return <-ended }
}

func (s *streamers) tell(what ...any) {
	s.mu.Lock()
	s.said = append(s.said, strings.TrimSuffix(fmt.Sprintln(what...), "\n"))
	s.mu.Unlock()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// hears waits until a member has told something.
func (s *streamers) hears(words string) {
	s.Helper()
	for {
		s.mu.Lock()
		all := strings.Join(s.said, "\n")
		s.mu.Unlock()
		if strings.Contains(all, words) {
			return
		}
		select {
		case <-s.news:
		case <-s.ctx.Done():
			s.Fatalf("%q was never told; told:\n%s", words, all)
		}
	}
}

// sees waits until a reader sees so many rows of the output.
func (s *streamers) sees(n int, committed bool) {
	s.Helper()
	for {
		rows, err := (&Reader{Broker: s.b, Topic: s.cfg.Output, Committed: committed}).Rows(s.ctx)
		if err != nil {
			s.mu.Lock()
			s.Fatalf("%d rows were never seen: %v; told:\n%s", n, err, strings.Join(s.said, "\n"))
		}
		if len(rows) >= n {
			return
		}
		select {
		case <-s.news:
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// rest waits until everything is committed, and compares the topics with the input.
func (s *streamers) rest() {
	s.Helper()
	for {
		done, err := StreamsAtRest(s.ctx, &s.cfg, []int32{s.n, s.n})
		s.must(err)
		if done {
			break
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-s.ctx.Done():
			s.Fatalf("never at rest; told:\n%s", strings.Join(s.said, "\n"))
		}
	}
	rows, err := (&Reader{Broker: s.b, Topic: s.cfg.Output, Committed: true}).Rows(s.ctx)
	s.must(err)
	times := map[engine.RecordID]int{}
	for _, r := range rows {
		times[r.ID]++
		if r.Value != int64(r.ID.Off)*10 || r.Key != s.keys[int(r.ID.Off)%len(s.keys)] {
			s.Errorf("row %+v is not its record's", r)
		}
	}
	changes, err := (&Reader{Broker: s.b, Topic: s.cfg.Changelog, Committed: true}).Rows(s.ctx)
	s.must(err)
	counts := map[string]int64{}
	for _, r := range changes {
		k := fmt.Sprint(r.ID.Part, r.Key)
		if r.Value != counts[k]+1 {
			s.Errorf("changelog: %s goes from %d to %d", k, counts[k], r.Value)
		}
		counts[k] = r.Value
	}
	if len(times) != int(2*s.n) || len(rows) != int(2*s.n) || len(changes) != int(2*s.n) {
		s.Errorf("%d rows of %d records and %d changes, want %d of each", len(rows), len(times), len(changes), 2*s.n)
	}
}

// Members come, are cut off for ever in the middle of a transaction, and come again
// with the same transactional id: each record has one row and one change.
func TestStreamsSurvivesCrashes(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		s := newStreamers(e, 240)
		var cut [2]Gate
		stop := [2]func() error{s.start("a", &cut[0]), s.start("b", &cut[1])}
		for round := range int32(3) {
			s.feed(round*80, round*80+40)
			s.sees(int(round)*160+40, true)
			s.feed(round*80+40, round*80+80)
			i := round % 2
			cut[i].Cut()
			_ = stop[i]()
			cut[i] = Gate{}
			stop[i] = s.start("ab"[i:i+1], &cut[i])
		}
		s.rest()
		for i := range stop {
			s.must(stop[i]())
		}
	})
}

// A member is frozen in the middle of a transaction; another takes its partitions over
// and commits, and the broker aborts the transaction when its time is up. When the
// frozen one goes on, its commit is refused.
func TestStreamsZombieIsRefused(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		s := newStreamers(e, 60)
		s.cfg.Timeout, s.cfg.Interval = 3*time.Second, time.Second
		var gate, open Gate
		s.feed(0, 20)
		stop := s.start("zombie", &gate)
		s.sees(40, true)
		s.feed(20, 40)
		s.sees(60, false) // it is in the middle of the next transaction
		gate.Freeze()
		s.feed(40, 60)
		s.cfg.Interval = 50 * time.Millisecond
		other := s.start("other", &open)
		s.rest()
		gate.Thaw()
		s.hears("zombie ended")
		if err := stop(); !Fenced(err) {
			t.Errorf("the zombie ends with %v", err)
		}
		s.rest()
		s.must(other())
	})
}

// A partition goes to another member, which counts on, and comes back: the state that
// its first owner had is an old one then, and is read again.
func TestStreamsPartitionsMove(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		s := newStreamers(e, 60)
		var gate [2]Gate
		s.feed(0, 20)
		first := s.start("first", &gate[0])
		s.sees(40, true)
		second := s.start("second", &gate[1])
		s.hears("second 1 ") // it owns something
		s.feed(20, 40)
		s.sees(80, true)
		s.must(second())
		s.feed(40, 60)
		s.rest()
		s.must(first())
	})
}
