package sqldb

import (
	"context"
	"database/sql"

	"effectivelyonce/engine"
	"effectivelyonce/engine/world"
)

// Stored is the model of what the sink's tables hold, for a machine that resumes
// from its own output (offset-commit with offset-with-output: positions, and the
// counts where they are the output). Nil for sinks of which nothing is read back.
//
// It takes part in the fencing: whoever reads has registered its token first
// (Open), so with fencing on nothing that an older life writes can come after it.
func (s *Sink) Stored(ctx context.Context) (world.Outside, error) {
	if s.set.Kind != engine.SinkPosition {
		return nil, nil
	}
	if err := s.Flush(ctx); err != nil {
		return nil, err
	}
	var w *world.World
	err := s.ses.transact(ctx, "read positions", true, func(ctx context.Context) error {
		w = world.New(s.job)
		w.Sinks[s.sink] = world.NewPositions(s.job.Input, s.scope)
		return s.load(ctx, w)
	})
	if err != nil {
		return nil, err
	}
	return w.Sinks[s.sink], nil
}

// load replays the tables as writes of the model: first the ends of batches, then
// each balance with some position, and then each position with the balance that
// stands.
func (s *Sink) load(ctx context.Context, w *world.World) error {
	if err := s.loadEnds(ctx, w); err != nil {
		return err
	}
	ids := map[string]engine.KeyID{}
	for k, name := range s.job.Input.Keys {
		ids[name] = engine.KeyID(k)
	}
	values := make([]int64, len(ids))
	err := s.ses.each(ctx, `SELECT key, value FROM eo_balances WHERE place = ?`, func(r *sql.Rows) error {
		var key string
		var value int64
		err := r.Scan(&key, &value)
		if k, ok := ids[key]; ok {
			values[k] = value
		}
		return err
	}, s.opt.Place)
	if err != nil {
		return err
	}
	for k, v := range values {
		s.put(w, engine.KeyID(k), engine.RecordID{Part: 0, Off: -1}, v)
	}
	return s.ses.each(ctx, `SELECT part, key, last FROM eo_positions WHERE place = ? ORDER BY slot`, func(r *sql.Rows) error {
		var part int16
		var key string
		var last int32
		err := r.Scan(&part, &key, &last)
		if k, ok := ids[key]; ok && int(part) < len(s.job.Input.Parts) {
			s.put(w, k, engine.RecordID{Part: part, Off: last}, values[k])
		}
		return err
	}, s.opt.Place)
}

func (s *Sink) loadEnds(ctx context.Context, w *world.World) error {
	return s.ses.each(ctx, `SELECT writer, part, ends FROM eo_ends WHERE place = ?`, func(r *sql.Rows) error {
		op := world.PositionBatch{Sink: s.sink, Rows: make([]engine.Record, 1)}
		id := &op.Rows[0].ID
		if err := r.Scan(&op.Writer, &id.Part, &id.Off); err != nil {
			return err
		}
		if id.Off--; int(id.Part) < len(s.job.Input.Parts) && op.Writer < engine.MaxParallelism {
			op.Perform(w, &engine.Event{})
		}
		return nil
	}, s.opt.Place)
}

func (s *Sink) put(w *world.World, k engine.KeyID, id engine.RecordID, value int64) {
	op := world.PositionWrite{Sink: s.sink, Value: value, Record: engine.Record{ID: id, Key: k}}
	op.Perform(w, &engine.Event{})
}
