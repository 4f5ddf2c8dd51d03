package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

	"effectivelyonce/engine"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// form is what a write does to which tables.
type form uint8

const (
	rowForm      form = iota + 1 // a new row, always
	cellForm                     // the row of a record or of a key is set
	dedupForm                    // id, balance, or both
	positionForm                 // position and balance
	batchForm                    // positions and balances of a whole batch
)

// write is one deed in the store's terms.
type write struct {
	form  form
	event engine.Kind
	rec   engine.Record
	key   string
	value int64
	add   bool // to the balance; otherwise it is set

	cell string // cellForm: the row; where it is one of a key, the record has no id

	id    string // dedupForm
	part  world.DedupPart
	first bool
	at    engine.Time
	keep  engine.Time

	slot  string // positionForm
	guard bool

	writer int // batchForm
	batch  int32
	rows   []engine.Record
}

// outcome is what a write led to.
type outcome struct {
	refused, known bool
	newest         int64 // refused: the token that the store knows
	before, after  int64
	ends           []int32 // batchForm
}

// writeOf is a deed of the machine as a write.
func (s *Sink) writeOf(e *machine.Effect) (write, error) {
	switch {
	case e.Kind == machine.DoWrite && s.set.Kind == engine.SinkAppend:
		return write{form: rowForm, event: engine.SinkWrite, rec: e.Record, key: s.key(&e.Record), value: s.valueOf(&e.Record)}, nil
	case e.Kind == machine.DoWrite && s.set.Kind == engine.SinkUpsert:
		w := write{form: cellForm, event: engine.SinkWrite, rec: e.Record, key: s.key(&e.Record), value: s.valueOf(&e.Record)}
		w.cell = e.Record.ID.String()
		if s.byKey() {
			w.cell = w.key
		}
		return w, nil
	case e.Kind == machine.DoOp:
		return s.writeOfOp(e.Op)
	}
	return write{}, fmt.Errorf("sink %s of kind %s: a database has no deed of kind %d", s.set.Name, s.set.Kind, e.Kind)
}

func (s *Sink) writeOfOp(op world.Op) (write, error) {
	switch op := op.(type) {
	case *world.DedupWrite:
		w := write{form: dedupForm, rec: op.Record, key: s.key(&op.Record), value: op.Value, add: op.Add, part: op.Part, first: op.First, at: s.opt.Now(), keep: op.Retention}
		w.event = [...]engine.Kind{engine.SinkWrite, engine.DedupID, engine.DedupValue}[op.Part]
		w.id = op.Record.ID.String()
		if op.ByKey {
			w.id = w.key
		}
		return w, nil
	case *world.PositionWrite:
		return write{form: positionForm, event: engine.SinkWrite, rec: op.Record, key: s.key(&op.Record), value: op.Value, add: op.Add,
			slot: s.slot(&op.Record), guard: op.Guard}, nil
	case *world.PositionBatch:
		return write{form: batchForm, event: engine.SinkWrite, rec: engine.Record{ID: engine.NoRecord}, add: op.Add, writer: op.Writer, batch: op.Batch, rows: op.Rows}, nil
	}
	return write{}, fmt.Errorf("sink %s of kind %s: a database has no write of type %T", s.set.Name, s.set.Kind, op)
}

func (s *Sink) key(r *engine.Record) string { return s.job.Input.Keys[r.Key] }

func (s *Sink) byKey() bool { return s.set.Output == engine.TotalOutput || s.set.EmitAt > 0 }

func (s *Sink) valueOf(r *engine.Record) int64 {
	if s.set.Output == engine.TotalOutput {
		return r.Total
	}
	return r.Value
}

// slot is where the position of a record is kept, by the scope.
func (s *Sink) slot(r *engine.Record) string {
	part := strconv.Itoa(int(r.ID.Part))
	switch s.scope {
	case "key-and-partition":
		return part + "/" + s.key(r)
	case "partition":
		return part
	}
	return "all"
}

// repeatable reports whether the write may be run again when it is not known
// whether its first run took hold: the store recognises it, or it sets what is
// set. A new row would be there twice, and so would an addition that nothing guards.
func (w *write) repeatable() bool {
	switch w.form {
	case rowForm:
		return false
	case dedupForm:
		// An id alone that is found again looks as if its value had been written, too.
		return w.part == world.IDAndValue && w.first || w.part == world.OnlyID && !w.first || w.part == world.OnlyValue && !w.add
	case positionForm:
		return w.guard || !w.add
	}
	return true
}

// apply carries a write out, inside a transaction.
func (s *Sink) apply(ctx context.Context, w *write, out *outcome) error {
	switch w.form {
	case rowForm:
		return s.applyRow(ctx, w, out)
	case cellForm:
		return s.applyCell(ctx, w, out)
	case dedupForm:
		return s.applyDedup(ctx, w, out)
	case positionForm:
		return s.applyPosition(ctx, w, out)
	}
	return s.applyBatch(ctx, w, out)
}

func (s *Sink) applyRow(ctx context.Context, w *write, out *outcome) error {
	out.after = w.value
	_, err := s.ses.exec(ctx, `INSERT INTO eo_rows (place, part, off, key, value, attempt) VALUES (?, ?, ?, ?, ?, ?)`,
		s.opt.Place, w.rec.ID.Part, w.rec.ID.Off, w.key, w.value, w.rec.Attempt)
	return err
}

const findCell = `SELECT value FROM eo_cells WHERE place = ? AND cell = ?`

// applyCell sets a row. Repeating it changes nothing (facts 11.1); a reader may see
// an older value again while a replay catches up (facts 11.7).
func (s *Sink) applyCell(ctx context.Context, w *write, out *outcome) error {
	before, found, err := s.ses.number(ctx, findCell, s.opt.Place, w.cell)
	if err != nil {
		return err
	}
	out.before, out.after = engine.NoRow, w.value
	if found {
		out.before = before
	}
	id := w.rec.ID
	if s.byKey() {
		id = engine.NoRecord
	}
	_, err = s.ses.exec(ctx, `INSERT INTO eo_cells (place, cell, part, off, key, value, attempt) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (place, cell) DO UPDATE SET value = excluded.value, attempt = excluded.attempt`,
		s.opt.Place, w.cell, id.Part, id.Off, w.key, w.value, w.rec.Attempt)
	return err
}

const findID = `SELECT at FROM eo_ids WHERE place = ? AND id = ?`

// applyDedup looks the id up, unless this is the second of two writes, and then
// writes id, balance, or both. With both, looking up and remembering are one
// statement: of two writers of the same id one waits for the other's transaction
// and then finds the id there (PostgreSQL, read committed; SQLite has one writer).
// Value first can only look: what two writers or a crash make of that is its flaw.
func (s *Sink) applyDedup(ctx context.Context, w *write, out *outcome) error {
	switch {
	case w.part == world.OnlyValue && w.first:
		at, found, err := s.ses.number(ctx, findID, s.opt.Place, w.id)
		if err != nil {
			return err
		}
		if found && w.at-engine.Time(at) <= w.keep {
			out.known = true
			return nil
		}
	case w.first:
		n, err := s.ses.exec(ctx, `INSERT INTO eo_ids (place, id, at) VALUES (?, ?, ?)
			ON CONFLICT (place, id) DO UPDATE SET at = excluded.at WHERE eo_ids.at < ?`, s.opt.Place, w.id, int64(w.at), int64(w.at-w.keep))
		if err != nil {
			return err
		}
		if n == 0 {
			out.known = true
			return nil
		}
	case w.part != world.OnlyValue:
		if _, err := s.ses.exec(ctx, `INSERT INTO eo_ids (place, id, at) VALUES (?, ?, ?)
			ON CONFLICT (place, id) DO UPDATE SET at = excluded.at`, s.opt.Place, w.id, int64(w.at)); err != nil {
			return err
		}
	}
	if w.part == world.OnlyID {
		return s.wouldBe(ctx, w, out)
	}
	return s.balance(ctx, w, out)
}

const findBalance = `SELECT value FROM eo_balances WHERE place = ? AND key = ?`

// wouldBe is what the balance is and what the write that is still to come makes of it.
func (s *Sink) wouldBe(ctx context.Context, w *write, out *outcome) (err error) {
	out.before, _, err = s.ses.number(ctx, findBalance, s.opt.Place, w.key)
	out.after = w.value
	if w.add {
		out.after += out.before
	}
	return err
}

// balance changes the balance of a key, and notes it if there is a journal. The
// addition is the database's: of two writers neither overwrites the other's.
func (s *Sink) balance(ctx context.Context, w *write, out *outcome) error {
	if err := s.wouldBe(ctx, w, out); err != nil {
		return err
	}
	return s.change(ctx, &w.rec, w.key, w.value, w.add)
}

func (s *Sink) change(ctx context.Context, r *engine.Record, key string, value int64, add bool) error {
	query := `INSERT INTO eo_balances (place, key, value, attempt) VALUES (?, ?, ?, ?)
		ON CONFLICT (place, key) DO UPDATE SET value = excluded.value, attempt = excluded.attempt`
	if add {
		query = `INSERT INTO eo_balances (place, key, value, attempt) VALUES (?, ?, ?, ?)
		ON CONFLICT (place, key) DO UPDATE SET value = eo_balances.value + excluded.value, attempt = excluded.attempt`
	}
	if _, err := s.ses.exec(ctx, query, s.opt.Place, key, value, r.Attempt); err != nil || !s.opt.Journal {
		return err
	}
	_, err := s.ses.exec(ctx, `INSERT INTO eo_changes (place, part, off, key, value, attempt) VALUES (?, ?, ?, ?, ?, ?)`,
		s.opt.Place, r.ID.Part, r.ID.Off, key, value, r.Attempt)
	return err
}

const findPosition = `SELECT last FROM eo_positions WHERE place = ? AND slot = ?`

// applyPosition moves the position and the balance together. With a guard nothing
// happens unless the position moves forward (facts 11.2, 11.3).
func (s *Sink) applyPosition(ctx context.Context, w *write, out *outcome) error {
	query := `INSERT INTO eo_positions (place, slot, part, key, last) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (place, slot) DO UPDATE SET last = excluded.last, part = excluded.part, key = excluded.key`
	if w.guard {
		query += ` WHERE eo_positions.last < excluded.last`
	}
	n, err := s.ses.exec(ctx, query, s.opt.Place, w.slot, w.rec.ID.Part, w.key, w.rec.ID.Off)
	if err != nil {
		return err
	}
	if n == 0 {
		out.known = true
		return nil
	}
	return s.balance(ctx, w, out)
}

// applyBatch writes a whole batch with the positions at which it ends. It is new
// if it moves any of them forward; the rows of partitions that it does not move
// are written as well, as the model does: a batch is one thing.
func (s *Sink) applyBatch(ctx context.Context, w *write, out *outcome) error {
	parts := len(s.job.Input.Parts)
	ends := make([]int32, parts)
	for i := range w.rows {
		id := w.rows[i].ID
		ends[id.Part] = max(ends[id.Part], id.Off+1)
	}
	moved := int64(0)
	for p, end := range ends { // in order, so that two writers do not wait for each other in a circle
		if end == 0 {
			continue
		}
		n, err := s.ses.exec(ctx, `INSERT INTO eo_ends (place, writer, part, ends) VALUES (?, ?, ?, ?)
			ON CONFLICT (place, writer, part) DO UPDATE SET ends = excluded.ends WHERE eo_ends.ends < excluded.ends`, s.opt.Place, w.writer, p, end)
		if err != nil {
			return err
		}
		moved += n
	}
	out.ends = make([]int32, parts)
	err := s.ses.each(ctx, `SELECT part, ends FROM eo_ends WHERE place = ? AND writer = ?`, func(r *sql.Rows) error {
		var p int
		var end int32
		if err := r.Scan(&p, &end); err != nil {
			return err
		}
		if p < parts {
			out.ends[p] = end
		}
		return nil
	}, s.opt.Place, w.writer)
	if err != nil {
		return err
	}
	if out.known = moved == 0; out.known {
		return nil
	}
	for i := range w.rows {
		r := &w.rows[i]
		value := r.Total
		if w.add {
			value = r.Value
		}
		if err := s.change(ctx, r, s.key(r), value, w.add); err != nil {
			return err
		}
	}
	return nil
}
