package sqldb

import (
	"context"
	"fmt"
	"time"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// Options are what a sink can be told beyond the job's settings. The zero value is
// fine.
type Options struct {
	// Place separates runs and sinks that share a database; "": the sink's name.
	Place string
	// Batch is how many writes may wait for one transaction; below 2: each is
	// durable when Perform returns. See batch.go for which sinks batch.
	Batch int
	// Journal notes every change of a balance, in the transaction that changes it:
	// an independent reader then sees which record was applied how often.
	Journal bool
	// Patience is how long a write waits for trouble to pass before its error goes
	// to the driver; 0: 30 s. Negative: it does not wait.
	Patience time.Duration
	// Notice is told when trouble begins or turns into another, and nil when the
	// database is well again. It is called from the task's goroutine.
	Notice func(*Trouble)
	// Fenced is told of the first write of a life that the store refuses, with the
	// life's token and the newest that the store has seen.
	Fenced func(had, newest int64)
	// Now is the clock that dates ids; nil: microseconds since 1970 by the clock of
	// this machine. Tasks of one sink must agree on it.
	Now func() engine.Time
}

// Sink carries out the deeds of one sink task in a database (live.Outside), for
// the sink kinds append, upsert, dedup and offset-with-output. Each deed is one
// transaction, so a kill -9 finds a table in which every deed has taken hold as a
// whole or not at all; the two writes of a dedup that is not atomic are two deeds.
type Sink struct {
	job   *engine.Job
	set   *engine.SinkSettings
	sink  int
	scope string
	opt   Options
	ses   *session
	life  live.Life
	buf   []pending
	told  bool // that this life is refused
}

var _ live.Outside = (*Sink)(nil)

// Sink makes the outside of one task of a sink. An error names a kind of sink that
// is none of a database.
func (d *DB) Sink(job *engine.Job, sink int, opt Options) (*Sink, error) {
	set := &job.Settings.Sinks[sink]
	switch set.Kind {
	case engine.SinkAppend, engine.SinkUpsert, engine.SinkDedup, engine.SinkPosition:
	default:
		return nil, fmt.Errorf("sink %s: found kind %q; a database takes append, upsert, dedup, offset-with-output; nearest: upsert", set.Name, set.Kind)
	}
	if opt.Place == "" {
		opt.Place = set.Name
	}
	if opt.Patience == 0 {
		opt.Patience = defaultPatience
	}
	if opt.Now == nil {
		opt.Now = func() engine.Time { return engine.Time(time.Now().UnixMicro()) }
	}
	ses := &session{db: d, patience: opt.Patience, notice: opt.Notice}
	return &Sink{job: job, set: set, sink: sink, scope: machine.PositionScope(job, set), opt: opt, ses: ses}, nil
}

const defaultPatience = 30 * time.Second

// Open registers the life's token: from here on the store refuses older lives of
// the task, if it checks tokens. A life that has been overtaken already opens as
// well, and is refused when it writes.
func (s *Sink) Open(ctx context.Context, life live.Life) (live.Opened, error) {
	s.life, s.buf, s.told = life, s.buf[:0], false
	return live.Opened{}, s.register(ctx)
}

// Perform carries out a DoWrite or a DoOp of this sink and completes its event.
// The answer of an op is the one that the model would give. Where Options.Batch
// lets writes wait, the event says what the write will do as far as the store and
// what waits are known now; what counts is the store when they are flushed.
//
// After trouble in which a commit went unanswered, and which has passed, a write
// that recognises itself is reported as ignored although it was this deed's own
// first try that the store knows.
func (s *Sink) Perform(ctx context.Context, e *machine.Effect, ev *engine.Event) (live.Answer, error) {
	w, err := s.writeOf(e)
	if err != nil {
		return live.Answer{}, err
	}
	if s.batches(&w) {
		return s.wait(ctx, w, ev)
	}
	if err := s.Flush(ctx); err != nil { // the order of writes is kept
		return live.Answer{}, err
	}
	var out outcome
	err = s.ses.transact(ctx, "write", w.repeatable(), func(ctx context.Context) error {
		out = outcome{}
		if refused, err := s.refused(ctx, &out); refused || err != nil {
			return err
		}
		return s.apply(ctx, &w, &out)
	})
	if err != nil {
		return live.Answer{}, err
	}
	return s.record(&w, &out, ev), nil
}

// Flush returns when all writes so far are durable. An error leaves those that
// wait where they are: Flush may be called again.
func (s *Sink) Flush(ctx context.Context) error {
	if len(s.buf) == 0 {
		return nil
	}
	return s.flush(ctx)
}

// Handle is nothing: these sinks promise nothing.
func (s *Sink) Handle(engine.Txn) []byte { return nil }

// Close gives the connection back. Writes that wait are dropped, as by a crash: whoever
// wants them flushes first.
func (s *Sink) Close() error {
	s.buf = nil
	s.ses.release()
	return nil
}

// record completes the event and answers as the model does.
func (s *Sink) record(w *write, out *outcome, ev *engine.Event) live.Answer {
	ev.Rec, ev.Ckpt = w.rec.ID, w.batch
	if w.form != batchForm {
		ev.Key, ev.Attempt, ev.Value = w.rec.Key, w.rec.Attempt, w.value
	}
	if out.refused {
		if !s.told && s.opt.Fenced != nil {
			s.told = true
			s.opt.Fenced(s.life.Token, out.newest)
		}
		ev.Kind, ev.Before, ev.After = engine.Fenced, s.life.Token, out.newest
		return live.Answer{Refused: true, Op: &world.Answer{Refused: true}}
	}
	ev.Kind, ev.Before, ev.After = w.event, out.before, out.after
	if w.form == batchForm {
		ev.Before = int64(len(w.rows))
		ev.Value, ev.After = engine.PackPositions(out.ends)
	}
	if out.known {
		ev.Kind = engine.EffectIgnored
	}
	return live.Answer{Op: &world.Answer{Record: w.rec.ID, Known: out.known}}
}
