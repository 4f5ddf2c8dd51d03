package sqldb

import (
	"fmt"
	"reflect"
	"sort"

	"effectivelyonce/engine"
	"effectivelyonce/engine/live"
	"effectivelyonce/engine/machine"
	"effectivelyonce/engine/world"
)

// perform has the first few effects performed by both, and compares what they are
// recorded as and what is answered.
func (p *player) perform(l *lifeOf, effects []machine.Effect, few int) error {
	known := false
	for i := range effects[:min(few, len(effects))] {
		e := &effects[i]
		if known && e.Depends {
			continue
		}
		want, wantAnswer := p.model(l, e)
		got := p.event(l, e)
		answer, err := l.sink.Perform(p.ctx, e, &got)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("the model says %s, %s says %s", say(&want), p.db.Name(), say(&got))
		}
		if answer.Refused != wantAnswer.Refused || *answer.Op != wantAnswer {
			return fmt.Errorf("the model answers %+v, %s answers %+v", wantAnswer, p.db.Name(), *answer.Op)
		}
		known = wantAnswer.Known
		if wantAnswer.Refused {
			return nil
		}
	}
	return nil
}

func say(ev *engine.Event) string {
	return fmt.Sprintf("%s %s key %d value %d before %d after %d attempt %d", ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Before, ev.After, ev.Attempt)
}

// event is what a driver has filled in before it asks.
func (p *player) event(l *lifeOf, e *machine.Effect) engine.Event {
	return engine.Event{Task: l.task, Chan: engine.NoChan, Attempt: l.attempt, Rec: engine.NoRecord}
}

// model does to the model what a database is asked to do (sim.write for a plain row).
func (p *player) model(l *lifeOf, e *machine.Effect) (engine.Event, world.Answer) {
	ev := p.event(l, e)
	p.w.Asker, p.w.Token = l.task, l.token
	var answer world.Answer
	if e.Kind == machine.DoOp {
		answer = e.Op.Perform(p.w, &ev)
	} else {
		set := &p.job.Settings.Sinks[0]
		answer.Record = e.Record.ID
		ev.Kind, ev.Rec, ev.Key, ev.Value, ev.Attempt = engine.SinkWrite, e.Record.ID, e.Record.Key, e.Record.Value, e.Record.Attempt
		if set.Output == engine.TotalOutput {
			ev.Value = e.Record.Total
		}
		ev.After = ev.Value
		if set.Kind == engine.SinkUpsert {
			if set.Fencing && p.w.Refuses(&ev) {
				return ev, world.Answer{Refused: true}
			}
			ev.Before = p.w.Upsert(0, set, &e.Record, ev.Value)
		}
	}
	p.log = append(p.log, ev)
	if op, ok := e.Op.(*world.PositionBatch); ok && ev.Kind == engine.SinkWrite {
		for i := range op.Rows {
			p.touched[op.Rows[i].Key] = op.Rows[i].Attempt
		}
	} else if ev.Kind == engine.SinkWrite {
		p.touched[ev.Key] = ev.Attempt
	}
	return ev, answer
}

// lose has the database begin a deed and die before the commit. The model has
// seen nothing of it.
func (p *player) lose(l *lifeOf, effects []machine.Effect) error {
	l.sink.ses.inject = func(query string) error {
		if query == "COMMIT" {
			return errLost
		}
		return nil
	}
	defer func() { l.sink.ses.inject = nil }()
	ev := p.event(l, &effects[0])
	if _, err := l.sink.Perform(p.ctx, &effects[0], &ev); err == nil && ev.Kind != engine.Fenced {
		return fmt.Errorf("a transaction without its commit is said to be written")
	}
	return nil
}

// end compares what stands.
func (p *player) end() error {
	if len(p.lives) == 0 {
		return nil
	}
	set := &p.job.Settings.Sinks[0]
	last := p.lives[len(p.lives)-1]
	if set.Kind == engine.SinkDedup { // which ids are known: ask for each
		for n := range conformParts * conformEach {
			if err := p.perform(last, p.effects(p.record(last, n)), 1); err != nil {
				return fmt.Errorf("asked afterwards: %w", err)
			}
		}
	}
	if set.Kind == engine.SinkPosition {
		got, err := last.sink.Stored(p.ctx)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(got, p.w.Sinks[0]) {
			return fmt.Errorf("positions and values: the model has %+v, %s has %+v", p.w.Sinks[0], p.db.Name(), got)
		}
	}
	p.reader.place = p.place
	got, err := p.reader.Rows(p.ctx)
	if err != nil {
		return err
	}
	if want := p.rows(); fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("rows: the model has %v, %s has %v", want, p.db.Name(), got)
	}
	return nil
}

// rows is what a reader of the model would see: of an append all rows, otherwise
// the newest of each cell.
func (p *player) rows() []live.Row {
	set := &p.job.Settings.Sinks[0]
	var out []live.Row
	cells := map[string]live.Row{}
	for i := range p.log {
		ev := &p.log[i]
		if ev.Kind != engine.SinkWrite && ev.Kind != engine.DedupValue {
			continue
		}
		row := live.Row{ID: ev.Rec, Key: p.job.Input.Keys[ev.Key], Value: ev.After, Attempt: ev.Attempt}
		switch {
		case set.Kind == engine.SinkAppend:
			out = append(out, row)
		case ev.Rec == engine.NoRecord: // a batch: its values are compared with the positions
		case set.Kind == engine.SinkUpsert && set.Output == engine.EventOutput && set.EmitAt == 0:
			cells[row.ID.String()] = row
		default:
			row.ID = engine.NoRecord
			cells[row.Key] = row
		}
	}
	if set.Kind == engine.SinkPosition {
		p.batchRows(cells)
	}
	for _, r := range cells {
		out = append(out, r)
	}
	if set.Kind != engine.SinkAppend {
		sort.Slice(out, func(i, j int) bool {
			a, b := out[i], out[j]
			if a.Key != b.Key {
				return a.Key < b.Key
			}
			return a.ID.Part < b.ID.Part || a.ID.Part == b.ID.Part && a.ID.Off < b.ID.Off
		})
	}
	return out
}

// batchRows puts in what whole batches have written: the model keeps the values,
// the events do not name them.
func (p *player) batchRows(cells map[string]live.Row) {
	store := p.w.Sinks[0].(*world.Positions)
	for k, name := range p.job.Input.Keys {
		if v, attempt := store.Value(engine.KeyID(k)), p.touched[k]; attempt > 0 {
			cells[name] = live.Row{ID: engine.NoRecord, Key: name, Value: v, Attempt: attempt}
		}
	}
}
