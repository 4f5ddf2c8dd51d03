package kafka

import (
	"context"
	"errors"
	"testing"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

var (
	_ live.Source  = (*Source)(nil)
	_ live.Outside = (*TxnSink)(nil)
	_ live.Outside = (*Append)(nil)
	_ live.Reader  = (*Reader)(nil)
)

func (e *env) feed(topic string, n int) {
	e.Helper()
	var in []engine.Record
	for i := range n {
		in = append(in, engine.Record{ID: engine.RecordID{Part: int16(i % 2), Off: int32(i / 2)}, Key: engine.KeyID(i % 3), Value: int64(i)})
	}
	e.must(Feed(e.ctx, e.b, topic, in, e.keys))
}

func TestASourceGoesOnFromTheOffsetOfTheCheckpoint(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		in := e.topic("in", 2)
		e.feed(in, 20)
		for _, from := range []int32{0, 7, 10} {
			s := NewSource(SourceConfig{Broker: e.b, Topic: in, Partition: 1, Keys: e.keys, Until: 10})
			e.must(s.Open(e.ctx, from))
			next := from
			for end := false; !end; {
				var got []engine.Record
				var err error
				got, end, err = s.Fetch(e.ctx, nil)
				e.must(err)
				for _, r := range got {
					want := engine.Record{ID: engine.RecordID{Part: 1, Off: next}, Key: engine.KeyID((2*next + 1) % 3), Value: int64(2*next + 1)}
					if r != want {
						t.Errorf("from %d: read %v, want %v", from, r, want)
					}
					next++
				}
			}
			if next != 10 {
				t.Errorf("from %d: the input ended at %d, want 10", from, next)
			}
			e.must(s.Close())
		}
	})
}

// The group's offset is for people who watch; nothing starts from it.
func TestWhatCheckpointsCoverIsToldToTheGroup(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		in := e.topic("in", 2)
		e.feed(in, 20)
		s := NewSource(SourceConfig{Broker: e.b, Topic: in, Keys: e.keys, Group: e.name})
		e.must(s.Open(e.ctx, 0))
		defer s.Close()
		for n := range int32(8) {
			s.Covered(e.ctx, n)
		}
		cl, err := client(e.b)
		e.must(err)
		defer cl.Close()
		var at int64
		until(t, func() bool {
			got, err := kadm.NewClient(cl).FetchOffsets(e.ctx, e.name)
			o, _ := got.Lookup(in, 0)
			at = o.At
			return err == nil && at == 7
		}, func() string { return "the group never heard of offset 7" })
		got, _, err := s.Fetch(e.ctx, nil)
		if err != nil || len(got) == 0 || got[0].ID.Off != 0 {
			t.Errorf("a source opened at 0 reads %v, %v", got, err)
		}
	})
}

func TestARecordThatIsGoneIsAnErrorAndNoJump(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		in := e.topic("in", 2)
		e.feed(in, 20)
		cl, err := client(e.b)
		e.must(err)
		defer cl.Close()
		var gone kadm.Offsets
		gone.AddOffset(in, 0, 5, -1)
		_, err = kadm.NewClient(cl).DeleteRecords(e.ctx, gone)
		e.must(err)
		s := NewSource(SourceConfig{Broker: e.b, Topic: in, Keys: e.keys})
		e.must(s.Open(e.ctx, 3))
		defer s.Close()
		if got, _, err := s.Fetch(e.ctx, nil); !errors.Is(err, kerr.OffsetOutOfRange) {
			t.Errorf("offset 3 of a log that begins at 5: %v, %v", got, err)
		}
	})
}

func TestAKeyThatTheInputDoesNotHaveIsNamed(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		in := e.topic("in", 2)
		e.must(Feed(e.ctx, e.b, in, []engine.Record{{}}, []string{"zoe"}))
		s := NewSource(SourceConfig{Broker: e.b, Topic: in, Keys: e.keys})
		e.must(s.Open(e.ctx, 0))
		defer s.Close()
		_, _, err := s.Fetch(e.ctx, nil)
		if want := `topic ` + in + `, partition 0, offset 0: the key is "zoe", not one of the input's keys`; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	})
}

func TestASourceStopsWaitingWhenItsTaskEnds(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		s := NewSource(SourceConfig{Broker: e.b, Topic: e.topic("in", 2), Keys: e.keys})
		e.must(s.Open(e.ctx, 0))
		defer s.Close()
		ctx, cancel := context.WithTimeout(e.ctx, 30*time.Millisecond)
		defer cancel()
		if _, end, err := s.Fetch(ctx, nil); end || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a source without records whose context is over: end %t, %v", end, err)
		}
	})
}

// Without transactions the client's own repeats are recognised, those of a job are not.
func TestAppendShowsARowOfEachAttempt(t *testing.T) {
	brokers(t, func(t *testing.T, e *env) {
		out := e.topic("out", 1)
		g := new(Gate)
		a := NewAppend(SinkConfig{Broker: Through(e.b, g), Topic: out, Keys: e.keys, Total: true})
		for attempt := range int16(2) {
			_, err := a.Open(e.ctx, lifeOf(int64(attempt)))
			e.must(err)
			for off := range int32(2) {
				if off == 1 {
					e.must(a.Flush(e.ctx))
					g.LoseAnswer(1)
				}
				eff := machine.Effect{Kind: machine.DoWrite, Record: engine.Record{ID: engine.RecordID{Off: off}, Total: int64(off + 5), Attempt: attempt + 1}}
				_, err := a.Perform(e.ctx, &eff, new(engine.Event))
				e.must(err)
			}
			e.must(a.Flush(e.ctx))
			if g.Lost() != 1 {
				t.Errorf("attempt %d: %d answers were lost, want 1", attempt+1, g.Lost())
			}
			e.must(a.Close())
		}
		e.shows(out, true, "P0:0=5/1 P0:1=6/1 P0:0=5/2 P0:1=6/2")
	})
}
